"""`lanner agreement --why`: what disagreement is made of, question by question."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.analysis import Measure
from lanner.analysis.material import Material
from lanner.cli._output import Output
from lanner.figures.typeset import estimate, p_value
from lanner.model import Json, Result
from lanner.stats.agreement import alpha, kappa
from lanner.stats.diagnosis import bias, confusion, disagreements, leave_one_out, merging, severity
from lanner.stats.resample import Resampling

_MOST = 3  # mergers shown for each pair of judges; all of them are in --json


def print_why(output: Output, part: Material, domain: str, measures: Sequence[Measure], resampling: Resampling) -> None:
    """Mergers, confusions, labels of disagreement and leaning judges of label questions; severity of scores."""
    headings = set()
    for coefficient in measures:
        about = (coefficient.question, coefficient.row)
        if (
            about in headings
            or coefficient.statistic not in (kappa, alpha)
            or coefficient.options.get("level") == "jaccard"
        ):
            continue
        headings.add(about)
        output.say(" · ".join(filter(None, (part.name, domain, coefficient.row or coefficient.question))), style="bold")
        _Question(output, part, domain, coefficient, resampling).print()
    output.note("A label that is confused wants a sharper definition or a merger; a judge who leans wants a talk.")


class _Question:
    def __init__(
        self, output: Output, part: Material, domain: str, coefficient: Measure, resampling: Resampling
    ) -> None:
        self.output, self.part, self.resampling = output, part, resampling
        self.about: dict[str, Json] = {"part": part.name, "domain": domain, "question": coefficient.question}
        self.about["row"] = coefficient.row
        self.coefficient = coefficient
        self.select = {"row": coefficient.row} if coefficient.row else {}
        if "labels" in coefficient.options:
            self.select["labels"] = coefficient.options["labels"]

    def print(self) -> None:
        question, table, how = self.coefficient.question, self.part.counted().table, self.resampling
        if self.coefficient.statistic is kappa or self.coefficient.row:
            self._mergers(merging(table, question, resampling=how, **self.select))
            self._confusions(confusion(table, question, resampling=how, **self.select))
            self._shares(disagreements(table, question, resampling=how, **self.select))
            self._leaning("bias", bias(table, question, resampling=how, **self.select))
        else:
            self._leaning("severity", severity(table, question, resampling=how, **self.select))
        if len(self.part.judges) > 2:
            options = {**self.coefficient.options, **self.select}
            self._without(leave_one_out(table, question, of=self.coefficient.statistic, resampling=how, **options))

    def _table(
        self, kind: str, rows: list[dict[str, Json]], columns: list[str | tuple[str, str]], title: str, most: int = 0
    ) -> None:
        all_rows = [{"kind": kind, **self.about, **row} for row in rows]
        first_rows = all_rows[:most] if most else all_rows
        self.output.table(first_rows, columns, title=title)
        self.output.rows.extend(all_rows[len(first_rows) :])
        self.output.say()

    def _mergers(self, results: list[Result]) -> None:
        self.output.sign(results[0].signature if results else "")
        by_pair: dict[tuple[str, str], list[dict[str, Json]]] = {}
        for result in results:
            row = {**result.row(), **result.rows[0], "value": result.value}
            row["gained"] = estimate(row["gain"], row["low"], row["high"])
            by_pair.setdefault((row["judge"], row["other"]), []).append(row)
        for (one, other), rows in by_pair.items():
            self._table(
                "merger",
                rows,
                ["merged", ("value", "κ then"), ("before", "κ now"), ("gained", "gain [95 %]")],
                f"{one} – {other}: κ if two labels were one",
                _MOST,
            )

    def _confusions(self, results: list[Result]) -> None:
        for result in results:
            one, other = result.labels["judge"], result.labels["other"]
            rows = [{**result.labels, **row} for row in result.rows]
            labels: list[str | tuple[str, str]] = [str(row["label"]) for row in result.rows]
            self._table("confusion", rows, [("label", f"{one} ↓"), *labels], f"{one} against {other} →")

    def _shares(self, results: list[Result]) -> None:
        rows = [{**result.row(), "share": estimate(result.value, result.low, result.high)} for result in results]
        both = [row for row in rows if row["side"] == "both" and row["value"]]
        self._table("disagreement", both, ["judge", "other", "label", "share"], "Labels where two judges differ")
        self.output.rows.extend({"kind": "disagreement", **self.about, **row} for row in rows if row["side"] != "both")

    def _leaning(self, kind: str, results: list[Result]) -> None:
        rows = [
            {
                **result.row(),
                "estimate": estimate(result.value, result.low, result.high, bounded=kind == "bias"),
                "chance": p_value(result.p),
            }
            for result in results
        ]
        title = {
            "bias": "How much more often a judge gives a label than the others on the same items",
            "severity": "How much higher a judge scores than the others on the same items",
        }[kind]
        self._table(kind, rows, ["judge", *(["label"] if kind == "bias" else []), "estimate", ("chance", "p")], title)

    def _without(self, results: list[Result]) -> None:
        rows = [{**result.row(), **result.rows[0]} for result in results]
        for row in rows:
            row["estimate"] = estimate(row["value"], row["low"], row["high"])
        sign = self.coefficient.sign
        self._table(
            "leave one out", rows, ["without", ("estimate", sign), "change"], f"{sign} without each judge in turn"
        )
