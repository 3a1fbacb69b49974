"""Many at once: several servers on one PostgreSQL, several organisers at one campaign."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from campaign_parts import opened
from lanner import campaign
from lanner.errors import CampaignError
from lanner.store import Store
from soak.harness import Account, Server, Trial, prepare


@pytest.mark.soak
@pytest.mark.postgres
def test_two_servers_on_one_database_and_one_of_them_killed(postgres_url: str) -> None:
    secrets = prepare(postgres_url)

    async def disturb(trial: Trial) -> None:
        await trial.after_acknowledged(60)
        await trial.kill_and_restart()
        await trial.after_acknowledged(60)

    async def run() -> Account:
        return await Trial(Server(postgres_url), secrets, 3, Server(postgres_url)).run(disturb)

    account = asyncio.run(run())
    assert account.check(postgres_url) == []


def test_of_organisers_who_change_the_same_version_one_is_heard(store: Store, place: str) -> None:
    """Six organisers saw the same settings and change them at once, through two stores: none overwrites another."""
    opened(store)
    with store.reading() as tx:
        seen = tx.campaigns.version(1)
    with Store.open(place) as other:

        def change(number: int) -> str:
            try:
                chosen = (store, other)[number % 2]
                campaign.configure(chosen, "first", settings={"budget": number}, version=seen)
            except CampaignError as refused:
                return f"refused: {refused.code}"
            return "heard"

        with ThreadPoolExecutor(6) as pool:
            outcomes = list(pool.map(change, range(6)))
    assert sorted(outcomes) == ["heard", *["refused: changed"] * 5]
    assert outcomes[campaign.get(store, "first").settings["budget"]] == "heard"


def test_of_those_who_take_a_name_at_once_one_has_it(store: Store) -> None:
    def take(_: int) -> str:
        try:
            return opened(store, "da").name
        except CampaignError as refused:
            return refused.code

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(take, range(6))) == ["first", *["name_taken"] * 5]


def test_of_those_who_close_and_pause_at_once_each_is_told(store: Store) -> None:
    opened(store)

    def move(number: int) -> str:
        try:
            return (campaign.pause, campaign.close)[number % 2](store, "first").state.value
        except CampaignError as refused:
            return f"refused, it is {refused.code}"

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(move, range(6)))
    assert campaign.get(store, "first").state.value == "closed"
    assert outcomes[1::2] == ["closed"] * 3
    assert set(outcomes[::2]) <= {"paused", "refused, it is closed"}
