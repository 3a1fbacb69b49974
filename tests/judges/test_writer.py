"""Group commit: ledger before answers, many in one commit, and an error reaches everybody who waits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from lanner import campaign
from lanner.campaign import Saved, Submission
from lanner.errors import LannerError
from lanner.judges.writer import Writer
from lanner.model import Judge, JudgeKind
from lanner.store import Assigned, Store
from model_campaign import corpus, opened
from store.test_ledger import entry


def ready(store: Store) -> tuple[int, int, int, int]:
    number = opened(store, "da", corpus(1, 3))
    campaign.add_judges(store, number, [Judge("m", JudgeKind.MODEL)])
    with store.reading() as tx:
        seat = tx.judges.all(number)[0].number
        return number, seat, tx.documents.numbers(number)["d0"], tx.ledger.open_tasks(seat)[0].task


def assigned(store: Store, task: int) -> Assigned:
    with store.reading() as tx:
        found = tx.tasks.assigned(task)
    assert found is not None
    return found


def test_everything_handed_in_together_is_one_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number, seat, document, task = ready(store)
        commits: list[int] = []
        real = Store.write
        monkeypatch.setattr(Store, "write", lambda store, work: (commits.append(1), real(store, work))[1])

        async def go() -> list[Saved | LannerError]:
            async with Writer(store) as writer:
                for place in range(3):
                    writer.record(entry(number, seat, document, key=f"k{place}"))
                given = [Submission(task, place, {"score": 50}, f"s{place}", judge=seat) for place in range(3)]
                wrong = Submission(task, 0, {"score": 500}, "bad", judge=seat)
                found = await asyncio.gather(*(writer.submit(one) for one in [*given, wrong]))
                await writer.finish(assigned(store, task))
                return found

        *saved, refused = asyncio.run(go())
        assert all(isinstance(one, Saved) for one in saved)
        assert isinstance(refused, LannerError)
        assert len(commits) == 2  # replies and answers, then the end of the task
        assert campaign.task(store, task).finished_at is not None
        with store.reading() as tx:
            assert len(tx.ledger.of_document(seat, document)) == 3


def test_an_unfinished_task_stays_open(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        *_, task = ready(store)

        async def go() -> None:
            async with Writer(store) as writer:
                await writer.finish(assigned(store, task))

        asyncio.run(go())
        assert campaign.task(store, task).finished_at is None


def test_a_disk_that_fails_is_heard_of_by_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number, seat, document, task = ready(store)

        def full(_work: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(store, "write", full)

        async def go() -> None:
            async with Writer(store) as writer:
                writer.record(entry(number, seat, document))
                await writer.submit(Submission(task, 0, {"score": 1}, "s", judge=seat))

        with pytest.raises(OSError, match="disk full"):
            asyncio.run(go())


def test_answers_are_kept_where_a_task_cannot_be_finished(tmp_path: Path) -> None:
    """What is handed in together is one transaction; what spoils it must not take the rest along."""
    with Store.open(tmp_path / "s.db") as store:
        number, seat, document, task = ready(store)

        async def go() -> list[Saved | LannerError | None]:
            async with Writer(store) as writer:
                writer.record(entry(number, seat, document))
                answer = writer.submit(Submission(task, 0, {"score": 50}, "s", judge=seat))
                known = assigned(store, task)
                gone = replace(known, task=replace(known.task, id=task + 999))
                return await asyncio.gather(answer, writer.finish(gone), return_exceptions=True)

        with pytest.raises(LannerError, match="no task"):
            asyncio.run(go())
        assert len(campaign.judgements(store, number)) == 1
        with store.reading() as tx:
            assert len(tx.ledger.of_document(seat, document)) == 1
