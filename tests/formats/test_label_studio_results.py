from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lanner.formats._label_studio_results import Controls, read_results, result_objects
from lanner.model import Judgement


def read(*results: Any, controls: Controls | None = None, systems: tuple[str, ...] = ("oak",)) -> dict[str, Any]:
    made = read_results(
        list(results),
        controls or Controls(),
        source="The source",
        outputs={"oak": "Das Ziel", "elm": "Ulme"},
        source_field="text",
        answered_at="not a time",
        systems=systems,
        judge="j",
        stage="s",
        document="d",
        segment="1",
    )
    return {j.question: (j.value, j.flags) for j in made}


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("choices", {"choices": ["a"]}, ("a", ())),
        ("choices", {"choices": []}, (None, ("missing",))),
        ("rating", {"rating": 4}, (4, ())),
        ("number", {"number": "4.5"}, (4.5, ())),
        ("textarea", {"text": ["a", "b"]}, ("a\nb", ())),
        ("taxonomy", {"taxonomy": [["a", "b"], ["c"]]}, (["a/b", "c"], ())),
        ("pairwise", {"selected": "right"}, ([2, 1], ())),
        ("brush", {"rle": []}, (None, ("unread_type",))),
    ],
)
def test_kinds(kind: str, value: dict[str, Any], expected: object) -> None:
    assert read({"from_name": "q", "to_name": "mt", "type": kind, "value": value}) == {"q": expected}


def test_regions_are_checked_against_the_text_they_are_on() -> None:
    region = {"from_name": "q", "type": "labels"}
    good = {**region, "to_name": "mt", "value": {"start": 4, "end": 8, "labels": ["x"]}}
    assert read(good)["q"][0] == [{"side": "target", "start": 4, "end": 8, "text": "Ziel", "category": "x"}]
    wrong = {**region, "to_name": "text", "value": {"start": "4", "end": "8", "text": "else", "labels": ["x"]}}
    (span,), flags = read(wrong)["q"]
    assert (span["side"], span["start"], flags) == ("source", 4, ("text_mismatch",))
    assert read({**region, "to_name": "mt", "value": {"start": 4, "end": 99}})["q"][1] == ("bad_offsets",)


def test_rows_of_a_grid_come_together() -> None:
    rows = [{"from_name": f"g__{row}", "type": "choices", "value": {"choices": [row.upper()]}} for row in "ab"]
    assert read(*rows) == {"g": ({"a": "A", "b": "B"}, ())}


def test_what_is_no_result_is_passed_over() -> None:
    assert read(3, {"value": 4}, None) == {}


def test_controls_learn_from_results_and_from_interfaces(tmp_path: Path) -> None:
    controls = Controls()
    controls.learn([{"type": "choices", "from_name": "q", "value": {"choices": ["a", "b"]}}, 7, {"type": "rating"}])
    controls.learn([{"type": "choices", "from_name": "p", "value": {"choices": ["a"]}}])
    assert controls.several == {"q": True, "p": False}
    assert controls.notes() == ["Taken to allow one choice: p (config=FILE tells)."]
    path = tmp_path / "c.xml"
    path.write_text('<View><Choices name="p" choice="multiple"/><Choices name="r"/></View>')
    told = Controls.of_config(path)
    assert (told.several, told.notes()) == ({"p": True, "r": False}, [])


@pytest.mark.parametrize(
    "value",
    [None, "a", 4, 0.5, ["a", "b"], [], {"x": "y", "z": "y"}, [1, 1], [{"side": "target", "start": 0, "end": 3}]],
)
def test_back_and_forth(value: Any) -> None:
    systems = ("oak", "elm") if value == [1, 1] else ("oak",)
    objects = list(result_objects(Judgement("j", "s", "q", "d", "1", systems, value)))
    controls = Controls()
    controls.learn(objects)
    found, _ = read(*objects, controls=controls, systems=systems)["q"] if objects else (None, ())
    expected = (
        [{"side": "target", "start": 0, "end": 3, "text": "Das", "category": None}]
        if value and objects[0]["type"] == "labels"
        else value
    )
    assert found == expected
