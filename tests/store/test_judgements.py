from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from sqlalchemy import Connection, event

from campaign_parts import corpus, first_task, opened, save, scales
from lanner import campaign
from lanner.model import Role
from lanner.store import CollisionError, Key, Store
from lanner.store.backup import backup, restore, verify
from lanner.store.judgements import _HEADS, _KEY, MIGRATED, link_hash, row_digest
from lanner.store.rows import moment
from store_rows import answer, fill, found_behind_our_back


def test_what_is_added_is_read_back(store: Store, filled: SimpleNamespace) -> None:
    row = answer(
        filled, 1, value='{"a":"high","b":"low"}', flags='["too_few"]', systems='["birch","alder"]', role="repeat",
        answered_at=1_772_366_400_123_456, origin="file.csv:7",
    )  # fmt: skip
    with store.writing() as tx:
        tx.judgements.add([row])
    with store.reading() as tx:
        (found,) = tx.judgements.current(filled.campaign)
    assert found.value == {"a": "high", "b": "low"} and found.flags == ("too_few",) and found.origin == "file.csv:7"
    assert (found.judge, found.document, found.segment, found.systems) == ("ana", "one", "0", ("birch", "alder"))
    assert found.role is Role.REPEAT and found.task == filled.tasks["ana"] and found.id == 1
    assert found.answered_at == datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
    assert (found.elapsed_seconds, found.active_seconds) == (9.0, 7.5)


def test_current_answers_are_those_nobody_supersedes(store: Store, filled: SimpleNamespace) -> None:
    chain = [
        answer(filled, 1),
        answer(filled, 2, value="4", revision=2, supersedes=1, base=1),
        answer(filled, 3, segment="1"),
        answer(filled, 4, value="1", revision=3, supersedes=2, base=2),
    ]
    with store.writing() as tx:
        tx.judgements.add(chain)
    with store.reading() as tx:
        assert [(j.id, j.value) for j in tx.judgements.current(filled.campaign)] == [(3, 3), (4, 1)]
        assert [j.supersedes for j in tx.judgements.history(filled.campaign)] == [None, 1, None, 2]
        assert [j.id for j in tx.judgements.history(filled.campaign, after=2)] == [3, 4]
        about = [tuple(answer(filled, 0, segment=segment)[name] for name in _KEY) for segment in ("0", "1", "2")]
        assert sorted(tx.judgements.head_numbers(about).values()) == [(3, 1), (4, 3)]
        assert tx.judgements.last() == 4


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"submission": "submission-1"}, id="the same submission stored twice"),
        pytest.param({"segment": "0"}, id="two first answers to one question"),
        pytest.param({"segment": "0", "revision": 2, "supersedes": 5}, id="two revisions of one answer"),
    ],
)
def test_the_tables_themselves_keep_the_history_straight(
    store: Store, filled: SimpleNamespace, second: dict[str, object]
) -> None:
    with store.writing() as tx:
        first = [
            answer(filled, 1),
            answer(filled, 5, segment="5"),
            answer(filled, 6, segment="5", revision=2, supersedes=5),
        ]
        tx.judgements.add(first)
    with pytest.raises(CollisionError), store.writing() as tx:
        tx.judgements.add([answer(filled, 9, **{"segment": "9", **second})])


def test_questionnaires_have_one_first_answer_too(store: Store, filled: SimpleNamespace) -> None:
    """The document of questionnaires is a row like any other: an absent one would be unequal to itself in SQL."""
    about_judge = {"document": filled.documents[""], "segment": "", "systems": "[]", "task": None}
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1, **about_judge)])
    with pytest.raises(CollisionError), store.writing() as tx:
        tx.judgements.add([answer(filled, 2, **about_judge)])
    with store.reading() as tx:
        assert [j.document for j in tx.judgements.current(filled.campaign)] == [""]


def test_the_answers_that_hold_are_found_by_their_keys(store: Store, filled: SimpleNamespace) -> None:
    ana, bo, one = filled.judges["ana"], filled.judges["bo"], filled.documents["one"]
    odd = "a \"b\" \\ 'c' 🌲"
    revised = [answer(filled, 10 + n, revision=n, supersedes=9 + n if n > 1 else None) for n in range(1, 8)]
    with store.writing() as tx:
        tx.judgements.add([*revised, answer(filled, 30, segment=odd), answer(filled, 31, judge=bo)])
        tx.judgements.add([answer(filled, 32, question="r"), answer(filled, 33, role="repeat", value="9")])
    rest = ("s", "q", '["alder"]', "main")
    keys: list[Key] = [
        (ana, one, "0", *rest),
        (ana, one, "0", "s", "q", '["alder"]', "repeat"),
        (ana, one, odd, *rest),
        (bo, one, "0", *rest),
        (bo, one, "1", *rest),
    ]
    with store.reading() as tx:
        heads = tx.judgements.heads_of(keys)
        assert {unit: sorted(row.id for row in rows) for unit, rows in heads.items()} == {
            (ana, one, "0"): [17, 33],
            (ana, one, odd): [30],
            (bo, one, "0"): [31],
        }
        (head,) = [row for row in heads[ana, one, "0"] if row.id == 17]
        assert (head.revision, head.supersedes, head.value, head.question, head.role) == (7, 16, "3", "q", "main")
        assert tx.judgements.heads_of([]) == {}


