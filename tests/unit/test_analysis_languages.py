"""Spellings that mean the same meet, in and across languages; function words are not asked for."""

from __future__ import annotations

import json

import pytest

from ovos_memory_bus.analysis import analyse, query_terms
from ovos_memory_bus.analysis.languages import FOLDER, described, language

SAME = {
    "en": [
        ("nine dogs", "9 dogs"), ("January 9th", "on 9 January"), ("the ninth of January", "Jan 9"),
        ("twenty-three", "23"), ("a hundred and five", "105"), ("nineteen eighty-four", "1984"), ("1,000", "1000"),
        ("two thousand and five", "2005"), ("2 million", "2,000,000"), ("8:30 pm", "20:30"), ("8:30pm", "20:30"),
        ("half past eight", "20:30"), ("quarter to nine", "8:45"), ("eight thirty pm", "20:30"), ("8 p.m.", "20:00"),
        ("eight o'clock", "at 8"), ("e-mails", "email"), ("e mail", "e-mail"), ("O'Brien", "obrien"),
        ("my sister's", "sister"), ("A12", "A-12"), ("WiFi-Password", "wifi password"), ("car park", "the carpark"),
        ("bluehorse42", "code BlueHorse42."), ("the second", "2nd"), ("in May", "May fifth"),
        ("2024-03-05", "5 March 2024"),
    ],
    "de": [
        ("dreiundzwanzig", "23"), ("am vierzehnten März", "14. März"), ("einundzwanzigsten Juni", "21. Juni"),
        ("halb neun", "20:30"), ("viertel nach acht", "20:15"), ("acht Uhr dreißig", "8:30"),
        ("zweihundertfünfzig", "250"), ("neunzehnhundertvierundachtzig", "1984"), ("1.000", "1000"),
        ("Müller", "Mueller"), ("Straße", "STRASSE"), ("WLAN-Passwort", "WLAN Passwort"), ("Häuser", "Haus"),
    ],
    "es": [
        ("el nueve de enero", "9 de enero"), ("treinta y uno", "31"), ("las ocho y media", "20:30"),
        ("dos mil diecinueve", "2019"), ("doscientos cincuenta", "250"), ("el primero de mayo", "1 de mayo"),
        ("las nueve menos cuarto", "8:45"), ("canción", "canciones"), ("vivia", "vivía"), ("miercoles", "miércoles"),
    ],
    "pt": [
        ("nove de janeiro", "9 de janeiro"), ("vinte e três", "23"), ("às oito e meia", "20:30"),
        ("dois mil e dezanove", "2019"), ("segunda-feira", "segunda feira"), ("cento e cinquenta", "150"),
        ("coracao", "coração"), ("irmaos", "irmãos"),
    ],
    "it": [
        ("ventitré", "23"), ("il nove gennaio", "9 gennaio"), ("alle otto e mezza", "20:30"), ("ventuno", "21"),
        ("duemiladiciannove", "2019"), ("centocinquanta", "150"), ("dell'amico", "l'amico"), ("perche", "perché"),
    ],
    "fr": [
        ("quatre-vingt-dix-sept", "97"), ("vingt et un", "21"), ("soixante et onze", "71"), ("quatre-vingts", "80"),
        ("huit heures et demie", "20h30"), ("le premier mai", "1er mai"), ("deux mille dix-neuf", "2019"),
        ("l'hôtel", "hotel"), ("œuf", "oeuf"), ("été", "ete"),
    ],
    "nl": [
        ("drieëntwintig", "23"), ("half negen", "20:30"), ("negen januari", "9 januari"), ("eenentwintigste", "21ste"),
        ("kwart over acht", "8:15"), ("tweehonderdvijftig", "250"), ("tweeduizend negentien", "2019"),
    ],
    "ca": [
        ("vint-i-tres", "23"), ("dos quarts de nou", "20:30"), ("nou de gener", "9 de gener"), ("trenta-u", "31"),
        ("les vuit i mitja", "8:30"), ("d'aigua", "l'aigua"), ("col·legi", "collegi"),
    ],
    "da": [("treogtyve", "23"), ("klokken otte", "8:00")],
    "gl": [("o nove de xaneiro", "9 de xaneiro"), ("as oito e media", "20:30")],
}  # fmt: skip


def matches(query: str, lang: str | None, text: str, stored: str | None) -> list[bool]:
    terms = set(analyse(text, stored))
    return [not terms.isdisjoint(term.variants) for term in query_terms(query, lang)]


@pytest.mark.parametrize(("lang", "one", "other"), [(lang, *pair) for lang, pairs in SAME.items() for pair in pairs])
def test_spellings_of_one_thing_meet(lang, one, other):
    assert all(matches(one, lang, other, lang))


@pytest.mark.parametrize(
    ("query", "lang", "text", "stored"),
    [
        ("January 9th", "en-US", "el 9 de enero", "es-ES"),
        ("nine", "en-US", "neun Hunde", "de-DE"),
        ("lunes", "es-ES", "on Monday", "en-US"),
        ("20h30", "fr-FR", "half past eight pm", "en-US"),
        ("tre marzo", "it-IT", "drie maart", "nl-NL"),
        ("Elena Marta", "en-US", "Elena y Marta", "es-ES"),
        ("Häuser", "en-US", "Häuser", "de-DE"),
        ("canciones", None, "canciones", "es-ES"),
        ("nine", "en-US", "nine", None),
    ],
)
def test_languages_meet(query, lang, text, stored):
    assert all(matches(query, lang, text, stored))


