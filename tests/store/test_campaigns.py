from __future__ import annotations

import json
from datetime import timedelta
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.model import CampaignState, Document, Judge, JudgeKind, Segment
from lanner.store import Store, fingerprint
from lanner.store.campaigns import decode, encode
from property_examples import examples
from store_rows import NOW, PROTOCOL, answer, document, fill


def test_found_by_id_and_by_name(store: Store, filled: SimpleNamespace) -> None:
    with store.reading() as tx:
        by_id, by_name = tx.campaigns.find(filled.campaign), tx.campaigns.find("first")
        assert by_id == by_name and by_id is not None
        assert (by_id.title, by_id.seed, by_id.state, by_id.created_at) == ("First", 3, CampaignState.OPEN, NOW)
        assert tx.campaigns.find("nobody") is None
        assert tx.campaigns.plan(filled.campaign) == {"options": {}, "systems": ["alder", "birch"]}


def test_states_and_details_change_and_are_counted(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.campaigns.lock(filled.campaign)
        tx.campaigns.set_state(filled.campaign, CampaignState.OPEN, opened_at=NOW + timedelta(days=1))
        tx.campaigns.set_details(filled.campaign, title="Second", settings={"idle_seconds": 3})
    with store.reading() as tx:
        found = tx.campaigns.find(filled.campaign)
        assert found is not None and found.title == "Second" and found.settings == {"idle_seconds": 3}
        assert found.opened_at == NOW  # opened once; opening again does not change when
        assert tx.campaigns.version(filled.campaign) == 3


def test_a_draft_can_be_redefined(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        other = PROTOCOL.model_copy(update={"name": "other", "version": "2"})
        tx.campaigns.redefine(filled.campaign, other, "new", design="pool", seed=9, systems=["x"], options={"k": 2})
    with store.reading() as tx:
        found = tx.campaigns.find(filled.campaign)
        assert found is not None
        assert (found.protocol_name, found.protocol_hash, found.design, found.seed) == ("other", other.hash, "pool", 9)
        assert tx.campaigns.protocol(filled.campaign) == other
        assert tx.campaigns.plan(filled.campaign) == {"options": {"k": 2}, "systems": ["x"]}
        assert tx.campaigns.corpus_hash(filled.campaign) == "new"


def test_removing_takes_everything_of_one_campaign_only(store: Store, filled: SimpleNamespace) -> None:
    other = fill(store, "second")
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1), answer(filled, 2, revision=2, supersedes=1), answer(other, 3)])
        tx.sessions.add("hash", NOW + timedelta(days=1), NOW, judge=filled.judges["ana"])
        tx.events.add("opened", NOW, campaign=filled.campaign)
        tx.campaigns.remove(filled.campaign)
    with store.reading() as tx:
        assert [found.name for found in tx.campaigns.all()] == ["second"]
        assert tx.judgements.last() == 3 and tx.judgements.count(other.campaign) == 1
        assert len(tx.tasks.of_campaign(other.campaign)) == 2


