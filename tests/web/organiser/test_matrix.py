from __future__ import annotations

from lanner import protocols
from lanner.model import Json
from lanner.protocols.wording import Wording
from lanner.web.organiser.matrix import Matrix, matrix

FALCON, H_FALCON = protocols.load("falcon"), protocols.load("h_falcon")


def made(protocol: protocols.Protocol, question: str, given: dict[str, Json], settled: Json = None) -> Matrix:
    found = protocol.find(question)
    assert found
    table = matrix(found[1], given, ["a", "b", "c"], settled, Wording(protocol))
    assert table
    return table


def test_a_choice_has_its_options_as_rows() -> None:
    table = made(FALCON, "context", {"a": "local", "b": "universal", "c": "local"}, "local")
    assert [(line.value, line.count, line.split, line.chosen) for line in table.lines] == [
        ("sentence_level", "", False, False),
        ("local", "2", True, True),
        ("extended", "", False, False),
        ("global", "", False, False),
        ("universal", "1", True, False),
    ]
    assert table.lines[1].picked == (True, False, True)
    assert not table.agreed
    assert {line.control for line in table.lines} == {"radio"}


def test_sets_are_boxes_and_order_does_not_matter() -> None:
    three = ["style_register", "idea_development", "participant_focus"]
    table = made(FALCON, "skills", {"a": three, "b": three[::-1]}, three[:1])
    assert table.agreed
    assert [line.value for line in table.lines if line.chosen] == ["style_register"]
    assert [line.group for line in table.lines][:4] == ["field", "field", "field", "tenor"]


def test_a_grid_has_a_select_per_row_with_short_words() -> None:
    table = made(H_FALCON, "skills", {"a": {"idea_development": "low"}, "b": {"idea_development": "high"}})
    line = next(line for line in table.lines if line.name == "skills.idea_development")
    assert line.cells == ("L", "H", "")
    assert line.split
    assert [value for value, _ in line.options] == ["not_relevant", "low", "medium", "high"]


def test_scales_spans_and_repeated_questions() -> None:
    score = made(H_FALCON, "holistic", {"a": 7, "b": 4}, 6)
    assert score.lines[0].cells == ("7", "4", "")
    assert score.lines[0].value == "6"
    assert len(score.lines[0].options) == 10
    each = made(FALCON, "ratings", {"a": {"style_register": 3}, "b": {"style_register": 3, "idea_development": 1}})
    assert [line.name for line in each.lines] == ["ratings.style_register", "ratings.idea_development"]


def test_marked_passages_are_taken_from_a_judge_as_they_are() -> None:
    spans = made(FALCON, "spans", {"a": [{"text": "PRS"}], "b": []}, [{"text": "PRS"}])
    [line] = spans.lines
    assert line.cells == ("PRS", "nothing", "")
    assert (line.control, line.name, line.value) == ("select", "spans@", "a")
    assert line.options == (("a", "as a"), ("b", "as b"))
    assert line.split


def test_texts_and_questions_nobody_answered_have_no_table() -> None:
    comment = H_FALCON.find("comment")
    holistic = H_FALCON.find("holistic")
    assert comment and holistic
    assert matrix(comment[1], {"a": "hm"}, ["a"], None, Wording(H_FALCON)) is None
    assert matrix(holistic[1], {}, ["a"], None, Wording(H_FALCON)) is None
