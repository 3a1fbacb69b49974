"""From tasks to questions and back: stages apart or together, documents at once, swapped pairs, panels."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lanner import campaign, protocols
from lanner.errors import LannerError
from lanner.judges.comparison import audit
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.replies import ItemRequest
from lanner.judges.request import MISSING, PARTIAL, VALID, Outcome
from lanner.judges.run import run
from lanner.judges.worker import JudgeWorker, by_place, group_items, judge_sentences
from lanner.model import CampaignState, Item, JudgeKind, Task
from lanner.protocols.answers import stage_schema
from lanner.protocols.conditions import missing
from lanner.store import AssignedTask, Store
from model_campaign import QUICK, by_sides, corpus, judge, member, opened, stored
from stub_server import Stub, good, serving

SKILLS = {"style_register", "modality_attitude", "participant_focus"}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened_:
        yield opened_


def by_sentence(store: Store, number: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for entry in stored(store, number):
        found.setdefault(f"{entry.document}/{entry.segment}", {})[entry.question] = entry.value
    return found


@pytest.mark.parametrize(("calls", "asked"), [("stages", 3), ("pages", 2), ("documents", None)])
def test_falcon_is_whole_however_it_is_asked(store: Store, calls: str, asked: int | None) -> None:
    number = opened(store, "falcon", corpus(1, 3))
    stub = Stub()
    totals = judge(store, number, stub, calls=calls)
    assert (totals.items, totals.missing, totals.failed) == (6, 0, 0)  # three sentences, two pages
    assert totals.calls == (3 * asked if asked else 2)
    protocol = protocols.load("falcon")
    for answers in by_sentence(store, number).values():
        assert set(answers["ratings"]) == set(answers["skills"])
        assert not missing(protocol, "rating", answers)


def test_the_third_stage_is_asked_about_what_the_second_chose(store: Store) -> None:
    number = opened(store, "falcon", corpus(1, 1))

    def answer(body: dict[str, Any], turn: int) -> str:
        asked = body["response_format"]["json_schema"]["schema"]["properties"]
        return json.dumps({"skills": sorted(SKILLS)}) if "skills" in asked else good(body, turn)

    stub = Stub(answer)
    judge(store, number, stub)
    rating = stub.bodies[-1]
    assert set(rating["response_format"]["json_schema"]["schema"]["properties"]["ratings"]["properties"]) == SKILLS
    assert "Your earlier answers" in rating["messages"][-1]["content"]


def test_in_a_document_at_once_the_good_sentences_are_kept(store: Store) -> None:
    number = opened(store, "da", corpus(1, 3))

    def answer(body: dict[str, Any], _: int) -> str:
        made = json.loads(good(body))
        return json.dumps({**made, "2": {"score": 1000}})

    stub = Stub(answer)
    totals = judge(store, number, stub, calls="documents")
    assert (totals.items, totals.missing, totals.calls) == (2, 1, 3)  # asked twice more about the one
    assert "Sentence 2: " in stub.bodies[1]["messages"][-1]["content"]
    assert len(by_sentence(store, number)) == 2
    assert (judge(store, number, silent := Stub(), calls="documents").missing, silent.bodies) == (1, [])
    again = judge(store, number, Stub(), calls="documents", limits=Limits(8, retry_missing=True))
    assert (again.items, again.missing, again.calls) == (1, 0, 1)
    assert len(by_sentence(store, number)) == 3


def test_a_document_that_was_half_stored_when_a_run_ended_is_not_asked_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill between the reply's row in the ledger and the last of its answers."""
    number = opened(store, "da", corpus(1, 3))
    submit = JudgeWorker._submit

    async def all_but_one(self: JudgeWorker, task: Any, place: int, *rest: Any) -> None:
        if place != 1:
            await submit(self, task, place, *rest)

    with monkeypatch.context() as broken:
        broken.setattr(JudgeWorker, "_submit", all_but_one)
        judge(store, number, Stub(), calls="documents")
    assert len(by_sentence(store, number)) == 2
    totals = judge(store, number, silent := Stub(), calls="documents")
    assert (totals.items, totals.missing, silent.bodies) == (1, 0, [])
    assert len(by_sentence(store, number)) == 3


def test_a_limit_does_not_cut_a_document_that_is_asked_about_at_once(store: Store) -> None:
    number = opened(store, "da", corpus(3, 3))
    totals = judge(store, number, Stub(), calls="documents", limits=Limits(8, items=4))
    assert (totals.items, totals.calls) == (6, 2)


def pairs(store: Store, answer: Any, **more: Any) -> tuple[dict[str, dict[str, Any]], Stub, int]:
    number = opened(store, "ranking_rs", corpus(1, 2, ("oak", "ash")))
    stub = Stub(answer)
    judge(store, number, stub, **more)
    return by_sentence(store, number), stub, number


def first_is_best(body: dict[str, Any], _: int) -> str:
    asked = body["response_format"]["json_schema"]["schema"]["properties"]
    return json.dumps({name: [1, 2] for name in asked})


