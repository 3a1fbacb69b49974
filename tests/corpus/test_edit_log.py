from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanner.corpus import edit_log
from lanner.corpus.edits import Edit
from lanner.errors import InputError

ONE = Edit("merge", "d", "7.1", by="Ana", when="2026-11-15T09:00:00+00:00")
TWO = Edit("split", "d", "8", {"source": 4, "output:a": 5})


def test_edits_come_back_as_they_were(tmp_path: Path) -> None:
    log = tmp_path / "new" / "c.edits.jsonl"
    edit_log.append(log, [ONE])
    edit_log.append(log, [TWO])
    assert edit_log.load(log) == [ONE, TWO]


def test_what_was_undone_stays_in_the_log_and_does_not_count(tmp_path: Path) -> None:
    log = tmp_path / "c.edits.jsonl"
    edit_log.append(log, [ONE, TWO])
    edit_log.undo(log, 1, "Ana", "later")
    assert edit_log.load(log) == [ONE]
    assert len(log.read_text().splitlines()) == 3


def test_a_manifest_is_read_by_the_same_door(tmp_path: Path) -> None:
    path = tmp_path / "c.manifest.json"
    path.write_text(json.dumps({"seed": 1, "edits": [{"kind": "accept", "document": "d", "segment": "1"}]}, indent=2))
    assert edit_log.load(path) == [Edit("accept", "d", "1")]


def test_a_line_that_was_never_finished_is_no_edit(tmp_path: Path) -> None:
    log = tmp_path / "c.edits.jsonl"
    edit_log.append(log, [ONE])
    with log.open("a") as file:
        file.write('{"kind": "mer')
    assert edit_log.load(log) == [ONE]
    edit_log.append(log, [TWO])
    assert edit_log.load(log) == [ONE, TWO]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"kind": "merge"\n{"undo": 1}\n', "not JSON"),
        ("[]\n", "not an edit"),
        ('{"kind": "turn", "document": "d", "segment": "1"}\n', "not an edit"),
        ('{"undo": 1}\n', "not that many"),
        ('{"undo": "all"}\n', "not that many"),
    ],
)
def test_a_broken_log_is_refused_with_its_place(tmp_path: Path, content: str, what: str) -> None:
    log = tmp_path / "c.edits.jsonl"
    log.write_text(content)
    with pytest.raises(InputError, match=what) as caught:
        edit_log.load(log)
    assert caught.value.where.file == log
    with pytest.raises(InputError, match="cannot be read"):
        edit_log.load(tmp_path / "none")
