"""A running Lanner with campaigns to judge, for tests that drive a real browser."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from lanner import campaign, protocols
from lanner.model import Document, Judge, Protocol, Segment, Task
from lanner.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Page

SERVE = """
import sys
from lanner.store import Store
from lanner.web.server import serve
serve(Store.open(sys.argv[1]), port=int(sys.argv[2]))
"""
SYSTEMS = ("hidden-engine-alpha", "hidden-engine-beta")
_numbers = count(1)


class Live:
    """A server on a free port over a database that the test can read at the same time."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.store = Store.open(database)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Live:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        self.store.close()

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", SERVE, str(self.database), str(self.port)])
        for _ in range(900):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        """As a power cut does: nothing is finished first."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

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
