"""Guidelines: versioned, with what was decided in the campaign as worked examples, and nobody named."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from campaign_parts import NOW, first_task, opened
from lanner import campaign
from lanner.campaign import adjudication as notes
from lanner.campaign.submit import Submission
from lanner.reports.guidelines import campaign_guidelines
from lanner.reports.rendering import render
from lanner.store import Store


@pytest.fixture
def settled(store: Store) -> Store:
    opened(store, "falcon_labels")
    item = first_task(store, "ana").items[0]
    unit = (item.document, item.segment, item.systems)
    for judge, level in (("ana", "local"), ("bo", "sentence_level")):
        task, place = next(
            (task, task.items.index(item)) for task in campaign.tasks(store, "first", judge) if item in task.items
        )
        campaign.submit_many(store, [Submission(task.id, place, {"context": level}, f"s-{judge}", judge=judge)])
    campaign.settle(store, "first", unit, {"context": "local"}, note="A pronoun whose noun stands before.", at=NOW)
    return store


def test_a_decision_becomes_an_example_with_its_reason_and_the_answers_before_it(settled: Store) -> None:
    made = campaign_guidelines(settled, "first")
    [decision] = made.decisions
    assert decision.agreed == (("Context level", "Local"),)
    assert decision.reason == "A pronoun whose noun stands before."
    assert decision.before == (("Context level", "Local (1), Sentence level (1)"),)
    text = made.markdown()
    assert decision.source in text
    assert "Why: A pronoun whose noun stands before." in text
    assert "ana" not in text.lower().split()
    assert "A sentence next to it settles the matter" in text


def test_the_version_goes_up_with_every_note_and_decision(settled: Store) -> None:
    first = campaign_guidelines(settled, "first")
    assert first.version == 2
    number = campaign.get(settled, "first").id
    notes.add(settled, number, "Titles are sentence level.", account=None, at=datetime(2026, 5, 1, tzinfo=UTC))
    second = campaign_guidelines(settled, "first")
    assert second.version == 3
    assert second.digest != first.digest
    assert "Titles are sentence level." in second.markdown()
    assert campaign_guidelines(settled, "first").digest == second.digest


def test_a_campaign_without_decisions_has_its_protocols_words_in_the_judges_language(store: Store) -> None:
    opened(store, "h_falcon")
    made = campaign_guidelines(store, "first", language="ko")
    assert (made.version, made.decisions) == (1, ())
    assert "문체와 격식" in made.markdown()
    page = render(made.report())
    assert "Version 1" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_what_is_asked_in_several_contexts_is_printed_once(store: Store) -> None:
    opened(store, "da", design="latin_square", settings={"contexts": ["none", "own±1"]})
    text = campaign_guidelines(store, "first").markdown()
    assert text.count("**Score** (how well the meaning is conveyed)") == 1
    assert text.count("Right: Score: ≥ 90. ") == 1


def test_the_day_of_a_change_is_by_the_clocks_of_the_campaign(settled: Store) -> None:
    days = []
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        campaign.configure(settled, "first", settings={"time_zone": zone})
        changed = campaign_guidelines(settled, "first").changed_at
        assert changed == NOW
        days.append(changed.date())
    assert days[0] > days[1]
