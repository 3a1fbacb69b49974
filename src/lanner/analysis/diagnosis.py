"""What each system should improve: aspect by aspect, in each domain, next to other systems, with sentences to show it.

An aspect is a row of a grid (a skill of H-FALCON), a label that a rating is asked for (a skill of FALCON), a category
of marked errors (MQM) or a severity (ESA). Skills have two numbers that are never mixed: how often a skill matters, and
how well it is handled where it matters. Errors have two as well: in which share of judgements one occurs, and how many
there are in a judgement, over all judgements: in penalty points where the protocol's score gives them.

Systems are compared in each aspect and domain on the documents that both have, by the difference of their means with
its jackknife error over documents; p-values are corrected by Holm over every comparison made. In simulations of known
truth (docs/diagnosis.md) this kept the chance of any wrong mark near 5 %; smaller families did not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtrit

from lanner.analysis.material import Material
from lanner.analysis.measures import FEWEST_ITEMS, CountedRows
from lanner.analysis.scores import (
    ALL,
    Bounds,
    Share,
    domain_columns,
    option_ends,
    ratio_over_documents,
    row_order,
    share_over_documents,
)
from lanner.errors import StatisticError, check_known
from lanner.model import Document, Grid, Json, Protocol, Question, Result, Spans
from lanner.model.messages import Message, message, plural
from lanner.protocols.derived import span_weight
from lanner.stats.regression import regress
from lanner.stats.resample import Array, Resampling, holm, outcome, replicate_sums


@dataclass(frozen=True, slots=True)
class _Way:
    """How values are looked at: errors count everywhere and are better when fewer, ratings where the skill matters."""

    errors: bool
    bounds: Bounds | None
    how: Resampling

    def rated(self, own: pl.DataFrame) -> pl.DataFrame:
        return own if self.errors else own.filter(pl.col("matters"))


LEVEL = 0.05
_MOST_NAMED = 6
_MOST_DOCUMENTS = 1000
_KEYS = ("judge", "document", "segment", "system", "domain")
_PLACE = ("system", "aspect", "domain", "document", "segment")


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing that a system can be good or bad at. `group` is that of a skill, "" where it has none."""

    id: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two means compared: the difference (first minus second) with its interval over shared documents, p, and p
    corrected for every comparison of the diagnosis."""

    other: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    documents: int

    @property
    def shown(self) -> bool:
        """Whether the two differ after correction."""
        return self.p_corrected is not None and self.p_corrected < LEVEL


@dataclass(frozen=True, slots=True)
class DiagnosisCell:
    """A system in one aspect and one domain. `contrasts` compare it with systems whose value is better (`shown`
    tells whether they differ after correction); `own` compares the aspect with the system's other aspects in that
    domain. `enough` says whether there is enough to say anything."""

    system: str
    aspect: str
    domain: str
    matters: Share
    quality: Share
    contrasts: tuple[Contrast, ...] = ()
    own: Contrast | None = None

    @property
    def enough(self) -> bool:
        return self.quality.value is not None and self.quality.n >= FEWEST_ITEMS

    def to_row(self) -> dict[str, Json]:
        return {
            "system": self.system,
            "aspect": self.aspect,
            **domain_columns(self.domain),
            **self.matters.row("matters", "judgements"),
            **self.quality.row("mean", "n"),
            "better_systems": [contrast.other for contrast in self.contrasts if contrast.shown],
            "p_corrected": {contrast.other: contrast.p_corrected for contrast in self.contrasts},
        }


@dataclass(frozen=True, slots=True)
class CellExample:
    """A sentence behind a cell: why it was chosen, its texts, and every judge's rating of this system and the others
    (None where the aspect was not relevant to the judge)."""

    why: str
    system: str
    aspect: str
    domain: str
    document: str
    segment: str
    source: str
    outputs: Mapping[str, str]
    ratings: Mapping[str, Mapping[str, float | None]]

    def to_row(self) -> dict[str, Json]:
        return {
            **{name: getattr(self, name) for name in ("why", *_PLACE, "source")},
            **domain_columns(self.domain),
            "output": self.outputs.get(self.system, ""),
            "ratings": dict(self.ratings.get(self.system, {})),
        }


@dataclass(frozen=True, slots=True)
class Priority:
    """What a system should improve first: the cell, and how much its users lose there (how often times how far behind).
    `against` says what it is measured against: another system, or its own other aspects where none is shown better."""

    cell: DiagnosisCell
    loss: float
    against: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why no difference is shown: how many standard errors the clearest one is wide, how many it would have to be on
    its documents after correction, and with how many documents of this kind it would be shown (None: more than
    anybody would judge)."""

    cell: DiagnosisCell
    contrast: Contrast
    reached: float
    needed: float
    documents: int | None