def test_the_log_of_a_campaign_in_order(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.events.add("opened", NOW, campaign=filled.campaign)
        tx.events.add("signed in", NOW)
        tx.events.add("imported", NOW, campaign=filled.campaign, rows=3)
    with store.reading() as tx:
        log = tx.events.of(filled.campaign)
    assert [(e.kind, e.at, dict(e.detail)) for e in log] == [("opened", NOW, {}), ("imported", NOW, {"rows": 3})]


words = st.text(max_size=12)
segments = st.builds(
    Segment,
    id=words,
    source=words,
    outputs=st.dictionaries(words, words, max_size=2),
    references=st.dictionaries(words, words, max_size=2),
    paragraph=st.none() | st.integers(0, 9),
    judged=st.booleans(),
    flags=st.tuples(words),
    meta=st.dictionaries(words, st.none() | st.integers(-5, 5) | words | st.lists(words, max_size=2), max_size=2),
)
documents = st.builds(
    Document, id=words, segments=st.lists(segments, max_size=3).map(tuple), domain=words, title=words,
    glossary=st.dictionaries(words, words, max_size=2), meta=st.dictionaries(words, st.booleans(), max_size=2),
)  # fmt: skip


@given(documents)
@settings(max_examples=examples(60), deadline=None)
def test_a_document_comes_back_as_it_was(given_: Document) -> None:
    assert decode(encode(given_)) == given_


def test_order_and_numbers(store: Store, filled: SimpleNamespace) -> None:
    with store.reading() as tx:
        assert [d.id for d in tx.documents.all(filled.campaign)] == ["one", "two"]
        assert tx.documents.find(filled.campaign, "two") == document("two", domain="talk")
        assert tx.documents.find(filled.campaign, "three") is None
        numbers = tx.documents.numbers(filled.campaign)
        assert list(numbers) == ["", "one", "two"]
        assert {key: tx.documents.number(filled.campaign, key) for key in numbers} == numbers
        assert tx.documents.number(filled.campaign, "three") is None


def test_the_fingerprint_sees_every_change() -> None:
    one, two = document("one"), document("two")
    prints = {fingerprint(d) for d in ([one, two], [two, one], [one], [one, document("two", domain="news")])}
    assert len(prints) == 4 and fingerprint([one, two]) in prints


LEASE = timedelta(minutes=1)


def test_whoever_wants_to_know_is_told_once(store: Store, filled: SimpleNamespace) -> None:
    other = fill(store, "second")
    with store.writing() as tx:
        for campaign, events in ((None, ["task.finished"]), (filled.campaign, ["task.finished"]), (None, ["other"])):
            tx.webhooks.add("https://example.org", "secret", events, NOW, campaign=campaign)
        tx.webhooks.announce(other.campaign, "task.finished", {"task": 7}, NOW)
        taken = tx.webhooks.take(NOW, LEASE)
        assert taken and json.loads(taken.body) == {"event": "task.finished", "task": 7}
        assert taken.webhook.secret == "secret"
        assert tx.webhooks.take(NOW, LEASE) is None, "someone else has it"
        again = tx.webhooks.take(NOW + 2 * LEASE, LEASE)
        assert again and (again.id, again.attempts) == (taken.id, 2)
        tx.webhooks.mark_delivered(again.id, NOW)
        assert tx.webhooks.take(NOW + 9 * LEASE, LEASE) is None
        assert tx.webhooks.waiting() == []


def test_what_fails_is_tried_again_and_then_left(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        number = tx.webhooks.add("https://example.org", "s", ["campaign.finished"], NOW)
        tx.webhooks.announce(filled.campaign, "campaign.finished", {}, NOW)
        taken = tx.webhooks.take(NOW, LEASE)
        assert taken
        tx.webhooks.mark_failed(taken.id, "answered 500", NOW + timedelta(hours=1))
        assert tx.webhooks.take(NOW + LEASE, LEASE) is None
        assert tx.webhooks.waiting() == [("campaign.finished", 1, "answered 500")]
        tx.webhooks.mark_failed(taken.id, "answered 500", None)
        assert tx.webhooks.take(NOW + timedelta(days=9), LEASE) is None
        assert tx.webhooks.remove(number, NOW)
        assert not tx.webhooks.remove(number, NOW)
        assert tx.webhooks.all() == []


def test_what_a_message_said_is_kept_only_as_long_as_it_may_be_sent(store: Store, filled: SimpleNamespace) -> None:
    def bodies() -> list[str]:
        with store.snapshot() as connection:
            return list(connection.exec_driver_sql("SELECT body FROM delivery ORDER BY id").scalars())

    with store.writing() as tx:
        number = tx.webhooks.add("https://example.org", "s", ["task.finished"], NOW)
        for task in (1, 2, 3):
            tx.webhooks.announce(filled.campaign, "task.finished", {"task": task}, NOW)
        first, second = tx.webhooks.take(NOW, LEASE), tx.webhooks.take(NOW, LEASE)
        assert first and second
        tx.webhooks.mark_failed(first.id, "answered 500", None)
        tx.webhooks.mark_failed(second.id, "answered 500", NOW + LEASE)
    assert bodies() == ["", '{"event":"task.finished","task":2}', '{"event":"task.finished","task":3}']
    with store.writing() as tx:
        tx.webhooks.remove(number, NOW)
    assert bodies() == ["", "", ""]


# Who judges in a campaign, and the secret links they come by


def test_judges_keep_their_order_and_attributes(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.judges.add(filled.campaign, [Judge("model-x", JudgeKind.MODEL)], NOW)
    with store.reading() as tx:
        assert [participant.judge.id for participant in tx.judges.all(filled.campaign)] == ["ana", "bo", "model-x"]
        bo = tx.judges.find(filled.campaign, "bo")
        assert bo is not None and bo.judge.attributes == {"native": "ko"} and not bo.has_link
        assert tx.judges.by_number(bo.number) == bo and tx.judges.find(filled.campaign, "eve") is None


def test_links_open_until_revoked_and_a_new_one_replaces_the_old(store: Store, filled: SimpleNamespace) -> None:
    ana = filled.judges["ana"]
    with store.writing() as tx:
        tx.judges.set_link(ana, "hash-1", NOW)
        tx.judges.set_link(ana, "hash-2", NOW)
    with store.writing() as tx:
        assert tx.judges.by_link("hash-1") is None
        participant = tx.judges.by_link("hash-2")
        assert participant is not None and (participant.number, participant.has_link) == (ana, True)
        tx.judges.revoke_link(ana, NOW)
        assert tx.judges.by_link("hash-2") is None


def test_consent_and_erased_identity(store: Store, filled: SimpleNamespace) -> None:
    ana = filled.judges["ana"]
    with store.writing() as tx:
        tx.judges.set_consent(ana, "2026-01", NOW)
        tx.judges.rename(ana, Judge("judge-1"))
    with store.reading() as tx:
        participant = tx.judges.by_number(ana)
        assert participant is not None and (participant.consent, participant.consented_at) == ("2026-01", NOW)
        assert participant.judge == Judge("judge-1")
        assert tx.judges.find(filled.campaign, "ana") is None
