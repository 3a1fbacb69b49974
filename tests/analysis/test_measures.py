from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from analysis.plain_oracle import grid_alpha, raw
from lanner import protocols
from lanner.analysis.agreement import question_ratings
from lanner.analysis.measures import (
    AnswerPart,
    Purpose,
    Reason,
    Selection,
    counted,
    counts,
    group_of,
    groups_in,
    main_question,
    mean_alpha,
    plan,
    plan_question,
    plan_table,
    row_ratings,
    signed,
)
from lanner.errors import InputError
from lanner.model import (
    Choice,
    Grid,
    Judge,
    JudgeKind,
    Judgement,
    Labels,
    Option,
    Question,
    Role,
    Scale,
    Signature,
    Text,
    Unit,
)
from lanner.stats.association import correlations
from lanner.stats.coefficients import alpha
from lanner.stats.frame import tidy
from lanner.stats.resample import Resampling
from reports.world import material

AB = (Option(id="a"), Option(id="b"))


def signs(question: Question) -> list[str]:
    entry = plan_question(question)
    return [measure.sign for measure in entry.measures] if entry else []


def test_the_kind_of_a_question_decides() -> None:
    assert signs(Choice(id="c", options=AB)) == ["α", "κ", "% same", "AC1"]
    assert signs(Choice(id="c", options=AB, ordered=True))[-1] == "α ordinal"
    assert signs(Scale(id="s", min=1, max=4))[0] == "α ordinal"
    assert signs(Scale(id="s", min=0, max=100))[0] == "α interval"
    assert signs(Labels(id="l", options=AB)) == ["α Jaccard", "α", "α", "mean Jaccard", "micro-F1"]
    assert not signs(Text(id="t"))


def test_labels_that_are_counted_are_compared_by_which_they_are_and_their_number_stands_apart() -> None:
    entry = plan_question(Labels(id="l", options=AB, counts=True))
    assert entry is not None
    assert entry.headline.sign == "α Jaccard"
    assert [measure.options.get("value") for measure in entry.measures if measure.part is AnswerPart.COUNT] == [
        ("score",)
    ]


def test_the_protocols_own_analysis_is_obeyed() -> None:
    entries = {entry.id: entry for entry in plan(protocols.load("h_falcon"))}
    assert entries["holistic"].headline.options["level"] == "interval"  # though the scale has ten points
    assert entries["sentence"].headline.options["level"] == "ordinal"
    scenarios = {entry.id: entry for entry in plan(protocols.load("scenarios"))}
    linear = scenarios["adequacy_rs"]
    assert linear.others[0].options["weights"] == "linear"
    assert [measure.name for measure in linear.others].count("kappa") == 1
    assert {measure.name for measure in linear.others} >= {"fleiss", "percent"}
    assert linear.headline.options["level"] == "ordinal"
    assert "penalty" in {entry.id for entry in plan(protocols.load("mqm"))}, (
        "a score that the protocol plans to compare"
    )


def test_a_grid_is_told_by_the_mean_of_its_rows_and_the_pooled_one_has_its_own_name() -> None:
    (entry,) = [entry for entry in plan(protocols.load("h_falcon")) if entry.id == "skills"]
    assert entry.headline.part is AnswerPart.MEAN_OF_ROWS
    assert [measure.part for measure in entry.parts] == [AnswerPart.ROW] * 9
    (pooled,) = [measure for measure in entry.others if measure.part is AnswerPart.POOLED_ROWS]
    assert pooled.sign != entry.headline.sign
    assert entry.pairs is entry.headline


@pytest.mark.parametrize("name", protocols.names())
def test_every_built_in_protocol_has_a_plan_without_questionnaires(name: str) -> None:
    protocol = protocols.load(name)
    of_judges = {question.id for stage, question in protocol.questions if stage.unit is Unit.JUDGE}
    entries = plan(protocol)
    assert not of_judges & {entry.id for entry in entries}
    for entry in entries:
        assert len({(m.name, m.question, m.row, m.part) for m in entry.measures}) == len(entry.measures)
    chosen = main_question(protocol)
    assert chosen is None or chosen.id in {entry.id for entry in entries}


