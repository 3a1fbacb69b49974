from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest

from campaign_parts import JUDGES, NOW, corpus, fill, first_task, known, opened, save, scales, valid
from lanner import campaign
from lanner.campaign.tasks import TAKE_BACK
from lanner.errors import AnswerError, CampaignError
from lanner.model import Item, Judge, JudgeKind, Protocol, Role, Task
from lanner.store import Store
from lanner.store.tasks import Tasks

TASKS = import_module("lanner.campaign.tasks")
"""The package has a function of the same name."""


def test_a_judge_works_through_the_tasks_in_order(store: Store) -> None:
    opened(store)
    order = [task.id for task in campaign.tasks(store, "first", "bo")]
    assert len(order) == 4
    for number in order:
        task = first_task(store, "bo")
        assert task.id == number and task == campaign.task(store, number)
        fill(store, task)
        assert campaign.finish(store, number, at=NOW).finished_at == NOW
    assert campaign.next_task(store, "first", "bo") is None
    assert [(o.done, o.finished_at) for o in campaign.overview(store, "first", "bo")] == [
        (len(campaign.task(store, number).items), NOW) for number in order
    ]
    assert campaign.next_task(store, "first", "ana") is not None


def test_finishing_says_exactly_what_is_missing(store: Store) -> None:
    opened(store)
    task = next(t for t in campaign.tasks(store, "first", "ana") if len(t.items) == 3)
    save(store, task, 1)
    partly = valid(store, task, 2)
    partly.pop("holistic")
    saved = save(store, task, 2, partly)
    assert saved.open == ("holistic",)
    with pytest.raises(campaign.UnfinishedError) as caught:
        campaign.finish(store, task.id)
    required = tuple(q.id for _, q in known("h_falcon").questions if q.required)
    document = task.items[0].document
    assert caught.value.missing == (
        campaign.OpenItem(0, document, "0", required), campaign.OpenItem(2, document, "2", ("holistic",)),
    )  # fmt: skip
    assert caught.value.next_step == "First: skills, sentence, holistic of item 1 (segment 0)."
    assert campaign.missing(store, task.id) == list(caught.value.missing)
    fill(store, task)
    campaign.finish(store, task.id)
    assert campaign.finish(store, task.id).finished_at is not None  # a second press of the button


def test_current_answers_are_the_bases_of_revisions(store: Store) -> None:
    opened(store)
    task = first_task(store)
    save(store, task, 0)
    again = save(store, task, 0, {"holistic": 10})
    item = campaign.current(store, task.id)[0]
    assert (item["holistic"].id, item["holistic"].value, item["holistic"].revision) == (again.ids["holistic"], 10, 2)
    assert item["holistic"].received_at == NOW
    assert campaign.current(store, task.id)[1] == {}


def test_falcon_rates_what_the_same_judge_chose(store: Store) -> None:
    opened(store, "falcon", documents=corpus((2,)))
    label, first, second = campaign.tasks(store, "first", "ana")
    fill(store, label)
    campaign.finish(store, label.id)
    chosen = campaign.current(store, label.id)[0]["skills"].value
    assert campaign.earlier(store, first.id)[0]["skills"] == chosen
    rating = dict.fromkeys(chosen, 3)
    assert save(store, first, 0, {"ratings": rating}).done
    with pytest.raises(AnswerError):
        save(store, first, 1, {"ratings": {**rating, "nonsense": 2}})
    assert save(store, second, 0, {"ratings": dict.fromkeys(chosen, 1)}).done
    rows = [j for j in campaign.judgements(store, "first") if j.question == "ratings"]
    assert {j.systems: j.value for j in rows} == {
        first.items[0].systems: rating,
        second.items[0].systems: dict.fromkeys(chosen, 1),
    }
    assert all(j.systems == () for j in campaign.judgements(store, "first") if j.stage in ("context", "skills"))


