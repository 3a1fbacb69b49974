from __future__ import annotations

from datetime import timedelta

from campaign_parts import JUDGES, NOW, opened
from lanner import campaign
from lanner.campaign import links
from lanner.model import Judge, JudgeKind
from lanner.store import Store


def test_a_link_is_secret_and_only_its_hash_is_kept(store: Store) -> None:
    opened(store)
    secret = links.issue(store, "first", "ana")
    assert len(secret) * 6 >= 128  # base64: six bits a character
    seat = links.lookup(store, secret)
    assert seat is not None and seat.judge.id == "ana" and seat.campaign == campaign.get(store, "first").id
    assert links.lookup(store, secret[:-1]) is None and links.lookup(store, "") is None
    assert secret not in repr(campaign.seats(store, "first")) + repr(campaign.events(store, "first"))
    assert links.digest(secret) != secret


def test_a_new_link_or_a_revoked_one_ends_the_old(store: Store) -> None:
    opened(store)
    first = links.issue(store, "first", "ana")
    seat = links.lookup(store, first)
    assert seat is not None
    with store.writing() as tx:
        tx.sessions.add("token", NOW + timedelta(days=1), NOW, judge=seat.number)
    second = links.issue(store, "first", "ana")
    assert links.lookup(store, first) is None and links.lookup(store, second) is not None
    with store.reading() as tx:
        assert tx.sessions.find("token", NOW) is None
    links.revoke(store, "first", "ana")
    assert links.lookup(store, second) is None


def test_links_for_all_people_who_have_none(store: Store) -> None:
    opened(store, judges=[*JUDGES, Judge("llm", JudgeKind.MODEL)])
    kept = links.issue(store, "first", "ana")
    assert set(links.issue_all(store, "first")) == {"bo"}
    assert links.lookup(store, kept) is not None
    assert links.issue_all(store, "first") == {}