def test_a_model_that_always_prefers_what_stands_first_says_nothing_when_asked_both_ways(store: Store) -> None:
    answers, stub, _ = pairs(store, first_is_best, swap=True)
    assert len(stub.bodies) == 4
    assert all(value == [1, 1] for given in answers.values() for value in given.values())


def test_a_swapped_answer_is_turned_back(store: Store) -> None:
    def oak_is_best(body: dict[str, Any], turn: int) -> str:
        text = body["messages"][-1]["content"]
        ranks = [1, 2] if text.index("von oak") < text.index("von ash") else [2, 1]
        return json.dumps(dict.fromkeys(json.loads(first_is_best(body, turn)), ranks))

    _, stub, number = pairs(store, oak_is_best, swap=True)
    assert len(stub.bodies) == 4
    for entry in stored(store, number):
        assert entry.value == ([1, 2] if entry.systems[0] == "oak" else [2, 1])


def test_a_side_is_turned_back_like_a_rank(store: Store) -> None:
    """Who always takes the left one prefers nobody, contradicts itself, and leans to what stands first."""
    number = opened(store, by_sides("ranking_rs"), corpus(2, 2, ("oak", "ash")))
    judge(store, number, Stub(lambda *_: json.dumps({"side": "left"})), swap=True)
    assert {entry.value for entry in stored(store, number)} == {"tie"}
    found = {result.name: result.value for result in audit(store, number, "m")}
    assert found == {"self-consistency": 0.0, "first of two preferred": 1.0, "same verdict in both orders": 0.0}


def test_a_pair_that_was_answered_in_one_order_only_has_no_verdict(store: Store) -> None:
    def only_one_way(body: dict[str, Any], turn: int) -> str:
        text = body["messages"][1]["content"]
        return first_is_best(body, turn) if text.index("von oak") < text.index("von ash") else "No."

    answers, _, number = pairs(store, only_one_way, swap=True)
    assert answers == {}
    retried = judge(store, number, Stub(first_is_best), swap=True, limits=Limits(8, backoff=0.0, retry_missing=True))
    assert (retried.items, retried.missing) == (2, 0)


@pytest.mark.parametrize("calls", ["stages", "documents"])
def test_samples_on_a_scale_are_stored_as_one_of_them_or_their_middle(store: Store, calls: Any) -> None:
    """Three different values have no majority; the smallest would be as wrong as the largest."""
    number = opened(store, "da", corpus(1, 1))
    scores = iter([90, 20, 60])

    def answer(_body: dict[str, Any], _turn: int) -> str:
        score = {"score": next(scores)}
        return json.dumps({"1": score} if calls == "documents" else score)

    judge(store, number, Stub(answer), samples=3, calls=calls)
    assert [entry.value for entry in stored(store, number)] == [60]


def test_samples_and_a_panel_are_one_judge(store: Store) -> None:
    number = opened(store, "da", corpus(1, 2))
    scores = iter([10, 20, 90] * 4)
    stub = Stub(lambda _body, _turn: json.dumps({"score": next(scores)}))
    totals = judge(store, number, stub, samples=3, models=2, rule="mean", judge="panel")
    assert (totals.items, totals.calls) == (2, 12)
    assert [entry.value for entry in stored(store, number)] == [40, 40]
    [one] = campaign.judges(store, number)
    assert (one.id, one.kind, one.attributes["models"]) == ("panel", JudgeKind.MODEL, ["tiny", "tiny1"])


def test_a_panel_ends_with_a_model_that_answers_nothing_and_says_what_rests_on_the_others(store: Store) -> None:
    number = opened(store, "da", corpus(4, 5))
    stub = Stub(lambda body, _: "No." if body["model"] == "tiny1" else json.dumps({"score": 40}))
    limits = Limits(1, backoff=0.0, hopeless=4)
    totals = judge(store, number, stub, limits=limits, models=2, judge="panel", reasks=0)
    assert "to tiny1 " in totals.stopped
    assert totals.items == totals.fewer == len(stored(store, number)) < 20


def test_one_lost_sample_of_several_is_said(store: Store) -> None:
    number = opened(store, "da", corpus(1, 2))
    replies = iter(["No.", *[json.dumps({"score": 40})] * 5])
    totals = judge(store, number, Stub(lambda *_: next(replies)), limits=Limits(1), samples=3, reasks=0)
    assert (totals.items, totals.fewer) == (2, 1)


def test_options_in_another_order_are_noted_and_come_back_as_ids(store: Store) -> None:
    number = opened(store, "falcon", corpus(2, 2))
    stub = Stub()
    totals = judge(store, number, stub, shuffle=True, samples=2)
    assert totals.items == 8
    labels = [b for b in stub.bodies if "context" in b["response_format"]["json_schema"]["schema"]["properties"]]
    orders = {tuple(b["response_format"]["json_schema"]["schema"]["properties"]["context"]["enum"]) for b in labels}
    assert len(orders) > 2
    assert len({frozenset(order) for order in orders}) == 1


def test_a_judge_run_with_other_settings_is_another_judge(store: Store) -> None:
    number = opened(store, "da", corpus(1, 1))
    judge(store, number, Stub())
    with pytest.raises(LannerError, match=r"other settings \(mode, samples\)"):
        judge(store, number, Stub(), samples=3, calls="pages")


