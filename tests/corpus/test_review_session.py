from __future__ import annotations

from pathlib import Path

import pytest

from lanner.corpus import edit_log
from lanner.corpus.edits import Edit
from lanner.errors import InputError
from rows_to_review import review_session


def test_every_edit_is_signed_and_logged_before_it_is_answered(tmp_path: Path) -> None:
    log = tmp_path / "log"
    made = review_session(log)
    step = made.act({"do": "merge", "at": 0, "row": "7.1"})
    assert (step.at, step.row, step.said) == (0, "7.1", "Merged row 7.1 with the row below.")
    [edit] = edit_log.load(log)
    assert (edit.kind, edit.segment, edit.by) == ("merge", "7.1", "Ana")
    assert edit.when.endswith("+00:00")


def test_accepting_leads_to_the_next_row_in_doubt_then_to_the_next_segment() -> None:
    made = review_session()
    assert made.first() == 0
    step = made.act({"do": "accept", "at": 0, "row": "7.1"})
    assert (step.at, step.row) == (1, "")
    step = made.act({"do": "accept", "at": 1, "row": "8.1"})
    assert (step.at, step.row) == (1, "8.2")
    made.act({"do": "accept", "at": 1, "row": "8.2"})
    assert made.review.open == []


def test_a_segment_is_accepted_and_undone_as_one(tmp_path: Path) -> None:
    log = tmp_path / "log"
    made = review_session(log)
    assert made.act({"do": "accept_all", "at": 1}).at == 0
    step = made.act({"do": "undo", "at": 0})
    assert (step.at, step.row, step.said) == (1, "8.1", "Undone: accept.")
    assert edit_log.load(log) == []
    assert made.act({"do": "undo", "at": 0, "row": "7.1"}).said == "Nothing to undo."


def test_split_with_the_suggested_places_and_shift() -> None:
    made = review_session()
    cut = made.suggestion({"at": 0, "row": "7.2", "offset": 10})
    assert cut == {"source": 10, "output:a": 10}
    assert made.act({"do": "split", "at": 0, "row": "7.2", "cut": cut}).row == "7.2.1"
    made.act({"do": "shift", "at": 0, "row": "7.1", "column": "output:a", "step": -1})
    made.act({"do": "shift", "at": 0, "row": "7.1", "column": "output:a", "step": 1, "coarse": True})
    assert [row.source for row in made.review.rows(made.place(0))] == ["It rained.", "We slept.", "All day.", "Good."]
    assert made.act({"do": "look", "at": 1}).at == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"do": "fly", "at": 0},
        {"do": "merge", "at": 9, "row": "7.1"},
        {"do": "merge", "at": "0", "row": "7.1"},
        {"do": "merge", "at": 0, "row": "7.3"},
        {"do": "merge", "at": 0, "row": "nobody"},
        {"do": "split", "at": 0, "row": "7.1", "cut": {"source": "1"}},
        {"do": "split", "at": 0, "row": "7.1"},
        {"do": "split", "at": 0, "row": "7.1", "cut": {"source": 0}},
        {"do": "shift", "at": 0, "row": "7.1", "column": "output:z", "step": 1},
        {"do": "shift", "at": 0, "row": "7.1", "column": "source", "step": True},
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(tmp_path: Path, asked: dict[str, object]) -> None:
    log = tmp_path / "log"
    made = review_session(log)
    with pytest.raises(InputError):
        made.act(asked)
    assert made.review.edits == []
    assert not log.exists()


def test_a_suggestion_outside_the_text_is_refused() -> None:
    for offset in (0, 99):
        with pytest.raises(InputError, match="cannot be cut there"):
            review_session().suggestion({"at": 0, "row": "7.2", "offset": offset})


def test_finishing_hands_over_the_edits() -> None:
    made = review_session()
    made.act({"do": "accept", "at": 0, "row": "7.1"})
    assert made.finish(made.review.edits) == "1 edits"
    assert isinstance(made.review.edits[0], Edit)