@dataclass(frozen=True)
class Diagnosis:
    """Everything that is said about the systems of one material."""

    question: str
    errors: bool
    unit: str
    """What the mean counts: "rating", "points" of marked errors, or "errors" where a protocol gives them no weight."""
    bounds: Bounds | None
    aspects: tuple[Aspect, ...]
    systems: tuple[str, ...]
    domains: tuple[str, ...]
    cells: tuple[DiagnosisCell, ...]
    priorities: Mapping[str, tuple[Priority, ...]]
    tests: int
    explained: tuple[Mapping[str, Json], ...] = ()
    groups: tuple[Mapping[str, Json], ...] = ()
    notes: tuple[Message, ...] = ()
    signature: str = ""
    evidence: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False)
    documents: Mapping[str, Document] = field(default_factory=dict, repr=False)

    def domain(self, name: str) -> str:
        """A domain by name; an unknown name is an error. "all" is all together, unless a domain is called so."""
        if name == "all" and name not in self.domains:
            return ALL
        check_known(name, self.domains, f"There is no domain {name!r} here.", StatisticError)
        return name

    def cell(self, system: str, aspect: str, domain: str = ALL) -> DiagnosisCell:
        """One cell by name; an unknown name is an error."""
        domain = self.domain(domain)
        for kind, name, diagnostic in (
            ("system", system, self.systems),
            ("aspect", aspect, tuple(aspect.id for aspect in self.aspects)),
        ):
            check_known(name, diagnostic, f"There is no {kind} {name!r} here.", StatisticError)
        key = (system, aspect, domain)
        match = next((cell for cell in self.cells if (cell.system, cell.aspect, cell.domain) == key), None)
        if match is None:
            raise StatisticError(f"Nobody judged {system} on {aspect}{f' in {domain}' if domain else ''}.")
        return match

    @property
    def table(self) -> pl.DataFrame:
        """The cells as a frame: a row for each system, aspect and domain."""
        plain = [{**row, "better_systems": ", ".join(row["better_systems"])} for row in self.rows()]
        return pl.DataFrame([{k: v for k, v in row.items() if k != "p_corrected"} for row in plain])

    @property
    def occurring(self) -> list[Aspect]:
        """The aspects that matter at all: of errors, those that anybody marked."""
        return [
            aspect
            for aspect in self.aspects
            if any(cell.matters.value for cell in self.cells if cell.aspect == aspect.id)
        ]

    @property
    def shortfall(self) -> Shortfall | None:
        """What it would take to show a difference; None where one is shown or nothing could be compared."""
        comparisons = [
            (contrast.p, cell, contrast)
            for cell in self.cells
            for contrast in (*cell.contrasts, *([cell.own] if cell.own else []))
            if contrast.p is not None and contrast.low is not None
        ]
        if not comparisons or any(contrast.shown for *_, contrast in comparisons):
            return None
        p, cell, contrast = min(comparisons, key=lambda entry: entry[0])
        standard_errors = _width_of(p, contrast.documents)
        enough = (
            documents
            for documents in range(contrast.documents + 1, _MOST_DOCUMENTS + 1)
            if standard_errors * math.sqrt(documents / contrast.documents) > _width_of(LEVEL / self.tests, documents)
        )
        return Shortfall(
            cell, contrast, standard_errors, _width_of(LEVEL / self.tests, contrast.documents), next(enough, None)
        )

    def sentences(self, domain: str = ALL) -> tuple[int, bool]:
        """How many sentences of a domain were judged, and whether that is exact or the least there can be."""
        rows = self.evidence if domain == ALL else self.evidence.filter(pl.col("domain") == domain)
        return _sentences(rows, self.documents)

    def rows(self) -> list[dict[str, Json]]:
        return [cell.to_row() for cell in self.cells]

    def examples(self, cell: DiagnosisCell) -> list[CellExample]:
        """The worst, the best and the most disputed sentence of a cell, chosen by rule: lowest and highest mean over
        judges, then the widest gap to the other systems; the largest distance between two judges."""
        mine = _of(self.evidence, cell.system, cell.aspect, cell.domain)
        mine = _Way(self.errors, self.bounds, Resampling()).rated(mine)
        if mine.is_empty():
            return []
        others = _of(self.evidence, None, cell.aspect, cell.domain).filter(pl.col("system") != cell.system)
        units = ["document", "segment"]
        sentences = (
            mine.group_by(units, maintain_order=True)
            .agg(
                pl.col("value").mean().alias("mean"),
                (pl.col("value").max() - pl.col("value").min()).alias("spread"),
                pl.len().alias("judges"),
            )
            .join(others.group_by(units).agg(pl.col("value").mean().alias("rest")), on=units, how="left")
            .with_columns((pl.col("rest").fill_null(pl.col("mean")) - pl.col("mean")).abs().alias("gap"))
        )
        worst_first = not self.errors
        selection: list[tuple[str, Mapping[str, Any]]] = []
        for why, order, down in (
            ("worst", ["mean", "gap"], [not worst_first, True]),
            ("best", ["mean", "gap"], [worst_first, True]),
            ("most disputed", ["spread", "judges"], [True, True]),
        ):
            sentence = sentences.sort([*order, *units], descending=[*down, False, False]).row(0, named=True)
            if why == "most disputed" and not sentence["spread"]:
                continue
            selection.append((why, sentence))
        return [self._example(why, cell, sentence) for why, sentence in selection]

    def _example(self, why: str, cell: DiagnosisCell, sentence: Mapping[str, Any]) -> CellExample:
        ratings: dict[str, dict[str, float | None]] = {}
        rows = self.evidence.filter(
            pl.col("aspect") == cell.aspect,
            pl.col("document") == sentence["document"],
            pl.col("segment") == sentence["segment"],
        )
        if not self.sentences()[1]:  # the same number may be another sentence of another system
            rows = rows.filter(pl.col("system") == cell.system)
        for row in rows.sort("system", "judge").iter_rows(named=True):
            value = float(row["value"]) if row["matters"] or self.errors else None
            ratings.setdefault(row["system"], {})[row["judge"]] = value
        document = self.documents.get(sentence["document"])
        segment = next((s for s in document or () if s.id == sentence["segment"]), None)
        return CellExample(
            why,
            cell.system,
            cell.aspect,
            cell.domain,
            sentence["document"],
            sentence["segment"],
            segment.source if segment else "",
            dict(segment.outputs) if segment else {},
            ratings,
        )


