"""Judgements that were made elsewhere: aliases become ids, broken rules flags, unknown labels errors."""

from __future__ import annotations

from typing import Any

import pytest

from data_sets import data_dir
from lanner import formats, protocols
from lanner.errors import InputError
from lanner.model import Document, Judgement, Role, Segment
from lanner.protocols.judgements import take_in

FALCON = protocols.load("falcon")
DOCUMENT = Document("d", (Segment("1", "He went home. 😀 Home!"),))


def judgement(question: str, value: object, **more: object) -> Judgement:
    return Judgement("J1", "", question, "d", "1", (), value, origin="j.csv:7", **more)  # type: ignore[arg-type]


def test_aliases_become_ids_and_are_counted() -> None:
    intake = take_in(FALCON, [judgement("context", "Local contextual contextual"), judgement("context", "local")])
    assert [taken.value for taken in intake.judgements] == ["local", "local"]
    assert {taken.stage for taken in intake.judgements} == {"context"}
    assert intake.repairs == {"context": 1}


def test_broken_rules_are_flags_never_repairs() -> None:
    twice = ["Style Register", "Style Register", "Idea Development"]
    intake = take_in(FALCON, [judgement("skills", twice), judgement("skills", ["Idea Development"])])
    assert [taken.flags for taken in intake.judgements] == [("repeated", "too_few"), ("too_few",)]
    assert intake.flags == {"skills repeated": 1, "skills too_few": 2}
    assert any("too_few" in note for note in intake.notes)


def test_spans_are_checked_only_by_the_text_that_was_shown() -> None:
    """A control item shows a spoilt text, and a file may lack the outputs: neither says anything about the span."""
    esa = protocols.load("esa")
    span = {"side": "target", "start": 40, "end": 50, "severity": "minor"}
    document = Document("d", (Segment("1", "Short.", {"oak": "Kurz."}),))
    given = [
        Judgement("J", "", "errors", "d", "1", ("oak",), [span]),
        Judgement("J", "", "errors", "d", "1", ("oak",), [span], role=Role.CONTROL),
        Judgement("J", "", "errors", "d", "1", ("elm",), [span]),
    ]
    assert [taken.flags for taken in take_in(esa, given, [document]).judgements] == [("bad_offsets",), (), ()]


def test_an_unknown_label_names_the_line_and_the_nearest_label() -> None:
    with pytest.raises(InputError) as caught:
        take_in(FALCON, [judgement("context", "Locall")])
    assert "j.csv:7" in str(caught.value)
    assert "Did you mean 'local'" in str(caught.value)


def test_an_unknown_question_is_an_error() -> None:
    with pytest.raises(InputError, match="no question 'contxt'"):
        take_in(FALCON, [judgement("contxt", "local")])


def test_spans_are_checked_in_code_points_against_the_text() -> None:
    right = {"side": "source", "start": 16, "end": 20, "text": "Home", "category": "need context"}
    wrong = right | {"start": 15}
    intake = take_in(FALCON, [judgement("spans", [right]), judgement("spans", [wrong])], [DOCUMENT])
    assert [taken.flags for taken in intake.judgements] == [(), ("text_mismatch",)]


def test_ratings_are_checked_against_the_skills_this_judge_chose() -> None:
    skills = ["Style Register", "Idea Development", "Participant Focus"]
    full = {"style_register": 3, "idea_development": 2, "participant_focus": 4}
    intake = take_in(FALCON, [judgement("ratings", full), judgement("skills", skills)])
    assert intake.judgements[0].flags == ()
    other = take_in(FALCON, [judgement("ratings", {"style_register": 3}), judgement("skills", skills)])
    assert other.judgements[0].flags == ("incomplete",)


@pytest.mark.data
def test_the_released_files_are_taken_in_whole_with_their_known_faults() -> None:
    readings = {reading.protocol: reading for reading in formats.read(data_dir("h-falcon"))}
    falcon = readings["falcon_labels"]
    intake = take_in(protocols.load(falcon.protocol), falcon.judgements, falcon.documents)
    assert len(intake.judgements) == len(falcon.judgements)
    assert intake.flags["skills repeated"] == 2
    assert intake.flags["spans text_mismatch"] == 2
    assert intake.repairs["context"] > 300
    ratings = readings["h_falcon"]
    other = take_in(protocols.load("h_falcon"), ratings.judgements, ratings.documents)
    assert sum(count for flag, count in other.flags.items() if flag.endswith("missing")) == 9


def test_ratings_are_held_against_the_labels_of_the_same_showing() -> None:
    """A document that was labelled twice: the ratings of the first showing were checked by the second one's labels."""
    protocol = protocols.load("falcon")
    first, again = (
        ["idea_development", "style_register", "participant_focus"],
        ["terminology_control", "style_register", "participant_focus"],
    )

    def row(question: str, value: Any, role: Role, *systems: str) -> Judgement:
        return Judgement("ana", "", question, "d", "1", systems, value, role)

    rows = [
        row("skills", first, Role.MAIN),
        row("ratings", dict.fromkeys(first, 3), Role.MAIN, "m"),
        row("ratings", dict.fromkeys(first, 1), Role.CONTROL, "n"),
        row("skills", again, Role.REPEAT),
        row("ratings", dict.fromkeys(again, 3), Role.REPEAT, "m"),
    ]
    assert take_in(protocol, rows).flags == {}
    rows[-1] = row("ratings", dict.fromkeys(first, 3), Role.REPEAT, "m")
    assert set(take_in(protocol, rows).flags) == {"ratings not_chosen", "ratings incomplete"}
