"""Documents are drawn as judges ask for work: every draw is logged, and nobody and nothing holds it up."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from adaptive_campaign import JUDGES, judge_task, made, score, texts, work
from campaign_parts import NOW
from lanner import campaign
from lanner.analysis.economy import economy, with_answers
from lanner.campaign import drawing
from lanner.campaign.drawing import score_of
from lanner.errors import CampaignError, DesignError, InputError
from lanner.model import Document, Judge, JudgeKind, Judgement, Role, Segment
from lanner.protocols import load
from lanner.stats.goals import State
from lanner.store import Event, Store
from lanner.store.campaigns import Events

QUESTION = next(question.id for _, question in load("da").questions)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "study.db") as opened:
        yield opened


def test_every_draw_is_in_the_log_and_follows_from_the_seed(store: Store) -> None:
    made(store)
    work(store, most=12)
    drawing.leave_open(store, "study", "cedar", "birch")
    work(store, most=48)
    events = campaign.events(store, "study")
    draws = [event.detail for event in events if event.kind == drawing.DRAWN]
    assert [detail["number"] for detail in draws] == list(range(len(draws)))
    assert len({detail["document"] for detail in draws}) == len(draws)
    own = drawing.state(store, "study")
    replayed = type(own.allocation)(own.allocation.goal, own.allocation.systems, own.allocation.sizes, seed=3)
    for event in events:
        if event.kind == drawing.DRAWN:
            following = replayed.next_draw()
            assert following is not None
            assert own.documents[following.document].id == event.detail["document"]
            assert following.probability == pytest.approx(event.detail["probability"], rel=1e-9)
            replayed.add(following)
        elif event.kind in (drawing.LOOKED, drawing.LEFT):
            standing = type(own.allocation.standing)(
                int(event.detail["look"]), replayed.standing.pairs,
                tuple(State(one) for one in event.detail["states"]), tuple(event.detail["winners"]),
                tuple(event.detail["active"]), bool(event.detail["enough"]),
            )  # fmt: skip
            weights = event.detail.get("weights", replayed.weights)
            replayed.renew(standing, weights=np.array(weights))
    assert replayed.standing == own.allocation.standing
    assert replayed.standing.states[2] is State.LEFT and replayed.standing.enough


def test_a_look_that_counted_a_pair_left_meanwhile_is_taken_again(store: Store) -> None:
    made(store)
    work(store, most=9)
    current, _ = with_answers(store, "study")
    standing = current.standing
    current.standing = replace(standing, look=standing.look + 1)  # a look as somebody takes it just now
    drawing.leave_open(store, "study", "birch", "cedar")
    assert not drawing.log_look(store, "study", current)
    assert drawing.state(store, "study").allocation.standing.states[2] is State.LEFT
    again, _ = with_answers(store, "study")
    again.standing = replace(again.standing, look=standing.look + 1)
    assert drawing.log_look(store, "study", again)


def test_only_an_open_pair_can_be_left(store: Store) -> None:
    made(store)
    with pytest.raises(CampaignError, match="ceder and birch are not an open pair") as refused:
        drawing.leave_open(store, "study", "ceder", "birch")
    assert "cedar" in refused.value.next_step
    for pair in (("alder", "birch"), ("birch", "cedar"), ("cedar", "alder")):
        drawing.leave_open(store, "study", *pair)
        with pytest.raises(CampaignError, match="not an open pair"):
            drawing.leave_open(store, "study", *pair)
    assert campaign.next_task(store, "study", "ana") is None, "nothing is open any more"
    with store.reading() as tx:
        assert not drawing.is_running(tx, campaign.get(store, "study"))
    assert [event.detail["pair"] for event in campaign.events(store, "study") if event.kind == drawing.LEFT] == [
        ["alder", "birch"], ["birch", "cedar"], ["alder", "cedar"],
    ]  # fmt: skip


@pytest.mark.parametrize("last", ["a look", "an organiser"])
def test_what_ends_the_campaign_without_a_task_tells_of_it(store: Store, last: str) -> None:
    made(store)
    with store.writing() as tx:
        tx.webhooks.add("https://example.org/hook", "secret", ["campaign.finished"], NOW)
    work(store, most=9, looks=False)
    current, _ = with_answers(store, "study")

    def count_messages() -> int:
        with store.reading() as tx:
            return len(tx.webhooks.waiting())

    assert count_messages() == 0, "more may be drawn"
    if last == "a look":
        current.standing = replace(current.standing, look=1, enough=True)
        assert drawing.log_look(store, "study", current)
        assert not drawing.log_look(store, "study", current), "the same look is logged once"
    else:
        for pair in (("alder", "birch"), ("birch", "cedar"), ("cedar", "alder")):
            assert count_messages() == 0
            drawing.leave_open(store, "study", *pair)
    assert count_messages() == 1
    current.standing = replace(drawing.state(store, "study").allocation.standing, look=2)
    assert drawing.log_look(store, "study", current) and count_messages() == 1, "it was over before"


def test_goals_without_pairs_have_none_to_leave(store: Store) -> None:
    made(store, goal="precision:1")
    with pytest.raises(CampaignError, match="not about pairs"):
        drawing.leave_open(store, "study", "alder", "birch")


def test_judges_who_stop_or_come_late_do_not_hold_it_up(store: Store) -> None:
    made(store)
    stuck = campaign.next_task(store, "study", "cy")
    assert stuck is not None  # cy takes a task and never comes back
    work(store, ("ana", "bo"), most=20)
    campaign.add_judges(store, "study", [Judge("dee")])
    assert work(store, ("ana", "bo", "dee")) > 0
    now = economy(store, "study")
    assert now.enough
    waiting = stuck.items[0].document
    counted = {draw.document for draw in drawing.state(store, "study").allocation.draws}
    assert [d.id for d in drawing.state(store, "study").documents].index(waiting) in counted


def test_no_judge_gets_one_system_more_often_than_another(store: Store) -> None:
    """As many judges as systems, who take turns: whoever is strict must not be strict about one system alone."""
    made(store, documents=20, goal="precision:0.01")
    work(store, looks=False)
    counts: dict[tuple[str, str], int] = {}
    for judgement in campaign.judgements(store, "study"):
        if judgement.segment == "0":
            key = (judgement.judge, judgement.systems[0])
            counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 9 and max(counts.values()) < 15 and min(counts.values()) > 1, counts  # 20 and 0 before


@pytest.mark.parametrize("places", [1, 2])
def test_who_works_at_the_same_time_shares_no_document(store: Store, places: int) -> None:
    """Else the severity of two judges would stand between two systems of one document."""
    made(store, goal="precision:0.01", judges_per_document=places)
    tasks = [campaign.next_task(store, "study", judge.id) for judge in JUDGES]
    for at in range(30):
        task = tasks[at % 3]
        assert task is not None
        judge_task(store, task, looks=False)
        tasks[at % 3] = campaign.next_task(store, "study", task.judge)
    outputs: dict[str, dict[str, int]] = {}
    for judgement in campaign.judgements(store, "study"):
        if judgement.segment == "0":
            own = outputs.setdefault(judgement.document, {})
            own[judgement.judge] = own.get(judgement.judge, 0) + 1
    assert all(len(judges) <= places for judges in outputs.values()), outputs
    assert sum(own == 3 for judges in outputs.values() for own in judges.values()) >= 9


def test_what_a_judge_leaves_behind_is_gone_on_with(store: Store) -> None:
    made(store, goal="precision:0.01")
    first = campaign.next_task(store, "study", "ana")
    assert first is not None
    other = campaign.next_task(store, "study", "bo")
    assert other is not None and other.items[0].document != first.items[0].document
    judge_task(store, first, looks=False)  # and ana does not come back
    judge_task(store, other, looks=False)
    study = campaign.get(store, "study")
    with store.reading() as tx:
        participant = tx.judges.get(study, "bo").number
    soon, later = NOW + timedelta(minutes=5), NOW + timedelta(minutes=20)
    documents = []
    for moment in (soon, soon, soon, later, later, later, later):
        number = drawing.take_task(store, study, participant, at=moment)
        assert number is not None
        documents.append(campaign.task(store, number).items[0].document)
    mine, hers, new = other.items[0].document, first.items[0].document, documents[2]
    assert documents == [mine, mine, new, new, new, hers, hers] and len({mine, hers, new}) == 3


def test_a_revoked_judge_holds_no_document(store: Store) -> None:
    made(store, goal="precision:0.01")
    first = campaign.next_task(store, "study", "ana")
    assert first is not None
    campaign.submit(store, first.id, 0, {QUESTION: 50}, submission="one", at=NOW)
    campaign.invitations.revoke(store, "study", "ana")
    following = campaign.next_task(store, "study", "bo")
    assert following is not None and following.items[0].document == first.items[0].document


def test_nobody_judges_the_same_twice_with_overlap(store: Store) -> None:
    made(store, documents=10, overlap=0.5, goal="precision:1")
    work(store, looks=False)
    seen: dict[tuple[str, str, str], set[str]] = {}
    for judgement in campaign.judgements(store, "study"):
        key = (judgement.document, judgement.segment, judgement.systems[0])
        assert judgement.judge not in seen.setdefault(key, set())
        seen[key].add(judgement.judge)
    assert {len(judges) for judges in seen.values()} == {1, 2}


def test_a_late_judge_need_not_bring_as_many_as_a_document_has(store: Store) -> None:
    made(store, judges_per_document=2, goal="precision:0.01", documents=5)
    work(store, ("ana",), most=4, looks=False)
    campaign.add_judges(store, "study", [Judge("dee")])
    work(store, ("ana", "dee"), looks=False)
    judged_by = {judgement.judge for judgement in campaign.judgements(store, "study")}
    assert judged_by == {"ana", "dee"}
    assert economy(store, "study").documents == 5


def teams_of(store: Store) -> dict[str, set[str]]:
    """Who has judged each document."""
    judges: dict[str, set[str]] = {}
    for judgement in campaign.judgements(store, "study"):
        judges.setdefault(judgement.document, set()).add(judgement.judge)
    return judges


def test_a_team_judges_its_documents_together(store: Store) -> None:
    four = (*JUDGES, Judge("dee"))
    made(store, judges=four, judges_per_document=2, teams=True, goal="precision:0.01", documents=8)
    work(store, tuple(judge.id for judge in four), looks=False)
    teams = {frozenset(judges) for judges in teams_of(store).values()}
    assert teams == {frozenset({"ana", "bo"}), frozenset({"cy", "dee"})}
    assert economy(store, "study").documents == 8
    keys = [(j.judge, j.document, j.segment, j.systems) for j in campaign.judgements(store, "study")]
    assert len(keys) == len(set(keys)) == 2 * 3 * sum(len(list(d)) for d in texts(8))


def test_a_team_goes_on_with_whoever_takes_over_and_late_teams_join(store: Store) -> None:
    made(store, judges=JUDGES[:2], judges_per_document=2, teams=True, goal="precision:0.01", documents=8)
    work(store, ("ana", "bo"), most=6, looks=False)
    stuck = campaign.next_task(store, "study", "bo")
    assert stuck is not None  # bo leaves in the middle of a document; eve takes over
    campaign.replace_judge(store, "study", "bo", Judge("eve"))
    with pytest.raises(DesignError, match="1 judge cannot be split into teams of 2"):
        campaign.add_judges(store, "study", [Judge("cy")])
    campaign.add_judges(store, "study", [Judge("cy"), Judge("dee")])
    work(store, ("ana", "eve", "cy", "dee"), looks=False)
    after = [judges for judges in teams_of(store).values() if "bo" not in judges]
    assert {frozenset(judges) for judges in after} == {frozenset({"ana", "eve"}), frozenset({"cy", "dee"})}
    assert economy(store, "study").documents == 8, "what bo left is judged by eve"


def test_nobody_is_in_a_team_with_who_only_came_with_a_file_of_answers(store: Store) -> None:
    made(store, judges=JUDGES[:2], judges_per_document=2, teams=True, goal="precision:0.01", documents=8)
    answer = Judgement("guest", "", "score", "d0", "0", ("alder",), 50)
    everyone = ("ana", "bo", "cy", "dee", "guest")
    campaign.import_judgements(store, "study", [answer], at=NOW)
    campaign.add_judges(store, "study", [Judge("cy"), Judge("dee")])
    for judge in ("ana", "cy"):
        assert campaign.next_task(store, "study", judge) is not None
    given = {judge: {task.items[0].document for task in campaign.tasks(store, "study", judge)} for judge in everyone}
    assert given["ana"] == given["bo"] != given["cy"] == given["dee"] and given["guest"] == set()


def test_looks_wait_for_no_model_no_control_and_nobody_who_left(store: Store) -> None:
    made(store, settings={"controls": {"shuffled": 0.1}})
    campaign.add_judges(store, "study", [Judge("machine", kind=JudgeKind.MODEL)], design="full", options={})
    assert campaign.next_task(store, "study", "cy") is not None  # cy takes a task and never comes back
    work(store, ("ana",))
    now = economy(store, "study")
    assert now.enough and now.documents < now.all_documents


def test_a_questionnaire_behind_all_texts_is_refused(store: Store) -> None:
    """Texts come one after the other, so that it would be asked before the first."""
    with pytest.raises(DesignError, match="no place in an adaptive campaign"):
        made(store, settings={"after": ["post_task"]})


@pytest.mark.parametrize("gone", ["withdraw", "leave_out"])
def test_nobody_is_teamed_with_who_gets_no_more_work(store: Store, gone: str) -> None:
    four = [Judge(name) for name in ("ana", "bo", "cy", "dee")]
    made(store, judges=four, judges_per_document=2, teams=True, goal="precision:0.01", documents=8)
    if gone == "withdraw":
        campaign.withdraw(store, "study", "ana", at=NOW)
    else:
        campaign.leave_out(store, "study", "ana", "by chance", at=NOW)
    work(store, ("bo", "cy"), most=4, looks=False)
    assert {frozenset(judges) for judges in teams_of(store).values()} == {frozenset({"bo", "cy"})}
    assert campaign.next_task(store, "study", "dee") is None, "nobody is left for a second team"


def test_teams_share_no_documents_later_either(store: Store) -> None:
    """A document given to one judge, and drawn for the team then, would be theirs twice."""
    four = (*JUDGES, Judge("dee"))
    made(store, judges=four, judges_per_document=2, teams=True, goal="precision:0.01", documents=8)
    with pytest.raises(CampaignError, match="Teams share no documents"):
        campaign.add_overlap(store, "study", ["ana"], ["d0"])


def test_teams_that_cannot_be_are_refused(store: Store) -> None:
    with pytest.raises(DesignError, match="3 judges cannot be split into teams of 2"):
        made(store, teams=True, judges_per_document=2)
    with pytest.raises(DesignError, match="teams of 1"):
        made(store, teams=True)
    with pytest.raises(DesignError, match="no overlap"):
        made(store, teams=True, judges_per_document=3, overlap=0.2)


def test_a_budget_is_kept(store: Store) -> None:
    made(store, budget=60, goal="precision:0.01")
    work(store, looks=False)
    now = economy(store, "study")
    assert now.ended and not now.enough
    assert 60 <= now.judgements == now.most < 60 + 3 * 3, "documents are judged whole"


def test_controls_come_with_the_draws_and_count_in_no_score(store: Store) -> None:
    made(store, goal="precision:0.01", settings={"controls": {"shuffled": 0.1}})
    work(store, looks=False)
    roles = {judgement.role for judgement in campaign.judgements(store, "study")}
    assert Role.CONTROL in roles
    now = economy(store, "study")
    truth = np.mean([score(d.id, s.id, "birch") for d in texts() for s in d])
    birch = next(one for one in now.systems if one.system == "birch")
    assert birch.value == pytest.approx(truth)


def test_goals_and_protocols_that_do_not_fit_are_refused(store: Store) -> None:
    with pytest.raises(InputError, match="no system 'elm'"):
        made(store, goal="better:alder,elm")
    with pytest.raises(InputError, match="no goal"):
        made(store, goal="win")
    with pytest.raises(DesignError, match="one alone"):
        campaign.create(store, "x", texts(4), load("da"), JUDGES, design="adaptive", systems=["alder"])
    with pytest.raises(DesignError, match="judged by 4"):
        made(store, judges_per_document=4)
    with pytest.raises(InputError, match="no score"):
        campaign.create(store, "x", texts(4), load("ranking_sc"), JUDGES, design="adaptive", options={"goal": "rank"})
    with pytest.raises(DesignError, match="one by one"):
        campaign.create(store, "x", texts(4), load("falcon"), JUDGES, design="adaptive", options={"goal": "rank"})


def test_the_score_and_its_direction_come_from_the_protocol() -> None:
    assert score_of(load("da")) == ("score", 1.0)
    assert score_of(load("mqm")) == ("penalty", -1.0)


def test_a_campaign_that_draws_on_is_not_announced_as_finished(store: Store) -> None:
    made(store)
    work(store, most=6)
    with store.reading() as tx:
        found = tx.campaigns.find("study")
        assert found is not None
        assert drawing.is_running(tx, found)
    work(store)
    with store.reading() as tx:
        assert not drawing.is_running(tx, found)


def test_nothing_is_drawn_before_the_calibration_round_is_over_and_none_of_its_documents_then(store: Store) -> None:
    made(store, documents=6, settings={"calibration": ["d0", "d3"]})
    work(store)
    with store.reading() as tx:
        drawn = drawing.drawn_documents(tx, 1)
    roles = {item.role for judge in JUDGES for task in campaign.tasks(store, "study", judge.id) for item in task.items}
    assert (drawn, roles) == ({}, {Role.CALIBRATION})
    campaign.after_calibration(store, "study")
    work(store, looks=False)
    with store.reading() as tx:
        assert drawing.drawn_documents(tx, 1).keys() == {"d1", "d2", "d4", "d5"}
        assert drawing.is_over(tx, tx.campaigns.get("study"))
    assert campaign.progress(store, "study").undrawn == 0


def test_a_document_of_the_round_that_an_earlier_version_drew_is_known(store: Store) -> None:
    made(store, documents=4)
    judge_task(store, campaign.next_task(store, "study", "ana"), looks=False)
    [drawn] = drawing.state(store, "study").allocation.draws
    document = drawing.state(store, "study").documents[drawn.document].id
    with store.writing() as tx:
        tx.campaigns.set_details(1, settings={"calibration": [document, "d0", "d1"]})
    own = drawing.state(store, "study")
    assert [own.documents[draw.document].id for draw in own.allocation.draws] == [document]


def test_no_task_of_many_documents_is_drawn_twice(store: Store) -> None:
    many = [
        Document(f"d{at}", (Segment("0", "One.", {"alder": "A.", "birch": "B."}),), "en", "de") for at in range(1000)
    ]
    options = {"goal": "better:alder,birch"}
    campaign.create(store, "large", many, load("da"), JUDGES, design="adaptive", options=options, at=NOW)
    large = campaign.open(store, "large", at=NOW)
    with store.reading() as tx:
        participant = tx.judges.get(large, "ana")
    numbers = [drawing.take_task(store, large, participant.number) for _ in range(100)]
    assert len(set(numbers)) == 100 and None not in numbers


def test_a_draw_counts_once_however_many_look_at_the_same_time(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of several readers and judges share what was read of the log. Here two have both seen the new draws before
    either has taken them up: counted twice, the next draw would not follow from the log any more."""
    made(store)
    before = drawing.state(store, "study")
    with Store.open(tmp_path / "study.db") as another:
        work(another, most=6)
    both, read = Barrier(2), Events.of

    def read_together(self: Events, *about: int, **more: Any) -> list[Event]:
        events = read(self, *about, **more)
        both.wait(60)
        return events

    monkeypatch.setattr(Events, "of", read_together)
    with ThreadPoolExecutor(2) as threads:
        states = list(threads.map(lambda _: drawing.state(store, "study"), range(2)))
    monkeypatch.undo()
    assert states[0] is states[1] is before
    draws = [event.detail for event in campaign.events(store, "study") if event.kind == drawing.DRAWN]
    assert len(draws) == 2
    assert [draw.number for draw in before.allocation.draws] == [detail["number"] for detail in draws]
    assert before.assigned == sum(detail["judgements"] for detail in draws)


def test_a_draft_that_is_changed_is_drawn_by_what_it_is_now(store: Store) -> None:
    """Organisers' pages have counted what it may draw before; its texts are the same, its seed and budget are not."""
    options = {"goal": "rank", "budget": 30}
    campaign.create(store, "study", texts(), load("da"), JUDGES, design="adaptive", seed=3, options=options, at=NOW)
    assert campaign.progress(store, "study").undrawn == 30
    campaign.redefine(store, "study", seed=4, options={**options, "budget": 24}, at=NOW)
    assert campaign.progress(store, "study").undrawn == 24
    assert drawing.state(store, "study").allocation.seed == 4
    campaign.open(store, "study", at=NOW)
    assert work(store, most=3) == 3
