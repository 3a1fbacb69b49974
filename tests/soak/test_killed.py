"""An acknowledged save survives: sixteen judges with two tabs each, a server killed at random moments, on both
databases.

One kill on each database in every run of the tests, at the two kinds of moments; `make soak` asks for many more
(LANNER_SOAK is how many).
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from random import Random

import pytest

from lanner import campaign
from lanner.store import Store
from soak.harness import NAME, Account, Server, Trial, prepare

KILLS = int(os.environ.get("LANNER_SOAK", "0")) or 1
SEED = int(os.environ.get("LANNER_SOAK_SEED", "11"))


def test_no_acknowledged_save_is_lost_to_kills(place: str, record_property: pytest.RecordProperty) -> None:
    secrets = prepare(place)
    dice = Random(SEED)

    async def disturb(trial: Trial) -> None:
        first = int("://" in place)
        for number in range(first, first + KILLS):
            if number % 2:  # right after an acknowledgement, or while requests are on their way
                await trial.after_acknowledged(dice.randint(1, 120))
            else:
                await trial.after(dice.randint(1, 120))
            await trial.kill_and_restart()
        await trial.after_acknowledged(60)

    async def run() -> Account:
        return await Trial(Server(place), secrets, SEED).run(disturb)

    account = asyncio.run(run())
    assert account.kills == KILLS
    assert account.check(place) == []
    assert account.repeated, "no two tabs ever sent the same"
    summary = (
        f"{account.kills} kills, {len(account.acknowledged)} saves acknowledged, {account.repeated} of them to two "
        f"tabs, {account.tries} sent"
    )
    record_property("account", summary)
    print(summary)


def test_the_account_notices_what_is_missing(sqlite_path: Path) -> None:
    """The check itself: an acknowledged save that is not in the store, and one in the store that nobody sent."""
    prepare(str(sqlite_path), 1)
    with Store.open(sqlite_path) as store:
        task = campaign.tasks(store, NAME, "J0")[0].id
        campaign.submit(store, task, 0, {"holistic": 3}, submission="not-sent")
    account = Account(sent={"lost": {"holistic": 4}}, acknowledged={"lost": {"holistic": 17}})
    assert account.check(str(sqlite_path)) == [
        "lost was acknowledged and is not there as it was",
        "not-sent is not what was sent",
        "lost is not what was sent",
    ]
