"""Who is asking, and the check that stands before every handler.

A session is a random token in a cookie; the store keeps its hash, so a stolen backup opens nothing. Judges and
organisers have cookies of their own, so that an organiser can look through a judge's link without signing out. A judge
may hold links to several campaigns: each has a cookie of its own, so that two links opened at the same moment do not
overwrite each other. Which kinds of visitor may use a route is in `app`.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from threading import Lock
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.campaign.accounts import PREFIX, digest
from lanner.model import Campaign
from lanner.store import Account, AccountRole, AssignedTask, Session, Store, Transaction
from lanner.store.accounts import Token

# Whether a request that changes something was made by one of our own pages.
#
# Two locks. The browser says where a request comes from (`Sec-Fetch-Site`, else `Origin`): another site's is refused. A
# form also carries a token made from the visitor's cookie, which another site cannot read. JSON needs no token: a page
# of another site cannot send that type without asking first, and is not let.

FORM_FIELD = "token"
FROM_ELSEWHERE = "This was not sent from a page of this site."
TOO_OLD = "The page was open for too long or in another session. Reload it and send it again."


def same_origin(request: Request) -> bool:
    """Whether a request comes from a page of ours, by its headers."""
    headers = request.headers
    return is_same_origin(headers.get("sec-fetch-site"), headers.get("origin"), headers.get("host", ""))


def is_same_origin(site: str | None, origin: str | None, host: str) -> bool:
    """What the browser says; clients that say nothing about it are no browsers and carry no one else's cookies."""
    if site is not None:
        return site == "same-origin"
    if origin is None:
        return True
    try:
        return origin != "null" and urlsplit(origin).netloc == host
    except ValueError:  # no address at all
        return False


def form_token(secret: str) -> str:
    """The token for forms of whoever holds this cookie."""
    return hashlib.sha256(b"lanner form\0" + secret.encode()).hexdigest()[:40]


def check_origin(request: Request) -> None:
    """Refuse what another site's page sent."""
    if not same_origin(request):
        raise HTTPException(403, FROM_ELSEWHERE)


def check_form(token: str | None, secret: str) -> None:
    """Refuse a form without its token."""
    if not token or not hmac.compare_digest(token.encode(), form_token(secret).encode()):
        raise HTTPException(403, TOO_OLD)


JUDGE_COOKIE = "lanner_judge"
ACCOUNT_COOKIE = "lanner_account"
VISITOR_COOKIE = "lanner_visitor"
"""For forms of people who are not signed in yet; holds no one's identity."""

JUDGE_DAYS, ACCOUNT_DAYS = 60, 7
RENEWED_AFTER = timedelta(days=1)
_LINKS_KEPT = 6
_MOST_TOKENS = 2 * _LINKS_KEPT
_BELIEVED = 10.0  # seconds: how long after a link was revoked in another process an open page may be told that it holds
LOOK_AGAIN_SECONDS = _BELIEVED / 2
_CACHED = 20_000
_OVERLAP_SECONDS = 120


@dataclass(frozen=True)
class Visitor:
    """Someone signed in: an account, or a judge through one or more links (token, judge's row, campaign's row)."""

    account: Account | None = None
    token: str = ""
    links: tuple[tuple[str, int, int], ...] = ()
    renewable: bool = False

    @property
    def form_secret(self) -> str:
        """What tokens of forms are made from. An account's outlives its sessions, so that a page that was open while
        they were renewed can still be sent; it ends with the password."""
        if self.account is not None:
            return f"{self.account.id}\0{self.account.password}"
        return self.links[0][0] if self.links else ""

    @cached_property
    def form_token(self) -> str:
        return form_token(self.form_secret)

    @property
    def participants(self) -> tuple[int, ...]:
        """Rows of the judges this visitor may be, the newest link first."""
        return tuple(dict.fromkeys(judge for _, judge, _ in self.links))

    def token_of(self, participant: int) -> str:
        return next((token for token, judge, _ in self.links if judge == participant), "")