@pytest.mark.parametrize(
    ("lang", "text", "query"),
    [
        ("zh-CN", "我的猫叫小白", "猫叫什么名字"),
        ("ja-JP", "私の猫はシロという名前です", "猫の名前は何ですか"),
        ("th-TH", "แมวของฉันชื่อมะลิ", "แมวชื่ออะไร"),
        ("lo-LA", "ແມວຂອງຂ້ອຍຊື່ມະລິ", "ແມວຊື່ຫຍັງ"),
        ("km-KH", "ឆ្មារបស់ខ្ញុំឈ្មោះម្លិះ", "ឆ្មាឈ្មោះអ្វី"),
        ("my-MM", "ကျွန်တော့်ကြောင်နာမည်က", "ကြောင်နာမည်"),
        ("ko-KR", "우리 고양이는 집에 있어요", "고양이가 어디"),
    ],
)
def test_writing_without_spaces_is_found_by_keywords(lang, text, query):
    assert sum(matches(query, lang, text, lang)) >= 2
    assert not any(matches(query, lang, "the weather in Ghent", "en"))


def test_a_single_han_character_is_found():
    assert matches("猫", "zh", "我养了一只猫", "zh") == [True]


@pytest.mark.parametrize(
    ("lang", "query", "content"),
    [
        ("en-US", "When did I go to the hotel?", ["go", "hotel"]),
        ("en-US", "What's the name of O'Brien's dog, and who doesn't like it?", ["name", "brien", "dog", "like"]),
        ("de-DE", "Wann hat meine Schwester Geburtstag?", ["schwest", "geburtstag"]),
        ("es-ES", "¿Cuándo es el cumpleaños de mi hermana?", ["cumplean", "herman"]),
        ("pt-PT", "Quando é o aniversário da minha irmã?", ["aniversari", "irma"]),
        ("it-IT", "Com'è che si chiama l'amico di mia sorella?", ["chiam", "amic", "sorell"]),
        ("fr-FR", "Qu'est-ce que l'oncle d'Anna a dit ?", ["oncle", "anna", "dit"]),
        ("nl-NL", "Wanneer is mijn zus jarig?", ["zus", "jarig"]),
        ("ca-ES", "Quan és l'aniversari de la meva germana?", ["aniversari", "german"]),
        ("gl-ES", "Cando é o aniversario da miña irmá?", ["aniversari", "irma"]),
        ("eu-ES", "Noiz da nire arrebaren urtebetetzea?", None),
        ("da-DK", "Hvornår har min søster fødselsdag?", ["sost", "fodselsdag"]),
    ],
)
def test_function_and_question_words_are_left_out(lang, query, content):
    first = [term.variants[0] for term in query_terms(query, lang)]
    assert len(first) == (2 if content is None else len(content))
    assert content is None or [term[:2] for term in first] == [word[:2] for word in content]


@pytest.mark.parametrize("query", ["who are you", "NOT", "OR", "and", "what did I do", "N.O.T."])
def test_a_query_of_nothing_but_function_words_asks_for_them(query):
    assert query_terms(query, "en-US")


@pytest.mark.parametrize(
    ("lang", "text", "absent"),
    [
        ("en", "he said that he may come", "№m0"),
        ("en", "the sun sat on the moon", "№w"),
        ("en", "8:30 am", "№t2030"),
        ("es", "uno de ellos", "1"),
        ("de", "ein Hund und eine Katze", "1"),
        ("it", "sei stanco", "6"),
        ("fr", "un chien", "1"),
    ],
)
def test_words_that_only_look_like_numbers_or_dates(lang, text, absent):
    assert not any(term.startswith(absent) for term in analyse(text, lang))


def test_two_hours_are_not_one_time():
    variants = [set(term.variants) for term in query_terms("I work from nine to five", "en")]
    assert {"9"} in [found & {"9"} for found in variants]
    assert {"5"} in [found & {"5"} for found in variants]


@pytest.mark.parametrize("code", described())
def test_a_language_file_is_whole(code):
    data = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    assert set(data) <= {
        "stemmer", "stop_words", "elisions", "enclitics", "numbers",
        "months", "month_cues", "weekdays", "times", "morning", "evening",
    }  # fmt: skip
    assert len(data.get("months", range(12))) == 12
    assert len(data.get("weekdays", range(7))) == 7
    known = language(code)
    assert known.stop_words
    assert all(pattern.minutes or pattern.sign or pattern.before or pattern.after for pattern in known.clock)


def test_tags_name_their_language_in_any_form():
    assert {language(tag).code for tag in ("pt", "pt-BR", "pt_BR", "PT-pt")} == {"pt"}
    assert language("nb-NO").code == "no"
    assert language("../en").stop_words == frozenset()
