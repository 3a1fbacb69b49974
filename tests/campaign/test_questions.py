from __future__ import annotations

import pytest

from campaign_parts import corpus, first_task, opened, save, scales
from lanner import campaign
from lanner.campaign.questions import Questions, document, fits, refuse, systems_of, texts
from lanner.errors import CampaignError
from lanner.model import CampaignState, Item, Protocol, Role
from lanner.store import Store, StoredAnswer, TaskStanding

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


def answer(question: str, systems: str, role: str, revision: int, value: str) -> StoredAnswer:
    return StoredAnswer(revision, "s", question, systems, role, revision, None, None, value, "x", 0, 0)


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


# A page takes answers when its turn has come, whichever way they are handed in.


@pytest.mark.parametrize("state", CampaignState)
@pytest.mark.parametrize("finished", [False, True])
def test_only_an_open_campaign_and_an_unfinished_task_take_answers(state: CampaignState, finished: bool) -> None:
    standing = TaskStanding(1, 1, state, finished, "abc", "def", 1)
    if state is CampaignState.OPEN and not finished:
        refuse(standing, 7)
        return
    with pytest.raises(CampaignError) as caught:
        refuse(standing, 7)
    assert caught.value.code == ("finished" if state is CampaignState.OPEN else str(state))
    assert caught.value.what and caught.value.next_step


def test_a_task_of_optional_questions_is_not_finished_before_consent(store: Store) -> None:
    agree = {"id": "agree", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]}
    gate = {"question": "agree", "is": ["yes"]}
    consent = {"id": "consent", "unit": "judge", "object": "none", "question": [agree], "gate": gate}
    note = {"id": "note", "kind": "text", "required": False}
    work = {"id": "work", "unit": "document", "object": "source", "question": [note]}
    protocol = Protocol.model_validate({"name": "mine", "version": "1", "stage": [consent, work]})
    opened(store, protocol, documents=corpus((1,)))
    first, second = campaign.tasks(store, "first", "ana")
    with pytest.raises(CampaignError) as caught:
        campaign.finish(store, second.id)
    assert caught.value.code == "gate"
    save(store, first, 0, {"agree": "yes"})
    save(store, second, 0, {"note": "fine"})
    assert campaign.finish(store, second.id).finished_at is not None


def test_frozen_facts_are_read_once(store: Store) -> None:
    opened(store)
    task = first_task(store)
    with store.reading() as tx:
        standing = tx.tasks.standing(task.id)
        assert standing is not None
        item = task.items[0]
        first = document(tx, standing, item.document)
        assert document(tx, standing, item.document) is first
        assert first == next(d for d in corpus() if d.id == item.document)
        shown = texts(tx, standing, item)
        segment = first.segment(item.segment)
        assert shown is not None and segment is not None
        assert (shown.source, shown.targets) == (segment.source, (segment.outputs[item.systems[0]],))
        with pytest.raises(CampaignError):
            document(tx, standing, "d9")
