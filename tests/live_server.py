"""A running Lanner with campaigns to judge, for tests that drive a real browser."""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

from lanner import campaign, protocols
from lanner.model import Document, Judge, Protocol, Segment, Task
from lanner.store import Store
from ports import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SYSTEMS = ("hidden-engine-alpha", "hidden-engine-beta")
_numbers = count(1)


class Parent:
    """A process that has loaded Lanner and has a child for every server or command that a test needs in a process of
    its own: to load everything anew took nine tenths of what a server does before its first page."""

    def __init__(self) -> None:
        code = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); from live_server import bear; bear()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        atexit.register(self._process.communicate)

    def ask(self, **what: Any) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


parent = cache(Parent)


class Child:
    """A process with a server or a command of Lanner in it."""

    def __init__(self, run: str, *arguments: Any, folder: Path | None = None, output: Path | None = None) -> None:
        places = {"folder": str(folder or Path.cwd()), "output": str(output or os.devnull)}
        self._number = parent().ask(run=run, arguments=arguments, **places)
        self._ended: int | None = None

    def wait(self) -> int:
        return self._end(kill=False)

    def kill(self) -> None:
        """As a power cut does: nothing is finished first."""
        self._end(kill=True)

    def _end(self, *, kill: bool) -> int:
        if self._ended is None:
            self._ended = parent().ask(wait=self._number, kill=kill)
        return self._ended


def bear() -> None:
    """What the parent does: it answers every line with the number of a child, or with how a child has ended."""
    gc.disable()  # what is loaded stays
    for module in ("lanner.cli.prepare", "lanner.web.server", "lanner.web.jobs"):
        import_module(module)
    gc.freeze()
    gc.enable()
    for line in sys.stdin:
        asked = json.loads(line)
        if number := asked.get("wait"):
            if asked["kill"]:
                os.kill(number, signal.SIGKILL)
            answer = _wait_for(number)
        else:
            answer = os.fork()
        if not answer and "run" in asked:
            break
        print(answer, flush=True)
    else:
        os.killpg(0, signal.SIGKILL)  # nobody is there any more to ask for anything
    os.chdir(asked["folder"])
    for stream, place in enumerate((os.devnull, asked["output"])):
        os.dup2(os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND), stream)
    {"serve": _serve, "command": _command}[asked["run"]](*asked["arguments"])


def _wait_for(child: int) -> int:
    """How a child has ended. Nobody asks for anything meanwhile: what comes is the end of who would."""
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if select.select([sys.stdin], [], [], 0.01)[0]:
            os.killpg(0, signal.SIGKILL)
    return os.waitstatus_to_exitcode(ended[1])


def _command(*arguments: str) -> None:
    sys.argv[1:] = arguments
    import_module("lanner.cli").main()


def _serve(database: str, port: int, settings: Mapping[str, Any]) -> None:
    import_module("lanner.web.worker").WorkerProcess._start = _workers()
    web = import_module("lanner.web.server")
    make = web.server

    def recorded(*given: Any, **options: Any) -> Any:
        made = make(*given, **options)
        made.config.app.add_middleware(Recorder, file=sent_by(Path(database)))
        return made

    web.server = recorded
    web.serve(Store.open(database), port=port, settings=web.ServerSettings(**settings) if settings else None)


class ForkedWorker:
    """A worker's process as its server sees it, which is the other end of a socket."""

    def __init__(self, stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter) -> None:
        self.stdout, self.stdin, self.returncode = stdout, stdin, None

    def kill(self) -> None:
        self.stdin.transport.abort()  # it reads no more jobs and ends

    async def communicate(self) -> None:
        """Nothing is left to read."""


def _workers() -> Callable[[Any], Awaitable[ForkedWorker]]:
    """How this server starts its workers: a process of its own for each, which has loaded everything, since it is the
    child of a process that was there before the server had threads. To load it all anew took three seconds for each;
    that it is loaded and answers over pipes is proved in tests/web/test_worker.py."""
    asked, answered = socket.socketpair()
    if not os.fork():
        asked.close()
        _bear_workers(answered)
    answered.close()

    async def start(self: Any) -> ForkedWorker:
        here, there = socket.socketpair()
        with there:
            socket.send_fds(asked, [b"a worker"], [there.fileno()])
        process = ForkedWorker(*await asyncio.open_connection(sock=here, limit=2**24))
        process.stdin.write(import_module("lanner.web.worker").pack(self._address))
        return process

    return start