class SessionCache:
    """Sessions in the store with a short memory in front, so that a save asks the database for the answer only."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, tuple[Session, float]] = {}  # until when, by a clock that nobody sets
        self._used: set[str] = set()
        self._lock = Lock()

    def find(self, token: str, *, anew: bool = False) -> Session | None:
        """The session of a token: as it was remembered a moment ago, or as the store has it now."""
        key = _hash(token)
        if not anew and (believed := self._cached_session(key)) is not None:
            return believed
        with self._store.reading() as tx:
            session = tx.sessions.find(key, datetime.now(UTC))
        if session is None:
            self._known.pop(key, None)
            return None
        if len(self._known) >= _CACHED:
            self._known.clear()
        self._known[key] = (session, time.monotonic() + _BELIEVED)
        return session

    def cached(self, token: str) -> Session | None:
        """A session without asking the store. It is right as long as its judge has not left."""
        key = _hash(token)
        session = self._cached_session(key)
        if session is not None:
            self._used.add(key)
        return session

    def _cached_session(self, key: str) -> Session | None:
        """A session that was read not too long ago and has not ended."""
        session, until = self._known.get(key, (None, 0.0))
        is_open = session is not None and until > time.monotonic() and session.expires_at > datetime.now(UTC)
        return session if is_open else None

    def look_again(self) -> None:
        """Read those that were used since the last time, all at once. Judges who all began together would otherwise all
        ask anew in the same second, and their saves wait for it."""
        used, self._used = self._used, set()
        entries = {key: entry for key in used if (entry := self._known.get(key)) is not None}
        if not entries:
            return
        until = time.monotonic() + _BELIEVED
        with self._store.reading() as tx:
            found = tx.sessions.find_all([*entries], datetime.now(UTC))
        with self._lock:
            for key, entry in entries.items():
                if self._known.get(key) is not entry:
                    continue  # read anew meanwhile, or forgotten: whoever was signed out stays out
                if key in found:
                    self._known[key] = (found[key], until)
                else:
                    del self._known[key]

    def open(
        self,
        *,
        judge: int | None = None,
        account: int | None = None,
        may: Callable[[Transaction], bool] = lambda _: True,
    ) -> str:
        """A new session and its token, which is shown to the browser once and kept nowhere else; no token where they
        `may` not come in any more: a link may have been revoked, or a password changed, since it was looked at."""
        now = datetime.now(UTC)
        token = secrets.token_urlsafe(32)
        expires = now + timedelta(days=JUDGE_DAYS if judge is not None else ACCOUNT_DAYS)
        with self._store.writing() as tx:
            tx.sessions.hold(judge=judge, account=account)
            if not may(tx):
                return ""
            tx.sessions.add(_hash(token), expires, now, judge=judge, account=account)
            tx.sessions.remove_expired(now)
        return token

    def open_again(self, token: str, *, judge: int | None = None, account: int | None = None) -> str:
        """A new session beside one of theirs; no token where that one has been ended."""
        return self.open(
            judge=judge, account=account, may=lambda tx: tx.sessions.find(_hash(token), datetime.now(UTC)) is not None
        )

    def close(self, token: str) -> None:
        with self._store.writing() as tx:
            tx.sessions.remove(_hash(token))
        with self._lock:
            self._known.pop(_hash(token), None)

    def forget(self) -> None:
        """Believe nothing that was known before: after links were revoked or replaced."""
        with self._lock:
            self._known.clear()

    def account(self, number: int) -> Account | None:
        """The account, unless it was switched off."""
        with self._store.reading() as tx:
            account = tx.accounts.by_number(number)
        return account if account and account.disabled_at is None else None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def judge_cookie(participant: int) -> str:
    """The name of the cookie that holds the session of one judge."""
    return f"{JUDGE_COOKIE}_{participant}"


def judge_tokens(request: Request) -> list[str]:
    """The tokens in the cookies of judges. Earlier versions kept them all in one, which still holds."""
    cookies = [value for name, value in request.cookies.items() if name.startswith(f"{JUDGE_COOKIE}_")]
    before = request.cookies.get(JUDGE_COOKIE, "").split(".")
    return [token for token in [*cookies, *before] if token][:_MOST_TOKENS]


async def judge_visitor(request: Request) -> Visitor | None:
    """The judge asking, by any of their links."""
    tokens = judge_tokens(request)
    if not tokens:
        return None
    site = request.app.state.site
    sessions: SessionCache = site.sessions
    # nothing is shown or changed through a link that another process revoked; a save looks for itself
    anew = not request.url.path.endswith(("/answers", "/session"))
    sessions_known = [sessions.cached(token) for token in tokens]
    if anew or None in sessions_known:
        sessions_known = await site.read(lambda: [sessions.find(token, anew=anew) for token in tokens])
    open_sessions = [
        (token, session) for token, session in zip(tokens, sessions_known, strict=True) if session is not None
    ]
    open_sessions.sort(key=lambda entry: entry[1].expires_at, reverse=True)
    links = tuple(
        (token, session.judge, session.campaign)
        for token, session in open_sessions
        if session.judge is not None and session.campaign is not None
    )
    left = min((s.expires_at - datetime.now(UTC) for s in sessions_known if s is not None), default=timedelta(0))
    return Visitor(links=links, renewable=left < timedelta(days=JUDGE_DAYS) - RENEWED_AFTER) if links else None


async def account_visitor(request: Request) -> Visitor | None:
    """The organiser asking."""
    token = request.cookies.get(ACCOUNT_COOKIE, "")
    if not token:
        return None
    site = request.app.state.site

    def look() -> Visitor | None:
        session = site.sessions.find(token, anew=True)
        if session is None or session.account is None:
            return None
        account = site.sessions.account(session.account)
        if account is None:
            return None
        age = timedelta(days=ACCOUNT_DAYS) - (session.expires_at - datetime.now(UTC))
        return Visitor(account=account, token=token, renewable=age > RENEWED_AFTER)

    visitor: Visitor | None = await site.read(look)
    return visitor


def keep(request: Request, response: Response, name: str, value: str, days: int) -> None:
    """Set a cookie that scripts cannot read, other sites cannot send, and plain HTTP does not carry behind https."""
    response.set_cookie(
        name,
        value,
        max_age=days * 86400,
        path=request.scope.get("root_path", "") or "/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def drop(request: Request, response: Response, name: str) -> None:
    """Take a cookie back."""
    response.delete_cookie(name, path=request.scope.get("root_path", "") or "/")


def keep_judge(request: Request, response: Response, token: str, participant: int, visitor: Visitor | None) -> None:
    """Keep a judge's new token in place of an older one; of many links in one browser the oldest go."""
    keep(request, response, judge_cookie(participant), token, JUDGE_DAYS)
    others = [judge for judge in (visitor.participants if visitor else ()) if judge != participant]
    for judge in others[_LINKS_KEPT - 1 :]:
        drop(request, response, judge_cookie(judge))


