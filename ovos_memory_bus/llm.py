"""An OpenAI-compatible chat endpoint, asked for text and read strictly."""

from __future__ import annotations

import asyncio  # on Python 3.10 its TimeoutError is a class of its own
import json
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp

from .config import LlmConfig
from .errors import MemoryBusError

LONGEST_ANSWER = 64_000  # bytes read of one answer
ARRAYS_TRIED = 50  # opening brackets looked at in one answer


class LlmUnavailable(MemoryBusError):
    """The endpoint is away, late, refuses, or answers what nobody can use; the work is tried again later."""

    code = "llm_unavailable"


class ChatClient:
    """Asks one endpoint; nothing is kept between calls but the name of its model."""

    def __init__(self, config: LlmConfig) -> None:
        self._config = config
        self._model = config.model

    async def complete(self, system: str, user: str) -> str:
        """The assistant's text. Raises `LlmUnavailable`, within the configured timeout."""
        headers = {"Authorization": f"Bearer {self._config.api_key}"} if self._config.api_key else {}
        timeout = aiohttp.ClientTimeout(total=self._config.timeout)
        try:
            async with aiohttp.ClientSession(timeout=timeout, headers=headers) as session:
                model = self._model or await self._first_model(session)
                body = {
                    "model": model,
                    "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
                    "temperature": 0,
                    "stream": False,
                }
                async with session.post(self._url("chat/completions"), json=body) as response:
                    answer = await self._read(response)
        except (aiohttp.ClientError, OSError, asyncio.TimeoutError, ValueError, RecursionError) as error:
            raise LlmUnavailable(f"the language model did not answer: {type(error).__name__}: {error}") from error
        return _content(answer)

    async def _first_model(self, session: aiohttp.ClientSession) -> str:
        """The first model that the endpoint lists; remembered."""
        async with session.get(self._url("models")) as response:
            answer = await self._read(response)
        try:
            self._model = str(answer["data"][0]["id"])
        except (KeyError, IndexError, TypeError):
            raise LlmUnavailable("the endpoint lists no model: set llm.model") from None
        return self._model

    def _url(self, path: str) -> str:
        return f"{self._config.api_url.rstrip('/')}/{path}"

    async def _read(self, response: aiohttp.ClientResponse) -> Any:
        """The JSON of an answer of bounded size."""
        if response.status != 200:
            raise LlmUnavailable(f"the language model answered HTTP {response.status}")
        raw = bytearray()
        async for chunk in response.content.iter_chunked(8_192):
            raw += chunk
            if len(raw) > LONGEST_ANSWER:
                raise LlmUnavailable(f"the language model's answer is longer than {LONGEST_ANSWER} bytes")
        return json.loads(raw)


def _content(answer: Any) -> str:
    try:
        content = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise LlmUnavailable("the language model's answer has no message") from None
    if not isinstance(content, str) or not content.strip():
        raise LlmUnavailable("the language model's answer is empty")
    return content


def objects_in(text: str) -> Sequence[Mapping[str, Any]]:
    """The objects of the first JSON array in `text`, wherever in the prose it stands. Raises `LlmUnavailable` where
    there is none that can be read whole."""
    decoder = json.JSONDecoder()
    start = text.find("[")
    for _ in range(ARRAYS_TRIED):
        if start < 0:
            break
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("[", start + 1)
            continue
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            return value
        start = text.find("[", start + 1)
    raise LlmUnavailable("the language model's answer holds no JSON array of objects")
