"""Requests made to hurt: whatever is sent, the answer is a refusal in words, never a trace of the inside, on both
databases. Hostile texts that are shown on pages are in `test_hostile`, hostile files in the tests of their formats."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import ServerSettings
from web_clients import another, complete, enter, open_campaign, save, sign_in

HOSTILE = {
    "nul": "a\0b\0\0\0\0\0\0",
    "half a pair": "half \ud800 of a pair",
    "right to left": "\u202egnp.exe\u202c\u2066x\u2069",
    "tags": "\U000e0041\U000e0042\U000e007f",
    "many marks": "Z" + "\u0334" * 400,
    "no characters": "\uffff\ufffe\U0010ffff",
    "sql": "x'; DROP TABLE judgement; --",
    "format": "{0.__class__.__init__.__globals__} %s %(x)s ${jndi:ldap://x}",
}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], scope="module")
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store of each kind for all requests here: what is refused leaves it as it was."""
    if request.param == "sqlite":
        with Store.open(tmp_path_factory.mktemp("hurt") / "lanner.sqlite") as opened:
            yield opened
        return
    address = request.getfixturevalue("postgres_server")
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA hurt")
    with Store.open(f"{address}&options=-csearch_path%3Dhurt") as opened:
        yield opened
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA hurt CASCADE")


@pytest.fixture(scope="module")
def visit(store: Store) -> Iterator[tuple[TestClient, int, str]]:
    """A browser that is both a judge and an owner, the judge's task, the owner's form token."""
    secrets = open_campaign(store)
    app = create_app(store, settings=ServerSettings(processes=False, backups=Path()))
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        task = enter(client, secrets["J1"])[0]
        yield client, task, sign_in(client, store)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_letters_in_answers_are_kept_or_refused(visit: tuple[TestClient, int, str], name: str) -> None:
    client, task, _ = visit
    text = HOSTILE[name]
    for more in ({}, {"submission": text + "12345678"}):
        body = {"submission": f"fine-{name}", "item": 0, "answers": {**complete(), "comment": text}, **more}
        answer = client.post(
            f"/task/{task}/answers", content=json.dumps(body), headers={"content-type": "application/json"}
        )
        assert answer.status_code in (200, 400, 422), (name, answer.status_code, answer.text)
        assert "Traceback" not in answer.text
    shown = client.get(f"/task/{task}/answers")
    assert shown.status_code == 200
    assert client.get(f"/task/{task}").status_code == 200


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_letters_in_keys_and_addresses(visit: tuple[TestClient, int, str], store: Store, name: str) -> None:
    client, task, token = visit
    text = HOSTILE[name].encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    tries = [
        client.post(
            f"/task/{task}/answers",
            content=json.dumps({"submission": "x" * 12, "item": 0, "answers": {HOSTILE[name]: 1}}),
            headers={"content-type": "application/json"},
        ),
        client.get(f"/j/{quote(text)}"),
        client.get(f"/campaigns/{quote(text)}"),
        client.get("/campaigns/trial/judge", params={"id": text}),
        client.get(f"/protocols/{quote(text)}"),
        client.get("/campaigns/trial/disagreements", params={"question": text, "at": text, "segment": text}),
        client.post("/login", data={"token": "x", "name": text, "password": text}),
        client.post("/campaigns/trial/judges", data={"token": token, "judges": text}),
        client.post("/campaigns/trial/settings", data={"token": token, "title": text, "version": text}),
        client.post("/campaigns/trial/duplicate", data={"token": token, "as": text}),
        client.post("/people", data={"token": token, "name": text, "password": "long enough for all"}),
        client.get("/work", params={"language": text}),
    ]
    for answer in tries:
        assert answer.status_code < 500, (answer.request.url, answer.status_code, answer.text[-300:])
        assert "Traceback" not in answer.text


