from __future__ import annotations

import pytest

from campaign_parts import scales
from lanner.campaign.questions import Questions, fits, systems_of
from lanner.model import Item, Protocol, Role
from lanner.store import Answer

QUESTION = {"kind": "scale", "min": 1, "max": 4}


def stage(name: str, unit: str, target: str) -> dict[str, object]:
    return {"id": name, "page": "p", "unit": unit, "object": target, "question": [{**QUESTION, "id": f"q_{name}"}]}


PAGE = Protocol.model_validate(
    {
        "name": "mine",
        "version": "1",
        "stage": [
            stage("judge", "judge", "none"),
            stage("source", "sentence_in_context", "source"),
            stage("output", "sentence_in_context", "output"),
            stage("pair", "sentence_in_context", "outputs"),
            stage("whole", "document", "output"),
            {**stage("later", "document", "source"), "page": "later"},
        ],
    }
)


@pytest.mark.parametrize(
    ("item", "asked"),
    [
        (Item(""), ["judge"]),
        (Item("d", "1"), ["source"]),
        (Item("d", "1", ("a",)), ["source", "output"]),
        (Item("d", "1", ("a", "b")), ["source", "pair"]),
        (Item("d", "", ("a",)), ["whole"]),
        (Item("d"), []),  # the page `later` asks about it, `p` does not
    ],
)
def test_an_item_answers_the_stages_that_fit_it(item: Item, asked: list[str]) -> None:
    assert [s.id for s in PAGE.stages if fits(s, item) and s.page == "p"] == asked
    assert [s.id for s, _ in Questions(PAGE).questions("p", item)] == asked


def test_answers_about_the_source_name_no_output() -> None:
    by_id = {s.id: s for s in PAGE.stages}
    item = Item("d", "1", ("a",))
    assert systems_of(by_id["source"], item) == () and systems_of(by_id["output"], item) == ("a",)
    asking = Questions(PAGE)
    assert asking.keys(item)["q_source"] == ("q_source", "[]", "main")
    assert asking.keys(item)["q_output"] == ("q_output", '["a"]', "main")


def answer(question: str, systems: str, role: str, revision: int, value: str) -> Answer:
    return Answer(revision, "s", question, systems, role, revision, None, None, value, "x", 0, 0)


def test_the_last_of_a_chain_holds_and_a_control_builds_on_the_main_run() -> None:
    asking = Questions(PAGE)
    rows = [
        answer("q_source", "[]", "main", 1, "1"), answer("q_source", "[]", "main", 2, "2"),
        answer("q_output", '["a"]', "main", 1, "3"), answer("q_output", '["b"]', "main", 1, "4"),
    ]  # fmt: skip
    heads = asking.heads(rows)
    assert asking.answers("p", Item("d", "1", ("a",)), heads) == {"q_source": 2, "q_output": 3}
    assert asking.answers("later", Item("d", "1", ("b",), Role.CONTROL), heads) == {"q_source": 2, "q_output": 4}
    assert asking.answers("p", Item("d", "1", ("b",), Role.REPEAT), heads) == {}


def test_open_questions() -> None:
    labels = [{"id": x} for x in ("a", "b", "c")]
    protocol = scales(
        {"id": "pick", "kind": "labels", "min": 1, "options": labels},
        {"id": "rate", "kind": "scale", "min": 1, "max": 4, "for_each": "pick"},
        {"id": "note", "kind": "text"},
    )
    asking, item = Questions(protocol), Item("d", "", ("x",))
    assert asking.open("s", item, {}) == ["pick"]
    assert asking.open("s", item, {"pick": ["a", "b"]}) == ["rate"]
    assert asking.open("s", item, {"pick": ["a", "b"], "rate": {"a": 1}}) == ["rate"]
    assert asking.open("s", item, {"pick": ["a", "b"], "rate": {"a": 1, "b": 2}}) == []
    assert asking.open("s", item, {"pick": ["b"], "rate": {"a": 1, "b": 2}}) == ["rate"]
