from __future__ import annotations

from datetime import timedelta

import pytest

from campaign_parts import JUDGES, NOW, corpus, first_task, opened, save
from lanner import campaign
from lanner.errors import CampaignError
from lanner.model import CampaignState
from lanner.store import Store


def test_the_life_of_a_campaign(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES, at=NOW)
    assert campaign.open(store, "first", at=NOW).opened_at == NOW
    assert campaign.pause(store, "first").state is CampaignState.PAUSED
    assert campaign.reopen(store, "first", at=NOW + timedelta(days=1)).opened_at == NOW
    assert campaign.close(store, "first").state is CampaignState.CLOSED
    assert campaign.close(store, "first").state is CampaignState.CLOSED  # twice is no mistake
    assert campaign.reopen(store, "first").state is CampaignState.OPEN
    kinds = [event.kind for event in campaign.events(store, "first")]
    assert kinds == ["created", "opened", "paused", "reopened", "closed", "reopened"]


def test_what_cannot_be(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES)
    for change in (campaign.pause, campaign.close, campaign.reopen):
        with pytest.raises(CampaignError) as caught:
            change(store, "first")
        assert caught.value.code == "draft"
    campaign.create(store, "empty", corpus(), "h_falcon")
    with pytest.raises(CampaignError, match="no judges"):
        campaign.open(store, "empty")
    with pytest.raises(CampaignError, match="no campaign 'frist'") as caught:
        campaign.open(store, "frist")
    assert "first" in caught.value.next_step


def test_two_organisers_do_not_overwrite_each_other(store: Store) -> None:
    opened(store, settings={"note": "1", "margin": 2})
    with store.reading() as tx:
        seen = tx.campaigns.version(campaign.get(store, "first").id)
    changed = campaign.configure(store, "first", title="New", settings={"margin": 3, "note": None}, version=seen)
    assert (changed.title, changed.settings) == ("New", {"margin": 3})
    with pytest.raises(CampaignError) as caught:
        campaign.configure(store, "first", settings={"margin": 4}, version=seen)
    assert caught.value.code == "changed"
    assert campaign.get(store, "first").settings == {"margin": 3}


def test_deleting_needs_the_name(store: Store) -> None:
    opened(store)
    save(store, first_task(store))
    with pytest.raises(CampaignError):
        campaign.remove(store, "first", name="First")
    assert campaign.judgements(store, "first")
    campaign.remove(store, "first", name="first")
    assert campaign.campaigns(store) == []
    opened(store)
    assert campaign.judgements(store, "first") == []
    assert save(store, first_task(store)).done  # nothing of the old tasks is remembered
