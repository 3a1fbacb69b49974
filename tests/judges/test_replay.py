"""Published outputs handed in like new ones: the ledger keeps them as they were, the campaign takes their answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanner import campaign
from lanner.errors import CampaignError, InputError
from lanner.judges.comparison import compare
from lanner.judges.replay import inspect_outputs, replay
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from model_campaign import corpus, judge, opened, stored
from stub_server import Stub

SKILLS = ["Terminology Control", "Stylistic Register", "Participant Focus"]


def written(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_outputs_become_answers_and_ledger_rows(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "falcon", corpus(1, 2))
        rows = [
            {"idx": 0, "context": "Local contextual contextual", "skill": SKILLS},
            {"idx": 1, "context": "local", "skill": [*SKILLS[:2], SKILLS[0]]},
        ]
        path = written(tmp_path / "o9.jsonl", *rows)
        done = replay(store, number, path)
        assert (done.judgements, done.repairs, done.flags) == (
            4, {"context": 1, "skills": 6}, {"skills repeated": 1, "skills too_few": 1},
        )  # fmt: skip
        first = [entry for entry in stored(store, number) if entry.segment == "0"]
        assert {entry.question: entry.value for entry in first}["context"] == "local"
        assert {entry.origin for entry in first} == {"o9.jsonl:1"}
        [judge] = campaign.judges(store, number)
        assert (judge.id, judge.kind) == ("o9", JudgeKind.MODEL)
        assert replay(store, number, path).already
        with store.reading() as tx:
            participant = tx.judges.find(number, "o9")
            assert participant is not None
            ledger = [entry for _, entry in tx.ledger.of_judge(participant.number)]
        assert [json.loads(entry.raw) for entry in ledger] == rows
        assert [(entry.outcome, entry.repairs) for entry in ledger] == [("replayed", 4), ("replayed", 3)]


def test_sentences_that_share_their_ids_need_their_document(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(2, 1))
        with pytest.raises(InputError, match="which sentence"):
            replay(store, number, written(tmp_path / "a.jsonl", {"segment": "0", "score": 3}))
        done = replay(store, number, written(tmp_path / "b.jsonl", {"segment": "0", "document": "d1", "score": 3}))
        assert done.judgements == 1
        [entry] = stored(store, number)
        assert (entry.document, entry.systems, entry.value) == ("d1", ("oak",), 3)


def test_among_several_systems_a_line_says_which_it_is_about(tmp_path: Path) -> None:
    """Taken for the first of them, it would be another system's score."""
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2, ("oak", "elm")))
        with pytest.raises(InputError, match="which system"):
            replay(store, number, written(tmp_path / "a.jsonl", {"idx": 0, "score": 3}))
        with pytest.raises(InputError, match="no system 'elmo'") as caught:
            replay(store, number, written(tmp_path / "b.jsonl", {"idx": 0, "system": "elmo", "score": 3}))
        assert "elm" in caught.value.next_step
        assert stored(store, number) == []
        replay(store, number, written(tmp_path / "c.jsonl", {"idx": 0, "system": "elm", "score": 3}))
        assert [entry.systems for entry in stored(store, number)] == [("elm",)]


def test_an_answer_that_is_null_is_missing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        rows = [{"idx": 0, "score": None}, {"idx": 1, "score": 5}]
        replay(store, number, written(tmp_path / "o3.jsonl", *rows))
        [standing] = compare(store, number)
        assert (standing.replies, standing.missing) == (2, 1)


def test_an_output_that_marks_words_which_are_not_there_is_missing(tmp_path: Path) -> None:
    """As from a model that is asked here; the other lines are read."""
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "esa", corpus(1, 3))
        rows = [
            {"idx": place, "errors": [{"text": quote, "severity": "minor"}], "score": 50 + place}
            for place, quote in enumerate(("Sturm", "Katze", "Fähre"))
        ]
        path = written(tmp_path / "o3.jsonl", *rows)
        found = inspect_outputs(store, number, path, "o3")
        assert (found.answers, len(found.notes)) == (4, 1)
        done = replay(store, number, path)
        assert (done.judgements, len(done.unusable)) == (4, 1)
        assert done.unusable[0].startswith("o3.jsonl:2: ")
        assert {entry.segment for entry in stored(store, number)} == {"0", "2"}
        with store.reading() as tx:
            ledger = [entry for _, entry in tx.ledger.of_judge(1)]
        assert [(entry.outcome, bool(entry.answers)) for entry in ledger] == [
            ("replayed", True), ("missing", False), ("replayed", True),
        ]  # fmt: skip
        assert json.loads(ledger[1].raw) == rows[1]
        [standing] = compare(store, number)
        assert (standing.replies, standing.missing) == (3, 1)
        assert replay(store, number, path).unusable == done.unusable
        alone = replay(store, number, written(tmp_path / "o4.jsonl", rows[1]))
        assert (alone.judgements, len(alone.unusable)) == (0, 1)


def test_two_answers_to_one_question_are_refused_and_the_same_one_again_is_one(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        again = [{"idx": 0, "score": 5}, {"idx": 1, "score": 6}, {"idx": 0, "score": 5}]
        path = written(tmp_path / "o3.jsonl", *again, {"idx": 1, "score": 7})
        for take in (lambda: replay(store, number, path), lambda: inspect_outputs(store, number, path, "o3")):
            with pytest.raises(InputError, match="score is answered otherwise than in line 2") as caught:
                take()
            assert caught.value.where.line == 4
        assert replay(store, number, written(path, *again)).judgements == len(stored(store, number)) == 2


def test_answers_of_a_model_are_stored_under_no_name_of_another_judge(tmp_path: Path) -> None:
    """They would count as that person's, or as asked with settings that they were not asked with."""
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2), judges=[Judge("ana")])
        path = written(tmp_path / "o3.jsonl", {"idx": 0, "score": 5})
        judge(store, number, Stub(), judge="live")
        replay(store, number, path)
        before = len(stored(store, number))
        for name, words in (("ana", "of the kind person here, and model"), ("live", "was asked here")):
            with pytest.raises(CampaignError, match=words):
                replay(store, number, path, name)
        for name, words in (("ana", "of the kind person here"), ("o3", "came from a file")):
            with pytest.raises(CampaignError, match=words):
                judge(store, number, Stub(), judge=name)
        assert len(stored(store, number)) == before == 3


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{", "not JSON"), ('{"idx": 0, "score": NaN}', "not JSON"),
        ('{"idx": 0, "score": 1, "score": 2}', "given twice"),
        ([1], "not a JSON object"), ({"idx": 7, "score": 1}, "no sentence '7'"),
        ({"idx": 0, "scores": 1}, "no question 'scores'"), ({"idx": 0}, "answers no question"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_with_its_line_and_nothing_is_kept(tmp_path: Path, row: object, words: str) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        path = written(tmp_path / "bad.jsonl", {"idx": 1, "score": 5}, row)
        with pytest.raises(InputError, match=words) as caught:
            replay(store, number, path)
        assert caught.value.where.line == 2
        assert stored(store, number) == []
