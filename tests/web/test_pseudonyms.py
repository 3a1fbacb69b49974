"""Nothing that leaves the server says who the judges are, unless it is asked to: every export, the report, the API, the
command line, searched byte by byte for what only the judges' identities contain."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from starlette.testclient import TestClient

from cli.command import Command
from lanner import campaign, formats, protocols
from lanner.model import Judge, JudgeKind, Judgement
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.organising.files import FORMATS
from lanner.web.site import ServerSettings
from web_clients import SYSTEMS, complete, documents, sign_in

PEOPLE = (
    Judge("zelda-q", name="Zelda Quirke", attributes={"E-mail (work)": "zquirke@example.org", "native": "ko"}),
    Judge("ombra-f", name="Ombra Fitch", attributes={"phone number": "555 0199", "Full name": "O. Fitch"}),
    Judge("yorick-v", name="Yorick Vane", attributes={"how to reach me": "yvane@example.org", "years": 4}),
)
WHO = re.compile(rb"zelda|quirke|ombra|fitch|yorick|vane|555 0199", re.IGNORECASE)
MODEL = "gpt-quill"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all tests here: nothing that is asked of it changes a campaign."""
    with Store.open(tmp_path_factory.mktemp("people") / "lanner.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def judged(store: Store) -> None:
    """Three people, each with a control item, of whom one is left out and one has revised an answer; and a model. Some
    answers came in a file that is named after a judge."""
    words = "the ferry left early and nobody who came late could see it any more"
    texts = [
        replace(
            document,
            segments=tuple(
                replace(segment, outputs={name: f"{words} {segment.id} {name[-3:]}" for name in SYSTEMS})
                for segment in document
            ),
        )
        for document in documents()
    ]
    settings = {"controls": {"shuffled": 1}}
    campaign.create(store, "trial", texts, protocols.load("h_falcon"), PEOPLE, settings=settings)
    campaign.open(store, "trial")
    for place, judge in enumerate(PEOPLE):
        for task in campaign.tasks(store, "trial", judge.id):
            for item in range(len(task.items)):
                answers = {**complete(), "sentence": 1 + (item + place) % 4, "holistic": 1 + (item * 3 + place) % 10}
                campaign.submit(store, task.id, item, answers, submission=f"{task.id}-{item}-long", active=20.0)
    first = campaign.tasks(store, "trial", "zelda-q")[0]
    campaign.submit(store, first.id, 0, {"holistic": 2}, submission="and-once-more")
    campaign.leave_out(store, "trial", "yorick-v", "too fast")
    stage = protocols.load("h_falcon").find("holistic")
    assert stage
    own = [Judgement(MODEL, stage[0].id, "holistic", f"doc{d}", "0", (SYSTEMS[0],), 5) for d in range(2)]
    own.append(replace(own[0], judge="ombra-f", value=4))
    elsewhere = [replace(answer, origin="answers of Ombra Fitch.csv:2") for answer in own]
    campaign.import_judgements(store, "trial", elsewhere, judges=[Judge(MODEL, kind=JudgeKind.MODEL)])


def contents(data: bytes, name: str = "") -> bytes:
    """What a file says: an archive opened, a Parquet file as text."""
    if data[:2] == b"PK":
        archive = zipfile.ZipFile(io.BytesIO(data))
        return b"\n".join(entry.encode() + b"\n" + contents(archive.read(entry), entry) for entry in archive.namelist())
    if data[:4] == b"PAR1":
        return pl.read_parquet(io.BytesIO(data)).write_json().encode()
    return name.encode() + b"\n" + data


def written(folder: Path) -> bytes:
    """All files below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(contents(path.read_bytes(), path.name) for path in files)


@pytest.mark.parametrize("name", FORMATS)
def test_no_export_of_the_pages_names_a_judge(client: TestClient, store: Store, judged: None, name: str) -> None:
    sign_in(client, store)
    text = contents(client.get(f"/campaigns/trial/export/{name}").content)
    assert len(text) > 500 and not WHO.search(text)
    if name != "mtme":
        assert b"judge-" in text and MODEL.encode() in text, "people go by code names, models by their own"


def test_the_report_names_no_judge(client: TestClient, store: Store, judged: None) -> None:
    sign_in(client, store)
    page = client.get("/campaigns/trial/report").content
    assert b"judge-" in page and MODEL.encode() in page and not WHO.search(page)
    assert not WHO.search(client.get("/campaigns/trial/diagnosis").content)


def test_a_program_needs_the_scope_people_to_know_judges(
    store: Store, judged: None, program: Callable[..., TestClient]
) -> None:
    places = ["tasks", "progress", "agreement", "judgements", "judgements?history=true", "documents"]
    places += [f"export/{name}" for name in FORMATS]
    stranger, friend = program("campaigns", "judgements", "write", "metrics"), program()
    for place in places:
        answer = stranger.get(f"/api/v1/campaigns/trial/{place}")
        assert answer.status_code == 200 and not WHO.search(contents(answer.content)), place
    named = {place: friend.get(f"/api/v1/campaigns/trial/{place}").text for place in places[:5] if place != "agreement"}
    assert all("zelda-q" in text for text in named.values())
    assert all(MODEL in stranger.get(f"/api/v1/campaigns/trial/{place}").text for place in places[3:5])


@pytest.mark.parametrize("identified", [False, True])
def test_commands_name_judges_only_where_that_is_asked_for(
    store: Store,
    judged: None,
    identified: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lanner, out = Command(monkeypatch, capsys), tmp_path / "out"
    out.mkdir()
    more = ["--store", store.place, *(["--identified"] if identified else [])]
    ran = [lanner("export", "trial", "--out", out / f"all.{ending}", *more) for ending in ("csv", "jsonl", "parquet")]
    writable = [name for name in formats.titles(writable=True) if name not in ("tmx", "xliff", "po", "wmt_xml")]
    for name in writable:
        (out / name).mkdir()
        ran.append(lanner("export", "trial", "--out", out / name / "all", "--to", name, *more))
    assert [each.code for each in ran[:3]] == [0, 0, 0] and sum(each.code == 0 for each in ran) >= 7
    report = lanner("report", "trial", "--out", out / "report", "--svg-only", *more)
    assert report.code == 0, report.err
    for place in out.iterdir():
        text = contents(place.read_bytes()) if place.is_file() else written(place)
        if not identified:
            assert not WHO.search(text), place
        elif place.name in ("all.csv", "all.jsonl", "all.parquet", "native", "report"):
            assert WHO.search(text), place
    assert identified or not WHO.search(report.out.encode())


def test_diagnosis_and_copies_of_it_name_no_judge(
    store: Store,
    judged: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lanner = Command(monkeypatch, capsys)
    ran = lanner("diagnose", "trial", "--store", store.place, "--json")
    assert ran.code == 0, ran.err
    assert not WHO.search(ran.out.encode())
