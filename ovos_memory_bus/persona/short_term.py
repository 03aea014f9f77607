"""What was said lately, kept in the persona's own process: the history it answers with while the memory is away."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from ovos_memory_bus import history
from ovos_memory_bus.records import ChatMessage

SPARE = 3  # turns kept for each message shown: the history rules merge and drop some
MAX_TURNS = 1_000  # turns kept of a talk, whatever the history shows
MAX_TALKS = 200  # talks kept; the one that was quiet for longest goes first

Talk = tuple[str, str | None]  # session id, user id


@dataclass(eq=False, slots=True)
class Turn:
    """One message and, once the service has stored it, its id there. `doubtful`: it may be forgotten there by now,
    without our having heard of it."""

    message: ChatMessage
    id: str | None = None
    doubtful: bool = False


class ShortTermHistory:
    """The newest turns of each talk. Safe from any thread."""

    def __init__(self, max_history: int) -> None:
        self._max_history = max_history
        self.size = min(max_history * SPARE, MAX_TURNS) if max_history > 0 else MAX_TURNS
        self._talks: OrderedDict[Talk, deque[Turn]] = OrderedDict()
        self._lock = Lock()

    def add(self, talk: Talk, messages: Iterable[ChatMessage]) -> list[Turn]:
        turns = [Turn(message) for message in messages]
        with self._lock:
            self._talks.setdefault(talk, deque(maxlen=self.size)).extend(turns)
            self._talks.move_to_end(talk)
            while len(self._talks) > MAX_TALKS:
                self._talks.popitem(last=False)
        return turns

    def stored(self, turns: Sequence[Turn], ids: Sequence[str]) -> None:
        """The service stored these turns under these ids; without ids it was told not to remember them."""
        if len(ids) == len(turns):
            for turn, id in zip(turns, ids, strict=True):
                turn.id = id
        elif not ids:
            self._drop(lambda turn: turn in turns)

    def forget(self, ids: Collection[str]) -> None:
        """Drop the turns with these ids."""
        gone = frozenset(ids)
        self._drop(lambda turn: turn.id in gone)

    def doubt(self) -> None:
        """The memory is out of hearing: what it forgets now it tells somebody else."""
        with self._lock:
            for turns in self._talks.values():
                for turn in turns:
                    turn.doubtful = turn.id is not None

    def doubts(self, talk: Talk) -> bool:
        """Whether a turn of this talk may be forgotten by now."""
        with self._lock:
            return any(turn.doubtful for turn in self._talks.get(talk, ()))

    def confirm(self, talk: Talk, ids: Collection[str]) -> None:
        """These are the ids of the talk's turns that the memory still has: the doubtful others go."""
        with self._lock:
            turns = self._talks.get(talk, deque())
            kept = [turn for turn in turns if not turn.doubtful or turn.id in ids]
            for turn in kept:
                turn.doubtful = False
            self._talks[talk] = deque(kept, turns.maxlen)

    def _drop(self, unwanted: Callable[[Turn], bool]) -> None:
        with self._lock:
            for talk, turns in self._talks.items():
                self._talks[talk] = deque((turn for turn in turns if not unwanted(turn)), turns.maxlen)

    def messages(self, talk: Talk) -> list[ChatMessage]:
        """The history of a talk after the history rules."""
        return history.cut(history.normalise(self._said(talk)), self._max_history)

    def context(self, talk: Talk, utterance: str, system_prompt: str) -> list[ChatMessage]:
        """System prompt, history and utterance, as a chat model takes them."""
        system = [ChatMessage("system", system_prompt.strip())] if system_prompt.strip() else []
        past = history.context_history(self._said(talk), self._max_history)
        return [*system, *past, ChatMessage("user", utterance.strip())]

    def _said(self, talk: Talk) -> list[ChatMessage]:
        with self._lock:
            return [turn.message for turn in self._talks.get(talk, ())]
