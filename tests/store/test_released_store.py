"""A store that the released version 0.1.0 wrote: it opens, is brought up to date, keeps everything, and is found whole.

`data/store-0.1.0.sqlite.gz` was made by that version: H-FALCON, two documents, three judges who answered everything, a
revision, a judge who withdrew, an account, a webhook whose secret lies in plain text.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lanner import campaign
from lanner.campaign.accounts import is_sealed
from lanner.campaign.webhooks import seal_secrets, secret_of
from lanner.store import Store
from lanner.store.backup import backup, restore, verify, verify_file
from lanner.store.judgements import MIGRATED

RELEASED = Path(__file__).parent / "data" / "store-0.1.0.sqlite.gz"


@pytest.fixture
def released(tmp_path: Path) -> Path:
    path = tmp_path / "released.sqlite"
    path.write_bytes(gzip.decompress(RELEASED.read_bytes()))
    return path


def problems(store: Store) -> dict[str, tuple[str, ...]]:
    return {finding.check: finding.problems for finding in verify(store) if finding.problems}


def test_the_file_as_it_is_is_found_sound_and_stays_as_it_is(released: Path) -> None:
    before = released.read_bytes()
    assert not [finding for finding in verify_file(released) if finding.problems]
    assert released.read_bytes() == before


def test_opening_brings_it_up_to_date_and_keeps_every_answer(released: Path) -> None:
    with Store.open(released, create=False) as store:
        history, current = campaign.history(store, "trial"), campaign.judgements(store, "trial")
        assert {row.judge for row in history} == {"ana", "bo"}
        assert len(history) == len(current) + 1, "one answer was revised"
        (revised,) = [row for row in current if row.supersedes is not None]
        assert (revised.judge, revised.question, revised.value) == ("ana", "holistic", 3)
        assert problems(store) == {}
        head = campaign.chain_head(store, "trial")
        assert head is not None and head.note == MIGRATED and head.judgements == len(history)
        assert store.durability() == []


def test_it_is_answered_backed_up_and_restored_like_any_other(released: Path, tmp_path: Path) -> None:
    with Store.open(released, create=False) as store:
        task = campaign.tasks(store, "trial", "bo")[0]
        saved = campaign.submit(store, task.id, 0, {"holistic": 2}, submission="after-the-update")
        assert list(saved.ids) == ["holistic"]
        again = campaign.submit(store, task.id, 0, {"holistic": 2}, submission="after-the-update")
        assert again.repeated and again.ids == saved.ids
        assert problems(store) == {}
        backup(store, tmp_path / "copy.sqlite")
    restore(tmp_path / "copy.sqlite", tmp_path / "restored.sqlite")
    with Store.open(tmp_path / "restored.sqlite", create=False) as store:
        assert problems(store) == {}
        assert campaign.judgements(store, "trial")[-1].value == 2


def test_tampering_after_the_update_is_found(released: Path) -> None:
    with Store.open(released, create=False) as store:
        with store.filling() as connection:
            connection.exec_driver_sql("DROP TRIGGER judgement_append_only")
            connection.exec_driver_sql("UPDATE judgement SET value = '10' WHERE id = 3")
        assert "judgements as committed" in problems(store)


def test_its_webhook_is_sealed_and_no_backup_has_the_secret(released: Path, tmp_path: Path) -> None:
    secret = "a-secret-in-plain-text"
    with Store.open(released, create=False) as store:
        copy = backup(store, tmp_path / "before.sqlite").path
        assert secret.encode() not in copy.read_bytes()
        assert seal_secrets(store) == 1
        with store.reading() as tx:
            (hook,) = tx.webhooks.all()
        assert is_sealed(hook.secret) and secret_of(store, hook.secret) == secret
        copy = backup(store, tmp_path / "after.sqlite").path
        assert secret.encode() not in copy.read_bytes()
