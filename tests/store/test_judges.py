from __future__ import annotations

from types import SimpleNamespace

from lanner.model import Judge, JudgeKind
from lanner.store import Store
from store_rows import NOW


def test_judges_keep_their_order_and_attributes(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.judges.add(filled.campaign, [Judge("model-x", JudgeKind.MODEL)], NOW)
    with store.reading() as tx:
        assert [seat.judge.id for seat in tx.judges.all(filled.campaign)] == ["ana", "bo", "model-x"]
        bo = tx.judges.find(filled.campaign, "bo")
        assert bo is not None and bo.judge.attributes == {"native": "ko"} and not bo.has_link
        assert tx.judges.numbered(bo.number) == bo and tx.judges.find(filled.campaign, "eve") is None


def test_links_open_until_revoked_and_a_new_one_replaces_the_old(store: Store, filled: SimpleNamespace) -> None:
    ana = filled.judges["ana"]
    with store.writing() as tx:
        tx.judges.set_link(ana, "hash-1", NOW)
        tx.judges.set_link(ana, "hash-2", NOW)
    with store.writing() as tx:
        assert tx.judges.by_link("hash-1") is None
        seat = tx.judges.by_link("hash-2")
        assert seat is not None and (seat.number, seat.has_link) == (ana, True)
        tx.judges.revoke_link(ana, NOW)
        assert tx.judges.by_link("hash-2") is None


def test_consent_and_erased_identity(store: Store, filled: SimpleNamespace) -> None:
    ana = filled.judges["ana"]
    with store.writing() as tx:
        tx.judges.set_consent(ana, "2026-01", NOW)
        tx.judges.rename(ana, Judge("judge-1"))
    with store.reading() as tx:
        seat = tx.judges.numbered(ana)
        assert seat is not None and (seat.consent, seat.consented_at) == ("2026-01", NOW)
        assert seat.judge == Judge("judge-1")
        assert tx.judges.find(filled.campaign, "ana") is None