def _bear_workers(answered: socket.socket) -> None:
    """A child for each socket that comes, until the server is gone."""
    while ends := socket.recv_fds(answered, 16, 1)[1]:
        if not os.fork():
            answered.close()
            os.nice(10)
            with suppress(BrokenPipeError, ConnectionError), socket.socket(fileno=ends[0]) as pipe:
                import_module("lanner.web.jobs").run(pipe.makefile("rb"), pipe.makefile("wb"))
            break
        os.close(ends[0])
    os._exit(0)


def sent_by(database: Path) -> Path:
    """Where a server writes every header and every body that it sends, as long as the file is there."""
    return database.with_suffix(".sent")


class Recorder:
    """Writes down what is sent before it is sent, uncompressed. Nothing is then taken on its way by the browser's
    driver, which keeps the browser from remembering scripts, and has half of the work of a short test."""

    def __init__(self, app: ASGIApp, file: Path) -> None:
        self._app, self._file = app, file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._file.exists():
            await self._app(scope, receive, send)
            return
        heads = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]

        async def write(message: Message) -> None:
            parts = [message.get("body", b""), *(b": ".join(head) for head in message.get("headers", ()))]
            with self._file.open("ab") as file:
                file.write(b"\n".join(parts) + b"\n")
            await send(message)

        await self._app({**scope, "headers": heads}, receive, write)


class Live:
    """A server on a free port over a database that the test can read at the same time."""

    settings: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, database: Path) -> None:
        self.database = database
        self.store = Store.open(database)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: Child | None = None

    def __enter__(self) -> Live:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        self.store.close()

    def start(self) -> None:
        self.process = Child("serve", str(self.database), self.port, self.settings)
        for _ in range(4500):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.02)
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def campaign(
        self,
        protocol: str | Protocol,
        documents: Sequence[Document],
        *,
        judges: Sequence[Judge] = (Judge("J1", name="Judge One"),),
        systems: Sequence[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Work:
        """An open campaign in which the first judge has work."""
        name = f"trial {next(_numbers)}"
        loaded = protocols.load(protocol) if isinstance(protocol, str) else protocol
        campaign.create(
            self.store, name, documents, loaded, judges, systems=systems, seed=7, settings=settings, options=options
        )
        campaign.open(self.store, name)
        return Work(self, name, loaded, judges[0].id, campaign.invitations.issue_all(self.store, name))


class Work:
    """What the first judge of a campaign has to do."""

    def __init__(self, live: Live, name: str, protocol: Protocol, judge: str, links: Mapping[str, str]) -> None:
        self.live, self.name, self.protocol, self.judge, self.links = live, name, protocol, judge, links

    @property
    def link(self) -> str:
        return f"{self.live.url}/j/{self.links[self.judge]}"

    def enter(self, page: Page) -> None:
        """Come in by the link without drawing the list of work, which most tests do not look at."""
        assert page.request.get(self.link, max_redirects=0).headers["location"] == "/work"

    @property
    def tasks(self) -> list[Task]:
        return campaign.tasks(self.live.store, self.name, self.judge)

    def url(self, task: int) -> str:
        return f"{self.live.url}/task/{task}"

    def stored(self, task: int) -> list[dict[str, Any]]:
        """The answers that hold, one entry per item."""
        found = campaign.current(self.live.store, task)
        return [{name: given.value for name, given in item.items() if given.value is not None} for item in found]

    def rows(self) -> list[Any]:
        """Every judgement ever stored."""
        return list(campaign.history(self.live.store, self.name))


def document(
    sentences: int = 6,
    *,
    name: str = "ferry",
    languages: tuple[str, str] = ("en", "ko"),
    texts: Sequence[tuple[str, str]] = (),
    systems: Sequence[str] = SYSTEMS,
    **more: Any,
) -> Document:
    """A document of so many sentences (or of the given pairs), with outputs of systems whose names nobody may see."""
    pairs = list(texts) or [
        (f"Sentence {n} of the {name} report goes here.", f"{n}번째 문장은 여기에 있습니다.")
        for n in range(1, sentences + 1)
    ]
    segments = tuple(
        Segment(f"{name}-{n}", source, {system: target + "!" * place for place, system in enumerate(systems)})
        for n, (source, target) in enumerate(pairs)
    )
    given = {"title": f"The {name}", "domain": "news", "text_type": "report", **more}
    return Document(name, segments, *languages, **given)