def test_deeply_nested_and_huge_json(visit: tuple[TestClient, int, str]) -> None:
    client, task, _ = visit
    deep = (
        b'{"submission": "deepdeepdeep", "item": 0, "answers": {"comment": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    )
    objects = b'{"a":' * 30_000 + b"1" + b"}" * 30_000
    number = b'{"submission": "numbernumber", "item": ' + b"9" * 5000 + b', "answers": {"holistic": 1}}'
    shallow = json.dumps(
        {"submission": "listlistlist", "item": 0, "answers": {"skills": [[[[[["x"]]]]]] * 1000}}
    ).encode()
    infinite = b'{"submission": "infinitely", "item": 0, "answers": {"holistic": 1e999, "sentence": NaN}}'
    for body in (deep, objects, number, shallow, infinite, b"", b"null", b"[]", b"\xff\xfe", b'{"submission"'):
        answer = client.post(f"/task/{task}/answers", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), (body[:60], answer.status_code)
    big = b'{"submission": "' + b"x" * 300_000 + b'"}'
    answer = client.post(f"/task/{task}/answers", content=big, headers={"content-type": "application/json"})
    assert answer.status_code == 413


def test_numbers_beyond_every_row(visit: tuple[TestClient, int, str]) -> None:
    client, task, _ = visit
    for number in (0, -1, 2**31, 2**63, 2**70):
        assert client.get(f"/task/{number}").status_code == 404
        assert save(client, number, 0, complete()).status_code in (401, 404), number
    for item in (-1, 99, 2**31, 2**63, 10**40):
        assert save(client, task, item, complete()).status_code in (400, 422), item
    for base in ({"holistic": 2**70}, {"holistic": -5}, {"nowhere": 1}):
        assert save(client, task, 0, {"holistic": 3}, base=base).status_code in (200, 400, 422), base


def uploaded(client: TestClient, token: str, name: str, content: bytes):
    return client.post("/new", data={"token": token, "from": "file"}, files={"texts": (name, content)})


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


BILLION = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<dataset><collection><doc id="1"><src lang="en"><p><seg id="1">&c;</seg></p></src></doc></collection></dataset>"""
STEAL = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<dataset><collection><doc id="1"><src lang="en"><p><seg id="1">&x;</seg></p></src></doc></collection></dataset>"""
# made when a test asks for them: to pack three hundred megabytes takes a while
FILES: dict[str, Callable[[], bytes]] = {
    "bomb.zip": cache(lambda: zipped({"a.jsonl": b"\n" * (300 * 1024 * 1024)})),
    "outside.zip": lambda: zipped({"../../outside.jsonl": b"{}"}),
    "rooted.zip": lambda: zipped({"/etc/outside.jsonl": b"{}"}),
    "laughs.xml": lambda: BILLION,
    "steal.xml": lambda: STEAL,
    "deep.json": lambda: b"[" * 200_000,
    "nul.jsonl": lambda: b"\0" * 5000,
    "../../../etc/passwd": lambda: b"x",
    "broken.xlsx": lambda: b"PK\x03\x04 nothing more",
    "deep.xml": lambda: b"<a>" * 100_000,
    "long.csv": lambda: b"source,target\n" + b"x" * 5_000_000,
}


@pytest.mark.parametrize("name", FILES)
def test_hostile_files_are_refused_in_words(visit: tuple[TestClient, int, str], name: str, tmp_path: Path) -> None:
    client, _, token = visit
    answer = uploaded(client, token, name, FILES[name]())
    if name == "long.csv":  # a table: the page where columns are pointed at says what is wrong with it
        answer = client.get(answer.headers["location"])
        assert len(answer.text) < 200_000, "a cell is shown shortened"
    else:
        assert answer.status_code == 422, answer.text[-400:]
    assert 'role="alert"' in answer.text
    assert "root:" not in answer.text
    assert not list(Path("/etc").glob("outside*"))


def test_a_name_that_would_break_a_header(visit: tuple[TestClient, int, str], store: Store) -> None:
    client, _, _ = visit
    evil = 'x"\r\nSet-Cookie: a=b; é 한'
    with store.writing() as tx:
        known = tx.campaigns.find("trial")
    assert known is not None
    made = campaign.duplicate(store, "trial", evil.replace("\r\n", " "), [])
    answer = client.get(f"/campaigns/{made.name}/export/jsonl")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"origin": "http://[::1"}, b"name=a", 403),
        ({}, b"token=%ff%fe&name=a", 403),
        ({}, b"token=" + b"a" * 20_000, 413),
        ({"content-type": "multipart/form-data; boundary=x; charset=punycode"}, b"--x--", 415),
    ],
    ids=["no address", "letters in a token", "large", "in a codec"],
)
def test_what_a_stranger_sends_to_sign_in_is_refused_in_words(
    visit: tuple[TestClient, int, str], headers: dict[str, str], content: bytes, status: int
) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    for place in ("/login", "/setup"):
        assert another(visit[0]).post(place, content=content, headers=form | headers).status_code == status


def test_a_judges_form_is_no_larger_than_what_a_judges_page_sends(visit: tuple[TestClient, int, str]) -> None:
    client, task, _ = visit
    form = {"content-type": "application/x-www-form-urlencoded"}
    for what in ("form", "finish", "reopen"):
        assert client.post(f"/task/{task}/{what}", content=b"&" * 300_000, headers=form).status_code == 413
