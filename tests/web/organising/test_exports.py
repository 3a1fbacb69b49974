from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner import campaign, formats
from lanner.reports.html import STYLE
from lanner.store import Store
from lanner.web.organising.exports import FORMATS, TABLES
from web_clients import complete, open_campaign, sign_in


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
    assert '<html lang="en">' in arabic and "Krippendorff" in arabic, "what goes into a paper stays"
    assert "script-src 'unsafe" not in policy
    assert "sandbox" in policy
    assert "<!doctype html>" in answer.text.lower()


def test_the_page_says_that_exports_name_nobody(client: TestClient, store: Store, judged: None) -> None:
    assert "judges go by code names" in client.get("/campaigns/trial").text
    content = client.get("/campaigns/trial/export/csv").content
    rows = zipfile.ZipFile(io.BytesIO(content)).read("judgements.csv").decode("utf-8-sig")
    judges = {row["judge"] for row in csv.DictReader(io.StringIO(rows))}
    assert judges == set(campaign.pseudonyms(store, "trial").values())
