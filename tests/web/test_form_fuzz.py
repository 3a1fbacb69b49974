"""Odd values in every field of every form and every parameter of every link: refused in words or taken, never a 500,
and never slow.

Forms and links are read from the pages themselves, so that a field that is added is tried too. The short form gives
each field a few of the values, a different few for each; with LANNER_FUZZ=1 every field gets all of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from zlib import crc32

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import Settings
from web_clients import another, complete, enter, open_campaign, sign_in

EVERYTHING = bool(os.environ.get("LANNER_FUZZ"))
ODD = (
    "", " ", "0", "-1", "1e999", "nan", "9" * 30, "9" * 5000, "٣", "²", "½", "1.5", "-0", "\0", "a\0b",
    "\ud800", "\uffff",
    "\u202e\u2066", "../../../etc/passwd", "/", "a/b", "x'; DROP TABLE judge; --", "{0.__class__}", "%s%n", "[",
    "]]>",
    '"', "'", "\r\n\r\n", "name\nname", "=1+1", "true", "null", "[]", "{}", "http://[", "https://[::1",
    "https://a:99999/",
    "2026-13-45", "0000-00-00", "9999-12-31", "Ω" * 300, "Z" + "\u0334" * 300, "a,b;c\td", "<b>", "&#0;", "ko",
    "trial",
)  # fmt: skip
LONG = 100_000
REPEATED = (
    "a",
    " ",
    "[",
    "<!--",
    '"',
    "'",
    "9",
    ",",
    ";",
    "\n",
    "a,",
    "a@",
    "\t",
    "(",
    "*",
    "\\",
    "=",
    "a\n",
    "[[a]]\n",
    "-",
)
LINKS = (
    "/campaigns/trial?question=holistic&language=ko",
    "/campaigns/trial/disagreements?question=holistic&show=all&document=doc0&at=doc0&segment=0&refused=x",
    "/campaigns/trial/judge?id=J1",
    "/campaigns/trial/preview/task/1?row=1&whole=1",
    "/login?language=ko",
)
"""Addresses that scripts and redirects make, so that they stand on no page."""
CPU_SECONDS = 4.0
"""For one field of 100,000 characters, everything included. What is quadratic in Python takes a minute or more."""


@dataclass
class Form:
    """A form on a page: where it goes, and its fields with the values they have there."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class Page(HTMLParser):
    """The forms and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: set[str] = set()
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(values.get("action", ""), values.get("method", "get").lower()))
        elif tag == "a" and "?" in values.get("href", ""):
            self.links.add(values["href"])
        elif tag == "option" and self._select and ("selected" in values or not self.forms[-1].fields[self._select]):
            self.forms[-1].fields[self._select] = values.get("value", "")
        if tag in ("input", "select", "textarea", "button") and values.get("name") and self.forms:
            if values.get("type") == "file":
                return
            self._select = values["name"] if tag == "select" else ""
            unchecked = values.get("type") in ("checkbox", "radio") and "checked" not in values
            if tag == "button" or unchecked:
                self.forms[-1].fields.setdefault(values["name"], values.get("value", "on"))
            else:
                self.forms[-1].fields[values["name"]] = values.get("value", "")


class Site:
    """A running app with a campaign in which something has been judged, an owner and a judge."""

    def __init__(self, store: Store, client: TestClient) -> None:
        self.store, self.client = store, client
        self.judge = another(client)
        self.judge.app.state.site.savers.burst = 10**9
        self.renew()

    def renew(self) -> None:
        """Sign in again, and put back what a form has removed."""
        known = {entry.name for entry in campaign.campaigns(self.store)}
        if "trial" not in known or campaign.get(self.store, "trial").state != "open":
            if "trial" in known:
                campaign.remove(self.store, "trial")
            secrets = open_campaign(self.store)
            self.tasks = enter(self.judge, secrets["J1"])
            (first, *_) = campaign.tasks(self.store, "trial", "J1")
            campaign.submit(self.store, first.id, 0, complete(), submission="a-first-one")
        self.token = sign_in(self.client, self.store)

    def pages(self) -> Iterator[tuple[TestClient, str]]:
        here = "/campaigns/trial"
        drafted = self.client.post("/new", data={"token": self.token, "from": "demo"}).headers["location"]
        for path in (
            "/new", drafted, "/campaigns", here, f"{here}/judges", f"{here}/judge?id=J1", f"{here}/settings",
    f"{here}/import", f"{here}/models", f"{here}/disagreements", f"{here}/documents", f"{here}/preview/task/1",
            "/people", "/server", "/account", "/protocols/falcon",
        ):  # fmt: skip
            yield self.client, path
        for path in ("/work", f"/task/{self.tasks[0]}", "/login", "/setup"):
            yield self.judge, path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("fuzz")
    settings = Settings(
        processes=False, backups=folder / "copies", setup_code="code", model_servers=("http://127.0.0.1:9",)
    )
    with Store.open(folder / "lanner.sqlite") as store:
        app = create_app(store, settings=settings)
        with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
            yield Site(store, client)


def share(values: tuple[str, ...], name: str, number: int) -> list[str]:
    """A few of the values, a different few for each name."""
    if EVERYTHING:
        return list(values)
    start = crc32(name.encode())
    return [values[(start + at * 7919) % len(values)] for at in range(number)]


def sent(text: str) -> str:
    """As a browser could send it: half a surrogate pair becomes a replacement character."""
    return text.encode("utf-8", "replace").decode()


def forms(site: Site) -> list[tuple[TestClient, str, Form]]:
    entries: dict[tuple[str, tuple[str, ...]], tuple[TestClient, str, Form]] = {}
    for client, path in list(site.pages()):
        for form in Page(client.get(path).text).forms:
            action = form.action or path
            if action.endswith("/logout"):
                continue
            entries.setdefault((action.partition("?")[0], tuple(sorted(form.fields))), (client, action, form))
    return list(entries.values())


def send(client: TestClient, action: str, form: Form, values: dict[str, str]) -> tuple[int, str]:
    body = {name: sent(value) for name, value in values.items()}
    if form.method == "get":
        answer = client.get(f"{action.partition('?')[0]}?{urlencode(body)}")
    else:
        answer = client.post(action, data=body, headers={"sec-fetch-site": "same-origin"})
    return answer.status_code, answer.text


def test_odd_values_in_every_field_are_taken_or_refused(site: Site) -> None:
    wrong: list[str] = []
    count = 0
    for client, action, form in forms(site):
        for name in form.fields:
            if name == "token":
                continue
            for value in share(ODD, f"{action} {name}", 3):
                fields = {**form.fields, name: value}
                if "token" in fields and client is site.client:
                    fields["token"] = site.token
                status, text = send(client, action, form, fields)
                count += 1
                if status >= 500 or "Traceback" in text:
                    wrong.append(f"{action} {name}={value[:40]!r}: {status}")
        site.renew()
    assert count > 100, "no forms were found"
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong)


def test_a_field_left_out_is_refused_in_words(site: Site) -> None:
    wrong = []
    for client, action, form in forms(site):
        for name in form.fields:
            fields = {key: value for key, value in form.fields.items() if key != name}
            if "token" in fields and client is site.client:
                fields["token"] = site.token
            status, _ = send(client, action, form, fields)
            if status >= 500:
                wrong.append(f"{action} without {name}: {status}")
        site.renew()
    assert not wrong, "\n".join(wrong)


def test_odd_values_in_every_parameter_of_every_link(site: Site) -> None:
    wrong, tried = [], set()
    for client, path in list(site.pages()):
        links = Page(client.get(path).text).links
        for link in sorted(links | {entry for entry in LINKS if entry.partition("?")[0] == path.partition("?")[0]}):
            parts = urlsplit(link)
            for name, _ in parse_qsl(parts.query, keep_blank_values=True):
                if (parts.path, name) in tried or parts.scheme or not parts.path.startswith("/"):
                    continue
                tried.add((parts.path, name))
                for value in share(ODD, f"{parts.path} {name}", 6):
                    query = "&".join(
                        f"{key}={quote(sent(value), safe='') if key == name else quote(other, safe='')}"
                        for key, other in parse_qsl(parts.query, keep_blank_values=True)
                    )
                    status = client.get(f"{parts.path}?{query}").status_code
                    if status >= 500:
                        wrong.append(f"{parts.path}?{name}={value[:40]!r}: {status}")
    assert len(tried) > 5
    assert not wrong, "\n".join(wrong)


def test_the_protocol_editor_and_the_judges_field_take_every_repeated_text(site: Site) -> None:
    """The fields that are parsed get all of them, not a share."""
    drafted = site.client.post("/new", data={"token": site.token, "from": "demo"}).headers["location"]
    (form, *_) = [entry for entry in Page(site.client.get(drafted).text).forms if "judges" in entry.fields]
    parsed = [
        name for name in ("judges", "protocol_text", "toml", "guidelines", "leave", "title") if name in form.fields
    ]
    assert "judges" in parsed
    slow = []
    for name in parsed:
        for part in REPEATED:
            fields = {**form.fields, "token": site.token, name: part * (LONG // len(part))}
            began = time.process_time()
            status, _ = send(site.client, drafted, form, fields)
            spent = time.process_time() - began
            if spent > CPU_SECONDS or status >= 500:
                slow.append(f"{name} = {LONG} × {part!r}: {status}, {spent:.1f} s of CPU")
    assert not slow, "\n".join(slow)
