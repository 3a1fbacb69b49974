"""Lanner inside a notebook: judge sentences, browse disagreements, watch a campaign.

The kernel serves the store's pages to this machine alone, and the widget shows one of them in a frame: the page that
judges and organisers see, so that every protocol works and every number is the same. The browser must run on the
machine of the kernel; for others there is `lanner serve`.
"""

from __future__ import annotations

import secrets
import socket
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from lanner import campaign, library, protocols
from lanner.analysis.material import from_campaign
from lanner.campaign.accounts import add_account
from lanner.errors import CampaignError, InputError, LannerError, check_known
from lanner.library import Data
from lanner.model import Document, Judge, Protocol
from lanner.store import AccountRole, Store
from lanner.web.server import ServerSettings, server

HEIGHT = 680
_HOST = "127.0.0.1"
_FRAMED_BY = ("http://localhost:*", "http://127.0.0.1:*")
_VIEWER = "notebook viewer"
_SCRIPT = Path(__file__).with_name("notebook.js")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a campaign, shown below the cell. `address` opens it in a tab; `answers()` has the answers so far."""

    address: str
    campaign: str
    store: str
    widget: Any

    def __repr__(self) -> str:
        return f"{self.campaign}: {self.address}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def answers(self) -> pl.DataFrame:
        """One row per answer: the table that `lanner.load(campaign, store=…)` has, too."""
        with Store.open(self.store, create=False) as store:
            return from_campaign(store, self.campaign).table


def judge(
    data: Data,
    protocol: str,
    *,
    judge: str = "me",
    name: str = "notebook",
    store: str | Path = "lanner.sqlite",
    columns: str | Mapping[str, str] = "",
    languages: str = "",
    encoding: str = "",
    format: str | None = None,  # noqa: A002 - the word the command line uses
    height: int = HEIGHT,
) -> Page:
    """Judge texts by any protocol. Running the cell again goes on where the judge stopped.

    Args:
        data: texts as a pandas or Polars frame, a path or several, or Documents.
        protocol: the name of a protocol, or a TOML file.
        judge: who judges; another name is another judge of the same texts.
        name: the campaign that keeps the answers.
        store: the database of that campaign: a SQLite file or a `postgresql://` URL.
        columns: see `lanner.load`; so are `languages`, `encoding` and `format`.
        height: of the frame, in pixels.
    """
    widget_class()  # a missing package is named before anything is written
    texts = library.documents(data, columns=columns, languages=languages, encoding=encoding, format=format)
    definition = protocols.load(protocol)
    pages = _pages(str(store))
    _campaign_for(pages.store, name, texts, definition, judge)
    secret = campaign.invitations.current_secret(pages.store, name, judge) or campaign.invitations.issue(
        pages.store, name, judge
    )
    return pages.show(f"/j/{secret}", name, f"Judging {name} as {judge}", height)


def _campaign_for(store: Store, name: str, texts: list[Document], protocol: Protocol, judge: str) -> None:
    """Make the campaign, or go on with it where it is the same one."""
    if name not in {entry.name for entry in campaign.campaigns(store)}:
        entry = campaign.create(store, name, texts, protocol, [Judge(judge)], settings={"practice": False})
        campaign.open(store, entry.id)
        return
    same_texts = [_texts(document) for document in campaign.documents(store, name)] == [_texts(d) for d in texts]
    if not same_texts or campaign.protocol(store, name).hash != protocol.hash:
        raise CampaignError(
            f"The campaign {name!r} has other texts or another protocol.",
            next_step="Give this one a name of its own: name='…'.",
        )
    if judge not in {each.id for each in campaign.judges(store, name)}:
        campaign.add_judges(store, name, [Judge(judge)])


def _texts(document: Document) -> tuple[str, list[tuple[str, str, dict[str, str]]]]:
    return document.id, [(segment.id, segment.source, dict(segment.outputs)) for segment in document]


def disagreements(
    data: Data,
    *,
    store: str | Path = "lanner.sqlite",
    columns: str | Mapping[str, str] = "",
    protocol: str | None = None,
    languages: str = "",
    encoding: str = "",
    format: str | None = None,  # noqa: A002
    height: int = HEIGHT,
) -> Page:
    """Browse where judges disagree, with the sentences.

    Args:
        data: a campaign in `store`, or judgements in any form that `lanner.load` takes.
        store: the database of a campaign.
        columns: see `lanner.load`; so are `protocol`, `languages`, `encoding` and `format`.
        height: of the frame, in pixels.
    """
    widget_class()
    if isinstance(data, str) and not Path(data).exists():
        return _campaign_page(data, store, "/disagreements", f"Disagreements in {data}", height)
    (part, *others) = library.load(
        data, columns=columns, protocol=protocol, languages=languages, encoding=encoding, format=format
    )
    if others:
        names = ", ".join(each.name for each in (part, *others))
        raise InputError(f"There are several parts: {names}.", next_step="Give one of them: lanner.load(…)[0].")
    if part.protocol is None:
        raise InputError("It is not known what was asked.", next_step="Name the protocol: protocol='…'.")
    pages = _pages(str(Path(_folder().name) / f"{secrets.token_hex(8)}.sqlite"))
    campaign.import_campaign(
        pages.store, "judgements", part.judgements, part.protocol, documents=part.documents, judges=part.judges
    )
    return pages.show_as_viewer("judgements", "/disagreements", f"Disagreements in {part.name}", height)


def live(name: str, *, store: str | Path = "lanner.sqlite", height: int = HEIGHT) -> Page:
    """Watch a campaign while answers arrive: progress, agreement, who diverges.

    Args:
        name: of the campaign.
        store: its database.
        height: of the frame, in pixels.
    """
    widget_class()
    return _campaign_page(name, store, "", f"Live: {name}", height)


def _campaign_page(name: str, store: str | Path, path: str, title: str, height: int) -> Page:
    place = str(store)
    if "://" not in place and not Path(place).exists():
        raise InputError(f"There is no database {place}.", next_step="Give store= the database of the campaign.")
    pages = _pages(place)
    names = [entry.name for entry in campaign.campaigns(pages.store)]
    check_known(name, names, f"There is no campaign called {name!r}.", InputError)
    return pages.show_as_viewer(name, path, title, height)


class _Pages:
    """The pages of one store, served by a thread of this process for as long as the kernel runs."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.store = Store.open(place)
        self._code = secrets.token_urlsafe(18)
        listener = socket.create_server((_HOST, 0))  # before the thread starts, so that no request comes too early
        prefix = f"/lanner-{secrets.token_hex(4)}"  # browsers keep cookies by host and path, whatever the port
        self._address = f"http://{_HOST}:{listener.getsockname()[1]}{prefix}"
        settings = ServerSettings(
            entry_code=self._code,
            entry_account=_VIEWER,
            processes=False,
            framed_by=_FRAMED_BY,
            public_url=self._address,
        )
        self._server = server(self.store, settings=settings, root_path=prefix)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="lanner-pages", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.store.close()

    def show(self, path: str, name: str, title: str, height: int) -> Page:
        address = self._address + path
        widget = widget_class()(address=address, title=title, height=height)
        return Page(address, name, self.place, widget)

    def show_as_viewer(self, name: str, path: str, title: str, height: int) -> Page:
        """An organiser's page, signed in as somebody who may look at this campaign and change nothing."""
        with self.store.reading() as tx:
            account = tx.accounts.find(_VIEWER)
        password = secrets.token_urlsafe(24)  # nobody needs it: the code in the address signs in
        account_id = account.id if account else add_account(self.store, _VIEWER, password, AccountRole.VIEWER)
        campaign_id = campaign.get(self.store, name).id
        with self.store.writing() as tx:
            tx.accounts.join(account_id, campaign_id)
        return self.show(f"/enter/{self._code}?to=/campaigns/{name}{path}", name, title, height)


_running: dict[str, _Pages] = {}


def _pages(place: str) -> _Pages:
    """The pages of a store; a store has one server, however many cells show it."""
    key = place if "://" in place else str(Path(place).resolve())
    if key not in _running:
        _running[key] = _Pages(key)
    return _running[key]


def close() -> None:
    """Stop serving pages; those below the cells stop working. A kernel that ends does so by itself."""
    while _running:
        _running.popitem()[1].close()


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where judgements lie that are only looked at; it goes when the kernel ends."""
    return tempfile.TemporaryDirectory(prefix="lanner-notebook-", ignore_cleanup_errors=True)


@cache
def widget_class() -> Any:
    """The widget that shows a page; made when it is first needed, since anywidget is an extra."""
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError as error:
        raise LannerError(
            "Pages in a notebook need the package anywidget.", next_step='Install it: pip install "lanner[notebook]"'
        ) from error
    traits = {
        "_esm": _SCRIPT.read_text(encoding="utf-8"),
        "address": traitlets.Unicode().tag(sync=True),
        "title": traitlets.Unicode().tag(sync=True),
        "height": traitlets.Int(HEIGHT).tag(sync=True),
    }
    return type("PageWidget", (anywidget.AnyWidget,), traits)
