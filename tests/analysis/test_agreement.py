from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.plain_oracle import alpha, grid_alpha, light_kappa, raw
from lanner import protocols
from lanner.analysis import (
    AnswerPart,
    agreements,
    counted,
    measure,
    pairs,
    plan,
    question_agreement,
    without_each_judge,
)
from lanner.analysis.agreement import (
    EQUAL,
    NOTHING,
    before_and_after,
    comparable,
    distances,
    is_fine,
    kinds,
    most_disputed,
    scale_of,
    split_at,
)
from lanner.analysis.material import Material
from lanner.analysis.measures import plan_table
from lanner.errors import StatisticError
from lanner.model import (
    Choice,
    Document,
    Json,
    Judge,
    JudgeKind,
    Judgement,
    Labels,
    Option,
    Protocol,
    Question,
    Role,
    Segment,
)
from lanner.stats.frame import frame
from lanner.studies.simulation import Answering, coefficient, dice
from reports.world import material


def with_judge(world: Material, judge: Judge, of: str, **changes: object) -> Material:
    """The same with another judge who repeats what one has said."""
    copies = [replace(j, judge=judge.id, **changes) for j in world.judgements if j.judge == of]  # type: ignore[arg-type]
    return replace(world, judges=(*world.judges, judge), judgements=(*world.judgements, *copies))


def headline(world: Material, question: str, **select: object) -> float | None:
    assert world.protocol is not None
    rows = counted(world.table, **select)  # type: ignore[arg-type]
    (entry,) = [entry for entry in plan(world.protocol) if entry.id == question]
    return question_agreement(rows, entry).headline.value


def test_headlines_equal_what_pandas_and_scikit_learn_say() -> None:
    world = material("h_falcon", judges=3, documents=4)
    rows = raw(world.judgements)
    assert headline(world, "holistic") == pytest.approx(alpha(rows[rows["question"] == "holistic"], "interval"))
    assert headline(world, "sentence") == pytest.approx(alpha(rows[rows["question"] == "sentence"], "ordinal"))
    order = [option.id for option in world.protocol.find("skills")[1].options]  # type: ignore[union-attr, index]
    mean, by_row = grid_alpha(rows[rows["question"] == "skills"], order)
    assert headline(world, "skills") == pytest.approx(mean)
    found = {entry.plan.id: entry for entry in agreements(counted(world.table), world.protocol)}  # type: ignore[arg-type]
    weakest = found["skills"].weakest
    assert weakest is not None
    assert weakest.measure.row == min(by_row, key=lambda row: by_row[row])


def test_kappa_is_the_mean_over_pairs_of_people() -> None:
    world = material("falcon", judges=3, documents=5)
    (entry,) = [entry for entry in plan(protocols.load("falcon")) if entry.id == "context"]
    rows = raw(world.judgements)
    kappa = next(wanted for wanted in entry.others if wanted.name == "kappa")
    assert measure(counted(world.table), kappa, entry).value == pytest.approx(
        light_kappa(rows[rows["question"] == "context"])
    )
    assert len(pairs(counted(world.table), kappa, entry)) == 3


@pytest.mark.parametrize("kind", [JudgeKind.MODEL, JudgeKind.METRIC, JudgeKind.ADJUDICATED])
def test_no_other_kind_of_judge_changes_the_agreement_of_people(kind: JudgeKind) -> None:
    world = material("h_falcon", judges=3, documents=4)
    joined = with_judge(world, Judge("other", kind), "j0")
    for question in ("skills", "sentence", "holistic"):
        assert headline(joined, question) == headline(world, question)


@pytest.mark.parametrize("role", [Role.TUTORIAL, Role.CONTROL, Role.CALIBRATION, Role.REPEAT])
def test_no_other_role_changes_agreement(role: Role) -> None:
    world = material("h_falcon", judges=3, documents=4)
    joined = with_judge(world, Judge("j9"), "j0", role=role)
    for question in ("skills", "sentence", "holistic"):
        assert headline(joined, question) == headline(world, question)


def test_settling_a_disagreement_changes_no_span_agreement_and_adds_no_judge() -> None:
    world = material("esa", judges=4, documents=4)
    settled = with_judge(world, Judge("adjudicated", JudgeKind.ADJUDICATED, "Agreed"), "j0")
    (entry,) = [entry for entry in plan(protocols.load("esa")) if entry.id == "errors"]
    f1 = next(wanted for wanted in entry.others if wanted.name == "spans")
    before, after = (measure(counted(one.table), f1, entry) for one in (world, settled))
    assert before.value == after.value
    assert after.counts["judges"] == 4
    names = {name for pair in pairs(counted(settled.table), f1, entry) for name in pair.labels.values()}
    assert "adjudicated" not in names


