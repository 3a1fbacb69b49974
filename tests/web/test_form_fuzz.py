"""Odd values in every field of every form and every parameter of every link: refused in words or taken, never a 500;
and thousands of repeated characters, which must not take long.

Forms and links are read from the pages themselves, so that a field that is added is tried too, and the table of routes
says whether a route was forgotten. The short form gives each field one or two of the values, others for each, and tries
a draft once, however its texts came; with LANNER_FUZZ=1 every field gets all of them.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from zlib import crc32

import pytest
from starlette.routing import compile_path
from starlette.testclient import TestClient

import adaptive_campaign
from lanner import campaign
from lanner.campaign.accounts import SCOPES, issue
from lanner.store import Store
from lanner.web.app import ROUTES, create_app
from lanner.web.site import ServerSettings
from web_clients import another, complete, enter, open_campaign, sign_in

EVERYTHING = bool(os.environ.get("LANNER_FUZZ"))
SAME_NAME = 3
"""Fields of one name that long texts are put into: they are read by the same code on every page."""
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
LONG = 50_000 if EVERYTHING else 20_000
LONGEST_ADDRESS = 10_000
REPEATED = (
    "a", " ", "[", "<!--", '"', "'", "9", ",", ";", "\n", "a,", "a@", "\t", "(", "*", "\\", "=", "a\n", "[[a]]\n", "-",
)  # fmt: skip
LINKS = (
    "/campaigns/trial?question=holistic&language=ko",
    "/campaigns/trial/disagreements?question=holistic&show=all&document=doc0&at=doc0&segment=0&refused=x",
    "/campaigns/trial/judge?id=J1",
    "/campaigns/trial/preview/task/1?row=1&whole=1",
    "/login?language=ko",
)
"""Addresses that scripts and redirects make, so that they stand on no page."""
CPU_SECONDS = LONG / 20_000
"""For one field of so many characters, everything included; none takes a fifth of it. What is quadratic in Python takes
several times as long."""


@dataclass
class Form:
    """A form on a page: where it goes, and its fields with the values they have there."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


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
                self.forms[-1].files.add(values["name"])
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
        adaptive_campaign.made(store, documents=8)
        self.renew()

    def renew(self, *, afresh: bool = False) -> None:
        """Sign in again, and put back what a form has removed; `afresh`: whatever was done to the campaign."""
        known = {entry.name for entry in campaign.campaigns(self.store)}
        if afresh or "trial" not in known or campaign.get(self.store, "trial").state != "open":
            if "trial" in known:
                campaign.remove(self.store, "trial", name="trial")
            secrets = open_campaign(self.store)
            self.tasks = enter(self.judge, secrets["J1"])
            first, second, *_ = campaign.tasks(self.store, "trial", "J1")
            for task in (first, campaign.tasks(self.store, "trial", "J2")[0]):
                answers = complete() | ({} if task is first else {"holistic": 2})  # something to settle
                campaign.submit(self.store, task.id, 0, answers, submission=f"a-first-one-{task.id}")
            for item in range(len(second.items)):
                campaign.submit(self.store, second.id, item, complete(), submission=f"all-of-{second.id}-{item}")
            campaign.finish(self.store, second.id)
        self.token = sign_in(self.client, self.store)

    def pages(self) -> Iterator[tuple[TestClient, str, str]]:
        """Whoever looks, where, and what they see. What comes after an upload is reached by one."""
        here = "/campaigns/trial"
        drafted = self.client.post("/new", data={"token": self.token, "from": "demo"}).headers["location"]
        table = self.post_file("/new", "texts", "texts.csv", "x,y,z\nd,One is here.,Eins ist hier.\n")
        for path in (
            "/new", drafted, table.headers["location"], "/campaigns", here, f"{here}/judges", f"{here}/judge?id=J1",
            f"{here}/settings", f"{here}/models", f"{here}/disagreements", f"{here}/documents",
            f"{here}/meeting", f"{here}/diagnosis", "/campaigns/study/decided",
            f"{here}/preview/task/1", f"{here}/import", "/people", "/server", "/account",
            "/protocols/falcon", f"{drafted}/preview/h_falcon/task/1",
        ):  # fmt: skip
            yield self.client, path, self.client.get(path).text
        answers = "judge,document,segment,system,question,value\nJ1,doc0,1,secret-system-one,holistic,4\n"
        yield self.client, f"{here}/import", self.post_file(f"{here}/import", "answers", "a.csv", answers).text
        for path in ("/work", f"/task/{self.tasks[0]}", "/login"):
            yield self.judge, path, self.judge.get(path).text
        yield self.judge, "/setup", SETUP
        yield self.client, f"{here}/models", PREFILL

    def post_file(self, path: str, name: str, file: str, text: str) -> Any:
        return self.client.post(path, data={"token": self.token, "kind": "table"}, files={name: (file, text.encode())})


