from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from lanner import campaign
from lanner.judges.simulated import Temper, fill
from lanner.store import Store
from lanner.web.making.album import Album
from lanner.web.picture.panels import corpus_of, live_page, plan_of
from visiting import SYSTEMS, complete, open_campaign

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_a_plan_from_settings_forgives_nonsense() -> None:
    plan = plan_of({"deadline": "2026-11-18", "hourly_rate": 40, "minimum_agreement": 0.5, "control_limit": 2})
    assert (plan.deadline, plan.hourly_rate, plan.minimum, plan.control_limit) == (date(2026, 11, 18), 40, 0.5, 2)
    odd = plan_of({"deadline": "soon", "hourly_rate": "much", "minimum_agreement": True})
    assert (odd.deadline, odd.hourly_rate, odd.minimum) == (None, None, 0.4)


def test_the_corpus_is_counted_by_domain(store: Store) -> None:
    open_campaign(store)
    corpus = corpus_of(store, 1)
    assert (corpus.documents, corpus.sentences) == (2, 6)
    assert corpus.domains == (("social", 1, 3), ("news", 1, 3))


def test_without_a_picture_there_is_progress(store: Store) -> None:
    open_campaign(store)
    page = live_page(store, campaign.get(store, "trial"), None, NOW)
    assert [row.name for row in page.people] == ["Judge 1", "Judge 2"]
    assert (page.done, page.agreement, page.made_at) == (0, None, None)
    assert page.total > 0
    assert page.verdict.say == "One moment."
    assert page.people[0].finish == "not begun"


def test_answers_move_everything(store: Store) -> None:
    open_campaign(store, settings={"hourly_rate": 36, "deadline": "2026-11-16"})
    for judge in ("J1", "J2"):
        for task in campaign.tasks(store, "trial", judge):
            for item in range(len(task.items)):
                answers = {**complete(), "sentence": 1 + item, "holistic": 3 + task.id % 2 + item}
                at = NOW - timedelta(days=3)
                campaign.submit(
                    store, task.id, item, answers, submission=f"{task.id}.{item}", active=100.0, answered_at=at, at=at
                )
    picture = Album(store).picture(1, "sentence")
    page = live_page(store, campaign.get(store, "trial"), picture, NOW)
    assert page.done == page.total
    row = page.people[0]
    assert row.finish == "done"
    assert row.cost == 36 * row.outlook.active / 3600
    assert page.agreement is not None
    assert page.question == "sentence"
    assert ("sentence", "Sentence score") in page.questions
    assert "h_falcon@" in page.signature
    assert "6 sentences in 2 documents" in page.about


def test_stages_that_ask_the_same_are_told_apart(store: Store) -> None:
    open_campaign(store, protocol="scenarios", options={"all_scenarios": True})
    fill(store, "trial", {"J1": Temper(), "J2": Temper(reliability=0.6)}, dict.fromkeys(SYSTEMS, 0.6))
    page = live_page(store, campaign.get(store, "trial"), Album(store).picture(1), NOW)
    assert ("adequacy_sc", "Adequacy · Sentences in their document") in page.questions
    assert len(dict(page.questions)) == len({label for _, label in page.questions})
    assert page.agreement and {"Single sentences", "The whole document"} <= {m.heading for m in page.measures}