def _width_of(p: float, documents: int) -> float:
    """How many standard errors a difference over so many documents is wide if its two-sided p is this."""
    return float(-stdtrit(documents - 1, p / 2))


def diagnosable_part(parts: Sequence[Material], question: str = "") -> Material:
    """The first part whose systems can be diagnosed by the question, or by any."""
    for part in parts:
        if part.protocol is not None:
            diagnostic = [question] if question else part.protocol.diagnostic
            if set(part.table["question"].unique()) & set(diagnostic):
                return part
    if not parts:
        raise StatisticError("There is nothing to diagnose here.")
    return parts[0]


def diagnose(
    material: Material, question: str = "", *, rows: CountedRows | None = None, resampling: Resampling | None = None
) -> Diagnosis:
    """The diagnosis of every system that people judged (or models, where no people did), or of the `rows`."""
    protocol = material.protocol
    if protocol is None:
        raise StatisticError(
            f"It is not known what was asked in {material.name}.", next_step="Name the protocol with --protocol."
        )
    diagnostic = protocol.diagnostic
    answered_ids = [name for name in diagnostic if not material.table.filter(pl.col("question") == name).is_empty()]
    if question:
        check_known(question, diagnostic, f"Systems are not diagnosed by {question!r}.", StatisticError)
    if not diagnostic:
        raise StatisticError(
            f"{protocol.label} asks nothing about single skills or errors of a translation.",
            code="not_diagnostic",
            names={"protocol": protocol.label},
            next_step="Diagnose a campaign with H-FALCON, FALCON, MQM or ESA.",
        )
    if not question and not answered_ids:
        raise StatisticError(
            f"Nobody has answered what {protocol.label} asks about skills or errors.",
            code="not_diagnosed_yet",
            names={"protocol": protocol.label},
            next_step="Wait for the first answers.",
        )
    pair = protocol.find(question or answered_ids[0])
    assert pair is not None
    how = resampling or Resampling()
    return _diagnose(material, protocol, pair[1], rows or material.counted("scores"), how)


