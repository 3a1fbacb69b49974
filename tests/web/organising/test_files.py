from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner import campaign, formats, protocols
from lanner.model import Judge, Judgement
from lanner.reports.rendering import STYLE
from lanner.store import Store
from lanner.web.organising.files import FORMATS, TABLES
from web_clients import SYSTEMS, complete, documents, open_campaign, sign_in


@pytest.fixture
def judged(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    for judge in ("J1", "J2"):
        for task in campaign.tasks(store, "trial", judge):
            for item in range(len(task.items)):
                answers = {**complete(), "sentence": 1 + item, "comment": "=cmd()"}
                campaign.submit(store, task.id, item, answers, submission=f"{task.id}-{item}-long")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_comes_as_a_file(client: TestClient, judged: None, tmp_path: Path, name: str) -> None:
    answer = client.get(f"/campaigns/trial/export/{name}")
    assert answer.status_code == 200, answer.text
    assert "attachment" in answer.headers["content-disposition"]
    assert f"trial-{name}" in answer.headers["content-disposition"]
    files = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert "judgements.codebook.csv" in files and len(files) > 1
    if name not in TABLES:
        (tmp_path / "sent.zip").write_bytes(answer.content)
        assert any(list(reading.judgements) for reading in formats.read(tmp_path / "sent.zip")), (
            "it reads back as it came"
        )


def test_a_table_has_its_codebook_and_no_formulas(client: TestClient, judged: None) -> None:
    answer = client.get("/campaigns/trial/export/csv")
    files = zipfile.ZipFile(io.BytesIO(answer.content))
    assert sorted(files.namelist()) == ["judgements.codebook.csv", "judgements.csv"]
    table = files.read("judgements.csv").decode()
    assert "'=cmd()" in table
    assert "Judge 1" not in table, "names have no place in an export"


def test_a_format_of_one_language_pair_refuses_several_without_a_place_of_the_server_s(
    client: TestClient, store: Store
) -> None:
    first, *others = documents()
    texts = [replace(first, id="one of another pair", target_language="ja"), first, *others]
    open_campaign(store, documents=texts)
    sign_in(client, store)
    refused = client.get("/campaigns/trial/export/mtme")
    assert refused.status_code == 422 and "several language pairs" in refused.text
    assert "lanner-export" not in refused.text
    assert "Nehmen Sie ein anderes Format." in client.get("/campaigns/trial/export/mtme?language=de").text


def test_unknown_formats(client: TestClient, judged: None) -> None:
    assert client.get("/campaigns/trial/export/exe").status_code == 404


def test_the_report_runs_nothing_but_its_own_script(client: TestClient, judged: None) -> None:
    answer = client.get("/campaigns/trial/report")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    own = hashlib.sha256((STYLE / "sort.js").read_bytes()).digest()
    assert f"script-src 'sha256-{base64.b64encode(own).decode()}'" in policy
    assert policy.count("sha256-") == 1, "nothing that stands in the report is taken for a script of ours"
    assert "<h2>Agreement" in answer.text and "in English" not in answer.text
    arabic = client.get("/campaigns/trial/report?language=ar").text
    assert '<h2 lang="ar" dir="auto">الاتفاق' in arabic and "جدول 1." in arabic, "headings are the reader's"
    assert '<html lang="en" dir="ltr">' in arabic and "Krippendorff" in arabic, "what goes into a paper stays"
    assert "script-src 'unsafe" not in policy
    assert "sandbox" in policy
    assert "<!doctype html>" in answer.text.lower()


def test_the_page_says_that_exports_name_nobody(client: TestClient, store: Store, judged: None) -> None:
    assert "judges go by code names" in client.get("/campaigns/trial").text
    content = client.get("/campaigns/trial/export/csv").content
    rows = zipfile.ZipFile(io.BytesIO(content)).read("judgements.csv").decode("utf-8-sig")
    judges = {row["judge"] for row in csv.DictReader(io.StringIO(rows))}
    assert judges == set(campaign.pseudonyms(store, "trial").values())


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store)
    return sign_in(client, store)