SETUP = """<form method="post" action="/setup"><input name="token"><input name="code" value="code"><input name="name">
<input name="password"></form>"""
"""The form of the first account: not shown once there is one, and still there to be sent."""

PREFILL = """<form method="post" action="/campaigns/trial/prefill"><input name="token"><input name="model" value="J1">
<input name="unassisted" value="20"></form>"""
"""Marks of a model: offered only where judges are asked for marks and have not begun."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("fuzz")
    settings = ServerSettings(
        processes=False, backups=folder / "copies", setup_code="code", model_servers=("http://127.0.0.1:9",)
    )
    with Store.open(folder / "lanner.sqlite") as store:
        app = create_app(store, settings=settings)
        with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
            yield Site(store, client)


def same_draft(address: str) -> str:
    """An upload has another address each time."""
    return re.sub("/new/[^/ ]+", "/new/UPLOAD", address)


def share(values: tuple[Any, ...], name: str, number: int) -> list[Any]:
    """A few of the values, a different few for each name."""
    if EVERYTHING:
        return list(values)
    start = crc32(same_draft(name).encode())
    return [values[(start + at * 7919) % len(values)] for at in range(number)]


def sent(text: str) -> str:
    """As a browser could send it: half a surrogate pair becomes a replacement character."""
    return text.encode("utf-8", "replace").decode()


POSTED: set[str] = set()
"""Where the forms that were found so far are posted to."""


def forms(site: Site) -> list[tuple[TestClient, str, Form]]:
    site.renew(afresh=True)
    entries: dict[tuple[str, tuple[str, ...]], tuple[TestClient, str, Form]] = {}
    for client, path, text in list(site.pages()):
        for form in Page(text).forms:
            action = form.action or path
            if action.endswith("/logout"):
                continue
            place = action.partition("?")[0]
            key = place if EVERYTHING else same_draft(place)
            entries.setdefault((key, tuple(sorted(form.fields))), (client, action, form))
            if form.method == "post":
                POSTED.add(place)
    return list(entries.values())


def send(client: TestClient, action: str, form: Form, values: dict[str, str]) -> tuple[int, str]:
    body = {name: sent(value) for name, value in values.items()}
    if form.method == "get":
        answer = client.get(f"{action.partition('?')[0]}?{urlencode(body)}")
    else:
        answer = client.post(action, data=body, headers={"sec-fetch-site": "same-origin"})
    return answer.status_code, answer.text


def test_odd_values_in_every_field_and_fields_left_out_are_taken_or_refused(site: Site) -> None:
    wrong: list[str] = []
    count = 0
    for client, action, form in forms(site):
        for name in form.fields:
            for value in (None, *(share(ODD, f"{action} {name}", 1) if name != "token" else ())):
                fields = {key: form.fields[key] if key != name else value for key in form.fields}
                if name != "token" and "token" in fields and client is site.client:
                    fields["token"] = site.token
                sent_fields = {key: entry for key, entry in fields.items() if entry is not None}
                status, text = send(client, action, form, sent_fields)
                count += 1
                if status >= 500 or "Traceback" in text:
                    wrong.append(f"{action} {name}={value and value[:40]!r}: {status}")
        site.renew()
    assert count > 200, "no forms were found"
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong)


def test_odd_values_in_every_parameter_of_every_link(site: Site) -> None:
    wrong, tried = [], set()
    for client, path, text in list(site.pages()):
        links = Page(text).links
        for link in sorted(links | {entry for entry in LINKS if entry.partition("?")[0] == path.partition("?")[0]}):
            parts = urlsplit(link)
            for name, _ in parse_qsl(parts.query, keep_blank_values=True):
                if (parts.path, name) in tried or parts.scheme or not parts.path.startswith("/"):
                    continue
                tried.add((parts.path, name))
                for value in share(ODD, f"{parts.path} {name}", 2):
                    query = "&".join(
                        f"{key}={quote(sent(value), safe='') if key == name else quote(other, safe='')}"
                        for key, other in parse_qsl(parts.query, keep_blank_values=True)
                    )
                    status = client.get(f"{parts.path}?{query}").status_code
                    if status >= 500:
                        wrong.append(f"{parts.path}?{name}={value[:40]!r}: {status}")
    assert len(tried) > 5
    assert not wrong, "\n".join(wrong)


PARSED = ("judges", "own_protocol", "leave")
"""Fields of a draft that are taken apart: they get all of the repeated texts, also in the short form."""


def test_long_texts_in_every_field_take_little_time(site: Site) -> None:
    """What is quadratic would stand still for a minute, and with it everybody who saves."""
    slow, tried, times_tried = list[str](), set[str](), Counter[str]()
    for client, action, form in forms(site):
        for name in (*form.fields, *form.files):
            times_tried[name] += 1
            if name == "token" or (times_tried[name] > SAME_NAME and not EVERYTHING):
                continue
            draft = "own_protocol" in form.fields
            every = EVERYTHING or (draft and name in PARSED and name not in tried)  # of the drafts, the first
            tried.add(name)
            for part in REPEATED if every else share(REPEATED, f"{action} {name}", 1):
                text = part * ((LONG if form.method == "post" else LONGEST_ADDRESS) // len(part))
                fields = {**form.fields, **({"name": "a-name"} if draft and name != "name" else {}), name: text}
                if "token" in fields and client is site.client:
                    fields["token"] = site.token
                began = time.process_time()
                if name in form.files:
                    del fields[name]
                    headers = {"sec-fetch-site": "same-origin"}
                    files = {name: ("texts.csv", text.encode())}
                    status = client.post(action, data=fields, files=files, headers=headers).status_code
                else:
                    status, _ = send(client, action, form, fields)
                spent = time.process_time() - began
                if spent > CPU_SECONDS or status >= 500:
                    slow.append(f"{action} {name} = {LONG} × {part!r}: {status}, {spent:.1f} s of CPU")
        site.renew()
    assert {*PARSED, "texts", "answers", "password", "title", "note"} <= tried
    assert not slow, "\n".join(slow)


def json_bodies(site: Site) -> dict[str, tuple[TestClient, str, Any]]:
    """What each route that takes JSON is sent, by its place in the table of routes."""
    program = another(site.client)
    program.headers["authorization"] = f"Bearer {issue(site.store, 'fuzz', SCOPES)[1]}"
    task = site.tasks[0]
    save_body = {
        "submission": "an-id-of-eight",
        "item": 0,
        "answers": {**complete(), "comment": "A remark."},
        "base": {"holistic": None},
        "answered_at": "2026-03-01T10:00:00Z",
        "sent_at": "2026-03-01T10:00:00Z",
        "elapsed": 3.0,
    }
    practice = {"item": 0, "answers": complete()}
    judge = {"id": "J9", "name": "Judge", "kind": "person", "attributes": {"note": "text"}}
    segment = {"id": "1", "source": "One.", "outputs": {"x": "Eins."}, "references": {"r": "Eins!"}}
    document = {"id": "d", "segments": [segment], "source_language": "en", "target_language": "de", "domain": "news"}
    new = {"name": "fresh", "protocol": "da", "documents": [document], "judges": [judge], "title": "T", "seed": 1}
    answers = {"submission": "an-id-of-eight", "task": task, "item": 0, "answers": complete()}
    preview = "/campaigns/trial/preview/task/1/answers"
    draft = site.client.post("/new", data={"token": site.token, "from": "demo"}).headers["location"]
    draft_preview = f"{draft}/preview/h_falcon/task/1/answers"
    return {
        "/task/{id:int}/answers": (site.judge, f"/task/{task}/answers", save_body),
        "/task/{id:int}/practice": (site.judge, f"/task/{task}/practice", practice),
        "/task/{id:int}/message": (site.judge, f"/task/{task}/message", {"text": "A message."}),
        "/campaigns/{name}/preview/task/{id:int}/answers": (site.client, preview, save_body),
        "/new/{upload}/preview/{protocol}/task/{id:int}/answers": (site.client, draft_preview, save_body),
        "/api/v1/campaigns": (program, "/api/v1/campaigns", new),
        "/api/v1/campaigns/{campaign}/state": (program, "/api/v1/campaigns/trial/state", {"state": "open"}),
        "/api/v1/campaigns/{campaign}/judges": (program, "/api/v1/campaigns/trial/judges", {"judges": [judge]}),
        "/api/v1/campaigns/{campaign}/tasks": (program, "/api/v1/campaigns/trial/tasks", {"judge": "J1"}),
        "/api/v1/campaigns/{campaign}/judgements": (program, "/api/v1/campaigns/trial/judgements", answers),
    }


def varied(body: Any, replace: Any) -> Iterator[Any]:
    """The body with one value, or the name of one, replaced; each in turn."""
    if isinstance(body, dict):
        for key, value in body.items():
            yield from ({**body, key: changed} for changed in varied(value, replace))
            yield {**{k: v for k, v in body.items() if k != key}, str(replace): value}
    elif isinstance(body, list):
        for at, value in enumerate(body):
            yield from ([*body[:at], changed, *body[at + 1 :]] for changed in varied(value, replace))
    yield replace


def test_long_and_odd_values_in_every_place_of_every_json_body(site: Site) -> None:
    wrong = []
    odd: tuple[Any, ...] = (None, True, -1, 2**70, 1e308, [], {}, [[]], "", *ODD[:12])
    for number, (client, path, body) in enumerate(json_bodies(site).values()):
        values = [*share(REPEATED, path, 1), *share(odd, path, 1)]
        for value in [part * (LONG // len(part)) if part in REPEATED else part for part in values]:
            for changed in varied(body, value):
                began = time.process_time()
                content = json.dumps(changed).encode("utf-8", "replace")
                headers = {"sec-fetch-site": "same-origin", "content-type": "application/json"}
                status = client.post(path, content=content, headers=headers).status_code
                spent = time.process_time() - began
                if status >= 500 or spent > CPU_SECONDS:
                    wrong.append(f"{number} {path} with {str(value)[:20]!r}: {status}, {spent:.1f} s of CPU")
        site.renew()
    assert not wrong, "\n".join(dict.fromkeys(wrong))


WITHOUT_FIELDS = {"/logout", "/task/{id:int}/reopen", "/api/v1/campaigns/{campaign}/tasks/{task}/finish"}


def test_no_route_that_takes_something_is_forgotten(site: Site) -> None:
    """Every route of the table that is posted to has a form on some page, or a body above."""
    tried = POSTED or (forms(site) and POSTED)
    bodies = json_bodies(site)
    forgotten = []
    for route in ROUTES:
        if route.method != "POST" or route.path in bodies or route.path in WITHOUT_FIELDS:
            continue
        pattern, _, _ = compile_path(route.path)
        if not any(pattern.match(action) for action in tried):
            forgotten.append(route.path)
    assert not forgotten, forgotten
