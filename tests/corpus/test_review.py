from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus import edits
from lanner.corpus.edits import Edit, apply
from lanner.corpus.review import DoubtfulSegment, Review, cuts
from lanner.corpus.rows import Doubt, texts
from lanner.errors import InputError
from lanner.model import Document, Segment
from property_examples import examples
from rows_to_review import review_session, rows

DOCUMENT = Document(
    "d",
    (
        Segment("6", "Before.", {"a": "Antes."}),
        *rows("7", ("It rained.", "Llovió. Nos"), ("We slept, all day.", "dormimos, todo el día."), ("Good.", "Bien.")),
        *rows("8", ("One.", "Uno."), ("Two.", "Dos."), doubtful=(1, 2)),
    ),
    "en",
    "es",
)
QUIET = Document("q", (Segment("1", "Quiet.", {"a": "Silencio."}),), "en", "es")
DOUBTS = [Doubt("d", "7.1", "output:a", 0.41), Doubt("d", "8.1", "output:a", 0.3), Doubt("d", "8.2", "output:a", 0.3)]
SEVEN, EIGHT = DoubtfulSegment("d", "7"), DoubtfulSegment("d", "8")


def review() -> Review:
    return Review.of([QUIET, DOCUMENT], DOUBTS)


def test_only_documents_with_doubts_are_kept_and_their_segments_listed_in_order():
    made = review()
    assert list(made.documents) == ["d"]
    assert made.places == (SEVEN, EIGHT)
    assert made.open == [0, 1]
    assert made.unsure("d", made.rows(SEVEN)[0]) == {"output:a": 0.41}


def test_accepting_settles_a_row_or_a_whole_segment():
    made = review()
    made.do(made.acceptance(EIGHT, "8.1"))
    assert made.open == [0, 1]
    made.do(made.acceptance(EIGHT))
    assert made.open == [0]
    assert [edit.segment for edit in made.edits] == ["8.1", "8.2"]


def test_a_word_or_a_clause_moves_over_the_border_and_back():
    made = review()
    made.do([made.shift(SEVEN, "7.1", "output:a", -1)])
    assert [row.outputs["a"] for row in made.rows(SEVEN)[:2]] == ["Llovió.", "Nos dormimos, todo el día."]
    made.do([made.shift(SEVEN, "7.1", "output:a", 1)])
    assert made.rows(SEVEN)[0].outputs["a"] == "Llovió. Nos"
    made.do([made.shift(SEVEN, "7.1", "output:a", 1, coarse=True)])
    assert made.rows(SEVEN)[0].outputs["a"] == "Llovió. Nos dormimos,"
    assert made.open == [1], "what a person has touched is settled"


def test_the_border_of_a_segment_does_not_move():
    with pytest.raises(InputError, match="no row below"):
        review().shift(SEVEN, "7.3", "output:a", 1)
    with pytest.raises(InputError, match="no text 'output:b'"):
        review().shift(SEVEN, "7.1", "output:b", 1)


def test_undo_takes_back_a_whole_action_and_nothing_else():
    made = review()
    before = made.document("d")
    made.do([Edit("merge", "d", "7.1")])
    between = made.document("d")
    made.do(made.acceptance(EIGHT))
    assert [edit.kind for edit in made.undo()] == ["accept", "accept"]
    assert made.document("d") == between
    made.undo()
    assert made.document("d") == before
    assert made.undo() == []


def test_an_action_is_done_whole_or_not_at_all():
    made = review()
    with pytest.raises(InputError, match="cannot be merged"):
        made.do([Edit("accept", "d", "7.1"), Edit("merge", "d", "7.3")])
    assert made.edits == []
    assert made.document("d") == DOCUMENT
    with pytest.raises(InputError, match="no document 'x'"):
        made.document("x")


def test_an_earlier_sitting_is_taken_up():
    made = Review.of([DOCUMENT], DOUBTS, [Edit("merge", "d", "7.1")])
    assert made.open == [1]
    assert len(made.rows(SEVEN)) == 2


def test_scripts_without_spaces_are_cut_between_letters():
    assert cuts("One two  three", "en") == [4, 9]
    assert cuts("評議会 は", "ja") == [1, 2, 4]


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["7.1", "7.2", "8.1"]), st.sampled_from([-1, 1]), st.booleans()), max_size=8))
def test_whatever_is_moved_no_character_is_lost_and_the_log_repeats_it(moves):
    made = review()
    for row, step, coarse in moves:
        made.do([made.shift(SEVEN if row[0] == "7" else EIGHT, row, "output:a", step, coarse=coarse)])
    for place in (SEVEN, EIGHT):
        was = [texts(row)["output:a"] for row in DOCUMENT.segments if row.id.startswith(place.parent)]
        now = [texts(row)["output:a"] for row in made.rows(place)]
        assert "".join("".join(was).split()) == "".join("".join(now).split())
    assert list(apply([DOCUMENT], made.edits)) == [made.document("d")]


def test_every_edit_is_signed_and_logged_before_it_is_answered(tmp_path: Path) -> None:
    log = tmp_path / "log"
    made = review_session(log)
    step = made.act({"do": "merge", "at": 0, "row": "7.1"})
    assert (step.at, step.row, step.said) == (0, "7.1", "Merged row 7.1 with the row below.")
    [edit] = edits.load_log(log)
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
    assert edits.load_log(log) == []
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