def file_of(folder: Path, judge: str, value: int) -> bytes:
    stage = protocols.load("h_falcon").find("holistic")
    assert stage
    said = Judgement(judge, stage[0].id, "holistic", "doc0", "0", (SYSTEMS[0],), value)
    formats.write("native", folder / "theirs.jsonl", documents(), [said], [Judge(judge)])
    return (folder / "theirs.jsonl").read_bytes()


def test_a_file_is_looked_at_first_and_then_taken_in_whole(
    client: TestClient, store: Store, token: str, tmp_path: Path
) -> None:
    given = file_of(tmp_path, "elsewhere", 4)
    looked = client.post("/campaigns/trial/import", data={"token": token}, files={"answers": ("theirs.jsonl", given)})
    assert looked.status_code == 200, looked.text
    assert "elsewhere" in looked.text and "will be added" in looked.text
    assert not campaign.judgements(store, "trial"), "looking stores nothing"
    way = re.search(r'action="(/campaigns/trial/import/[^"]+)"', looked.text)
    assert way
    assert client.post(way[1], data={"token": token}).status_code == 303
    assert [(j.judge, j.value) for j in campaign.judgements(store, "trial")] == [("elsewhere", 4)]
    assert client.post(way[1], data={"token": token}).status_code == 404, "it is gone when it was taken in"
    known = client.post("/campaigns/trial/import", data={"token": token}, files={"answers": ("theirs.jsonl", given)})
    assert "superseded" in known.text


def test_a_mistake_is_named_with_its_line_and_nothing_is_kept(client: TestClient, store: Store, token: str) -> None:
    line = '{"document": "doc0", "segment": "%s", "system": "secret-system-one", "holistic": 4}\n'
    outputs = "".join(line % segment for segment in ("0", "99")).encode()
    wrong = client.post(
        "/campaigns/trial/import",
        data={"token": token, "kind": "model", "model": "m1"},
        files={"answers": ("out.jsonl", outputs)},
    )
    assert wrong.status_code == 422
    assert "out.jsonl:2" in wrong.text
    assert "/tmp" not in wrong.text
    assert not campaign.judgements(store, "trial")


def test_outputs_of_a_model_become_a_model_judge(client: TestClient, store: Store, token: str) -> None:
    outputs = b'{"document": "doc0", "segment": "0", "systems": "secret-system-one", "holistic": 4}\n'
    form = {"token": token, "kind": "model", "model": "m1"}
    looked = client.post("/campaigns/trial/import", data=form, files={"answers": ("out.jsonl", outputs)})
    assert looked.status_code == 200, looked.text
    way = re.search(r'action="(/campaigns/trial/import/[^"]+)"', looked.text)
    assert way
    assert client.post(way[1], data={"token": token}).status_code == 303
    (judge,) = [judge for judge in campaign.judges(store, "trial") if judge.id == "m1"]
    assert judge.kind == "model"


def test_what_is_no_file_of_answers_is_refused_in_the_readers_language(
    client: TestClient, store: Store, token: str
) -> None:
    nothing = client.post("/campaigns/trial/import", data={"token": token})
    assert nothing.status_code == 422
    answer = client.post(
        "/campaigns/trial/import?language=de", data={"token": token}, files={"answers": ("a.bin", b"\x00\x01\x02")}
    )
    assert answer.status_code == 422
    assert "nicht erkannt" in answer.text or "nicht übernommen" in answer.text
    unnamed = client.post(
        "/campaigns/trial/import", data={"token": token, "kind": "model"}, files={"answers": ("a.jsonl", b"{}")}
    )
    assert unnamed.status_code == 422


def test_a_file_is_for_one_account_and_one_campaign(client: TestClient, store: Store, token: str) -> None:
    open_campaign(store, "second")
    form = {"token": token, "kind": "model", "model": "m1"}
    outputs = b'{"document": "doc0", "segment": "0", "system": "secret-system-one", "holistic": 4}\n'
    looked = client.post("/campaigns/trial/import", data=form, files={"answers": ("out.jsonl", outputs)})
    found = re.search(r'action="/campaigns/trial/import/([^"]+)"', looked.text)
    assert found
    assert client.post(f"/campaigns/second/import/{found[1]}", data={"token": token}).status_code == 404