def test_the_main_question_is_asked_of_texts() -> None:
    chosen = main_question(protocols.load("esa"))
    assert chosen is not None and chosen.id == "score"
    named = main_question(protocols.load("h_falcon"), "holistic")
    assert named is not None and named.id == "holistic"


def answers(**columns: list[object]) -> pl.DataFrame:
    n = len(next(iter(columns.values())))
    places = {"judge": ["a", "b"] * (n // 2), "document": [str(i // 2) for i in range(n)], "segment": ["1"] * n}
    return tidy(pl.DataFrame({**places, **columns}))[0]


def test_without_a_protocol_the_answers_decide() -> None:
    tables = {
        "α": answers(label=["x", "y"]),
        "α ordinal": answers(score=[1.0, 2.0]),
        "α interval": answers(score=[float(i) for i in range(42)]),
        "α Jaccard": answers(labels=[["x"], []]),
        "α any marked": answers(spans=['[{"start": 0, "end": 2}]', "[]"]),
    }
    for sign, table in tables.items():
        assert plan_table(table)[0].headline.sign == sign
    with pytest.raises(InputError, match="no answers"):
        plan_table(tables["α"], "nothing")


def test_the_mean_of_the_rows_against_pandas() -> None:
    world = material("h_falcon", judges=3, documents=5)
    grid = world.protocol.find("skills")[1]  # type: ignore[union-attr, index]
    assert isinstance(grid, Grid)
    rows = raw(world.judgements)
    mean, by_row = grid_alpha(rows[rows["question"] == "skills"], [option.id for option in grid.options])
    rated = question_ratings(world.table, grid)
    result = mean_alpha(rated, level="ordinal")
    assert result.value == pytest.approx(mean, abs=1e-12)
    assert {row: alpha(row_ratings(rated, row), level="ordinal").value for row in by_row} == pytest.approx(by_row)
    assert result.counts["items"] == 5 * 6 * 2, "an item is counted once, however many rows it has"
    assert "mean of 9 rows" in str(result.signature)
    assert alpha(rated, level="ordinal").value != pytest.approx(mean, abs=1e-4), "pooled is another number"


def test_the_interval_is_the_jackknife_over_documents_of_the_mean() -> None:
    world = material("h_falcon", judges=3, documents=6)
    grid = world.protocol.find("skills")[1]  # type: ignore[union-attr, index]
    order = [option.id for option in grid.options]  # type: ignore[union-attr]
    rows = raw(world.judgements)
    rows = rows[rows["question"] == "skills"]
    left = [grid_alpha(rows[rows["document"] != name], order)[0] for name in sorted(set(rows["document"]))]
    spread = np.sqrt(5 / 6 * np.sum((np.array(left) - np.mean(left)) ** 2))
    result = mean_alpha(question_ratings(world.table, grid), level="ordinal")
    from_t = 2.5705818366147  # t quantile, five degrees of freedom
    value = result.value
    assert value is not None
    slope = 1 - value**2  # symmetric after Fisher's transformation
    assert result.high == pytest.approx(np.tanh(np.arctanh(value) + from_t * spread / slope), abs=1e-9)
    assert result.low == pytest.approx(np.tanh(np.arctanh(value) - from_t * spread / slope), abs=1e-9)


def test_items_and_judges_can_be_the_unit() -> None:
    world = material("h_falcon", judges=4, documents=4)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    values = {
        unit: mean_alpha(rated, level="ordinal", resampling=Resampling(unit=unit, n=200))  # type: ignore[arg-type]
        for unit in ("document", "item", "judge")
    }
    assert len({round(result.value or 0, 12) for result in values.values()}) == 1
    assert len({result.low for result in values.values()}) == 3


def test_a_row_without_variation_is_passed_over_and_named() -> None:
    world = material("h_falcon", judges=2, documents=4)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    first = rated.items["row"][0]
    same = np.asarray(rated.items["row"] == first)[rated.item]
    flat = type(rated)(**{**vars(rated), "code": np.where(same, 0, rated.code).astype(np.int32)})
    result = mean_alpha(flat, level="ordinal")
    assert "1 of 9 rows" in " ".join(result.notes)
    others = [row for row in rated.items["row"].unique() if row != first]
    rest = [alpha(row_ratings(rated, row), level="ordinal").value for row in others]
    assert result.value == pytest.approx(np.mean([value for value in rest if value is not None]))


@pytest.mark.parametrize("rows_differ", [False, True])
def test_a_grid_of_rows_without_variation_has_no_agreement(rows_differ: bool) -> None:
    """Where only the rows differ, α over all cells is 1: that stood for a grid on which nothing was told apart."""
    world = material("h_falcon", judges=2, documents=4)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    row = rated.items["row"].rank("dense").to_numpy()[rated.item] if rows_differ else np.ones(len(rated.item))
    flat = type(rated)(**{**vars(rated), "code": (row % 2).astype(np.int32)})
    result = mean_alpha(flat, level="ordinal")
    assert (result.value, result.low) == (None, None)
    assert (result.counts["items"], result.counts["documents"]) == (4 * 6 * 2, 4), "not its cells"
    assert ("every answer to a row is the same" in result.notes[0]) is rows_differ


def test_nothing_to_agree_on_is_no_number() -> None:
    world = material("h_falcon", judges=1, documents=2)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    assert mean_alpha(rated, level="ordinal").value is None
    assert row_ratings(rated, "no such row").n_items == 0


KINDS = {"ann": "person", "ben": "simulated", "gpt": "model", "comet": "metric", "adjudicated": "adjudicated"}


def rows() -> pl.DataFrame:
    """Every kind of judge answers every kind of item, and every one of them a questionnaire."""
    made = [
        {"judge": judge, "judge_kind": kind, "role": str(role), "document": "d", "segment": str(at), "system": "s",
         "question": "q", "label": "x"}
        for judge, kind in KINDS.items()
        for at, role in enumerate(Role)
    ]  # fmt: skip
    made += [
        {"judge": judge, "judge_kind": kind, "role": "main", "document": "", "segment": "", "system": "",
         "question": "consent", "label": "yes"}
        for judge, kind in KINDS.items()
    ]  # fmt: skip
    return tidy(pl.DataFrame(made))[0]


def who_and_what(table: pl.DataFrame) -> set[tuple[str, str, str]]:
    return set(table.select("judge", "role", "question").iter_rows())


@pytest.mark.parametrize("purpose", ["agreement", "scores", "effort"])
def test_main_items_of_people_count_and_nothing_else(purpose: str) -> None:
    assert who_and_what(counted(rows(), purpose).table) == {("ann", "main", "q"), ("ben", "main", "q")}


@pytest.mark.parametrize(
    ("purpose", "roles"),
    [("controls", {"control"}), ("calibration", {"calibration"}), ("repeats", {"main", "repeat"})],
)
def test_other_roles_count_in_figures_about_them(purpose: str, roles: set[str]) -> None:
    table = counted(rows(), purpose).table
    assert who_and_what(table) == {(judge, role, "q") for judge in ("ann", "ben") for role in roles}


def test_a_single_answer_counts_by_the_rule_of_tables() -> None:
    def answer(role: Role, document: str = "d") -> Judgement:
        return Judgement("ann", "s", "q", document, "1", ("A",), 3, role=role)

    assert [role for role in Role if counts(answer(role), Purpose.AGREEMENT, ())] == [Role.MAIN]
    assert [role for role in Role if counts(answer(role), Purpose.CONTROLS, ())] == [Role.CONTROL]
    assert not counts(answer(Role.MAIN, document=""), Purpose.AGREEMENT, ())
    assert not counts(answer(Role.MAIN), Purpose.AGREEMENT, {"ann"})


def test_a_questionnaire_counts_in_the_account_of_it_alone() -> None:
    assert who_and_what(counted(rows(), "questionnaire").table) == {
        ("ann", "main", "consent"),
        ("ben", "main", "consent"),
    }
    for purpose in Purpose:
        if purpose is not Purpose.QUESTIONNAIRE:
            assert "consent" not in counted(rows(), purpose).table["question"]


def test_settled_answers_count_in_scores_on_request_only() -> None:
    assert "adjudicated" not in counted(rows(), "scores").table["judge"]
    assert "adjudicated" in counted(rows(), "scores", settled=True).table["judge"]
    assert (
        "adjudicated"
        not in counted(rows(), "agreement", settled=True, of=["people", "models", "metrics"]).table["judge"]
    )


def test_groups_are_counted_one_by_one_or_named_together() -> None:
    assert set(counted(rows(), of="models").table["judge"]) == {"gpt"}
    assert set(counted(rows(), of=["people", "metrics"]).table["judge"]) == {"ann", "ben", "comet"}
    machines = rows().filter(pl.col("judge_kind").is_in(["model", "metric"]))
    assert set(counted(machines).table["judge"]) == {"gpt"}, "without people, models; never with metrics"
    assert str(counted(machines, of=["people", "models", "metrics"]).selection) == "main items by models and metrics"
    with pytest.raises(InputError, match="no group of judges"):
        counted(rows(), of="robots")


def test_a_judge_left_out_is_left_out_of_everything_and_the_rest_is_explained() -> None:
    for purpose in Purpose:
        made = counted(rows(), purpose, left_out=["ben"])
        assert "ben" not in made.table["judge"]
        assert made.excluded[Reason.LEFT_OUT] == 6
        assert made.table.height + sum(made.excluded.values()) == rows().height


def test_every_row_that_does_not_count_has_one_reason() -> None:
    made = counted(rows())
    assert made.excluded == {
        Reason.QUESTIONNAIRE: 4,
        Reason.REPEAT: 4,
        Reason.CONTROL: 4,
        Reason.TUTORIAL: 4,
        Reason.CALIBRATION: 4,
        Reason.SETTLED: 6,
        Reason.OTHER_JUDGES: 2,
    }


def test_a_signature_names_the_selection() -> None:
    selection = Selection(Purpose.SCORES, ("people",), frozenset({"ben"}), settled=True)
    assert str(selection) == "main items by people, 1 judge left out, settled answers included"
    assert str(signed(Signature("alpha", parts=(("level", "nominal"),)), selection)) == (
        f"alpha · rows {selection} · level nominal"
    )
    two = pl.DataFrame({"judge": ["a", "b"] * 3, "document": list("112233"), "segment": "1", "label": list("xyxxyy")})
    made = counted(two)
    assert "rows main items by people" in str(made.sign(alpha(made.table)).signature)
    assert "settled" not in str(counted(two, "scores", settled=True).selection)
    assert "settled" in str(counted(rows(), "scores", settled=True).selection)


def test_the_signatures_of_rows_name_the_selection_too() -> None:
    scores = {"judge": ["a", "b"] * 3, "document": list("112233"), "segment": "1", "system": "s"}
    made = counted(pl.DataFrame({**scores, "question": "q", "score": [1.0, 2.0, 4.0, 3.0, 5.0, 6.0]}))
    plain = correlations(made.table, ["q"])
    again = made.sign(made.sign(plain))
    assert len(again.rows) == len(plain.rows) == 3
    for row, before in zip(again.rows, plain.rows, strict=True):
        name, _, rest = str(before["signature"]).partition(" · ")
        assert row["signature"] == f"{name} · rows main items by people · {rest}"
        assert {**row, "signature": ""} == {**before, "signature": ""}


def test_judges_belong_to_groups_and_settled_answers_to_none() -> None:
    assert groups_in(rows()) == ["people", "models", "metrics"]
    assert group_of(Judge("x", JudgeKind.SIMULATED)) == "people"
    assert group_of(Judge("x", JudgeKind.ADJUDICATED)) is None
