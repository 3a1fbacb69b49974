from __future__ import annotations

from datetime import UTC, datetime

import pytest

from campaign_parts import NOW, corpus, first_task, opened, save, scales
from lanner import campaign
from lanner.campaign.questions import (
    Questions,
    Round,
    document,
    fits,
    has_reached,
    record_round,
    refuse,
    required_agreement,
    systems_of,
    texts,
)
from lanner.campaign.states import check_settings
from lanner.errors import CampaignError, InputError
from lanner.model import CampaignState, Item, Judge, JudgeKind, Protocol, Role
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


def practised(store: Store, **more: object) -> tuple[int, int]:
    """A campaign that asks for practice: its number, and the participant of its first judge."""
    entry = opened(store, "falcon_labels", documents=corpus((2,)), settings={"practice_agreement": 0.8}, **more)
    return entry.id, campaign.participants(store, "first")[0].number


def refusal(store: Store, judge: str = "ana") -> str:
    """Why an answer of a judge is refused; empty where it is stored."""
    task = campaign.tasks(store, "first", judge)[0]
    try:
        save(store, task, 0, {"context": "local"})
    except CampaignError as error:
        return error.code
    return ""


def test_answers_wait_for_practice_that_has_reached_its_agreement(store: Store) -> None:
    number, participant = practised(store)
    task = campaign.tasks(store, "first", "ana")[0]
    assert refusal(store) == "practice"
    with pytest.raises(CampaignError) as caught:
        campaign.finish(store, task.id)
    assert caught.value.code == "practice" and "80%" in caught.value.next_step
    record_round(store, number, participant, Round(task.page, 7, 10, NOW))
    assert refusal(store) == "practice", "70 % is not enough"
    record_round(store, number, participant, Round(task.page, 8, 10, NOW))
    assert refusal(store) == ""
    assert refusal(store, "bo") == "practice", "everyone practises for themselves"
    campaign.configure(store, "first", settings={"practice_agreement": None})
    assert refusal(store, "bo") == "", "the setting as it is now"
    campaign.configure(store, "first", settings={"practice_agreement": 0.9})
    assert refusal(store) == "practice", "more is asked than was reached"


def test_practice_on_one_page_does_not_open_another(store: Store) -> None:
    number, participant = practised(store)
    record_round(store, number, participant, Round("elsewhere", 10, 10, NOW))
    assert refusal(store) == "practice"


def test_models_and_simulated_judges_do_not_practise(store: Store) -> None:
    judges = [Judge("tiny", JudgeKind.MODEL), Judge("sim", JudgeKind.SIMULATED), Judge("ana")]
    practised(store, judges=judges)
    assert [refusal(store, judge.id) for judge in judges] == ["", "", "practice"]


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


AT = datetime(2026, 11, 16, tzinfo=UTC)


def test_one_round_at_the_stated_share_is_enough() -> None:
    rounds = [Round("p", 3, 5, AT), Round("p", 4, 5, AT), Round("p", 0, 5, AT)]
    assert [entry.share for entry in rounds] == [0.6, 0.8, 0.0]
    assert has_reached(rounds, 0.8)
    assert not has_reached(rounds, 0.81)
    assert not has_reached([], 0.1)


def test_a_round_without_references_reaches_nothing() -> None:
    assert not has_reached([Round("p", 0, 0, AT)], 0.5)


@pytest.mark.parametrize(("value", "wanted"), [(None, None), (0.8, 0.8), (1, 1.0), (True, None), (0, None)])
def test_the_setting(value: float | None, wanted: float | None) -> None:
    assert required_agreement({"practice_agreement": value}) == wanted


@pytest.mark.parametrize("value", [0, 1.2, -1])
def test_a_share_that_nobody_could_reach_or_miss_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        check_settings({"practice_agreement": value})


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
