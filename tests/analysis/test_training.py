"""Training raises agreement as it was simulated to, and the sentences to talk about are the ones furthest apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from lanner import protocols
from lanner.analysis.material import Material
from lanner.analysis.training import before_and_after, most_disputed, split_at
from lanner.model import Choice, Document, Judge, JudgeKind, Judgement, Segment
from lanner.studies.simulation import Answering, coefficient, dice

PROTOCOL = protocols.load("falcon_labels")
LEVELS = ("sentence_level", "local", "extended", "global", "universal")
SHARES = (0.45, 0.25, 0.15, 0.05, 0.10)
TRAINED_AT = datetime(2026, 3, 1, tzinfo=UTC)
BEFORE, AFTER = 0.55, 0.85


def material(before: float = BEFORE, after: float = AFTER, *, documents: int = 40) -> Material:
    """Judges who find the true level of context with one reliability before their training and another after it."""
    judges = [Judge(f"j{n}", JudgeKind.SIMULATED) for n in range(3)]
    texts, judgements = [], []
    for place in range(documents):
        late = place >= documents // 2
        how = Answering(LEVELS, SHARES, after if late else before)
        moment = TRAINED_AT + timedelta(days=1 if late else -1)
        texts.append(Document(f"d{place}", tuple(Segment(str(k), f"Sentence {k}.") for k in range(10))))
        for k in range(10):
            truth = how.truth(dice(5, f"d{place}", str(k)))
            for judge in judges:
                answer = how.answer(truth, dice(5, f"d{place}", str(k), judge.id))
                judgements.append(
                    Judgement(judge.id, "context", "context", f"d{place}", str(k), (), answer, answered_at=moment)
                )
    return Material("training", PROTOCOL, tuple(texts), tuple(judges), tuple(judgements))


def test_training_raises_agreement_as_simulated() -> None:
    rows = material().counted()
    early, late, mixed = split_at(rows, TRAINED_AT)
    assert mixed == 0
    change = next(change for change in before_and_after(early, late, PROTOCOL) if not change.part)
    true = {r: coefficient(Answering(LEVELS, SHARES, r).joint, "alpha") for r in (BEFORE, AFTER)}
    assert change.before.low is not None and change.before.high is not None
    assert change.after.low is not None and change.after.high is not None
    assert change.before.low <= true[BEFORE] <= change.before.high
    assert change.after.low <= true[AFTER] <= change.after.high
    assert change.low is not None and change.high is not None
    assert change.low <= true[AFTER] - true[BEFORE] <= change.high
    assert change.low > 0
    assert change.enough


def test_every_label_has_its_own_change() -> None:
    early, late, _ = split_at(material().counted(), TRAINED_AT)
    parts = {change.part: change for change in before_and_after(early, late, PROTOCOL) if change.part}
    question = PROTOCOL.find("context")
    assert question is not None and isinstance(question[1], Choice)
    assert set(parts) <= set(LEVELS)
    assert {"sentence_level", "local"} <= set(parts)
    assert all(parts[label].difference > 0 for label in ("sentence_level", "local"))  # type: ignore[operator]


def test_without_an_effect_the_interval_holds_zero() -> None:
    early, late, _ = split_at(material(0.7, 0.7).counted(), TRAINED_AT)
    change = next(change for change in before_and_after(early, late, PROTOCOL) if not change.part)
    assert change.low is not None and change.high is not None
    assert change.low < 0 < change.high


def test_a_sentence_answered_on_both_sides_belongs_to_neither() -> None:
    whole = material()
    moved = list(whole.judgements)
    first = moved[0]
    moved[0] = Judgement(
        first.judge,
        first.stage,
        first.question,
        first.document,
        first.segment,
        (),
        first.value,
        answered_at=TRAINED_AT + timedelta(days=3),
    )
    rows = Material("m", PROTOCOL, whole.documents, whole.judges, tuple(moved)).counted()
    early, _, mixed = split_at(rows, TRAINED_AT)
    assert mixed == 1
    assert early.table.filter((early.table["document"] == "d0") & (early.table["segment"] == "0")).is_empty()


def test_the_furthest_apart_come_first_and_agreed_ones_never() -> None:
    judgements = []
    answers = {
        "0": ("local", "local", "local"),
        "1": ("local", "local", "global"),
        "2": ("local", "global", "extended"),
    }
    for segment, values in answers.items():
        judgements += [
            Judgement(f"j{n}", "context", "context", "d", segment, (), value) for n, value in enumerate(values)
        ]
    document = Document("d", tuple(Segment(str(k), "x") for k in range(3)))
    rows = Material("m", PROTOCOL, (document,), tuple(Judge(f"j{n}") for n in range(3)), tuple(judgements)).counted()
    found = most_disputed(rows, PROTOCOL, 5)
    assert [unit.segment for unit in found] == ["2", "1"]
    assert found[0].distance == pytest.approx(1.0)
    assert found[1].distance == pytest.approx(2 / 3)
    assert [unit.segment for unit in most_disputed(rows, PROTOCOL, 5, per_document=1)] == ["2"]