def _diagnose(
    material: Material, protocol: Protocol, question: Question, counted_rows: CountedRows, how: Resampling
) -> Diagnosis:
    evidence, aspects = _evidence(protocol, question, counted_rows.table)
    if evidence.is_empty():
        if counted_rows.table.filter(pl.col("question") == question.id, pl.col("system") != "").is_empty():
            raise StatisticError(f"Nobody has answered {question.id} about a translation.")
        raise StatisticError(
            f"The options of {question.id} have no values, so that nothing says which is better.",
            next_step="Give each option a value in the protocol.",
        )
    errors = isinstance(question, Spans)
    bounds = None if errors else option_ends(question)
    unit = ("points" if _weights(protocol, question) else "errors") if errors else "rating"
    systems = tuple(evidence["system"].unique().sort())
    domain_names = tuple(evidence.filter(pl.col("domain") != "")["domain"].unique().sort())
    domains = (ALL, *domain_names) if len(domain_names) > 1 else (ALL,)
    way = _Way(errors, (0.0, math.inf) if errors else bounds, how)  # nothing costs less than no error
    cells = [
        _cell(evidence, system, aspect.id, domain, way)
        for aspect in aspects
        for domain in domains
        for system in systems
    ]
    cells = [cell for cell in cells if cell.matters.n]
    cells, tests = _compare_systems(evidence, cells, way)
    priorities = {system: tuple(_priorities([c for c in cells if c.system == system], errors)) for system in systems}
    names = evidence["judge"].unique().sort()
    judges = ", ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} judges"
    texts = {document.id: document for document in material.documents}
    n, counted_exactly = _sentences(evidence, texts)
    signature = (
        f"{f'share with the error and {unit} a judgement' if errors else 'share and mean where it matters'} · "
        f"{protocol.label} {question.id} · {'' if counted_exactly else 'at least '}{plural(n, 'sentence')}, "
        f"{plural(evidence['document'].n_unique(), 'document')}, {plural(len(systems), 'system')} · {judges} · "
        f"rows {counted_rows.selection}"
    )
    if tests:
        signature += f" · difference of means, jackknife-t over documents, Holm over all {tests} comparisons"
    return Diagnosis(
        question.id,
        errors,
        unit,
        bounds,
        aspects,
        systems,
        domains,
        tuple(cells),
        priorities,
        tests,
        explained=tuple(_explain_outcome(protocol, question, counted_rows, systems, how)),
        groups=tuple(_people_and_models(material, protocol, question, aspects, way)),
        notes=tuple(_notes(cells, systems, errors)),
        signature=signature,
        evidence=evidence,
        documents=texts,
    )