def test_heads_are_found_at_the_end_of_the_index(store: Store) -> None:
    """However many revisions there are, one row of each key is read."""
    if store.kind != "sqlite":
        pytest.skip("PostgreSQL plans by how many rows it believes there are")
    with store.snapshot() as connection:
        compiled = _HEADS["sqlite"].params(keys="[]").compile(connection, compile_kwargs={"literal_binds": True})
        plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}").fetchall()]
    assert [step for step in plan if step.startswith("SCAN") and "VIRTUAL TABLE" not in step] == [], plan
    assert not [step for step in plan if "TEMP B-TREE" in step and "ORDER" in step], plan
    assert any(
        "revision" not in step and "judgement_key (judge=? AND document=? AND segment=?" in step for step in plan
    )


def test_answers_about_a_unit_and_a_document(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1), answer(filled, 2, segment="1"), answer(filled, 3, question="r")])
    judge, document = filled.judges["ana"], filled.documents["one"]
    with store.reading() as tx:
        by_segment = tx.judgements.of_document(judge, document)
        assert {segment: [a.id for a in rows] for segment, rows in by_segment.items()} == {"0": [1, 3], "1": [2]}
        assert tx.judgements.of_document(filled.judges["bo"], document) == {}
        assert tx.judgements.progress_of(filled.campaign, "submission-2") == (
            0,
            moment(answer(filled, 2)["received_at"]),
        )
        assert tx.judgements.progress_of(filled.campaign + 1, "submission-2") is None


def test_the_history_of_some_answers(store: Store, filled: SimpleNamespace) -> None:
    other = fill(store, "second")
    rows = [
        answer(filled, 1), answer(filled, 2, value="4", revision=2, supersedes=1), answer(filled, 3, question="r"),
        answer(filled, 4, segment="1"), answer(filled, 5, judge=filled.judges["bo"], task=None), answer(other, 6),
    ]  # fmt: skip
    with store.writing() as tx:
        tx.judgements.add(rows)
    with store.reading() as tx:

        def ids(**wanted: str) -> list[int | None]:
            return [j.id for j in tx.judgements.about(filled.campaign, **wanted)]

        assert ids(judge="ana", document="one", segment="0", question="q") == [1, 2]
        assert ids(judge="bo") == [5] and ids(document="one") == [1, 2, 3, 4, 5] and ids(document="two") == []
        assert ids(question="r") == [3] and ids(judge="nobody") == []


def test_campaigns_are_apart(store: Store, filled: SimpleNamespace) -> None:
    other = fill(store, "second")
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1), answer(other, 2, submission="submission-1", value='"x"')])
    with store.reading() as tx:
        assert [j.value for j in tx.judgements.current(other.campaign)] == ["x"]
        assert tx.judgements.count(filled.campaign) == 1


def test_a_judge_can_withdraw(store: Store, filled: SimpleNamespace) -> None:
    mine = [answer(filled, 1), answer(filled, 2, revision=2, supersedes=1)]
    with store.writing() as tx:
        tx.judgements.add([*mine, answer(filled, 3, judge=filled.judges["bo"], task=None)])
    with store.writing() as tx:
        assert tx.judgements.withdraw(filled.judges["ana"]) == 2
    with store.reading() as tx:
        assert [j.judge for j in tx.judgements.history(filled.campaign)] == ["bo"]


def test_lists_and_objects_are_not_shared_between_judgements(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1, value='["a"]'), answer(filled, 2, value='["a"]', segment="1")])
    with store.reading() as tx:
        one, two = tx.judgements.current(filled.campaign)
    one.value.append("b")
    assert two.value == ["a"]


SCALE = {"id": "q", "kind": "scale", "min": 1, "max": 9}
CHECK = "judgements as committed"


@pytest.fixture
def judged(store: Store) -> Store:
    """A campaign with ten saves of two judges, one of them a revision."""
    opened(store, scales(SCALE), documents=corpus((1, 1, 1, 1, 1), ("alder",)))
    for judge in ("ana", "bo"):
        for n, task in enumerate(campaign.tasks(store, "first", judge)[:4]):
            save(store, task, 0, {"q": 1 + n})
    save(store, first_task(store), 0, {"q": 9})
    return store


