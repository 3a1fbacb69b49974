from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from lanner.model import Role
from lanner.store import CollisionError, Key, Store
from lanner.store.judgements import _HEADS, _KEY
from lanner.store.rows import moment
from store_rows import answer, fill


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