def _sentences(evidence: pl.DataFrame, texts: Mapping[str, Document]) -> tuple[int, bool]:
    """How many sentences were judged, and whether that is exact. Files without texts may number every translation by
    itself (Appraise does), so that one sentence has an id for each system: then there are at least as many as the
    system with most of them has in each document."""
    pairs = evidence.select("document", "segment").unique().height
    if texts:
        return pairs, True
    by_system = evidence.group_by("document", "system").agg(pl.col("segment").n_unique().alias("n"))
    least = int(by_system.group_by("document").agg(pl.col("n").max())["n"].sum())
    return least, least == pairs


def _evidence(protocol: Protocol, question: Question, table: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Aspect, ...]]:
    """A row for each judgement and aspect: whether it matters there, and what it is worth."""
    answers = table.filter(pl.col("question") == question.id, pl.col("system") != "")
    if isinstance(question, Spans):
        return _error_evidence(protocol, question, answers)
    answers = answers.filter(pl.col("row") != "", pl.col("score").is_not_null())
    default_option = question.preselected if isinstance(question, Grid) else None
    matters = (pl.col("label") != default_option).fill_null(value=True) if default_option else pl.lit(value=True)
    evidence = answers.select(
        *_KEYS, pl.col("row").alias("aspect"), matters.alias("matters"), pl.col("score").alias("value")
    )
    order = row_order(question, answers)
    if not isinstance(question, Grid):
        evidence = _with_unchosen(evidence, order)
    groups = {row.id: row.group or "" for row in question.rows} if isinstance(question, Grid) else {}
    match = protocol.find(question.for_each) if question.for_each else None
    if match:
        groups = {option.id: option.group or "" for option in match[1].choices}
        order = [option.id for option in match[1].choices if option.id in set(order)]
    return evidence, tuple(Aspect(row, groups.get(row, "")) for row in order)


def _with_unchosen(evidence: pl.DataFrame, aspects: Sequence[str]) -> pl.DataFrame:
    """A skill that a judge did not choose does not matter there: its row says so."""
    judgements = evidence.select(_KEYS).unique(maintain_order=True)
    every = judgements.join(pl.DataFrame({"aspect": list(aspects)}, {"aspect": pl.String}), how="cross")
    full = every.join(evidence, on=[*_KEYS, "aspect"], how="left")
    return full.with_columns(pl.col("matters").fill_null(value=False), pl.col("value").fill_null(0.0))


def _error_evidence(
    protocol: Protocol, question: Spans, answers: pl.DataFrame
) -> tuple[pl.DataFrame, tuple[Aspect, ...]]:
    """Error categories, or severities where there are no categories to tell errors apart by."""
    weights = _weights(protocol, question)
    parents = {option.id: option.parent for option in question.choices}
    by_severity = len(question.categories) < 2
    options = question.severities if by_severity else question.categories
    names = [option.id for option in options if by_severity or option.parent is None]
    rows: dict[str, list[Any]] = {name: [] for name in (*_KEYS, "aspect", "matters", "value")}
    for answer in answers.filter(pl.col("spans").is_not_null()).iter_rows(named=True):
        points: dict[str, float] = {}
        for span in json.loads(answer["spans"]):
            label = span.get("severity") if by_severity else span.get("category")
            aspect = label if by_severity else parents.get(label or "") or label
            if aspect is not None:
                worth = span_weight(span, weights, parents) if weights else 1.0
                points[aspect] = points.get(aspect, 0.0) + worth
        for name in names:
            for key in _KEYS:
                rows[key].append(answer[key])
            rows["aspect"].append(name)
            rows["matters"].append(name in points)
            rows["value"].append(points.get(name, 0.0))
    return pl.DataFrame(rows, strict=False), tuple(Aspect(name) for name in names)


