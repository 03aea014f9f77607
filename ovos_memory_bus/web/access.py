"""Who may use the API: whoever can read the data folder's `web.token`. Browsers get a signed cookie for it."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from ..errors import StorageError

TOKEN_FILE = "web.token"
COOKIE = "memory_session"
LIFETIME = 12 * 3_600  # seconds that a cookie holds
MIN_TOKEN = 32  # characters: 24 random bytes


def load_token(folder: Path) -> str:
    """The token of this memory, made and kept (mode 0600) at the first call. Raises `StorageError`."""
    file = folder / TOKEN_FILE
    try:
        if file.exists():
            file.chmod(0o600)
            token = file.read_text(encoding="ascii").strip()
            if len(token) >= MIN_TOKEN:
                return token
        return _make_token(file)
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"the page's token cannot be kept in {file}: {error}") from error


def _make_token(file: Path) -> str:
    token = secrets.token_urlsafe(32)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as target:
        target.write(token + "\n")
    os.replace(partial, file)
    return token


@dataclass(frozen=True, slots=True)
class Access:
    """Checks tokens, and makes and checks cookies: `<expiry>.<nonce>.<signature>`, signed with the token, so that they
    outlive a restart of the service and end with the token."""

    token: str

    def is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), self.token.encode())

    def is_bearer(self, header: str) -> bool:
        """Whether an `Authorization` header carries the token."""
        scheme, _, given = header.partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given.strip())

    def make_cookie(self, now: float | None = None) -> str:
        expiry = int(time.time() if now is None else now) + LIFETIME
        return self._signed(f"{expiry}.{secrets.token_urlsafe(16)}")

    def is_cookie(self, given: str, now: float | None = None) -> bool:
        body, _, _ = given.rpartition(".")
        expiry = body.partition(".")[0]
        if not hmac.compare_digest(given.encode(errors="replace"), self._signed(body).encode(errors="replace")):
            return False
        return int(expiry) > (time.time() if now is None else now)  # we signed it, so it is a number

    def _signed(self, body: str) -> str:
        key = hashlib.sha256(b"memory session\0" + self.token.encode()).digest()
        return f"{body}.{hmac.new(key, body.encode(errors='replace'), hashlib.sha256).hexdigest()}"
