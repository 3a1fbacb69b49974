"""Accounts of organisers: their names, passwords, roles and campaigns. Judges have none: they come by their links."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import unicodedata
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from lanner.errors import LannerError, did_you_mean
from lanner.store import Account, AccountRole, Store, Transaction
from lanner.store.campaigns import SEALED

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1000  # hashing a longer one would only cost time
LONGEST_NAME = 80
_HASHER = PasswordHasher()
# Verified where the name is unknown, so that a wrong name takes as long as a wrong password.
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$X5Xp+PNgcAtLekghXLBp6g$tDg11sO6DIKiaPZd5fTqr7smuhSxIe2a269dnAbVtZs"


def normal_name(name: str) -> str:
    """One spelling of a name: composed, without spaces at its ends."""
    return unicodedata.normalize("NFC", name).strip()


def hash_password(password: str) -> str:
    """What is kept of a password; a short one is refused."""
    if len(password) < SHORTEST_PASSWORD:
        raise LannerError(
            f"The password is too short: at least {SHORTEST_PASSWORD} characters.",
            code="short_password",
            names={"n": str(SHORTEST_PASSWORD)},
            next_step="Use a sentence.",
        )
    return _HASHER.hash(password[:LONGEST_PASSWORD])


def add_account(store: Store, name: str, password: str, role: AccountRole, *, first: bool = False) -> int:
    """Make an account. With `first` only where there is none yet."""
    name = normal_name(name)
    if not name or len(name) > LONGEST_NAME:
        raise LannerError(f"An account needs a name of at most {LONGEST_NAME} characters.", code="bad_account_name")
    secret = hash_password(password)
    with store.writing() as tx:
        if first and tx.accounts.count_owners():
            raise LannerError("This server has been set up already.", code="already_set_up", next_step="Sign in.")
        if tx.accounts.find(name):
            raise LannerError(
                f"There is an account called {name!r} already.",
                code="account_taken",
                names={"name": repr(name)},
                next_step="Choose another name.",
            )
        return tx.accounts.add(name, secret, role, datetime.now(UTC))


def verify(store: Store, name: str, password: str) -> Account | None:
    """The account, if name and password belong together. Takes equally long whatever is wrong."""
    password = password[:LONGEST_PASSWORD]
    with store.reading() as tx:
        account = tx.accounts.find(normal_name(name))
    try:
        _HASHER.verify(account.password if account else _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return None
    if account is None or account.disabled_at is not None:
        return None
    if not _HASHER.check_needs_rehash(account.password):
        return account
    rehashed = replace(account, password=_HASHER.hash(password))
    with store.writing() as tx:
        if not has_password(account, tx):
            return None
        tx.accounts.set_password(account.id, rehashed.password)
    return rehashed


def has_password(account: Account, tx: Transaction) -> bool:
    """Whether an account still has the password that it was read with, and may come in; so until the transaction
    ends."""
    tx.sessions.hold(account=account.id)
    current = tx.accounts.by_number(account.id)
    return current is not None and (current.password, current.disabled_at) == (account.password, None)


def change_password(store: Store, account: Account, old: str, new: str) -> Account | None:
    """A new password for whoever knows the old one (else None). Every session of the account ends with it."""
    known = verify(store, account.name, old)
    if known is None:
        return None
    changed = replace(known, password=hash_password(new))
    with store.writing() as tx:
        if not has_password(known, tx):
            return None
        tx.accounts.set_password(known.id, changed.password)
        tx.sessions.remove_of(account=known.id)
    return changed


def set_role(tx: Transaction, account: Account, role: AccountRole) -> None:
    """Another role. The last owner stays one."""
    if role is not AccountRole.OWNER:
        _refuse_last_owner(tx, account)
    tx.accounts.set_role(account.id, role)


def disable(tx: Transaction, account: Account) -> None:
    """No access any more, from this moment on. The last owner keeps it."""
    _refuse_last_owner(tx, account)
    tx.accounts.disable(account.id, datetime.now(UTC))
    tx.sessions.remove_of(account=account.id)


def set_campaigns(tx: Transaction, account: Account, campaign_ids: Collection[int]) -> None:
    """Make these the only campaigns that the account sees."""
    before = {campaign.id for campaign in tx.campaigns.of_account(account.id)}
    for campaign_id in set(campaign_ids) - before:
        tx.accounts.join(account.id, campaign_id)
    for campaign_id in before - set(campaign_ids):
        tx.accounts.leave(account.id, campaign_id)


def _refuse_last_owner(tx: Transaction, account: Account) -> None:
    """A server without an owner could not be run any more."""
    tx.accounts.hold_owners()
    owners = [one for one in tx.accounts.all() if one.role is AccountRole.OWNER and one.disabled_at is None]
    if [owner.id for owner in owners] == [account.id]:
        raise LannerError("This is the last owner.", code="last_owner", next_step="Make someone else an owner first.")


# Tokens of the HTTP API: what each may do, and how one is issued. Only a token's hash is kept.


SCOPES = {
    "campaigns": "see campaigns, their texts, tasks and progress",
    "judgements": "read judgements and exports, with judges under pseudonyms",
    "people": "read judges by the ids they were given",
    "write": "make campaigns, add judges, open and close, hand in answers",
    "metrics": "read the server's own numbers",
}
PREFIX = "lanner_"
_BYTES = 32


def issue(
    store: Store,
    name: str,
    scopes: Iterable[str],
    *,
    account: str | None = None,
    campaign: str | None = None,
    expires_at: datetime | None = None,
) -> tuple[int, str]:
    """A new token: its number, and the text that is shown once and kept nowhere."""
    names = list(scopes)
    if unknown := [scope for scope in names if scope not in SCOPES]:
        raise LannerError(f"There is no scope {unknown[0]!r}.", next_step=did_you_mean(unknown[0], SCOPES))
    text = PREFIX + secrets.token_urlsafe(_BYTES)
    with store.writing() as tx:
        owner = tx.accounts.find(account) if account is not None else None
        if account is not None and owner is None:
            known_names = [entry.name for entry in tx.accounts.all()]
            raise LannerError(f"There is no account {account!r}.", next_step=did_you_mean(account, known_names))
        number = tx.tokens.add(
            name,
            digest(text),
            names,
            datetime.now(UTC),
            account=owner.id if owner else None,
            campaign=tx.campaigns.get(campaign).id if campaign is not None else None,
            expires_at=expires_at,
        )
    return number, text


def digest(text: str) -> str:
    """What is kept of a token, or of the secret in a judge's link. They are random and long, so a plain hash is as good
    as a slow one."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


