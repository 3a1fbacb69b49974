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


def answered(folder: Path, value: Any) -> set[tuple[Any, ...]]:
    path = folder / "x.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    [reading] = table.read(path)
    return {(a.judge, a.segment, *a.systems, a.question, a.value) for a in reading.judgements}


@pytest.mark.parametrize("key", ["answers", "responses", "Judgements", "whatever"])
def test_answers_in_an_object_are_those_to_its_questions(tmp_path: Path, key: str) -> None:
    """They were one label, cut at its commas: `{'fluency': 4`."""
    question = "fluency" if key == "whatever" else "warmth"
    entries = [
        {"id": at, "rater": judge, key: {question: (at + (judge == "Ben")) % 3, "mood": at % 2 + (judge == "Ben")}}
        for at in range(6)
        for judge in ("Ana", "Ben")
    ]
    expected = {(e["rater"], str(e["id"]), question, value) for e in entries for question, value in e[key].items()}
    assert answered(tmp_path, entries) == expected


def test_objects_in_objects_are_no_labels(tmp_path: Path) -> None:
    entries = [
        {"id": at, "rater": judge, "score": at % 3, "details": {"a": {"b": at % 2}, "c": judge}}
        for at in range(6)
        for judge in ("Ana", "Ben")
    ]
    assert {question for *_, question, _ in answered(tmp_path, entries)} == {"score"}


def test_lists_about_the_same_texts_are_systems_or_judges(tmp_path: Path) -> None:
    """COMET writes a list for each file of translations: they were documents."""
    outputs = {name: [{"src": f"One {n}.", "mt": f"{name} {n}.", "COMET": 0.5} for n in range(3)] for name in "AB"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(outputs), encoding="utf-8")
    [reading] = table.read(path)
    assert [(len(d.segments), d.systems) for d in reading.documents] == [(3, ("A", "B"))]
    scores = {
        "Ana": [{"id": 1, "score": 4}, {"id": 2, "score": 5}],
        "Ben": [{"id": 1, "score": 3}, {"id": 2, "score": 5}],
    }
    assert answered(tmp_path, scores) == {("Ana", "1", "score", 4), ("Ana", "2", "score", 5)} | {
        ("Ben", "1", "score", 3),
        ("Ben", "2", "score", 5),
    }


def test_an_object_for_each_sentence_under_its_number(tmp_path: Path) -> None:
    texts = {str(n): {"src": f"One {n}.", "mt": f"Eins {n}."} for n in range(3)}
    assert rows(tmp_path, texts) == [{"id": n, **row} for n, row in texts.items()]
    strings = {code: {"title": "Home", "save": "Save"} for code in ("en", "de")}
    assert len(rows(tmp_path, strings)) == 1


def test_what_was_annotated_with_argilla(tmp_path: Path) -> None:
    record = {"id": "u1", "fields": {"source": "One.", "translation": "Eins."}, "metadata": {}}
    by_user = [
        {"user_id": user, "status": status, "values": {"quality": {"value": value}, "tone": {"value": "fine"}}}
        for user, status, value in (("a", "submitted", 4), ("b", "submitted", 2), ("c", "discarded", 1))
    ]
    by_question = {
        "quality": [{"user_id": "a", "value": 4}, {"user_id": "b", "value": 2}],
        "tone": [{"user_id": user, "value": "fine"} for user in "ab"],
    }
    expected = {"source": "One.", "translation": "Eins.", "id": "u1", "tone": "fine"}
    for responses in (by_user, by_question):
        found = rows(tmp_path, [{**record, "responses": responses}], is_list=True)
        assert [(row.pop("judge"), row.pop("quality")) for row in found] == [("a", 4), ("b", 2)]
        assert all(expected.items() <= row.items() for row in found)
    labels = {"tone": by_question["tone"]}
    assert len(rows(tmp_path, [{**record, "responses": labels}], is_list=True)) == 2


SHOWN = [{"source": text, "judge": judge, "score": n} for n, text in enumerate("abc") for judge in ("Ana", "Ben")]


def test_a_table_in_one_object_is_read_as_its_rows(tmp_path: Path) -> None:
    """As pandas writes it: by column (its default), with the columns named once, and as lists. Taken by one of these
    for a row, the numbers of the rows were its source text."""
    names = list(SHOWN[0])
    cells = [list(row.values()) for row in SHOWN]
    by_column = {name: {str(at): row[name] for at, row in enumerate(SHOWN)} for name in names}
    split = {"columns": names, "index": list(range(len(SHOWN))), "data": cells}
    lists = {name: [row[name] for row in SHOWN] for name in names}
    for written in (by_column, split, lists, json.dumps(lists, indent=1)):
        assert rows(tmp_path, written) == SHOWN


def test_a_list_of_answers_is_one_for_each_sentence_of_a_document(tmp_path: Path) -> None:
    """Each sentence had the whole list, as the answers of several judges to it."""
    document = {"doc": "d", "source": ["a", "b"], "judge": "Ana", "score": [3, 5]}
    assert [(row["doc"], row["score"]) for row in rows(tmp_path, [document], is_list=True)] == [("d", 3), ("d", 5)]
    nested = {"doc": "d", "source": ["a", "b"], "scores": {"Ana": [3, 5], "Ben": [1, 2]}}
    assert [(row["scores.Ana"], row["scores.Ben"]) for row in rows(tmp_path, [nested], is_list=True)] == [
        (3, 1),
        (5, 2),
    ]
    with pytest.raises(InputError) as caught:
        rows(tmp_path, [{**document, "score": [3, 5, 4]}], is_list=True)
    assert caught.value.code == "list_length"
