"""The server's key, which lies outside the store: whoever finds a backup has none of the secrets that need it.

The key is `LANNER_LINK_KEY`, or a file beside a SQLite store. A PostgreSQL store without the variable has no key.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from lanner.store import Store
from lanner.store.webhooks import SEALED

KEY_VARIABLE = "LANNER_LINK_KEY"
LONGEST = 32  # bytes: what one HMAC-SHA256 covers


def server_key(store: Store, *, create: bool = False) -> bytes | None:
    """The key that secrets are made and sealed with; with `create` a file is made where there is none."""
    if words := os.environ.get(KEY_VARIABLE):
        return hashlib.sha256(words.encode()).digest()
    if store.kind != "sqlite":
        return None
    path = Path(store.place)
    path = path.with_name(f"{path.name}.key")
    if create:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with suppress(FileExistsError), os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
    return path.read_bytes() if path.is_file() else None


def seal(key: bytes, secret: str) -> str:
    """A secret of at most 32 characters so that only the key brings it back. A new one each time: the mask is the HMAC
    of a number that is never used again."""
    plain = secret.encode()
    if len(plain) > LONGEST:
        raise ValueError("longer than can be sealed")
    number = secrets.token_bytes(16)
    return f"{SEALED}{number.hex()}{_masked(key, number, plain).hex()}"


def is_sealed(text: str) -> bool:
    """Whether this is a secret that was sealed, not one in plain text."""
    return text.startswith(SEALED)


def unseal(key: bytes, text: str) -> str | None:
    """The secret that was sealed; None where it was with another key."""
    sealed = bytes.fromhex(text.removeprefix(SEALED))
    plain = _masked(key, sealed[:16], sealed[16:])
    return plain.decode() if plain.isascii() and plain.decode().isprintable() else None


def _masked(key: bytes, number: bytes, content: bytes) -> bytes:
    mask = hmac.new(key, b"webhook" + number, hashlib.sha256).digest()
    return bytes(a ^ b for a, b in zip(content, mask, strict=False))