# The server's key, which lies outside the store: whoever finds a backup has none of the secrets that need it.
#
# The key is `LANNER_LINK_KEY`, or a file beside a SQLite store. A PostgreSQL store without the variable has no key.


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
    if create and not path.exists():
        _make_key(path)
    return (path.read_bytes() or None) if path.is_file() else None


def _make_key(path: Path) -> None:
    """A new key, unless somebody else makes one in the same moment. One that cannot be written leaves no file: to seal
    with an empty key is not to seal."""
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(file, secrets.token_bytes(32))
        except OSError:
            path.unlink()
            raise
        finally:
            os.close(file)


def seal(key: bytes, secret: str) -> str:
    """A secret of at most 32 characters so that only the key brings it back. A new one each time: the mask is the HMAC
    of a number that is never used again."""
    plain = secret.encode()
    if len(plain) > LONGEST:
        raise ValueError("longer than can be sealed")
    number = secrets.token_bytes(16)
    return f"{SEALED}{number.hex()}{_mask(key, number, plain).hex()}"


def is_sealed(text: str) -> bool:
    """Whether this is a secret that was sealed, not one in plain text."""
    return text.startswith(SEALED)


def unseal(key: bytes, text: str) -> str | None:
    """The secret that was sealed; None where it was with another key."""
    sealed = bytes.fromhex(text.removeprefix(SEALED))
    plain = _mask(key, sealed[:16], sealed[16:])
    return plain.decode() if plain.isascii() and plain.decode().isprintable() else None


def _mask(key: bytes, number: bytes, content: bytes) -> bytes:
    mask = hmac.new(key, b"webhook" + number, hashlib.sha256).digest()
    return bytes(a ^ b for a, b in zip(content, mask, strict=False))