async def renew_tokens(request: Request, response: Response, visitor: Visitor) -> Response:
    """Renew the tokens of a visitor once a day, with any page. The old ones work for two minutes more, since other
    requests may be on their way with them."""
    if request.method != "GET" or not response.headers.get("content-type", "").startswith("text/html"):
        return response
    if not visitor.account and not request.url.path.endswith("/work"):
        return response  # the form on a judge's page belongs to its session
    site = request.app.state.site
    sessions: SessionCache = site.sessions
    old = [visitor.token] if visitor.account else [token for token, _, _ in visitor.links]

    def make() -> list[str]:
        if visitor.account:
            return [sessions.open_again(visitor.token, account=visitor.account.id)]
        return [sessions.open_again(visitor.token_of(judge), judge=judge) for judge in visitor.participants]

    new = await site.write(make)
    if not all(new):  # they were signed out while this page was drawn
        return response
    if visitor.account:
        keep(request, response, ACCOUNT_COOKIE, new[0], ACCOUNT_DAYS)
    else:
        for token, participant in zip(new, visitor.participants, strict=True):
            keep(request, response, judge_cookie(participant), token, JUDGE_DAYS)
        drop(request, response, JUDGE_COOKIE)
    loop = asyncio.get_running_loop()
    for token in old:
        loop.call_later(_OVERLAP_SECONDS, loop.run_in_executor, None, sessions.close, token)
    return response


def client_address(request: Request) -> str:
    """Where a request comes from, for limits on tries."""
    return request.client.host if request.client else ""


def visitor_secret(request: Request) -> str:
    """What forms of people not signed in are tied to."""
    return request.cookies.get(VISITOR_COOKIE, "") or secrets.token_urlsafe(16)


# Programs that come with a token: who they act for and what they may do.


@dataclass(frozen=True, slots=True)
class Caller:
    """A program: its token, and the account it acts for (None: the operator's own, who may do everything)."""

    token: Token
    account: Account | None
    renewable: bool = False

    @property
    def account_id(self) -> int | None:
        return self.account.id if self.account else None

    def require(self, scope: str) -> None:
        """Refuse what the token is not for, or its account may not do."""
        if scope not in self.token.scopes:
            raise HTTPException(403, f"This token lacks the scope {scope!r}.")
        if scope == "write" and self.account is not None and self.account.role is AccountRole.VIEWER:
            raise HTTPException(403, "This token's account may look, not change.")


