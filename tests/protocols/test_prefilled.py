"""What a judge did to the spans that came with the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lanner.model import Option, Segment, Spans
from lanner.protocols.answers import check
from lanner.protocols.kinds.base import JudgedTexts
from lanner.protocols.prefilled import live, of_text, outcomes, with_origins

TEXT = "The quick brown fox jumps"
QUESTION = Spans(id="q", severities=(Option(id="minor"), Option(id="major")), missing=True, prefilled=True)
OFFERED = (
    {"start": 0, "end": 3, "severity": "minor"},
    {"start": 4, "end": 9, "severity": "minor"},
    {"start": 10, "end": 15, "severity": "major"},
)
TEXTS = JudgedTexts("", (TEXT,), OFFERED)


def test_kept_changed_removed_and_added_are_told_apart() -> None:
    final = [
        {"start": 0, "end": 3, "severity": "minor"},
        {"start": 4, "end": 15, "severity": "minor"},
        {"start": 16, "end": 19, "severity": "major"},
    ]
    stored = check(QUESTION, final, texts=TEXTS)
    assert [span["origin"] for span in stored] == ["kept", "changed", "added", "removed"]
    assert stored[1]["was"] == {"side": "target", "start": 4, "end": 9, "severity": "minor"}
    assert stored[3]["text"] == "brown"
    assert outcomes(stored) == {"added": 1, "kept": 1, "changed": 1, "removed": 1, "offered": 0}
    assert [span["start"] for span in live(stored)] == [0, 4, 16]


def test_a_revision_sent_back_as_stored_is_judged_afresh() -> None:
    stored = check(QUESTION, [dict(OFFERED[0])], texts=TEXTS)
    assert check(QUESTION, stored, texts=TEXTS) == stored


def test_only_the_severity_changed() -> None:
    (first, *_) = check(QUESTION, [{**OFFERED[2], "severity": "minor"}], texts=TEXTS)
    assert (first["origin"], first["was"]["severity"]) == ("changed", "major")


def test_without_prefilled_spans_in_the_question_nothing_is_compared() -> None:
    plain = QUESTION.model_copy(update={"prefilled": False})
    assert "origin" not in check(plain, [dict(OFFERED[0])], texts=TEXTS)[0]


def test_offered_spans_that_do_not_fit_are_left_out_and_block_nobody() -> None:
    bad = ({"start": 0, "end": 99, "severity": "minor"}, {"start": 0, "end": 3, "severity": "huge"}, {"text": "absent"})
    texts = JudgedTexts("", (TEXT,), (*bad, *OFFERED[:1]))
    stored = check(QUESTION, [], texts=texts)
    assert [span["origin"] for span in stored] == ["removed"]


def test_a_segment_brings_spans_per_system() -> None:
    segment = Segment("1", "x", meta={"spans": {"sys": [{"start": 0, "end": 1}]}})
    assert of_text(segment, "sys") == [{"start": 0, "end": 1}]
    assert of_text(segment, "other") == [] == of_text(Segment("2", "y"), "sys")


spans = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 5), st.sampled_from(["minor", "major"])).map(
        lambda p: {"side": "target", "start": p[0], "end": p[0] + p[1], "severity": p[2]}
    ),
    max_size=6,
)


@given(given_spans=spans, offered=spans)
def test_every_offered_span_is_accounted_for_once(given_spans: list, offered: list) -> None:
    counts = outcomes(with_origins(given_spans, offered))
    assert counts["kept"] + counts["changed"] + counts["removed"] == len(offered)
    assert counts["kept"] + counts["changed"] + counts["added"] == len(given_spans)


@given(offered=spans)
def test_leaving_all_as_it_was_keeps_all_and_clearing_removes_all(offered: list) -> None:
    assert outcomes(with_origins(offered, offered))["kept"] == len(offered)
    assert outcomes(with_origins([], offered))["removed"] == len(offered)
