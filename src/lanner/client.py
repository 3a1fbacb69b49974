"""A Python client of a Lanner server's HTTP API. It needs nothing but the standard library.

from lanner.client import Client

server = Client("https://lanner.example.org", token)
for judgement in server.judgements("pilot"):
    ...
"""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import quote, urlencode

from lanner.errors import LannerError
from lanner.model import Json

Told = dict[str, Any]
_T = TypeVar("_T")
_TRIES = 4
_PIECE = 1 << 16
_BROKEN = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)


class ApiError(LannerError):
    """What the server refused, in its own words; `status` is HTTP's."""

    def __init__(self, what: str, *, status: int, next_step: str = "") -> None:
        super().__init__(what, next_step=next_step)
        self.status = status


class Client:
    """One server, one token. Reads and saves are repeated when the connection breaks; nothing is stored twice."""

    def __init__(self, address: str, token: str, *, timeout: float = 60.0) -> None:
        if not address.startswith(("http://", "https://")):
            raise LannerError(f"{address!r} is no address of a server.", next_step="Write https://… or http://…")
        self._address = address.rstrip("/") + "/api/v1"
        self._token = token
        self._timeout = timeout

    def campaigns(self) -> list[Told]:
        """All campaigns the token may see, the newest first."""
        response: list[Told] = self._ask("GET", "/campaigns")["campaigns"]
        return response

    def campaign(self, name: str) -> Told:
        """One campaign."""
        return self._ask("GET", _of(name))

    def create(
        self,
        name: str,
        protocol: str,
        documents: Sequence[Mapping[str, Json]],
        judges: Sequence[Mapping[str, str]] = (),
        **more: Json,
    ) -> Told:
        """A draft: texts as in the API's description, judges with `id` and `name`; `more` is title, design, seed."""
        body = {"name": name, "protocol": protocol, "documents": list(documents), "judges": list(judges), **more}
        return self._ask("POST", "/campaigns", body=body, again=False)

    def add_judges(self, name: str, judges: Sequence[Mapping[str, str]]) -> dict[str, str]:
        """Add judges; the secret of each link, which is shown this once."""
        request = self._ask("POST", _of(name, "/judges"), body={"judges": list(judges)}, again=False)
        secrets: dict[str, str] = request["secrets"]
        return secrets

    def move(self, name: str, state: str) -> Told:
        """Let it be `open`, `paused` or `closed`."""
        return self._ask("POST", _of(name, "/state"), body={"state": state})

    def progress(self, name: str) -> Told:
        """How far it is: whole, by judge, by domain."""
        return self._ask("GET", _of(name, "/progress"))

    def tasks(self, name: str, judge: str | None = None) -> list[Told]:
        """The tasks of all judges or of one."""
        query = {"judge": judge} if judge is not None else {}
        campaign: list[Told] = self._ask("GET", _of(name, "/tasks"), query)["tasks"]
        return campaign

    def next_task(self, name: str, judge: str) -> Told | None:
        """The task this judge is to do next; one is taken from those that are free, where the design has such."""
        task: Told | None = self._ask("POST", _of(name, "/tasks"), body={"judge": judge})["task"]
        return task

    def task(self, name: str, number: int) -> Told:
        """One task: what its items are about, in the order that `submit` counts by, and what is still missing."""
        return self._ask("GET", _of(name, f"/tasks/{number}"))

    def finish(self, name: str, task: int) -> Told:
        """Finish a task that is answered in full: from then on its answers stay as they are."""
        return self._ask("POST", _of(name, f"/tasks/{task}/finish"))

    def agreement(self, name: str) -> list[Told]:
        """How far people agree on each question: the numbers of the live page and the report."""
        response: list[Told] = self._ask("GET", _of(name, "/agreement"))["agreement"]
        return response

    def documents(self, name: str) -> Iterator[Told]:
        """The texts, one after the other."""
        start: int | None = 0
        while start is not None:
            page = self._ask("GET", _of(name, "/documents"), {"start": start})
            yield from page["documents"]
            start = page["next"]

    def judgements(self, name: str, *, after: int = 0, history: bool = False) -> Iterator[Told]:
        """Judgements in the order they came. Keep the last `id` and give it as `after` to get only what is new."""
        query: dict[str, Json] = {"history": "true"} if history else {}
        while True:
            page = self._ask("GET", _of(name, "/judgements"), {**query, "after": after, "limit": 5000})
            yield from page["judgements"]
            if not page["judgements"]:
                return
            after = page["next"]

    def submit(
        self, name: str, task: int, item: int, answers: Mapping[str, Json], *, submission: str, **times: float
    ) -> Told:
        """Hand in answers about one item. The id is yours: sent twice, it is stored once. On disk when this returns."""
        body = {"submission": submission, "task": task, "item": item, "answers": dict(answers), **times}
        return self._ask("POST", _of(name, "/judgements"), body=body)

    def export(self, name: str, format: str, path: str | Path) -> Path:  # noqa: A002 - the word for it
        """All current judgements as a file: csv, jsonl, parquet, native, label_studio, mtme or appraise. It is there
        when all of it has come."""
        target = Path(path)
        unfinished = target.with_name(f".{target.name}.unfinished")

        def fetch() -> Path:
            with self._open("GET", _of(name, f"/export/{quote(format, safe='')}")) as answer:
                with unfinished.open("wb") as out:
                    copy_whole(answer, out)
                return unfinished.replace(target)

        try:
            return _repeated(fetch, _TRIES)
        finally:
            unfinished.unlink(missing_ok=True)

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, Json] | None = None,
        *,
        body: Mapping[str, Json] | None = None,
        again: bool = True,
    ) -> Told:
        def ask() -> Told:
            with self._open(method, path, query, body) as answer:
                message: Told = json.load(answer)
                return message

        return _repeated(ask, _TRIES if again else 1)

    def _open(
        self,
        method: str,
        path: str,
        query: Mapping[str, Json] | None = None,
        body: Mapping[str, Json] | None = None,
    ) -> http.client.HTTPResponse:
        address = self._address + path + (f"?{urlencode(query)}" if query else "")
        headers = {"authorization": f"Bearer {self._token}", "accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None
        return answer


def _repeated(ask: Callable[[], _T], tries: int) -> _T:
    """What comes of it when the connection holds, at the last try at the latest."""
    for left in reversed(range(tries)):
        try:
            return ask()
        except _BROKEN as problem:
            if not left:
                raise ApiError(f"The server does not answer: {problem}.", status=0) from problem
    raise AssertionError("unreachable")


def copy_whole(answer: http.client.HTTPResponse, out: IO[bytes], most: int | None = None) -> None:
    """Write what comes into a file, at most so many bytes. Python takes an answer that breaks off for a whole one when
    it is read in pieces, and half a table for all of it."""
    size = 0
    while part := answer.read(_PIECE):
        size += len(part)
        if most is not None and size > most:
            what = f"The file at this address is larger than {most >> 20} MB."
            raise LannerError(what, next_step="Download it yourself.")
        out.write(part)
    if left := getattr(answer, "length", None):
        raise ConnectionError(f"it broke off {left:,} bytes before its end")


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    if error.code == 401:  # the server's own words are for people who sign in
        return ApiError(
            "The server does not accept this token: it may be mistyped, revoked or expired.",
            status=401,
            next_step="`lanner tokens list` shows those it knows, `lanner tokens add` creates one.",
        )
    try:
        message = json.load(error)
        return ApiError(message["message"], status=error.code, next_step=message.get("next", ""))
    except (ValueError, KeyError, TypeError):
        return ApiError(f"The server answered {error.code}.", status=error.code)


def _of(name: str, below: str = "") -> str:
    return f"/campaigns/{quote(name, safe='')}{below}"