def _weights(protocol: Protocol, question: Question) -> Sequence[Any]:
    """What the protocol's score takes for each kind of error; empty where it has no such score."""
    score = next((s for s in protocol.scores if s.rule == "weighted_spans" and s.question == question.id), None)
    weights: Sequence[Any] = score.options.get("weights", ()) if score else ()
    return weights


def _of(evidence: pl.DataFrame, system: str | None, aspect: str, domain: str) -> pl.DataFrame:
    own = evidence.filter(pl.col("aspect") == aspect)
    if system is not None:
        own = own.filter(pl.col("system") == system)
    return own if domain == ALL else own.filter(pl.col("domain") == domain)


def _cell(evidence: pl.DataFrame, system: str, aspect: str, domain: str, way: _Way) -> DiagnosisCell:
    own = _of(evidence, system, aspect, domain)
    matters, ratings = own.filter(pl.col("matters")), way.rated(own)
    often = share_over_documents(matters, own, way.how)
    well = ratio_over_documents(
        ratings.select("document", top=pl.col("value")), ratings.select("document"), way.how, way.bounds
    )
    return DiagnosisCell(system, aspect, domain, often, well)


def _compare_systems(
    evidence: pl.DataFrame, cells: Sequence[DiagnosisCell], way: _Way
) -> tuple[list[DiagnosisCell], int]:
    """The cells with every comparison of two systems, and where there is one system of an aspect with its others, all
    corrected together; and how many comparisons that is."""
    by_key = {(cell.system, cell.aspect, cell.domain): cell for cell in cells}
    pairs: list[tuple[DiagnosisCell, DiagnosisCell, Contrast]] = []
    for (aspect, domain), group in _by_aspect_and_domain(cells).items():
        own = way.rated(_of(evidence, None, aspect, domain))
        sums = {cell.system: _document_sums(own.filter(pl.col("system") == cell.system)) for cell in group}
        for one, two in combinations([cell for cell in group if cell.enough], 2):
            contrast = _difference(sums[one.system], sums[two.system], other=two.system, how=way.how)
            if contrast is not None:
                pairs.append((one, two, contrast))
    alone: list[tuple[DiagnosisCell, Contrast]] = []
    if len({cell.system for cell in cells}) == 1 and not way.errors:
        for cell in cells:
            if cell.enough:
                whole = evidence if cell.domain == ALL else evidence.filter(pl.col("domain") == cell.domain)
                rest = way.rated(whole.filter(pl.col("aspect") != cell.aspect))
                mine = way.rated(_of(evidence, cell.system, cell.aspect, cell.domain))
                sides = (_document_sums(mine), _document_sums(rest))
                if (contrast := _difference(*sides, other="", how=way.how)) is not None:
                    alone.append((cell, contrast))
    corrected_p = holm([contrast.p for *_, contrast in pairs] + [contrast.p for _, contrast in alone])
    for (one, two, contrast), p in zip(pairs, corrected_p, strict=False):
        if not contrast.difference:  # compared, and counted in the correction; where two are alike, neither is better
            continue
        worse, better = (one, two) if (contrast.difference < 0) is not way.errors else (two, one)
        sign = 1 if worse is one else -1
        ends = (contrast.low, contrast.high) if sign == 1 else (_negative(contrast.high), _negative(contrast.low))
        loss_contrast = replace(
            contrast,
            other=better.system,
            difference=sign * contrast.difference,
            low=ends[0],
            high=ends[1],
            p_corrected=p,
        )
        key = (worse.system, worse.aspect, worse.domain)
        by_key[key] = replace(by_key[key], contrasts=(*by_key[key].contrasts, loss_contrast))
    for (cell, contrast), p in zip(alone, corrected_p[len(pairs) :], strict=True):
        key = (cell.system, cell.aspect, cell.domain)
        by_key[key] = replace(by_key[key], own=replace(contrast, p_corrected=p))
    tests = sum(p is not None for p in corrected_p)
    return [by_key[(cell.system, cell.aspect, cell.domain)] for cell in cells], tests


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _by_aspect_and_domain(cells: Sequence[DiagnosisCell]) -> dict[tuple[str, str], list[DiagnosisCell]]:
    groups: dict[tuple[str, str], list[DiagnosisCell]] = {}
    for cell in cells:
        groups.setdefault((cell.aspect, cell.domain), []).append(cell)
    return groups


