"""The material as a report looks at it: its words, who are people, and the results computed once and shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from lanner.analysis.material import Material
from lanner.model import Judge, JudgeKind, Protocol, Question, Result
from lanner.protocols.wording import Wording
from lanner.reports.coefficients import Coefficient, coefficients
from lanner.stats.coefficients import pairwise
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling
from lanner.stats.wide import Wide, wide

_SHORT = 24
_NOT_MEASURED = ("labels", "spans", "text", "ranks", "elapsed", "active", "flags")  # costly to carry along
PEOPLE = (JudgeKind.PERSON, JudgeKind.SIMULATED, JudgeKind.ADJUDICATED)


@dataclass(frozen=True)
class Agreement:
    """How far judges agree on one question: each pair, all people together, by the question's first coefficient."""

    question: Question
    coefficient: Coefficient
    pairs: Sequence[Result]
    same: Sequence[Result]
    people: Result | None
    same_sign: str = "% same"


@dataclass(frozen=True)
class View:
    """A material with its protocol and the settings of a report."""

    material: Material
    protocol: Protocol
    resampling: Resampling = field(default_factory=Resampling)
    language: str = "en"

    @cached_property
    def words(self) -> Wording:
        return Wording(self.protocol, self.language)

    @cached_property
    def judges(self) -> list[Judge]:
        """Those who answered, people first."""
        answered = set(self.material.table["judge"].unique())
        found = [judge for judge in self.material.judges if judge.id in answered]
        return sorted(found, key=lambda judge: judge.kind not in PEOPLE)

    @property
    def people(self) -> list[str]:
        return [judge.id for judge in self.judges if judge.kind in PEOPLE]

    @property
    def models(self) -> list[str]:
        return [judge.id for judge in self.judges if judge.kind not in PEOPLE]

    @cached_property
    def names(self) -> dict[str, str]:
        """What judges are called in print."""
        return {judge.id: judge.name or judge.id for judge in self.material.judges}

    @cached_property
    def simulated(self) -> bool:
        return any(judge.kind is JudgeKind.SIMULATED for judge in self.judges)

    @cached_property
    def domains(self) -> list[str]:
        return list(dict.fromkeys(document.domain for document in self.material.documents if document.domain))

    @cached_property
    def answered(self) -> set[str]:
        """Questions and scores that have at least one answer."""
        return set(self.material.table["question"].unique())

    def label(self, question: str) -> str:
        """A question's words; for something derived from it, a readable form of its id."""
        if self.protocol.find(question):
            return self.words.question(question).label
        if question.endswith("_chosen"):
            return f"{self.words.question(question.removesuffix('_chosen')).label} chosen"
        return question.replace("_", " ")

    def short(self, question: str) -> str:
        """A question's name inside a sentence: its label where that is short, else its id in words."""
        label = self.label(question)
        if len(label) > _SHORT or self._labels[label] > 1:
            label = question.replace("_", " ")
        return label.lower()

    @cached_property
    def _labels(self) -> Counter[str]:
        """How many questions are called the same: scenarios ask one thing several times."""
        return Counter(self.label(question.id) for _, question in self.protocol.questions)

    @cached_property
    def agreements(self) -> list[Agreement]:
        """One for each question that two judges answered and whose answers can be compared."""
        if len(self.judges) < 2:
            return []
        found = []
        for _, question in self.protocol.questions:
            usable = [c for c in coefficients(question) if c.question in self.answered and not c.row and c.pairwise]
            if usable:
                found.append(self._agreement(question, usable))
        return found

    def _agreement(self, question: Question, usable: Sequence[Coefficient]) -> Agreement:
        first = usable[0]
        rated = first.statistic.ratings(self.answers(first.question), first.question, **_selected_by(first))
        same = next((c for c in usable if c.name in ("percent", "jaccard")), None)
        everyone = [result for result in self._pairs(first, rated) if result.counts.get("items")]
        together = None
        people = self.people_asked(first.question)
        if len(people) > 1:
            alpha = next(
                (c for c in coefficients(question) if c.name == "alpha" and c.question == first.question), first
            )
            everybody = set(people) == set(rated.judges) and _selected_by(alpha) == _selected_by(first)
            together = alpha.statistic(
                rated if everybody else self.answers(alpha.question),
                alpha.question,
                resampling=self.resampling,
                **{**alpha.options, "judges": people},
            )
        others = self._pairs(same, rated) if same else ()
        return Agreement(question, first, everyone, others, together, same.sign if same else "")

    def people_asked(self, question: str) -> list[str]:
        """The people who answered a question."""
        answered = set(self.answers(question)["judge"].unique())
        return [judge for judge in self.people if judge in answered]

    @cached_property
    def worked(self) -> pl.DataFrame:
        """Who worked on what: a row for each judge, role and item, whatever was asked."""
        return self.material.table.select("judge", "role", "document", "segment", "system").unique(maintain_order=True)

    @cached_property
    def wide(self) -> Wide:
        """One row per judge and item, for everything that sets measures side by side."""
        return wide(self.material.table.drop(_NOT_MEASURED))

    def answers(self, question: str) -> pl.DataFrame:
        """The rows of one question: what is compared again and again is picked out once."""
        if question not in self._answers:
            self._answers[question] = self.material.table.filter(pl.col("question") == question)
        return self._answers[question]

    @cached_property
    def _answers(self) -> dict[str, pl.DataFrame]:
        return {}

    def _pairs(self, coefficient: Coefficient, rated: Ratings) -> list[Result]:
        """`rated` are the answers as the question's first coefficient reads them: selected once where they serve."""
        serves = (
            bool(rated.sets)
            or "value" in coefficient.options
            or coefficient.statistic.reads == ("label", "score", "labels")
            or rated.marked
        )
        return pairwise(
            rated if serves else self.answers(coefficient.question),
            coefficient.question,
            of=coefficient.statistic,
            resampling=self.resampling,
            **coefficient.options,
        )

    def signature(self, result: Result) -> str:
        """The result's signature with the protocol and the n it was computed on."""
        made = result.signature
        if made is None:
            return ""
        known = {"judges": sum(key in result.labels for key in ("judge", "other")), **result.counts}
        counts = tuple((name, f"{known[name]:,}") for name in ("items", "documents", "judges") if known.get(name))
        return str(replace(made, protocol=self.protocol.label, parts=(*counts, *made.parts)))

    def pair_kind(self, result: Result) -> str:
        """ "people", "people and models" or "models"."""
        count = sum(result.labels[key] in self.people for key in ("judge", "other"))
        return ("models", "people and models", "people")[count]

    def pair_name(self, result: Result) -> str:
        ordered = sorted((result.labels["judge"], result.labels["other"]), key=[j.id for j in self.judges].index)
        return " – ".join(self.names[name] for name in ordered)


def _selected_by(coefficient: Coefficient) -> dict[str, Sequence[str]]:
    """The options of a coefficient that say which labels there are and which column is read."""
    return {name: coefficient.options[name] for name in ("labels", "value") if name in coefficient.options}
