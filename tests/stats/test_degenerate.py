"""Every statistic on data that cannot carry it: a Result that says why, never an exception, never a number made up."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
import pytest

from lanner.errors import DesignError, StatisticError
from lanner.model import Result
from lanner.stats import agreement, association, context, diagnosis, effort, mixed, models, preference, regression
from lanner.stats.coefficients import kappa, pairwise
from lanner.stats.diagnosis import difference, self_agreement
from lanner.stats.facets import facets
from lanner.stats.frame import tidy, wide
from lanner.stats.icc import icc
from lanner.stats.models import prediction_powered
from lanner.stats.power import (
    Design,
    as_run,
    documents_needed,
    expected_width,
    next_judgements,
    pilot,
    plan,
    preference_outlook,
    preference_pilot,
)
from lanner.stats.preference import bradley_terry
from lanner.stats.ranking import head_to_head, systems
from lanner.stats.resample import Resampling

QUICK = Resampling(n=50)
Row = tuple[str, str, str, str, Any]


def table(rows: Iterable[Row], *, kind: str = "score") -> pl.DataFrame:
    """Answers to one question by judge, document, segment and system; the last judge "m" is a model."""
    dtype = {"score": pl.Float64(), "label": pl.String(), "labels": pl.List(pl.String()), "spans": pl.String()}
    names = ["judge", "document", "segment", "system"]
    made = pl.DataFrame(list(rows), schema={**dict.fromkeys(names, pl.String()), kind: dtype[kind]}, orient="row")
    model = pl.when(pl.col("judge") == "m").then(pl.lit("model")).otherwise(pl.lit("person"))
    rest = [pl.lit(None, t).alias(n) for n, t in dtype.items() if n != kind]
    return made.with_columns(
        *rest, judge_kind=model, question=pl.lit("q"), active=pl.lit(10.0), domain=pl.lit("news"), role=pl.lit("main")
    )


def grid(answer: Callable[[int, int], Any], judges: str = "abm", documents: int = 3, segments: int = 2) -> list[Row]:
    return [
        (judge, f"d{d}", f"s{d}{s}", system, answer(at, 2 * d + s))
        for at, judge in enumerate(judges)
        for d in range(documents)
        for s in range(segments)
        for system in ("oak", "elm")
    ]


def span(start: int, end: int, **facts: str) -> str:
    return json.dumps([{"start": start, "end": end, "category": "meaning", "severity": "minor", **facts}])


def odd(values: Any) -> Callable[[int, int], Any]:
    return lambda judge, item: values[(judge * item + item) % len(values)]


def tables(kind: str) -> dict[str, pl.DataFrame]:
    usual: Any = {
        "score": [1.0, 2.0, 5.0],
        "label": ["a", "b", "tie"],
        "labels": [["x"], ["x", "y"], []],
        "spans": [span(0, 4), span(2, 6), "[]"],
    }[kind]
    apart = [(j, d, s, y, v) for j, d, s, y, v in grid(odd(usual)) if ("abm".index(j) == int(d[1]))]
    many = {
        "nothing": [],
        "all missing": grid(lambda *_: None),
        "one answer": grid(odd(usual), "a", 1, 1)[:1],
        "one item, two judges": grid(odd(usual), "ab", 1, 1),
        "one judge": grid(odd(usual), "a"),
        "only a model": grid(odd(usual), "m"),
        "no overlap": apart,
        "one document": grid(odd(usual), "abm", 1, 6),
        "all the same": grid(lambda *_: usual[0]),
        "two documents": grid(odd(usual), "abm", 2, 1),
    }
    if kind == "score":
        many["huge"] = grid(odd([1e150, -1e150, 3e149]))
        many["tiny differences"] = grid(odd([1e9, 1e9 + 1e-3]))
        many["not numbers"] = grid(odd([math.nan, math.inf, 1.0]))
    if kind == "labels":
        many["empty sets"] = grid(lambda *_: [])
    if kind == "spans":
        many["nothing marked"] = grid(lambda *_: "[]")
        many["spans of no length"] = grid(odd([span(3, 3), "[]"]))
        many["weights of nothing"] = grid(odd([span(0, 4, severity="neutral"), "[]"]))
    return {name: table(rows, kind=kind) for name, rows in many.items()}


def asked(name: str, function: Any, *kinds: str, **options: Any) -> list[Any]:
    return [pytest.param(function, kind, options, id=f"{name}-{kind}") for kind in kinds]


ANY = ("label", "score", "labels")


def _numbered(data: pl.DataFrame) -> pl.DataFrame:
    """The same as a wide table with a measure to correlate with and one to hold constant."""
    wide = data.rename({"score": "q"}).drop("question", "label", "labels", "spans", strict=False)
    return wide.with_row_index("place").with_columns(place=pl.col("place").cast(pl.Float64), twice=pl.lit(2.0))


def _partial(given: str) -> Callable[..., Result]:
    return lambda data, _, **how: association.between_measures(_numbered(data), "q", "place", given=[given], **how)


def _plan_from_pilot(data: pl.DataFrame, question: str, resampling: Resampling) -> Result | list[Result]:
    """Planning refuses a pilot that shows nothing with an error that says so; everything else is a Result."""
    try:
        parts, design = pilot(data, question), as_run(data, question)
    except (StatisticError, DesignError) as error:
        assert error.next_step or "no answers" in str(error)
        return []
    design = Design(max(2, design.documents), design.sentences, design.judges, design.overlap)
    return [plan(parts, design, difference=1.0, n=50), next_judgements(parts, design, 100, n=50)]


def _preferences_from_pilot(data: pl.DataFrame, question: str, resampling: Resampling) -> Result | list[Result]:
    try:
        return preference_outlook(preference_pilot(_compared(data), question), [4], n=20)
    except (StatisticError, DesignError):
        return []


STATISTICS = [
    *(p for f in (agreement.percent, agreement.kappa, agreement.scott, agreement.fleiss, agreement.conger,
                  agreement.brennan_prediger, agreement.gwet, agreement.wmt, agreement.alpha)
      for p in asked(f.name, f, *ANY)),
    *(p for level in ("ordinal", "interval") for p in asked(f"alpha {level}", agreement.alpha, "score", level=level)),
    *asked("alpha masi", agreement.alpha, "labels", level="masi"),
    *(p for w in ("linear", "quadratic") for p in asked(f"kappa {w}", agreement.kappa, "score", weights=w)),
    *(p for form in ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
      for p in asked(f"icc {form}", agreement.icc, "score", form=form)),
    *(p for f in (agreement.jaccard, agreement.micro_f1, agreement.macro_f1, agreement.accuracy)
      for p in asked(f.name, f, "labels", "label")),
    *(p for name in ("overview", "pairwise") for p in asked(name, getattr(agreement, name), *ANY)),
    *asked("self-agreement", self_agreement, "label", "score"),
    *(p for name in ("merging", "disagreements", "confusion", "bias", "leave_one_out", "prevalence")
      for p in asked(name, getattr(diagnosis, name), "label")),
    *asked("severity", diagnosis.severity, "score"),
    *asked("difference", lambda t, _, **o: difference(kappa.plan(t), kappa.plan(t), **o), "label"),
    *asked("pairwise quadratic", pairwise, "score", weights="quadratic"),
    *asked("correlations", association.correlations, "score"),
    *asked("between measures", lambda t, q, **o: association.between_measures(t, q, q, **o), "score"),
    *asked("regress", lambda t, q, **o: regression.regress(t, q, ["system"], **o), "score"),
    *asked("blocks", lambda t, q, **o: regression.blocks(t, q, ["system"], **o), "score"),
    *asked("compare judges", lambda t, q, **o: regression.compare_judges(t, q, ["system"], **o), "score"),
    *asked("mixed", lambda t, q, resampling: mixed.mixed(t, q, ["system"], random=["judge", "document"]), "score"),
    *(p for f in (preference.sign_test, preference.majority)
      for p in asked(f.__name__, lambda t, q, f=f, **o: f(_compared(t), q, **o), "label")),
    *asked("Bradley–Terry", lambda t, q, **o: bradley_terry(_compared(t), q, **o), "label"),
    *asked("systems", systems, "score"),
    *asked("head to head", head_to_head, "score"),
    *(p for scale in ("steps", "numbers")
      for p in asked(f"facets {scale}", lambda t, q, resampling, **o: facets(t, q, **o), "score", scale=scale)),
    *asked("throughput", lambda t, _, **o: effort.throughput(t, **o), "score"),
    *asked("fatigue", lambda t, _, resampling: effort.fatigue(t), "score"),
    *asked("cost", lambda t, _, resampling: effort.cost(t, 30), "score"),
    *asked("distribution", context.distribution, "score"),
    *asked("issue shares", context.issue_shares, "labels"),
    *asked("agreement intervals", context.agreement_intervals, "label"),
    *asked("context spans", lambda t, q, **o: context.spans(t, q, before=q, after=q, **o), "label", "labels"),
    *asked("misevaluations", lambda t, q, resampling: context.misevaluations(t, q, q), "score", "label"),
    *(p for match in ("characters", "touching", "exact")
      for p in asked(f"spans {match}", agreement.spans, "spans", match=match)),
    *asked("spans by item", agreement.spans, "spans", average="items"),
    *asked("spans with severities", agreement.spans, "spans", severities="mqm"),
    *asked("gamma", agreement.gamma, "spans", samples=3),
    *asked("overview of spans", agreement.overview, "spans"),
    *(p for form in ("1,1", "2,1", "3,1", "2,k")
      for p in asked(f"icc {form} from components", agreement.icc, "score", form=form, cells="all")),
    *asked("partial", _partial("twice"), "score"),
    *asked("partial given itself", _partial("q"), "score"),
    *asked("expected width", lambda t, _, resampling: expected_width(kappa.plan(t), [5, 10], n=20), "label"),
    *asked("expected width of α", lambda t, _, resampling: expected_width(agreement.alpha.plan(t), [5], n=20), "score"),
    *asked("documents needed", lambda t, _, **o: documents_needed(kappa(t, **o), 0.1), "label"),
    *asked("plan from a pilot", _plan_from_pilot, "score"),
    *asked("preferences from a pilot", _preferences_from_pilot, "label"),
    *asked("against people", models.against_people, *ANY),
    *asked("alternative annotator", lambda t, q, resampling: models.alternative_annotator(t, q), *ANY),
    *asked("calibration", models.calibration, "score"),
    *asked("prediction-powered", lambda t, q, resampling: prediction_powered(t, q), "score"),
]  # fmt: skip


def _compared(data: pl.DataFrame) -> pl.DataFrame:
    """The same answers as preferences between two outputs shown side by side."""
    return data.with_columns(system=pl.lit("oak|elm")).unique(["judge", "segment"], maintain_order=True)


@pytest.mark.parametrize(("function", "kind", "options"), STATISTICS)
def test_degenerate_data_get_a_reason_and_no_invented_number(
    function: Callable[..., Any], kind: str, options: dict[str, Any]
) -> None:
    wrong = []
    for name, data in tables(kind).items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                found = function(data, "q" if len(data) else "", resampling=QUICK, **options)
            except StatisticError as error:
                if len(data):  # an empty table has no question, and naming one is the caller's mistake
                    wrong.append(f"{name}: {error}")
                continue
            except Exception as error:  # whatever it is, it must not reach the user
                wrong.append(f"{name}: {type(error).__name__}: {error}")
                continue
        wrong += [
            f"{name}: {fault}" for result in (found if isinstance(found, list) else [found]) for fault in faults(result)
        ]
    assert not wrong, "\n".join(wrong)


def test_a_control_that_is_constant_or_the_measure_itself_leaves_no_partial_correlation() -> None:
    data = _numbered(table(grid(odd([1.0, 2.0, 5.0]), documents=6)))
    for given in ("twice", "q"):
        found = association.between_measures(data, "q", "place", given=[given], resampling=QUICK)
        assert found.value is None and "constant" in found.notes[0]


def test_nothing_marked_is_no_agreement_on_spans_and_no_gamma() -> None:
    data = table(grid(lambda *_: "[]"), kind="spans")
    for statistic in (agreement.spans, agreement.gamma):
        found = statistic(data, "q", resampling=QUICK)
        assert found.value is None and "marked" in found.notes[0]


def faults(result: Result) -> list[str]:
    """What is wrong with a Result: no reason for no value, an interval that is none, a p that is none."""
    found = []
    if result.value is None:
        if not result.notes and not result.rows:
            found.append(f"{result.name} has no value and no reason")
        if result.interval is not None:
            found.append(f"{result.name} has an interval and no value")
    elif not math.isfinite(result.value):
        found.append(f"{result.name} is {result.value}")
    if result.interval is not None and not result.interval.low <= result.interval.high:
        found.append(f"{result.name} has the interval {result.interval}")
    if result.p is not None and not 0 <= result.p <= 1:
        found.append(f"{result.name} has p {result.p}")
    if not 0 <= result.missing <= 1:
        found.append(f"{result.name} misses {result.missing}")
    return found


@pytest.mark.parametrize("odd", [float("inf"), float("-inf")])
def test_what_is_infinite_is_missing_and_noted_wherever_scores_are_read(odd: float):
    data = {
        "judge": ["a", "b"] * 4,
        "segment": [str(i // 2) for i in range(8)],
        "score": [1.0, 2.0, odd, 3, 4, 4, 1, 2],
    }
    table, notes = tidy(data)
    assert table["score"].null_count() == 1 and any("infinite" in note for note in notes)
    result = icc(data)
    assert result.value is not None and any("infinite" in note for note in result.notes)
    wide_notes = wide({**data, "skill": data["score"]}).notes
    assert any("skill" in note for note in wide_notes)