@dataclass
class Loaded:
    assigned: AssignedTask
    waiting: frozenset[int] = frozenset()


def loaded(number: int, *items: Item) -> Loaded:
    return Loaded(AssignedTask(Task(number, "m", "page", items), 1, 1, tuple(range(len(items)))))


def test_a_group_is_whole_if_one_of_its_sentences_is_asked_about() -> None:
    oak = [Item("d", str(n), ("oak",)) for n in range(3)]
    ash = [Item("d", str(n), ("ash",)) for n in range(2)]
    one, other = loaded(1, *oak, *ash), loaded(2, *oak)
    assert group_items([one, other], [(one, 1)]) == [(one, [0, 1, 2])]
    assert group_items([one, other], [(one, 4), (other, 0)]) == [(one, [3, 4]), (other, [0, 1, 2])]


def test_answers_go_by_number_in_the_call() -> None:
    flags = {"2": {"score": ["odd"]}}
    assert by_place([4, 7], Outcome({"2": {"score": 1}}, flags)) == {7: ({"score": 1}, {"score": ["odd"]})}
    assert by_place([4, 7], Outcome(None)) == {}


def test_what_was_right_once_stays_right() -> None:
    protocol = protocols.load("da")
    stages = list(next(iter(protocol.pages.values())))
    asked = [ItemRequest(protocol, stages, None, {}) for _ in range(2)]
    schemas = dict.fromkeys(("1", "2"), stage_schema(stages))
    blank = {question.id: None for stage in stages for question in stage.questions}
    good: dict[str, Any] = {}

    def say(value: object) -> tuple[str, str, str]:
        found, outcome = judge_sentences(value if isinstance(value, str) else json.dumps(value), asked, schemas, good)
        return outcome, found.step, found.problem

    assert say("no JSON")[:2] == (MISSING, "json")
    assert say([1])[:2] == (MISSING, "schema")
    outcome, _, problem = say({"0": {**blank, "score": 10}, "1": {**blank, "score": 20}})  # counted from 0
    assert (outcome, good) == (MISSING, {}) and "There is no sentence 0: they are numbered from 1 to 2." in problem
    outcome, step, problem = say({"1": {**blank, "score": 50}})
    assert (outcome, step) == (PARTIAL, "schema") and "Sentence 2 has no answer" in problem
    assert say({"2": {**blank, "score": 70}}) == (VALID, "", "")
    assert {number: entry.answers for number, entry in good.items()} == {"1": {"score": 50}, "2": {"score": 70}}


def test_one_skill_a_call_asks_about_each_chosen_skill_alone_and_stores_them_together(store: Store) -> None:
    """FALCON's ratings are asked for each chosen skill, H-FALCON's grid row by row; what is stored is the same."""
    for name in ("falcon", "h_falcon"):
        number = campaign.create(store, name, corpus(1, 1), name).id
        with store.writing() as tx:
            tx.campaigns.set_state(number, CampaignState.OPEN)
        stub = Stub()
        totals = judge(store, number, stub, calls="skills", judge=f"{name}-skills")
        assert (totals.missing, totals.failed) == (0, 0)
        answers = {entry.question: entry.value for entry in stored(store, number)}
        shown = [body["response_format"]["json_schema"]["schema"]["properties"] for body in stub.bodies]
        key, labels = ("ratings", answers["skills"]) if name == "falcon" else ("skills", answers["skills"])
        single = [schema[key]["properties"] for schema in shown if "properties" in schema.get(key, {})]
        assert [list(entry) for entry in single] == [[label] for label in labels]
        assert set(answers[key]) == set(labels)


def test_the_same_model_at_two_servers_is_two_of_a_panel(store: Store) -> None:
    number = opened(store, "da", corpus(1, 3))
    stubs = [Stub(lambda *_, score=score: json.dumps({"score": score})) for score in (10, 90)]

    async def go() -> Totals:
        async with serving(stubs[0]) as one, serving(stubs[1]) as other:
            members = tuple(member(url, price_in=1.0, price_out=1.0) for url in (one, other))
            return await run(store, number, [Plan("m", members)], limits=QUICK)

    totals = asyncio.run(go())
    with store.reading() as tx:
        spent = tx.ledger.spent(1)
    assert {entry.value for entry in stored(store, number)} == {50}
    assert spent == (6, 600, 120, pytest.approx(totals.cost), 0)
    [consistency] = audit(store, number, "m")
    assert (consistency.name, consistency.value) == ("self-consistency", pytest.approx(0.2))


def test_what_is_asked_of_a_whole_document_is_not_asked_of_numbered_sentences(store: Store) -> None:
    number = opened(store, "ranking_ds", corpus(2, 3, ("oak", "ash")))
    stub = Stub()
    totals = judge(store, number, stub, calls="documents")
    assert (totals.items, totals.calls) == (2, 2)
    for body in stub.bodies:
        assert list(body["response_format"]["json_schema"]["schema"]["properties"]) == ["ranking_ds"]
        assert "numbered" not in json.dumps(body["messages"])
        assert "(context)" not in body["messages"][1]["content"]