def test_labels_changed_after_the_rating_reopen_the_rating(store: Store) -> None:
    opened(store, "falcon", documents=corpus((1,), ("alder",)))
    label, rating = campaign.tasks(store, "first", "ana")
    skills = [o.id for o in known("falcon").find("skills")[1].choices]  # type: ignore[index]
    save(store, label, 0, {"context": "local", "skills": skills[:3]})
    save(store, rating, 0, {"ratings": dict.fromkeys(skills[:3], 2)})
    assert campaign.missing(store, rating.id) == []
    save(store, label, 0, {"skills": skills[1:4]})
    assert [entry.questions for entry in campaign.missing(store, rating.id)] == [("ratings",)]
    with pytest.raises(campaign.UnfinishedError):
        campaign.finish(store, rating.id)
    save(store, rating, 0, {"ratings": dict.fromkeys(skills[1:4], 2)})
    campaign.finish(store, rating.id)


def test_a_finished_rating_is_open_again_once_its_labels_were_changed_and_finished(store: Store) -> None:
    opened(store, "falcon", documents=corpus((2,), ("alder", "birch")))
    label, first, second = campaign.tasks(store, "first", "ana")
    skills = [o.id for o in known("falcon").find("skills")[1].choices]  # type: ignore[index]
    for place in (0, 1):
        save(store, label, place, {"context": "local", "skills": skills[:3]})
        for rating in (first, second):
            save(store, rating, place, {"ratings": dict.fromkeys(skills[:3], 2)})
    for task in (label, first):
        campaign.finish(store, task.id, at=NOW)

    def done() -> list[list[int]]:
        with store.reading() as tx:
            return [[item.done for item in tx.tasks.item_progress(task.id)] for task in (label, first, second)]

    campaign.take_back_finish(store, label.id, at=NOW)
    campaign.finish(store, label.id, at=NOW)
    assert campaign.task(store, first.id).finished_at == NOW, "nothing was changed"
    campaign.reopen_task(store, label.id, at=NOW)
    save(store, label, 1, {"skills": skills[1:4]})
    campaign.finish(store, label.id, at=NOW)
    assert done() == [[1, 1], [1, 0], [1, 0]]
    with pytest.raises(campaign.UnfinishedError):
        campaign.finish(store, first.id, at=NOW)
    assert [event.kind for event in campaign.events(store, "first")][-1] == "finish_taken_back"
    assert campaign.next_task(store, "first", "ana") == campaign.task(store, first.id)
    for rating in (first, second):
        save(store, rating, 1, {"ratings": dict.fromkeys(skills[1:4], 3)})
        campaign.finish(store, rating.id, at=NOW)
    assert done() == [[1, 1]] * 3 and campaign.next_task(store, "first", "ana") is None


def test_an_answer_stays_while_the_page_that_decides_about_it_is_open_again(store: Store) -> None:
    def stage(name: str, target: str, question: dict[str, Any]) -> dict[str, Any]:
        return {"id": name, "unit": "sentence_in_context", "object": target, "question": [question]}

    options = [{"id": "yes"}, {"id": "no"}]
    why = {"id": "why", "kind": "text", "required": True, "when": {"question": "sure", "is": ["no"]}}
    stages = [
        stage("sureness", "source", {"id": "sure", "kind": "choice", "options": options}),
        stage("labels", "source", {"id": "skills", "kind": "labels", "options": [{"id": "a"}, {"id": "b"}]}),
        stage("rating", "output", {"id": "rating", "kind": "scale", "min": 1, "max": 4, "for_each": "skills"}),
    ]
    stages[2]["question"].append(why)
    protocol = Protocol.model_validate({"name": "three", "version": "1", "stage": stages})
    opened(store, protocol, documents=corpus((1,), ("alder",)))
    tasks = campaign.tasks(store, "first", "ana")
    answers: tuple[dict[str, Any], ...] = ({"sure": "no"}, {"skills": ["a"]}, {"rating": {"a": 3}, "why": "So."})
    for task, own in zip(tasks, answers, strict=True):
        save(store, task, 0, own)
        campaign.finish(store, task.id, at=NOW)
    for task, own in zip(tasks[:2], ({"sure": None}, {"skills": ["b"]}), strict=True):
        campaign.reopen_task(store, task.id)
        save(store, task, 0, own)
    campaign.finish(store, tasks[1].id, at=NOW)
    assert campaign.current(store, tasks[2].id)[0]["why"].value == "So.", "whether it is asked is not decided yet"
    save(store, tasks[0], 0, {"sure": "yes"})
    campaign.finish(store, tasks[0].id, at=NOW)
    assert "why" not in campaign.current(store, tasks[2].id)[0]