async def caller_of(request: Request) -> Caller | None:
    """The program asking; None without a token that works. Wrong tokens are slowed down by address."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not text.startswith(PREFIX):
        return None
    site = request.app.state.site

    def look() -> Caller | None:
        now = datetime.now(UTC)
        with site.store.reading() as tx:
            token = tx.tokens.find(digest(text.strip()), now)
            if token is None:
                return None
            if token.account is None:
                return Caller(token, None)
            account = tx.accounts.by_number(token.account)
            return Caller(token, account) if account and account.disabled_at is None else None

    caller: Caller | None = await site.read(look)
    if caller is None and site.addresses.wait(f"token {client_address(request)}", time.monotonic()):
        raise HTTPException(429)
    return caller


# Which campaigns exist for whom: for owners, and for the operator's own token (no account), all.


def visible_campaigns(tx: Transaction, account: Account | None) -> list[Campaign]:
    """The campaigns of an account, the newest first."""
    if account is None or account.role is AccountRole.OWNER:
        return tx.campaigns.all()
    return tx.campaigns.of_account(account.id)


def visible_campaign(tx: Transaction, account: Account | None, name: str) -> Campaign:
    """A campaign of this account; others do not exist for it."""
    campaign = tx.campaigns.find(name)
    if campaign is None:
        raise HTTPException(404)
    if account is None or account.role is AccountRole.OWNER or tx.accounts.belongs(account.id, campaign.id):
        return campaign
    raise HTTPException(404)


Handler = Callable[[Request], Awaitable[Response]]


class VisitorKind(StrEnum):
    """Kinds of visitor. Viewers look, organisers change their campaigns, owners do everything and appoint others."""

    NOBODY = "nobody"
    JUDGE = "judge"
    VIEWER = "viewer"
    ORGANISER = "organiser"
    OWNER = "owner"
    PROGRAM = "program"


class SignInNeeded(HTTPException):
    """Nobody is signed in: a page leads to the sign-in, a program is told 401."""

    def __init__(self, *, judge: bool) -> None:
        super().__init__(401)
        self.judge = judge


ANYONE = frozenset(VisitorKind)
PROGRAMS = frozenset({VisitorKind.PROGRAM})
JUDGES = frozenset({VisitorKind.JUDGE})
READERS = frozenset({VisitorKind.VIEWER, VisitorKind.ORGANISER, VisitorKind.OWNER})
EDITORS = frozenset({VisitorKind.ORGANISER, VisitorKind.OWNER})
OWNERS = frozenset({VisitorKind.OWNER})


def guard(
    handler: Handler,
    kinds: frozenset[VisitorKind],
    *,
    changes: bool,
    scope: str = "",
    parameters: frozenset[str] = frozenset(),
) -> Handler:
    """The handler, preceded by its check: refuses other sites' pages, then visitors of the wrong kind.

    The visitor is left in `request.state.visitor`. A route for anyone looks at no cookie. Programs come with a
    token in a header, which no page of another site can make a browser send, and need its scope.
    """
    if kinds == PROGRAMS:
        return _guarded_by_token(handler, scope, parameters)
    find = _nobody if kinds == ANYONE else (judge_visitor if kinds == JUDGES else account_visitor)

    async def guarded(request: Request) -> Response:
        _refuse_impossible(request)
        if changes:
            check_origin(request)
        visitor = await find(request)
        request.state.visitor = visitor
        if visitor_kind(visitor) not in kinds:
            if visitor is None:
                raise SignInNeeded(judge=kinds == JUDGES)
            raise HTTPException(403)
        try:
            response = await handler(request)
            return await renew_tokens(request, response, visitor) if visitor and visitor.renewable else response
        finally:
            if changes:
                await request.close()  # what was uploaded lies in temporary files

    guarded.__name__ = handler.__name__
    return guarded


def _guarded_by_token(handler: Handler, scope: str, parameters: frozenset[str]) -> Handler:
    async def guarded(request: Request) -> Response:
        _refuse_impossible(request)
        caller: Caller | None = await caller_of(request)
        if caller is None:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        request.state.visitor = caller
        caller.require(scope)
        if unknown := set(request.query_params) - parameters:
            raise HTTPException(422, f"There is no parameter {min(unknown)!r}.")
        return await handler(request)

    guarded.__name__ = handler.__name__
    return guarded


_LARGEST = 2**63 - 1


def _refuse_impossible(request: Request) -> None:
    """Addresses that nothing can have: with a character that no text in a database may hold, with a number beyond every
    row. They do not exist, and the database is not asked."""
    if "\0" in request.scope["path"] or b"%00" in request.scope.get("query_string", b""):
        raise HTTPException(404)
    number = request.path_params.get("id")
    if isinstance(number, int) and number > _LARGEST:
        raise HTTPException(404)


def visitor_kind(visitor: Visitor | None) -> VisitorKind:
    """What the table calls this visitor."""
    if visitor is None:
        return VisitorKind.NOBODY
    return VisitorKind(visitor.account.role) if visitor.account else VisitorKind.JUDGE


async def _nobody(_request: Request) -> None:
    return None


_REMEMBERED = 4000


class Owners:
    """Whose each task is. That is remembered, since it rarely changes: only where a judge leaves, and others get what
    was taken from a pool. A free task is nobody's yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._assigned: dict[int, AssignedTask] = {}

    def cached(self, task: int) -> AssignedTask | None:
        """A task without asking the store. Its judge is right as long as that judge has not left."""
        return self._assigned.get(task)

    def find(self, task: int) -> AssignedTask | None:
        """The task as it was assigned; None where there is none, or nobody has taken it."""
        with self._store.reading() as tx:
            assigned_now = tx.tasks.get(task)
        if assigned_now is None or assigned_now.judge is None:
            return None
        if len(self._assigned) >= _REMEMBERED:
            self._assigned.clear()
        self._assigned[task] = assigned_now
        return assigned_now