def test_a_judge_left_out_is_as_if_they_had_not_answered() -> None:
    world = material("h_falcon", judges=3, documents=4)
    without = world.only(["j0", "j1"])
    assert headline(world, "holistic", left_out=["j2"]) == headline(without, "holistic")
    rows = counted(world.table)
    (entry,) = [entry for entry in plan(protocols.load("h_falcon")) if entry.id == "holistic"]
    left = {result.labels["without"]: result.value for result in without_each_judge(rows, entry)}
    assert left["j2"] == pytest.approx(headline(without, "holistic"))
    assert set(left) == {"j0", "j1", "j2"}


def test_groups_are_compared_in_pairs_and_never_pooled() -> None:
    world = with_judge(material("h_falcon", judges=2, documents=4), Judge("gpt", JudgeKind.MODEL), "j0")
    (entry,) = [entry for entry in plan(protocols.load("h_falcon")) if entry.id == "holistic"]
    both = counted(world.table, of=["people", "models"])
    assert len(pairs(both, entry.pairs, entry)) == 3
    with pytest.raises(StatisticError, match="not pooled"):
        measure(both, entry.headline, entry)


@pytest.mark.parametrize("protocol", [protocols.load("esa"), None])
def test_where_nobody_marks_anything_that_is_what_is_said(protocol: Protocol | None) -> None:
    """It was said that every answer to "any marked" is yes."""
    given = [Judgement(judge, "rating", "errors", "d", "1", ("x",), []) for judge in "ab"]
    table = frame(given, protocols.load("esa"))
    entry = next(entry for entry in (plan(protocol) if protocol else plan_table(table)) if entry.id == "errors")
    [note] = question_agreement(counted(table, "agreement"), entry).headline.notes
    assert note.startswith("Undefined: every answer is 'nothing marked'")


def test_labels_that_are_counted_agree_only_where_they_are_the_same_labels() -> None:
    """One judge says `no_errors` throughout, the other `mistranslation`: the same number, never the same answer."""
    question = Labels(id="errors", options=(Option(id="no_errors"), Option(id="mistranslation")), counts=True)
    base = protocols.load("h_falcon")
    stage = base.stages[0].model_copy(update={"questions": (question,)})
    protocol = base.model_copy(update={"stages": (stage,), "scores": (), "analyses": ()})
    texts = tuple(Document(f"d{d}", tuple(Segment(str(s), "x", {"oak": "y"}) for s in range(30))) for d in range(4))
    answers = [
        Judgement(judge, base.stages[0].id, "errors", document.id, segment.id, ("oak",), {label: 1})
        for judge, label in (("a", "no_errors"), ("b", "mistranslation"))
        for document in texts
        for segment in document
    ]
    world = Material("counts", protocol, texts, (Judge("a"), Judge("b")), tuple(answers))
    (entry,) = plan(protocol)
    rows = counted(world.table)
    same = entry.same
    assert same is not None
    assert measure(rows, same, entry).value == 0.0
    value = question_agreement(rows, entry).headline.value
    assert value is not None and value < 0.01
    number = next(wanted for wanted in entry.others if wanted.part is AnswerPart.COUNT)
    assert "number" in number.sign


def test_every_result_names_its_selection() -> None:
    world = material("h_falcon", judges=3, documents=3)
    rows = counted(world.table, left_out=["j2"])
    for entry in agreements(rows, world.protocol):  # type: ignore[arg-type]
        for result in (entry.headline, *(part.result for part in entry.parts)):
            assert f"rows {rows.selection}" in str(result.signature)
    assert "1 judge left out" in str(rows.selection)


def test_too_few_shared_items_are_not_enough_for_a_sentence() -> None:
    world = material("h_falcon", judges=2, documents=1)
    few = replace(world, judgements=tuple(j for j in world.judgements if j.segment == "1"))
    (entry,) = [entry for entry in agreements(counted(few.table), few.protocol) if entry.plan.id == "holistic"]  # type: ignore[arg-type]
    assert entry.headline.counts["items"] == 2
    assert not entry.enough


def asked(protocol: str, name: str) -> Question:
    found = protocols.load(protocol).find(name)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("protocol", "question", "fine"),
    [("da", "score", True), ("sqm", "score", False), ("h_falcon", "holistic", False), ("h_falcon", "skills", False),
     ("context_survey", "sentences_before", True), ("mqm", "errors", False)],
)  # fmt: skip
def test_scales_of_many_points_and_counts_are_fine(protocol: str, question: str, fine: bool) -> None:
    found = asked(protocol, question)
    assert is_fine(found) is fine
    if fine:
        assert scale_of(found) is None


def test_coarse_scales_and_choices_have_all_their_answers_scale_of() -> None:
    assert scale_of(asked("sqm", "score")) == [0, 1, 2, 3, 4, 5, 6]
    assert scale_of(asked("falcon", "context"))[:2] == ["sentence_level", "local"]


def spans(protocol: str, value: Json) -> list[str]:
    given = [Judgement("a", "errors", "errors", "d", "1", ("x",), value)]
    table = frame(given, protocols.load(protocol))
    return comparable(table, asked(protocol, "errors"))["labels"].to_list()[0]