def test_what_was_answered_in_a_file_before_it_was_asked_here_is_done_when_finished(store: Store) -> None:
    opened(store, "da", documents=corpus((2,), ("alder",)))
    theirs = first_task(store)
    fill(store, theirs)
    rows = [replace(row, judge="dee") for row in campaign.judgements(store, "first")]
    campaign.import_judgements(store, "first", rows, at=NOW)
    campaign.add_overlap(store, "first", ["dee"], [theirs.items[0].document], at=NOW)
    [task] = campaign.tasks(store, "first", "dee")
    campaign.finish(store, task.id, at=NOW)
    [line] = campaign.overview(store, "first", "dee")
    assert (line.done, line.finished_at) == (len(task.items), NOW)


FORK = scales(
    {"id": "ok", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]},
    {"id": "why", "kind": "text", "required": True, "when": {"question": "ok", "is": ["no"]}},
)


def test_conditions_decide_what_is_asked(store: Store) -> None:
    opened(store, FORK, documents=corpus((1,), ("alder",)))
    task = first_task(store)
    assert save(store, task, 0, {"ok": "yes"}).done
    with pytest.raises(AnswerError) as caught:
        save(store, task, 0, {"why": "because"})
    assert caught.value.code == "not_asked"
    assert save(store, task, 0, {"ok": "no"}).open == ("why",)
    assert save(store, task, 0, {"why": "because"}).done


def test_an_answer_that_is_no_longer_asked_is_taken_back_and_kept_in_the_history(store: Store) -> None:
    opened(store, FORK, documents=corpus((1,), ("alder",)))
    task = first_task(store)
    save(store, task, 0, {"ok": "no", "why": "because"})
    saved = save(store, task, 0, {"ok": "yes"})
    assert saved.done and set(saved.ids) == {"ok", "why"}
    assert {j.question: (j.value, j.flags) for j in campaign.judgements(store, "first")} == {
        "ok": ("yes", ()), "why": (None, ("not_asked",)),
    }  # fmt: skip
    assert "because" in [j.value for j in campaign.history(store, "first")]


CHAIN = scales(
    {"id": "ok", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]},
    {"id": "why", "kind": "choice", "options": [{"id": "tone"}, {"id": "other"}],
     "when": {"question": "ok", "is": ["no"]}},
    {"id": "other", "kind": "text", "required": True, "when": {"question": "why", "is": ["other"]}},
)  # fmt: skip


def test_nothing_rests_on_an_answer_that_the_same_save_takes_back(store: Store) -> None:
    opened(store, CHAIN, documents=corpus((1,), ("alder",)))
    task = first_task(store)
    save(store, task, 0, {"ok": "no", "why": "other", "other": "so"})
    with pytest.raises(AnswerError) as caught:
        save(store, task, 0, {"ok": "yes", "other": "so"})
    assert (caught.value.code, caught.value.question) == ("not_asked", "other")
    saved = save(store, task, 0, {"ok": "yes", "other": None})
    assert saved.done and set(saved.ids) == {"ok", "why", "other"}
    assert {j.question: j.value for j in campaign.judgements(store, "first")} == {
        "ok": "yes", "why": None, "other": None
    }  # fmt: skip


def test_free_tasks_are_taken_when_ones_own_are_done(store: Store) -> None:
    protocol = scales({"id": "q", "kind": "scale", "min": 1, "max": 4})
    opened(store, protocol, documents=corpus((1,), ("alder",)))
    free = [Task(0, "", "s", (Item("d0", "", ("birch",)),)) for _ in range(2)]
    campaign.assign(store, "first", free)
    taken = {}
    for judge in ("ana", "bo"):
        own = first_task(store, judge)
        fill(store, own)
        campaign.finish(store, own.id)
        taken[judge] = first_task(store, judge)
        assert taken[judge].items[0].systems == ("birch",) and taken[judge].judge == judge
        assert first_task(store, judge) == taken[judge]  # asking again takes no second one
        fill(store, taken[judge])
        campaign.finish(store, taken[judge].id)
        assert campaign.next_task(store, "first", judge) is None
    assert taken["ana"].id != taken["bo"].id


