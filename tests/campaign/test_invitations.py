from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from campaign_parts import JUDGES, NOW, opened
from lanner import campaign
from lanner.campaign import invitations
from lanner.campaign.accounts import KEY_VARIABLE
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from web_clients import open_campaign


def test_a_link_is_secret_and_only_its_hash_is_kept(store: Store) -> None:
    opened(store)
    secret = invitations.issue(store, "first", "ana")
    assert len(secret) * 6 >= 128  # base64: six bits a character
    participant = invitations.lookup(store, secret)
    assert (
        participant is not None
        and participant.judge.id == "ana"
        and participant.campaign == campaign.get(store, "first").id
    )
    assert invitations.lookup(store, secret[:-1]) is None and invitations.lookup(store, "") is None
    assert secret not in repr(campaign.participants(store, "first")) + repr(campaign.events(store, "first"))
    assert invitations.digest(secret) != secret


def test_a_new_link_or_a_revoked_one_ends_the_old(store: Store) -> None:
    opened(store)
    first = invitations.issue(store, "first", "ana")
    participant = invitations.lookup(store, first)
    assert participant is not None
    with store.writing() as tx:
        tx.sessions.add("token", NOW + timedelta(days=1), NOW, judge=participant.number)
    second = invitations.issue(store, "first", "ana")
    assert invitations.lookup(store, first) is None and invitations.lookup(store, second) is not None
    with store.reading() as tx:
        assert tx.sessions.find("token", NOW) is None
    invitations.revoke(store, "first", "ana")
    assert invitations.lookup(store, second) is None


def test_links_for_all_people_who_have_none(store: Store) -> None:
    opened(store, judges=[*JUDGES, Judge("llm", JudgeKind.MODEL)])
    kept = invitations.issue(store, "first", "ana")
    assert set(invitations.issue_all(store, "first")) == {"bo"}
    assert invitations.lookup(store, kept) is not None
    assert invitations.issue_all(store, "first") == {}


def test_who_has_left_gets_a_new_link_by_name_alone(store: Store) -> None:
    """A link for everybody who has none would bring back who was replaced, and their work with them."""
    people = [Judge(name) for name in ("ana", "bo", "cy", "di", "eve")]
    opened(store, judges=people)
    for name in ("ana", "bo", "cy", "di"):
        invitations.issue(store, "first", name)
    campaign.replace_judge(store, "first", "ana", Judge("fay"))
    campaign.replace_judge(store, "first", "eve", Judge("guy"))
    campaign.withdraw(store, "first", "bo")
    campaign.erase(store, "first", "cy")
    invitations.revoke(store, "first", "di")
    items = campaign.progress(store, "first").items
    assert [entry.judge.id for entry in invitations.invited_people(store, "first")] == ["di", "fay", "guy"]
    assert set(invitations.issue_all(store, "first")) == {"fay", "guy"}
    assert campaign.progress(store, "first").items == items
    invitations.issue(store, "first", "ana")
    assert "ana" in [entry.judge.id for entry in invitations.invited_people(store, "first")]
    assert campaign.progress(store, "first").items > items


def test_a_link_can_be_shown_again_with_the_key_and_not_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with Store.open(tmp_path / "lanner.sqlite") as store:
        secret = open_campaign(store)["J1"]
        assert invitations.current_secret(store, "trial", "J1") == secret
        again = invitations.issue(store, "trial", "J1")
        assert again != secret
        assert invitations.current_secret(store, "trial", "J1") == again
        key = tmp_path / "lanner.sqlite.key"
        assert key.stat().st_mode & 0o077 == 0, "nobody else may read the key"
        invitations.revoke(store, "trial", "J1")
        assert invitations.current_secret(store, "trial", "J1") is None
        invitations.issue(store, "trial", "J1")
        key.write_bytes(b"another key entirely, of some length")
        assert invitations.current_secret(store, "trial", "J1") is None, "who has the store alone has no link"


def test_a_key_from_the_environment_serves_any_database(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a long random sentence")
    secret = open_campaign(store)["J2"]
    assert invitations.current_secret(store, "trial", "J2") == secret
    owner = invitations.lookup(store, secret)
    assert owner is not None and owner.judge.id == "J2"