def altered(store: Store) -> tuple[str, ...]:
    return next(found.problems for found in verify(store) if found.check == CHECK)


COLUMNS = (
    "campaign, judge, task, document, segment, stage, question, systems, role, revision, supersedes, base, value,"
    " flags, submission, part, elapsed, active, answered_at, received_at, origin"
)
FORGED = (
    COLUMNS.replace("revision", "revision + 7").replace("submission", "'forged-0001'").replace("supersedes", "NULL")
)
TAMPERING = {
    "a value changed": ["UPDATE judgement SET value = '8' WHERE id = 2"],
    "a time changed": ["UPDATE judgement SET received_at = received_at - 86400000000 WHERE id = 3"],
    "an effort changed": ["UPDATE judgement SET active = 1.5 WHERE id = 3"],
    "the judge swapped": ["UPDATE judgement SET judge = 3 - judge, revision = revision + 40"],
    "the newest save deleted": ["DELETE FROM judgement WHERE id = (SELECT max(id) FROM judgement)"],
    "the oldest save deleted": ["DELETE FROM judgement WHERE id = 2"],
    "a save forged at the end": [
        f"INSERT INTO judgement (id, {COLUMNS}) SELECT 999, {FORGED} FROM judgement WHERE id = 4"
    ],
    "a save put in the place of another": [
        "DELETE FROM judgement WHERE id = 4",
        f"INSERT INTO judgement (id, {COLUMNS}) SELECT 4, {FORGED} FROM judgement WHERE id = 5",
    ],
    "two saves swapped": [
        "UPDATE judgement SET value = (SELECT max(value) FROM judgement WHERE id IN (2, 3)) WHERE id = 2",
        "UPDATE judgement SET value = '2' WHERE id = 3 AND value <> '2'",
    ],
    "a flag added": ["UPDATE judgement SET flags = '[\"cleared\"]' WHERE id = 6"],
    "a link deleted": ["DELETE FROM chain WHERE id = 4"],
    "a link made anew": ["UPDATE chain SET hash = '" + "0" * 64 + "' WHERE id = 4"],
    "a withdrawal invented": [
        "INSERT INTO withdrawn (id, campaign, digest) SELECT id, campaign, '00' FROM judgement WHERE id = 7",
        "DELETE FROM judgement WHERE id = 7",
    ],
}


def test_what_was_committed_is_found_unaltered(judged: Store) -> None:
    assert altered(judged) == ()
    with judged.reading() as tx:
        head = tx.chain.head(campaign.get(judged, "first").id)
        assert head is not None and head.judgements == 9 and len(head.hash) == 64 and head.note == ""


def test_tampering_is_found(judged: Store) -> None:
    unnoticed = [
        kind for kind, statements in TAMPERING.items() if CHECK not in found_behind_our_back(judged, *statements)
    ]
    assert unnoticed == []
    assert altered(judged) == (), "each was taken back"


def test_a_published_hash_is_found_in_the_chain_and_another_is_not(judged: Store) -> None:
    head = campaign.chain_head(judged, "first")
    assert head is not None
    save(judged, first_task(judged), 0, {"q": 3})
    assert [found for found in verify(judged, head.hash) if found.problems] == []
    (other,) = [found for found in verify(judged, "0" * 64) if found.problems]
    assert other.check == "published hash"


def test_a_lock_that_does_nothing_or_is_switched_off_is_found(judged: Store) -> None:
    with judged.filling() as connection:
        if judged.kind == "sqlite":
            connection.exec_driver_sql("DROP TRIGGER judgement_append_only")
            connection.exec_driver_sql(
                "CREATE TRIGGER judgement_append_only BEFORE UPDATE ON judgement BEGIN SELECT 1; END"
            )
        else:
            connection.exec_driver_sql("ALTER TABLE judgement DISABLE TRIGGER ALL")
    assert any(found.check == "steps and locks" and found.problems for found in verify(judged))


def test_a_judge_who_withdraws_leaves_the_chain_whole_and_no_id_is_given_twice(judged: Store) -> None:
    last = max(row.id or 0 for row in campaign.history(judged, "first"))
    campaign.withdraw(judged, "first", "bo")
    campaign.withdraw(judged, "first", "ana")
    assert altered(judged) == ()
    with judged.writing() as tx:
        assert min(tx.judgements.reserve(2, [1])) > last


