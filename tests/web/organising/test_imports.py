from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner import campaign, formats, protocols
from lanner.model import Judge, Judgement
from lanner.store import Store
from web_clients import SYSTEMS, documents, open_campaign, sign_in


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
    outputs = (
        b'{"document": "doc0", "segment": "0", "holistic": 4}\n{"document": "doc0", "segment": "99", "holistic": 4}\n'
    )
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
    outputs = b'{"document": "doc0", "segment": "0", "holistic": 4}\n'
    looked = client.post("/campaigns/trial/import", data=form, files={"answers": ("out.jsonl", outputs)})
    found = re.search(r'action="/campaigns/trial/import/([^"]+)"', looked.text)
    assert found
    assert client.post(f"/campaigns/second/import/{found[1]}", data={"token": token}).status_code == 404
