"""Texts, names, comments and notes are other people's: they are shown on every page and run on none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

import pytest
from starlette.routing import Match
from starlette.testclient import TestClient

from lanner import campaign
from lanner.model import Document, Judge, Protocol, Segment
from lanner.protocols import load
from lanner.protocols.reading import parse_toml
from lanner.store import Store
from lanner.web.app import ROUTES, create_app
from lanner.web.site import ServerSettings
from web_clients import complete, enter, sign_in

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'--></title>{{ 7*7 }}${7*7}\u202e"
NAME = "a\"'><script>alert(1)<script>"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all tests here: they read the same pages."""
    with Store.open(tmp_path_factory.mktemp("hostile") / "lanner.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(client: TestClient, store: Store) -> list[tuple[str, str]]:
    """Every page of a campaign in which everything that can be is hostile, as its organiser and a judge see them."""
    segments = tuple(Segment(f"{at}{NAME}", f"{at} {EVIL}", {NAME: f"{at} {EVIL}"}) for at in range(12))
    text = Document(f"d{NAME}", segments, 'en"><b>', "ko", EVIL, EVIL, EVIL, EVIL, glossary={EVIL: EVIL})
    people = [Judge(f"{n}{NAME}", name=f"{n} {EVIL}", attributes={NAME: EVIL}) for n in range(3)]
    made = campaign.create(
        store,
        NAME.replace("/", ""),
        [text],
        worded(),
        people,
        title=EVIL,
        settings={"guidelines": EVIL},
    )
    campaign.open(store, made.id)
    for number, judge in enumerate(people):
        for task in campaign.tasks(store, made.id, judge.id):
            if task.page == "label":
                for item in range(len(task.items)):
                    level = ("local", "global", "universal")[(item + number) % 3]
                    answers = {**complete("falcon"), "context": level, "comment": EVIL}
                    campaign.submit(store, task.id, item, answers, submission=f"{number}-{task.id}-{item}")
    token = sign_in(client, store, EVIL[:70])
    here = f"/campaigns/{quoted(made.name)}"
    fields = {"token": token, "document": text.id, "segment": segments[0].id, "system": "", "context": "local"}
    client.post(f"{here}/settle", data={**fields, "note": EVIL, "guideline": "1"})
    links = client.post(f"{here}/links", data={"token": token, "who": "all"})
    drafted = client.post("/new", data={"token": token, "from": "file"}, files={"texts": (f"{EVIL}.csv", TABLE)})
    assert drafted.status_code == 303, drafted.text[-500:]
    refused = client.post("/new", data={"token": token, "from": "file"}, files={"texts": (f"{EVIL}.xml", b"<a>")})
    brought = client.post(f"{here}/import", data={"token": token}, files={"answers": (f"{EVIL}.csv", TABLE)})
    draft = drafted.headers["location"].removesuffix("/table")
    places = [
        "/login", "/server", "/protocols/falcon", drafted.headers["location"], draft, f"{here}/documents",
        f"{here}/import", f"{here}/models", f"{here}/preview", "/campaigns", here, f"{here}/panels",
        f"{here}/disagreements?question=context&show=all",
        f"{here}/disagreements?at={quoted(text.id)}&segment={quoted(segments[1].id)}&refused={quoted(EVIL)}",
        f"{here}/meeting", f"{here}/guidelines", f"{here}/diagnosis", f"{here}/decided",
        f"{here}/judges", f"{here}/judge?id={quoted(people[0].id)}", f"{here}/settings", "/people", "/account",
        f"{here}/preview/task/1", "/new", f"/nowhere/{quoted(EVIL)}",
        f"{draft}/preview/falcon", f"{draft}/preview/falcon/task/1",
        f"/campaigns/{quoted(adaptive(store))}/decided",
    ]  # fmt: skip
    shown = [(place, client.get(place).text) for place in places]
    shown += [("refused", refused.text), ("brought", brought.text)]
    secret = campaign.invitations.issue(store, made.id, people[0].id)
    tasks = enter(client, secret)
    shown += [(f"/task/{task}", client.get(f"/task/{task}").text) for task in tasks[:2]]
    shown += [(f"/task/{task}/practice", client.get(f"/task/{task}/practice").text) for task in tasks[:1]]
    shown += [
        ("/work", client.get("/work").text),
        ("links", links.text),
        (f"{here}/report", client.get(f"{here}/report").text),
    ]
    return shown


def adaptive(store: Store) -> str:
    """An adaptive campaign with an open pair of two hostile systems, for its page of decisions."""
    systems = (NAME, f"b{NAME}")
    texts = [
        Document(f"{n}{NAME}", (Segment(NAME, EVIL, dict.fromkeys(systems, EVIL)),), "en", "ko") for n in range(24)
    ]
    made = campaign.create(
        store, f"b{NAME}", texts, load("da"), [Judge("x")], design="adaptive", options={"goal": "rank"}
    )
    campaign.open(store, made.id)
    for number in range(18):
        task = campaign.next_task(store, made.id, "x")
        assert task is not None
        better = 8 * (task.items[0].systems[0] == NAME)  # not so clear that the pair would be decided already
        campaign.submit(store, task.id, 0, {"score": 40 + 13 * number % 30 + better}, submission=f"b{number}")
        campaign.finish(store, task.id)
    return made.name


def quoted(text: str) -> str:
    return quote(text, safe="")


TABLE = json.dumps(
    {"document": EVIL, "segment": "1", "source": EVIL, "source_language": "en", "target_language": "de", NAME: EVIL}
).encode()


def worded() -> Protocol:
    """FALCON, with every word that a protocol may bring hostile."""
    said = json.dumps(EVIL)
    words = "".join(f"{name} = {said}\n" for name in ("title", "summary", "instructions"))
    text = f'name = "hostile"\nversion = "1"\nextends = "falcon"\n[text.en]\n{words}'
    text += f"[text.en.questions.context]\nlabel = {said}\nhelp = {said}\n[text.en.questions.context.options.local]\n"
    return parse_toml(f"{text}label = {said}\ndefinition = {said}\n")


def test_every_page_names_its_language(pages: list[tuple[str, str]]) -> None:
    """Screen readers and fonts go by it. A template of ours once hid it behind a macro of the same name."""
    found = {place: re.findall(r'<html lang="([^"]*)"', page) for place, page in pages if "<html" in page}
    assert len(found) > 20
    assert {place: names for place, names in found.items() if names != ["en"]} == {}


def test_no_browser_is_to_translate_what_is_judged(pages: list[tuple[str, str]]) -> None:
    """Its translation would be what is judged or settled, and marks would stand at its places."""
    whole = [place for place, page in pages if re.search(r'<html [^>]*translate="no"', page)]
    assert any(place.endswith("/task/1") for place in whole)
    texts = [
        (place, tag)
        for place, page in pages
        if place not in whole and not place.endswith("/report")
        for tag in re.findall(r"<[^>]*\slang=[^>]*\sdir=[^>]*>", page)
        if not tag.startswith("<html")
    ]
    assert len({place for place, _ in texts}) > 2
    assert [each for each in texts if 'translate="no"' not in each[1]] == []


def test_nothing_hostile_runs_anywhere(pages: list[tuple[str, str]]) -> None:
    met = 0
    for place, text in pages:
        assert "<script>alert" not in text, place
        assert "<img src=x" not in text, place
        assert "onerror=alert(1)>" not in text.replace("&gt;", ""), place
        met += "alert(1)" in text
    assert met > 10, "the hostile texts were not shown at all"
    decided = next(page for place, page in reversed(pages) if place.endswith("/decided"))
    assert "<progress" in decided and "alert(1)" in decided, "open pairs with what more judging would buy"


NO_PAGES = {
    "/", "/healthz", "/readyz", "/static/{version}/{path:path}", "/setup", "/enter/{code}", "/j/{secret}",
    "/campaigns/{name}/events", "/campaigns/{name}/export/{format}", "/campaigns/{name}/preview/work",
    "/server/copies/{copy}", "/service_worker.js", "/task/{id:int}/answers", "/task/{id:int}/session",
    "/campaigns/{name}/preview/task/{id:int}/answers", "/new/{upload}/preview/{protocol}/work",
    "/new/{upload}/preview/{protocol}/task/{id:int}/answers",
}  # fmt: skip
"""What sends somewhere else, closes with the first account, or answers with a file, JSON or a stream."""


def test_every_page_is_among_them(pages: list[tuple[str, str]], client: TestClient) -> None:
    """A page that is added has to be visited here too."""
    wanted = {way.path for way in ROUTES if way.method == "GET" and not way.path.startswith("/api/")} - NO_PAGES
    met = set()
    for place, _ in pages:
        scope = {"type": "http", "method": "GET", "path": unquote(place.partition("?")[0]), "root_path": ""}
        met |= {route.path for route in client.app.routes if route.matches(scope)[0] is Match.FULL}
    assert wanted <= met, sorted(wanted - met)