def test_marked_passages_are_sets_of_their_widest_kinds() -> None:
    place = {"side": "target", "start": 0, "end": 1}
    two = [
        {**place, "category": "grammar", "severity": "minor"},
        {**place, "category": "omission", "severity": "major"},
    ]
    assert spans("mqm", two) == ["accuracy", "fluency"]
    assert spans("esa", [{**place, "severity": "minor"}, {**place, "severity": "minor"}]) == ["minor"]
    assert spans("esa", []) == [NOTHING]
    assert kinds(asked("esa", "errors")) == ("minor", "major", NOTHING)
    assert kinds(asked("falcon", "spans")) == ("needs_context", NOTHING)
    assert "grammar" not in kinds(asked("mqm", "errors"))


def test_ranks_are_who_was_preferred_whatever_the_order_shown() -> None:
    given = [
        Judgement("a", "ranking_rs", "ranking_rs", "d", "1", ("oak", "elm"), [1, 2]),
        Judgement("b", "ranking_rs", "ranking_rs", "d", "1", ("elm", "oak"), [2, 1]),
        Judgement("a", "ranking_rs", "ranking_rs", "d", "2", ("oak", "elm"), [1, 1]),
    ]
    found = comparable(frame(given, protocols.load("ranking_rs")), asked("ranking_rs", "ranking_rs"))
    assert found["label"].to_list() == ["oak", "oak", EQUAL]
    assert found["system"].unique().to_list() == ["elm|oak"]
    assert comparable(found.clear(), asked("ranking_rs", "ranking_rs")).is_empty()


def apart(protocol: str, stage: str, question: str, *values: object, systems: tuple[str, ...] = ()) -> float:
    loaded = protocols.load(protocol)
    given = [Judgement(f"j{n}", stage, question, "d", "1", systems, value) for n, value in enumerate(values)]
    [distance] = distances(frame(given, loaded), loaded)["distance"]
    return float(distance)


def test_each_kind_of_answer_has_its_own_distance() -> None:
    assert apart("falcon", "source", "context", "local", "local", "global") == pytest.approx(2 / 3)
    assert apart("h_falcon", "rating", "holistic", 1, 10, systems=("oak",)) == 1
    assert apart("h_falcon", "rating", "holistic", 4, 7, systems=("oak",)) == pytest.approx(1 / 3)
    ranked = apart("parity", "adequacy_sentence", "adequacy_of_sentence", [1, 2], [2, 1], systems=("a", "b"))
    assert ranked == 1


def mark(start: int, end: int, severity: str = "minor", category: str = "grammar") -> dict[str, object]:
    return {"side": "target", "start": start, "end": end, "severity": severity, "category": category}


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ([], [], 0.0),
        ([mark(0, 4)], [mark(0, 4)], 0.0),
        ([mark(0, 4)], [], 1.0),
        ([mark(0, 4)], [mark(4, 8)], 1.0),
        ([mark(0, 4)], [mark(0, 12)], 0.5),  # F1 of characters is 2 · 4 / (4 + 12)
        ([mark(0, 4)], [mark(0, 4, "major")], 0.5),
        ([mark(0, 4)], [mark(0, 4, category="style")], 0.5),
    ],
)
def test_marks_are_apart_in_place_severity_and_category(one: object, other: object, distance: float) -> None:
    assert apart("mqm", "marking", "errors", one, other, systems=("oak",)) == pytest.approx(distance)


def test_one_judge_is_at_no_distance() -> None:
    loaded = protocols.load("falcon")
    assert distances(frame([Judgement("j", "source", "context", "d", "1", (), "local")], loaded), loaded).is_empty()


PROTOCOL = protocols.load("falcon_labels")
LEVELS = ("sentence_level", "local", "extended", "global", "universal")
SHARES = (0.45, 0.25, 0.15, 0.05, 0.10)
TRAINED_AT = datetime(2026, 3, 1, tzinfo=UTC)
BEFORE, AFTER = 0.55, 0.85


def trained_material(before: float = BEFORE, after: float = AFTER, *, documents: int = 40) -> Material:
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
    rows = trained_material().counted()
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
    early, late, _ = split_at(trained_material().counted(), TRAINED_AT)
    parts = {change.part: change for change in before_and_after(early, late, PROTOCOL) if change.part}
    question = PROTOCOL.find("context")
    assert question is not None and isinstance(question[1], Choice)
    assert set(parts) <= set(LEVELS)
    assert {"sentence_level", "local"} <= set(parts)
    assert all(parts[label].difference > 0 for label in ("sentence_level", "local"))  # type: ignore[operator]


def test_without_an_effect_the_interval_holds_zero() -> None:
    early, late, _ = split_at(trained_material(0.7, 0.7).counted(), TRAINED_AT)
    change = next(change for change in before_and_after(early, late, PROTOCOL) if not change.part)
    assert change.low is not None and change.high is not None
    assert change.low < 0 < change.high


def test_a_sentence_answered_on_both_sides_belongs_to_neither() -> None:
    whole = trained_material()
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
