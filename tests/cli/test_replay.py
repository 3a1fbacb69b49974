"""`lanner replay`: outputs of a model that ran elsewhere become answers of a judge."""

from __future__ import annotations

import json
from pathlib import Path

from cli.command import Command
from lanner import campaign
from lanner.store import Store
from model_campaign import corpus, opened


def test_a_file_becomes_a_judge_and_the_old_spelling_still_works(lanner: Command, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with Store.open(place) as store:
        opened(store, "da", corpus(1, 2))
    for name in ("first", "second"):
        rows = [{"segment": str(n), "score": 40 + n} for n in range(2)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ran = lanner("replay", "c", tmp_path / "first.jsonl", "--store", place, "--json")
    assert ran.envelope["rows"][0]["answers"] == 2
    old = lanner("judge", "c", "--replay", tmp_path / "second.jsonl", "--store", place)
    assert "now it is lanner replay" in (old.out + old.err)
    with Store.open(place) as store:
        assert [entry.value for entry in campaign.judgements(store, "c")] == [40, 41, 40, 41]


def test_one_name_is_for_one_file(lanner: Command, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("", encoding="utf-8")
    ran = lanner("replay", "c", tmp_path / "a", tmp_path / "b", "--as", "x")
    assert "One name for several files" in (ran.out + ran.err)
