"""Accounts of organisers: their names, passwords, roles and campaigns. Judges have none: they come by their links."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from datetime import UTC, datetime

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from lanner.errors import LannerError
from lanner.store import Account, AccountRole, Store, Transaction

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
    if _HASHER.check_needs_rehash(account.password):
        rehashed = _HASHER.hash(password)
        with store.writing() as tx:
            tx.accounts.set_password(account.id, rehashed)
    return account


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
    owners = [one for one in tx.accounts.all() if one.role is AccountRole.OWNER and one.disabled_at is None]
    if [owner.id for owner in owners] == [account.id]:
        raise LannerError("This is the last owner.", code="last_owner", next_step="Make someone else an owner first.")