def test_the_chain_goes_along_in_a_backup(judged: Store, tmp_path: Path) -> None:
    backup(judged, tmp_path / "copy.sqlite")
    restore(tmp_path / "copy.sqlite", tmp_path / "restored.sqlite")
    with Store.open(tmp_path / "restored.sqlite") as restored:
        assert altered(restored) == ()
        with restored.reading() as there, judged.reading() as here:
            assert there.chain.head(1) == here.chain.head(1)
        save(restored, first_task(restored), 0, {"q": 2})
        assert altered(restored) == ()


def test_a_link_is_the_hash_of_the_one_before_and_of_its_rows(store: Store) -> None:
    filled = fill(store)
    rows = [answer(filled, 1), answer(filled, 2, segment="1", elapsed=5)]
    with store.writing() as tx:
        tx.judgements.add(rows[:1])
        tx.judgements.add(rows[1:])
    with store.reading() as tx:
        first, second = tx.chain.of(filled.campaign)
    assert first.hash == link_hash("", row_digest(rows[0]))
    assert second.hash == link_hash(first.hash, row_digest(rows[1])) and second.judgements == 2


def test_ids_of_a_campaign_are_in_the_order_of_commits(store: Store, place: str) -> None:
    """One follows by the last id while two servers save: nothing is missed."""
    opened(store, scales(SCALE), documents=corpus((1,) * 8, ("alder",)))
    number = campaign.get(store, "first").id
    tasks = campaign.tasks(store, "first", "ana")
    seen: list[int] = []
    with Store.open(place) as second, ThreadPoolExecutor(8) as pool:
        stores = (store, second)

        def write(n: int) -> None:
            campaign.submit(stores[n % 2], tasks[n % 8].id, 0, {"q": 1 + n % 9}, submission=uuid4().hex)

        saving = [pool.submit(write, n) for n in range(120)]
        while True:
            done = all(each.done() for each in saving)
            with store.reading() as tx:
                seen += [
                    row.id or 0 for row in tx.judgements.batch(number, seen[-1] if seen else 0, 1000, history=True)
                ]
            if done:
                break
        for each in saving:
            each.result()
    assert seen == sorted(row.id or 0 for row in campaign.history(store, "first")) and len(seen) == 120


def without_chain(connection: Connection) -> None:
    for statement in ("DROP TABLE chain", "DROP TABLE withdrawn", "DELETE FROM lanner_migration WHERE number > 3"):
        connection.exec_driver_sql(statement)
    for name in ("item_document", "judgement_task", "judgement_document", "ledger_document"):
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {name}")


def test_a_store_of_an_earlier_version_is_chained_when_it_is_opened(judged: Store, place: str) -> None:
    with judged.filling() as connection:
        without_chain(connection)
    judged.close()
    with Store.open(place) as migrated:
        assert altered(migrated) == ()
        with migrated.reading() as tx:
            (link,) = tx.chain.of(1)
            assert link.judgements == 9 and link.note == MIGRATED
        save(migrated, first_task(migrated), 0, {"q": 2})
        assert altered(migrated) == ()


def test_a_sound_file_of_an_earlier_version_is_found_sound(tmp_path: Path) -> None:
    from lanner.store.backup import verify_file  # noqa: PLC0415

    path = tmp_path / "old.sqlite"
    with Store.open(path) as store:
        opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
        save(store, first_task(store), 0, {"q": 2})
        with store.filling() as connection:
            without_chain(connection)
    with sqlite3.connect(path) as driver:
        driver.execute("PRAGMA journal_mode = DELETE")
    shutil.copy(path, tmp_path / "copy.sqlite")
    assert [found for found in verify_file(tmp_path / "copy.sqlite") if found.problems] == []


def test_a_save_reads_no_more_of_a_long_chain_than_of_a_short_one(judged: Store) -> None:
    """What every save and every live page asks is answered by an index, not by reading the chain."""
    if judged.kind != "sqlite":
        pytest.skip("PostgreSQL reads small tables whole, whatever their indexes")
    statements: list[str] = []
    engine = judged._engine
    about = ("chain", "max(judgement", "withdrawn")

    def watch(driver: sqlite3.Connection, *_more: object) -> None:
        driver.set_trace_callback(statements.append)

    event.listen(engine, "checkout", watch)
    save(judged, first_task(judged), 0, {"q": 5})
    with judged.reading() as tx:
        tx.judgements.last(1)
        tx.chain.head(1)
    event.remove(engine, "checkout", watch)
    asked = [text for text in statements if any(word in text for word in about)]
    assert len(asked) >= 4
    with judged.snapshot() as connection:
        for statement in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            steps = [row[3] for row in plan if row[3] not in ("SCAN CONSTANT ROW", "SCAN sqlite_sequence")]
            assert all(step.startswith("SEARCH") or "B-TREE" not in step for step in steps), (statement, steps)
            assert not any(step.startswith("SCAN") for step in steps), (statement, steps)