def test_who_left_or_is_left_out_is_given_nothing_more_of_a_pool(store: Store) -> None:
    """What they would take, others could not: it would be judged by nobody who counts."""
    opened(store, "da", design="pool")
    begun = first_task(store)
    campaign.leave_out(store, "first", "ana", "by chance", at=NOW)
    assert first_task(store) == begun, "what they have they may finish"
    fill(store, begun)
    campaign.finish(store, begun.id, at=NOW)
    assert campaign.next_task(store, "first", "ana") is None
    campaign.count_again(store, "first", "ana", at=NOW)
    assert first_task(store).id != begun.id
    campaign.invitations.revoke(store, "first", "bo")
    assert campaign.next_task(store, "first", "bo") is None


@pytest.mark.parametrize("design", ["pool", "adaptive"])
def test_nothing_is_taken_in_a_campaign_that_is_closed_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch, design: str
) -> None:
    options = {"goal": "rank"} if design == "adaptive" else {}
    opened(store, "da", documents=corpus((1,) * 12), design=design, options=options)
    next_of = Tasks.next_of

    def close_after(table: Tasks, judge: int) -> int | None:
        campaign.close(store, "first")
        return next_of(table, judge)

    monkeypatch.setattr(Tasks, "next_of", close_after)
    assert campaign.next_task(store, "first", "ana") is None
    assert campaign.tasks(store, "first", "ana") == []
    assert [event.kind for event in campaign.events(store, "first")][-1] == "closed", "no document was drawn"


def test_a_repeat_is_answered_anew(store: Store) -> None:
    opened(store, "falcon", documents=corpus((1,), ("alder",)))
    label, rating = campaign.tasks(store, "first", "ana")
    again = [Task(0, "ana", t.page, tuple(replace(i, role=Role.REPEAT) for i in t.items)) for t in (label, rating)]
    campaign.assign(store, "first", again)
    fill(store, label)
    fill(store, rating)
    _, _, label_again, rating_again = campaign.tasks(store, "first", "ana")
    assert [m.questions for m in campaign.missing(store, label_again.id)] == [("context", "skills")]
    assert [m.questions for m in campaign.missing(store, rating_again.id)] == [("ratings",)]  # of the first choice
    fill(store, label_again)
    fill(store, rating_again)
    required = {"context", "skills", "ratings"}
    for role in (Role.MAIN, Role.REPEAT):
        assert required <= {j.question for j in campaign.judgements(store, "first") if j.role is role}


def gated() -> Protocol:
    agree = {"id": "agree", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]}
    consent = {
        "id": "consent",
        "unit": "judge",
        "object": "none",
        "question": [agree],
        "gate": {"question": "agree", "is": ["yes"]},
    }
    work = {"id": "work", "unit": "document", "object": "source", "question": [{"id": "q", "kind": "number"}]}
    return Protocol.model_validate({"name": "mine", "version": "1", "stage": [consent, work]})


def test_nobody_goes_on_without_consent(store: Store) -> None:
    opened(store, gated(), documents=corpus((1,)))
    consent, work = campaign.tasks(store, "first", "ana")
    with pytest.raises(CampaignError) as caught:
        save(store, work, 0, {"q": 3})
    assert caught.value.code == "gate"
    save(store, consent, 0, {"agree": "no"})
    campaign.finish(store, consent.id)
    assert campaign.next_task(store, "first", "ana") is None
    campaign.reopen_task(store, consent.id)
    save(store, consent, 0, {"agree": "yes"})
    campaign.finish(store, consent.id)
    assert first_task(store).id == work.id
    assert save(store, work, 0, {"q": 3}).done
    assert [j.document for j in campaign.judgements(store, "first", after=0) if j.question == "agree"] == [""]