Sums = Mapping[str, tuple[float, float]]
"""By document the sum of the values and how many there are."""


def _document_sums(own: pl.DataFrame) -> Sums:
    totals = own.group_by("document").agg(pl.col("value").sum(), pl.len().alias("n"))
    return {document: (float(total), float(n)) for document, total, n in totals.iter_rows()}


def _difference(one: Sums, two: Sums, *, other: str, how: Resampling) -> Contrast | None:
    """The difference of two means on the documents that both have, resampled by document; None where fewer than two
    documents are shared. Where every document differs by the same amount there is no error to compare it with: p is
    then that of the signs, 2 of the 2ⁿ ways in which n documents can fall."""
    in_common = sorted(one.keys() & two.keys())
    if len(in_common) < 2:
        return None
    sums = np.array([[*one[document], *two[document]] for document in in_common])

    def finish(totals: Array) -> Array:
        return np.asarray(totals[:, :1] / totals[:, 1:2] - totals[:, 2:3] / totals[:, 3:4])

    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = replicate_sums(sums, finish, how)
        result = outcome(replicates, how, null=0.0)
    interval, difference = result.interval, float(replicates.value[0])
    p = result.p
    if p is None and difference and _same_everywhere(sums):
        p = 2.0 ** (1 - len(in_common))
    return Contrast(
        other,
        difference,
        interval.low if interval else None,
        interval.high if interval else None,
        p,
        None,
        len(in_common),
    )


def _same_everywhere(sums: Array) -> bool:
    """Whether the two means are equally far apart in every document."""
    gaps = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    return bool(np.ptp(gaps) < 1e-12)


def _priorities(mine: Sequence[DiagnosisCell], errors: bool) -> list[Priority]:
    """What to improve, the largest loss first: how often it matters times how far behind. Where no other system is
    shown to do better, aspects that lie below the system's own others. An aspect that is shown in some domain is named
    there; one that is shown only over all domains together is named so."""
    losses = [priority for cell in mine if cell.enough and (priority := _behind_others(cell, errors))]
    losses = losses or [priority for cell in mine if cell.enough and (priority := _behind_own(cell))]
    in_a_domain = {priority.cell.aspect for priority in losses if priority.cell.domain != ALL}
    candidates = [loss for loss in losses if loss.cell.domain != ALL or loss.cell.aspect not in in_a_domain]
    return sorted(candidates, key=lambda priority: (-priority.loss, priority.cell.aspect, priority.cell.domain))


def _behind_others(cell: DiagnosisCell, errors: bool) -> Priority | None:
    contrasts = [contrast for contrast in cell.contrasts if contrast.shown]
    if not contrasts:
        return None
    best = max(contrasts, key=lambda contrast: abs(contrast.difference))
    weight = 1.0 if errors else cell.matters.value or 0.0
    return Priority(cell, weight * abs(best.difference), best.other)


def _behind_own(cell: DiagnosisCell) -> Priority | None:
    if cell.own is None or not cell.own.shown or cell.own.difference >= 0:
        return None
    return Priority(cell, (cell.matters.value or 0.0) * -cell.own.difference, "")


