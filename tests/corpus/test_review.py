from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus.columns import texts
from lanner.corpus.edits import Edit, apply
from lanner.corpus.review import Place, Review, cuts
from lanner.corpus.rows import Doubt
from lanner.errors import InputError
from lanner.model import Document, Segment
from property_examples import examples
from rows_to_review import rows

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
SEVEN, EIGHT = Place("d", "7"), Place("d", "8")


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