def test_what_was_agreed_to_is_kept_with_the_answer_or_not_at_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store, gated(), documents=corpus((1,)))
    consent, _ = campaign.tasks(store, "first", "ana")

    def kept() -> tuple[object, object, object]:
        ana, *_ = campaign.participants(store, "first")
        return ana.consent, ana.consented_at, campaign.task(store, consent.id).finished_at

    save(store, consent, 0, {"agree": "yes"})
    with monkeypatch.context() as broken:
        broken.setattr(TASKS, "announce_finished", lambda *_: 1 / 0)  # the last of what finishing writes
        with pytest.raises(ZeroDivisionError):
            campaign.finish(store, consent.id, at=NOW)
    assert kept() == (None, None, None)
    campaign.finish(store, consent.id, at=NOW)
    assert kept() == (f"mine@1 {campaign.protocol(store, 'first').hash}", NOW, NOW)
    campaign.reopen_task(store, consent.id)
    save(store, consent, 0, {"agree": "no"})
    later = NOW + timedelta(minutes=5)
    campaign.finish(store, consent.id, at=later)
    assert kept() == (None, None, later), "agreed to nothing any more"


def test_consent_written_in_the_same_transaction_counts(store: Store) -> None:
    opened(store, gated(), documents=corpus((1,)))
    consent, work = campaign.tasks(store, "first", "ana")

    def given(task: Task, number: int, **answers: object) -> campaign.Submission:
        return campaign.Submission(task.id, 0, answers, f"submission {number}")

    agreed, refused = given(consent, 1, agree="yes"), given(consent, 2, agree="no")
    order = [given(work, 3, q=1), agreed, given(work, 4, q=2), refused, given(work, 5, q=3)]
    results = campaign.submit_many(store, order)
    assert [getattr(result, "code", "saved") for result in results] == ["gate", "saved", "saved", "saved", "gate"]


def test_models_are_not_asked_for_consent(store: Store) -> None:
    model = Judge("tiny", JudgeKind.MODEL)
    campaign.create(store, "first", corpus((1,)), gated(), [model])
    campaign.open(store, "first")
    [work] = campaign.tasks(store, "first", "tiny")  # the page that asks for it is not theirs
    assert save(store, work, 0, {"q": 3}).done


def test_unknown_judges_and_tasks(store: Store) -> None:
    opened(store)
    with pytest.raises(CampaignError, match="no judge 'anna'") as caught:
        campaign.next_task(store, "first", "anna")
    assert "ana" in caught.value.next_step
    for call in (campaign.task, campaign.current, campaign.missing, campaign.finish, campaign.reopen_task):
        with pytest.raises(CampaignError, match="no task 999"):
            call(store, 999)
    assert len(JUDGES) == len(campaign.judges(store, "first"))


def test_finishing_can_be_taken_back_for_a_while(store: Store) -> None:
    opened(store)
    task = first_task(store, "bo")
    fill(store, task)
    campaign.finish(store, task.id, at=NOW)
    campaign.take_back_finish(store, task.id, at=NOW + TAKE_BACK)
    assert campaign.task(store, task.id).finished_at is None
    campaign.take_back_finish(store, task.id, at=NOW + 2 * TAKE_BACK)
    campaign.finish(store, task.id, at=NOW)
    with pytest.raises(CampaignError) as caught:
        campaign.take_back_finish(store, task.id, at=NOW + TAKE_BACK + timedelta(seconds=1))
    assert caught.value.code == "final" and campaign.task(store, task.id).finished_at == NOW
    campaign.pause(store, "first")
    with pytest.raises(CampaignError) as caught:
        campaign.take_back_finish(store, task.id, at=NOW)
    assert caught.value.code == "paused"


def test_answers_can_be_revised_until_the_last_task_is_finished_where_the_campaign_says_so(store: Store) -> None:
    opened(store, settings={"revision": "until_submitted"})
    tasks = campaign.tasks(store, "first", "bo")
    assert len(tasks) > 1
    fill(store, tasks[0])
    campaign.finish(store, tasks[0].id, at=NOW)
    later = NOW + 100 * TAKE_BACK
    campaign.take_back_finish(store, tasks[0].id, at=later)
    assert campaign.task(store, tasks[0].id).finished_at is None
    for task in tasks:
        fill(store, task)
        campaign.finish(store, task.id, at=NOW)
    with pytest.raises(CampaignError) as caught:
        campaign.take_back_finish(store, tasks[0].id, at=later)
    assert caught.value.code == "final"
