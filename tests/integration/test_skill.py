"""The voice skill in a real ovos-core on a real bus: an utterance goes in, speech and the store's content come out."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from daemon import Daemon
from rig import Bus
from voice import SKILL, Core, Speaker
from wire import Wire, contents, user

import ovos_memory_bus

LOCALE = Path(ovos_memory_bus.__file__).parent / "skill" / "locale"
CONFIG = {"backends": ["recency", "lexical", "facts"], "observe": True}  # what is said to the skill is not kept
# by language: remembering, the thing, recalling it, forgetting it, then the other five sayings
SAYINGS = {
    "en-US": (
        "remember that my bicycle is in Lena's garage",
        "my bicycle is in Lena's garage",
        "what do you remember about my bicycle",
        "forget everything about my bicycle",
        ("what do you know about me", "forget that", "forget everything"),
        ("don't remember this", "you can remember again"),
    ),
    "de-DE": (
        "merk dir dass mein Fahrrad in der Garage von Lena steht",
        "mein Fahrrad in der Garage von Lena steht",
        "was weißt du über mein Fahrrad",
        "vergiss alles über mein Fahrrad",
        ("was weißt du über mich", "vergiss das", "vergiss alles"),
        ("merk dir das nicht", "du darfst dir wieder alles merken"),
    ),
    "es-ES": (
        "recuerda que mi bicicleta está en el garaje de Lena",
        "mi bicicleta está en el garaje de Lena",
        "qué recuerdas de mi bicicleta",
        "olvida todo sobre mi bicicleta",
        ("qué sabes de mí", "olvida eso", "olvida todo"),
        ("no recuerdes esto", "ya puedes volver a recordar"),
    ),
    "pt-PT": (
        "lembra-te que a minha bicicleta está na garagem da Lena",
        "a minha bicicleta está na garagem da Lena",
        "o que sabes sobre a minha bicicleta",
        "esquece tudo sobre a minha bicicleta",
        ("o que sabes sobre mim", "esquece isso", "esquece tudo"),
        ("não te lembres disto", "já podes memorizar outra vez"),
    ),
    "it-IT": (
        "ricordati che la mia bicicletta è nel garage di Lena",
        "la mia bicicletta è nel garage di Lena",
        "cosa ricordi di la mia bicicletta",
        "dimentica tutto su la mia bicicletta",
        ("cosa sai di me", "dimentica questo", "dimentica tutto"),
        ("non ricordare questo", "puoi ricordare di nuovo"),
    ),
    "fr-FR": (
        "souviens-toi que mon vélo est dans le garage de Lena",
        "mon vélo est dans le garage de Lena",
        "que sais-tu sur mon vélo",
        "oublie tout sur mon vélo",
        ("que sais-tu de moi", "oublie ça", "oublie tout"),
        ("ne retiens pas ça", "tu peux de nouveau retenir"),
    ),
    "nl-NL": (
        "onthoud dat mijn fiets in de garage van Lena staat",
        "mijn fiets in de garage van Lena staat",
        "wat weet je over mijn fiets",
        "vergeet alles over mijn fiets",
        ("wat weet je over mij", "vergeet dat", "vergeet alles"),
        ("onthoud dit niet", "je mag weer onthouden"),
    ),
    "ca-ES": (
        "recorda que la meva bicicleta és al garatge de la Lena",
        "la meva bicicleta és al garatge de la Lena",
        "què saps de la meva bicicleta",
        "oblida tot sobre la meva bicicleta",
        ("què saps de mi", "oblida això", "oblida tot"),
        ("no recordis això", "ja pots tornar a recordar"),
    ),
}
YES = {"en": "yes", "de": "ja", "es": "sí", "pt": "sim", "it": "sì", "fr": "oui", "nl": "ja", "ca": "sí"}


@pytest.fixture(scope="module")
def core(shared_bus: Bus, memory: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    home = tmp_path_factory.mktemp("core")
    with Wire(shared_bus.url) as wire, closing(Core(shared_bus, home, list(SAYINGS))) as core:
        core.wait_until_ready(wire)
        yield core


@pytest.fixture
def anna() -> dict[str, Any]:
    """The session of a user that nothing is known about yet."""
    return user(f"anna-{uuid.uuid4().hex[:8]}", session_id=uuid.uuid4().hex)


def spoken_as(dialog: str, lang: str, text: str) -> bool:
    """Whether a text is a line of that dialog in that language, with anything for its variables."""
    lines = (LOCALE / lang / f"{dialog}.dialog").read_text().splitlines()
    return any(re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(line)), text) for line in lines)


def stored(wire: Wire, session: dict[str, Any]) -> list[str]:
    return contents(wire.do("memory.item.list", {}, session)["items"])


@pytest.mark.parametrize("lang", list(SAYINGS))
def test_a_memory_by_voice_through_its_life(core: Core, wire: Wire, anna: dict[str, Any], lang: str) -> None:
    remember, thing, recall, forget, (about_me, forget_that, forget_all), (pause, resume) = SAYINGS[lang]
    speaker, yes = Speaker(wire, anna, lang), YES[lang[:2]]

    def heard(dialog: str, utterance: str) -> str:
        (answer,) = speaker.say(utterance)
        assert spoken_as(dialog, lang, answer), (utterance, answer)
        return answer

    heard("remembered", remember)
    assert stored(wire, anna) == [thing]
    assert thing in heard("recalled", recall)
    heard("forgotten", forget_that)
    assert stored(wire, anna) == []
    heard("recalled.nothing", recall)

    heard("remembered", remember)
    question, (answer,) = speaker.say_and_answer(forget, yes)
    assert spoken_as("confirm.about", lang, question)
    assert spoken_as("forgotten.about", lang, answer)
    assert stored(wire, anna) == []

    heard("paused", pause)
    heard("not.while.paused", remember)
    heard("resumed", resume)
    heard("remembered", remember)
    question, (answer,) = speaker.say_and_answer(forget_all, yes)
    assert spoken_as("confirm.everything", lang, question)
    assert spoken_as("forgotten.everything", lang, answer)
    assert stored(wire, anna) == []
    heard("known.nothing", about_me)


def test_what_is_known_about_the_user_is_said_in_the_language_of_the_question(
    core: Core, wire: Wire, anna: dict[str, Any]
) -> None:
    wire.say("my name is Anna and I live in Lisbon", session=anna, lang="en")
    wire.settle()
    (english,) = Speaker(wire, anna).say("what do you know about me")
    assert "your name is Anna" in english
    assert "you live in Lisbon" in english
    (german,) = Speaker(wire, anna, "de-DE").say("was weißt du über mich")
    assert "du heißt Anna" in german


def test_a_no_keeps_everything(core: Core, wire: Wire, anna: dict[str, Any]) -> None:
    speaker = Speaker(wire, anna)
    speaker.say("remember that the spare key hangs in the shed")
    for utterance in ("forget everything", "forget everything about the spare key"):
        _, (answer,) = speaker.say_and_answer(utterance, "no")
        assert spoken_as("kept", "en-US", answer)
    assert stored(wire, anna) == ["the spare key hangs in the shed"]


def test_two_people_at_one_microphone_have_each_their_own_memory(core: Core, wire: Wire) -> None:
    kitchen, name = uuid.uuid4().hex, uuid.uuid4().hex[:8]
    anna, bert = (user(f"{who}-{name}", session_id=kitchen) for who in ("anna", "bert"))
    Speaker(wire, anna).say("remember that the present for Bert is in the attic")
    (answer,) = Speaker(wire, bert).say("what do you remember about the present")
    assert spoken_as("recalled.nothing", "en-US", answer)
    (answer,) = Speaker(wire, {"session_id": kitchen}).say("what do you remember about the present")
    assert spoken_as("recalled.nothing", "en-US", answer)
    (answer,) = Speaker(wire, anna).say("what do you remember about the present")
    assert "in the attic" in answer


def test_forget_that_means_the_exchange_before_where_nothing_was_remembered_by_word(
    core: Core, wire: Wire, anna: dict[str, Any]
) -> None:
    speaker = Speaker(wire, anna)
    speaker.say("remember that the milk is in the blue fridge")
    wire.say("what is the capital of France", session=anna)
    wire.say("it is Paris", session=anna, role="assistant")
    speaker.say("what do you know about me")
    (answer,) = speaker.say("forget that")
    assert spoken_as("forgotten", "en-US", answer)
    assert stored(wire, anna) == ["the milk is in the blue fridge"]


def test_a_guess_of_the_intent_parser_forgets_nothing(core: Core, wire: Wire, anna: dict[str, Any]) -> None:
    speaker = Speaker(wire, anna)
    speaker.say("remember that the rent is due on Friday")
    data = {"utterance": "what time is it", "utterances": ["what time is it"], "lang": "en-US"}
    start = len(wire.frames)
    wire.send(f"{SKILL}:forget.last.intent", data, {"session": speaker.session})
    wire.until(lambda: any(frame["type"] == "speak" for frame in wire.frames[start:]), "nothing was said")
    assert stored(wire, anna) == ["the rent is due on Friday"]


def test_a_memory_that_is_away_is_said_so(core: Core, wire: Wire, memory: Daemon, anna: dict[str, Any]) -> None:
    memory.stop()
    try:
        (answer,) = Speaker(wire, anna).say("remember that tea is ready at five")
    finally:
        memory.start()
    assert spoken_as("unavailable", "en-US", answer)
