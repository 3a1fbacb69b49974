"""JSON files as rows: lists, lines, one object that holds a list, and what tools and providers write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanner.errors import InputError
from lanner.formats import table
from lanner.formats.parsing.records import ReplyText, model_reply, records


def rows(folder: Path, value: Any, *, is_list: bool = False) -> list[dict[str, Any]]:
    path = folder / "x.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return [row for _, row in records(path, is_list=is_list)]


def test_rows_are_found_in_a_list_on_lines_and_in_an_object(tmp_path: Path) -> None:
    entries = [{"source": "a"}, {"source": "b"}]
    assert rows(tmp_path, entries, is_list=True) == entries
    assert rows(tmp_path, "\n".join(map(json.dumps, entries))) == entries
    assert rows(tmp_path, {"language": "de", "rows": entries}) == [{"language": "de", **entry} for entry in entries]
    documents = {"one": [{"source": "a"}], "two": [{"source": "b"}]}
    assert rows(tmp_path, documents) == [{"document": "one", "source": "a"}, {"document": "two", "source": "b"}]
    with pytest.raises(InputError, match="JSON object"):
        rows(tmp_path, [entries[0], 3], is_list=True)


def test_a_document_becomes_a_row_for_each_segment_or_sentence(tmp_path: Path) -> None:
    segments = {"id": "d", "segments": [{"source": "a"}, {"source": "b"}]}
    assert rows(tmp_path, [segments], is_list=True) == [
        {"document": "d", "segment": 1, "source": "a"},
        {"document": "d", "segment": 2, "source": "b"},
    ]
    sentences = {"id": "d", "src": ["a", "b"], "outputs": {"A": ["c", "d"]}}
    assert [row["outputs.A"] for row in rows(tmp_path, [sentences], is_list=True)] == ["c", "d"]
    with pytest.raises(InputError, match="equally long"):
        rows(tmp_path, [{**sentences, "outputs": {"A": ["c"]}}], is_list=True)


def test_ratings_are_about_the_outputs_that_their_keys_name(tmp_path: Path) -> None:
    path = tmp_path / "rated.json"
    ratings = [{"annotator": "Ana", "A": 4, "B": 2}, {"annotator": "Ben", "A": 5, "B": 1}]
    path.write_text(
        json.dumps([{"id": 1, "source": "Yes.", "outputs": {"A": "Ja.", "B": "Doch."}, "ratings": ratings}])
    )
    [reading] = table.read(path)
    answers = [(entry.judge, *entry.systems, entry.question, entry.value) for entry in reading.judgements]
    expected = [("Ana", "A", 4), ("Ana", "B", 2), ("Ben", "A", 5), ("Ben", "B", 1)]
    assert answers == [(judge, system, "ratings", score) for judge, system, score in expected]


def test_replies_of_models_are_read_and_failed_requests_refused(tmp_path: Path) -> None:
    body = {"model": "m", "choices": [{"message": {"role": "assistant", "content": "Hallo."}}]}
    line = {"custom_id": "1", "response": {"status_code": 200, "body": body}}
    assert model_reply(line) == ReplyText("Hallo.", "m", "response")
    assert model_reply({"source": "a"}) is None
    [row] = rows(tmp_path, [{"messages": [{"role": "user", "content": "Hello."}], **line}], is_list=True)
    assert (row["source"], row["target"], row["system"]) == ("Hello.", "Hallo.", "m")
    with pytest.raises(InputError, match="gave no reply"):
        rows(tmp_path, [{"custom_id": "1", "error": {"code": 429}, "response": None}], is_list=True)
