"""Documents that one process at a time works on."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from killed_process import KilledProcess
from lanner.errors import StoreError
from lanner.store import Store
from lanner.store.claims import claim_documents, running_judges


def hold_documents(place: str, say: Callable[[str], None]) -> None:
    with Store.open(place) as store, claim_documents(store, 1, ["a", "b"]):
        say("held")
        signal.pause()


def run_judge(place: str, say: Callable[[str], None]) -> None:
    with Store.open(place) as store, running_judges(store, {"m": 7}):
        say("held")
        signal.pause()


@pytest.mark.postgres
def test_what_one_has_another_does_not_get_until_it_is_given_back(postgres_url: str) -> None:
    with Store.open(postgres_url) as store, Store.open(postgres_url) as other:
        with claim_documents(store, 1, ["a", "b"]) as mine:
            assert mine == {"a", "b"}
            with claim_documents(other, 1, ["b", "c"]) as theirs, claim_documents(other, 2, ["a"]) as elsewhere:
                assert theirs == {"c"}
                assert elsewhere == {"a"}
        with claim_documents(other, 1, ["a", "b", "c"]) as after:
            assert after == {"a", "b", "c"}


@pytest.mark.postgres
def test_a_process_that_is_killed_gives_back_what_it_had(postgres_url: str) -> None:
    holder = KilledProcess(hold_documents, postgres_url)
    assert holder.said(1) == ["held"]
    with Store.open(postgres_url) as store:
        with claim_documents(store, 1, ["a", "b", "c"]) as mine:
            assert mine == {"c"}
        holder.kill()
        for _ in range(1000):  # the server has to hear of it first
            with claim_documents(store, 1, ["a", "b"]) as mine:
                if mine == {"a", "b"}:
                    break
        else:
            pytest.fail("the documents of a dead process were never given back")


def test_a_sqlite_file_is_not_for_several_machines(tmp_path: Path) -> None:
    with (
        Store.open(tmp_path / "s.db") as store,
        pytest.raises(StoreError, match="other machines cannot share"),
        claim_documents(store, 1, ["a"]),
    ):
        pass


def test_a_judge_is_run_by_one_process_at_a_time_and_free_when_that_dies(place: str) -> None:
    holder = KilledProcess(run_judge, place)
    assert holder.said(1) == ["held"]
    with Store.open(place) as store:
        with pytest.raises(StoreError, match="'m' is being run already"), running_judges(store, {"m": 7}):
            raise AssertionError
        with running_judges(store, {"other": 8}):
            pass
        holder.kill()
        for _ in range(2):  # given back at the end of the block too
            with running_judges(store, {"m": 7}):
                pass


def test_a_lock_without_its_process_holds_nobody_up_and_none_is_left_behind(sqlite_path: Path) -> None:
    with Store.open(sqlite_path) as store:
        Path(f"{sqlite_path}.judge-7.lock").write_text("process 1 on elsewhere", encoding="utf-8")
        with (
            running_judges(store, {"m": 7}),
            pytest.raises(StoreError, match="process"),
            running_judges(store, {"m": 7}),
        ):
            raise AssertionError
        assert not list(sqlite_path.parent.glob("*.lock"))