def _explain_outcome(
    protocol: Protocol, question: Question, counted_rows: CountedRows, systems: Sequence[str], how: Resampling
) -> Iterator[dict[str, Json]]:
    """How the aspects explain the outcome that the protocol's plan explains by them, for each system."""
    plan = next(
        (
            analysis
            for analysis in protocol.analyses
            if analysis.statistic == "regression.blocks" and question.id in analysis.options.get("blocks", ())
        ),
        None,
    )
    if plan is None:
        return
    for system in systems:
        own = counted_rows.table.filter(pl.col("system") == system)
        try:
            result = regress(own, plan.of, [question.id], resampling=how)
        except StatisticError:
            continue
        yield from _terms(result, system, plan.of, question.id)


def _terms(result: Result, system: str, outcome_of: str, question: str) -> Iterator[dict[str, Json]]:
    for row in result.rows:
        if row["term"] != "intercept":
            yield {
                "system": system,
                "outcome": outcome_of,
                "aspect": str(row["term"]).removeprefix(f"{question}."),
                "coefficient": row["value"],
                "low": row["low"],
                "high": row["high"],
                "p": row["p"],
                "r2": result.value,
                "n": row["n"],
            }


def _people_and_models(
    material: Material, protocol: Protocol, question: Question, aspects: Sequence[Aspect], way: _Way
) -> Iterator[dict[str, Json]]:
    """Where people and models differ on the same sentences of the same system, with p corrected over all of these."""
    tables = [material.counted("scores", of=group).table for group in ("people", "models")]
    if any(table.filter(pl.col("question") == question.id).is_empty() for table in tables):
        return
    people, models = (_evidence(protocol, question, table)[0] for table in tables)
    items = ["document", "segment", "system"]
    people = people.join(models.select(items).unique(), on=items, how="semi")
    models = models.join(people.select(items).unique(), on=items, how="semi")
    rows: list[tuple[dict[str, Json], Contrast | None]] = []
    for system in people["system"].unique().sort():
        for aspect in aspects:
            one, two = (_of(frame, system, aspect.id, ALL) for frame in (people, models))
            ratings = [way.rated(frame) for frame in (one, two)]
            if min(frame.height for frame in ratings) < FEWEST_ITEMS:
                continue
            contrast = _difference(*map(_document_sums, ratings), other="models", how=way.how)
            row: dict[str, Json] = {"system": system, "aspect": aspect.id}
            for name, whole, part in (("people", one, ratings[0]), ("models", two, ratings[1])):
                matter = whole["matters"].sum() / max(1, whole.height)
                row |= {f"{name}_matters": float(matter), f"{name}_mean": float(part["value"].to_numpy().mean())}
            rows.append((row, contrast))
    corrected_p = holm([contrast.p if contrast else None for _, contrast in rows])
    for (row, contrast), p in zip(rows, corrected_p, strict=True):
        ends: dict[str, Json] = {"difference": None, "low": None, "high": None}
        if contrast is not None:
            ends = {"difference": contrast.difference, "low": contrast.low, "high": contrast.high}
        yield {**row, **ends, "p_corrected": p}


def _notes(cells: Sequence[DiagnosisCell], systems: Sequence[str], errors: bool) -> Iterator[Message]:
    few = sum(not cell.enough for cell in cells)
    if few:
        yield message(
            "{n} of {all} cells rest on fewer than {least} judgements and are not compared.",
            n=few,
            all=len(cells),
            least=FEWEST_ITEMS,
        )
    occurring = {cell.aspect for cell in cells if cell.matters.value}
    empty_aspects = [aspect for aspect in dict.fromkeys(cell.aspect for cell in cells) if aspect not in occurring]
    if errors and empty_aspects:
        kinds = ", ".join(name.replace("_", " ") for name in empty_aspects)
        yield message("Nobody marked an error of: {kinds}.", kinds=kinds)
    if len(systems) == 1 and not errors:
        yield message(
            "There is one system, so its skills are compared with each other; nothing is said about other systems."
        )
