"""What can be said of names and addresses before statistics and readers are loaded, which takes seconds: nobody should
wait that long to hear that the name of a file or campaign is mistyped, or that no server can listen at an address."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal, LiteralString
from urllib.parse import urlsplit

from lanner.errors import CampaignError, InputError, LannerError, did_you_mean, missing_store, unasked


def names(text: str | None) -> list[str]:
    """A list given with commas between."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


DEFAULT_STORE = "lanner.sqlite"
_CAMPAIGNS: LiteralString = "SELECT name, protocol FROM campaign ORDER BY id"
_JUDGES: LiteralString = (
    "SELECT campaign.name, judge.key FROM judge JOIN campaign ON campaign.id = judge.campaign ORDER BY judge.position"
)
_ACCOUNTS: LiteralString = "SELECT name FROM account ORDER BY id"
_NUMBERS: dict[str, LiteralString] = {
    "token": "SELECT id FROM token WHERE revoked_at IS NULL",
    "webhook": "SELECT id FROM webhook WHERE removed_at IS NULL",
}


def refuse_missing(source: str, store_place: str) -> None:
    """The error where there is no file and no campaign of this name; nothing where that cannot be told cheaply."""
    if Path(source).exists():
        return
    if not has_store(store_place):
        raise InputError(
            f"There is no file {source!r}, and no campaigns here ({store_place} does not exist).",
            next_step="Give the path of a file, or name the database with --store.",
        )
    names = campaign_names(store_place)
    if names is not None and source not in names:
        raise InputError(f"There is no file and no campaign called {source!r}.", next_step=did_you_mean(source, names))


def refuse_missing_store(store_place: str) -> None:
    """The error where there is no database."""
    if not has_store(store_place):
        raise missing_store(store_place)


def refuse_unknown_campaign(name: str, store_place: str) -> None:
    """The error where there is no campaign of this name; nothing where that cannot be told cheaply."""
    refuse_missing_store(store_place)
    names = campaign_names(store_place)
    if names is not None and name not in names and not name.isdecimal():
        hint = did_you_mean(name, names) or "There are no campaigns yet. Make one with: lanner new"
        raise CampaignError(f"There is no campaign {name!r}.", code="unknown_campaign", next_step=hint)


def refuse_unknown_judge(campaign: str, store_place: str, judge: str) -> None:
    """The error where a campaign has no such judge; nothing where that cannot be told cheaply."""
    rows = _rows(store_place, _JUDGES)
    judges = [key for name, key in rows or () if name == campaign]
    if judges and judge not in judges:
        hint = did_you_mean(judge, judges)
        raise CampaignError(f"{campaign} has no judge {judge!r}.", code="unknown_judge", next_step=hint)


def refuse_unknown_judges(names: Sequence[str], judge_ids: Sequence[str], place: str | Path) -> None:
    """The error where one of these judges is not there."""
    for name in names:
        if name not in judge_ids:
            hint = did_you_mean(name, dict.fromkeys(judge_ids))
            raise InputError(f"There is no judge {name!r} in {place}.", next_step=hint)


def refuse_unknown_account(name: str, store_place: str) -> None:
    """The error where nobody signs in by this name; nothing where that cannot be told cheaply."""
    refuse_missing_store(store_place)
    rows = _rows(store_place, _ACCOUNTS)
    if rows is not None and (name,) not in rows:
        raise unknown_account(name, [account for (account,) in rows])


def unknown_account(name: str, accounts: Sequence[str]) -> LannerError:
    """The error for an account that nobody has."""
    hint = did_you_mean(name, accounts) or "`lanner accounts list` shows them."
    return LannerError(f"There is no account {name!r}.", next_step=hint)


def refuse_unknown_number(number: int, store_place: str, kind: Literal["token", "webhook"]) -> None:
    """The error where no token or webhook of this number works; nothing where that cannot be told cheaply."""
    refuse_missing_store(store_place)
    rows = _rows(store_place, _NUMBERS[kind])
    if rows is not None and (number,) not in rows:
        raise unknown_number(number, kind)


def unknown_number(number: int, kind: Literal["token", "webhook"]) -> LannerError:
    """The error for a token or webhook that is not there or works no more."""
    words = f"There is no token {number} that works." if kind == "token" else f"There is no webhook {number}."
    return LannerError(words, next_step=f"`lanner {kind}s list` shows them.")


def has_store(place: str) -> bool:
    """Whether there is a database at this place."""
    return "://" in place or Path(place).exists()


def refuse_unknown_question(campaign: str, store_place: str, question: str) -> None:
    """The error where a campaign's protocol has nothing of this name; nothing of files, which have to be read first."""
    if Path(campaign).exists():
        return
    protocol = (_campaigns(store_place) or {}).get(campaign, "")
    if protocol and json.dumps(question, ensure_ascii=False).strip('"') not in protocol:
        raise unasked(question, question_ids(json.loads(protocol)))


def question_ids(protocol: Mapping[str, Any]) -> list[str]:
    """The questions of a protocol that was read as TOML or JSON and not checked."""
    stages = protocol.get("stage", [])
    return [question["id"] for stage in stages for question in stage.get("question", []) if "id" in question]


def campaign_names(place: str) -> list[str] | None:
    """The campaigns of a store; None where it cannot be said cheaply."""
    campaigns = _campaigns(place)
    return None if campaigns is None else list(campaigns)


def _campaigns(place: str) -> dict[str, str] | None:
    """The campaigns of a store with their protocols as JSON."""
    rows = _rows(place, _CAMPAIGNS)
    return None if rows is None else dict(rows)


def _rows(place: str, query: LiteralString) -> list[tuple[Any, ...]] | None:
    """What a query finds, without the store's own modules. None for whatever is damaged, locked, out of reach or no
    store at all: the store itself says so better."""
    if "://" in place:
        return _from_postgresql(place, query)
    if not Path(place).is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{Path(place).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()
    except sqlite3.Error:
        return None


def _from_postgresql(url: str, query: LiteralString) -> list[tuple[Any, ...]] | None:
    try:
        import psycopg
    except ImportError:
        return None
    scheme, _, rest = url.partition("://")
    try:
        with psycopg.connect(f"{scheme.partition('+')[0]}://{rest}", connect_timeout=2) as connection:
            return connection.execute(query).fetchall()
    except psycopg.Error:
        return None


def refuse_shared_name(files: Sequence[Path], judge_name: str) -> None:
    """Files of several models cannot be the answers of one judge."""
    if judge_name and len(files) > 1:
        raise LannerError("One name for several files.", next_step="Leave out --as: judges are named like their files.")


# Where a server listens.


def check_public_url(url: str, option: str = "--public-url") -> str:
    """The address that judges' links begin with, without a slash at its end."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise LannerError(
            f"{url[:200]!r} is not the address of a server.",
            next_step=f"Write it as {option} https://judge.example.org",
        )
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def is_own(host: str) -> bool:
    """Whether a name or number is one of this machine's, so that a server can listen there."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.bind(address)
    except (OSError, UnicodeError, TypeError, ValueError):
        return False
    return bool(host)


def is_free(host: str, port: int) -> bool:
    """Whether nobody listens there yet and we may."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError:
            return False
    return True


def listen(host: str, first_port: int) -> socket.socket:
    """Listen on the wanted port, or on the next free one: from then on nobody else gets it, and who comes waits."""
    for port in range(first_port, min(first_port + 50, 65536)):
        with suppress(OSError):
            return socket.create_server((host, port))
    raise LannerError(
        f"No port from {first_port} can be used: they are taken, or not for everybody (those below 1024).",
        next_step="Choose another with --port, for instance --port 8150.",
    )
