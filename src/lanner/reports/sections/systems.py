"""How systems do: ranking, how each handles every skill, and which of two is preferred; then what a score is made of,
estimated three ways, and whether judges rank alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.analysis.scores import (
    GridRowScore,
    RankedBy,
    RankedSystems,
    corrected_scores,
    counts_some,
    language_pairs,
    numeric_questions,
    options_of,
    planned_rankings,
    preference_questions,
    probabilities,
    profile,
    rank_in_pairs,
    rank_systems,
    score_bounds,
    with_sides,
)
from lanner.errors import LannerError, StatisticError
from lanner.figures.charts import (
    Difference,
    Effect,
    EstimateGroup,
    EstimateRow,
    Estimator,
    ModelPanel,
    Preference,
    differences,
    effects_of,
    estimators,
    forest,
    intervals,
    preference,
)
from lanner.model import Analysis, Grid, Json, Number, Question, Result, Scale, Unit
from lanner.model.messages import (
    count,
    estimate,
    from_to,
    interval,
    leading,
    name_or_count,
    number,
    p_number,
    p_value,
    percent,
    plural,
    words,
)
from lanner.protocols.derived import ranking_plans
from lanner.reports.parts import (
    Block,
    Column,
    Figure,
    Paragraph,
    Section,
    Table,
    capital,
    identifier,
    predictors,
    printed,
)
from lanner.reports.view import View
from lanner.stats.association import correlations
from lanner.stats.frame import Wide
from lanner.stats.goals import State
from lanner.stats.mixed import mixed
from lanner.stats.preference import sign_test
from lanner.stats.regression import blocks as block_model
from lanner.stats.regression import regress
from lanner.stats.resample import THESE_JUDGES
from lanner.stats.scores import OUT_OF_RANGE

_MOST_SYSTEMS, _MOST_FINDINGS, _MOST_PANELS, _MOST_NAMED, _MOST_PAIRS = 30, 2, 4, 4, 45


def section(view: View) -> Section | None:
    """For every score that the protocol's plan ranks systems by. People's answers alone, where there are any."""
    blocks: list[Block] = []
    findings: list[str] = []
    caveats: list[str] = []
    rankings = planned_rankings(view.protocol, view.scored.table)
    if view.scored.selection.groups == ("metrics",) and len(view.judges) > 1:
        names = words([view.names[judge.id] for judge in view.judges])
        blocks.append(
            Paragraph(
                f"{names} have scales of their own, which have no mean. By one of them systems are ranked with "
                f"`lanner scores --judges {view.judges[0].id}`."
            )
        )
        rankings = []
    for analysis in rankings:
        options = options_of(analysis, view.material, rankings)
        margin = options.get("margin")
        if margin is not None:
            view.methods.add("tost")
        ranking = rank_systems(view.scored, analysis.of, view.protocol, resampling=view.resampling, **options)
        notes = " ".join(ranking.systems.notes)
        if not ranking.systems.rows:
            blocks.append(Paragraph(f"Systems are not ranked by {view.short(analysis.of)}: {notes}"))
        else:
            blocks += [_table(view, analysis, ranking, margin), _figure(view, analysis.of, ranking)]
            if _leaves_judges_out(view, analysis.of, ranking) or _is_off_scale(view, analysis.of):
                blocks.append(Paragraph(notes))
            blocks += _differences(view, analysis.of, ranking, margin)
            blocks += _in_language_pairs(view, analysis, ranking, options)
            blocks += _corrected_blocks(view, analysis.of)
            if min(row["n"] for row in ranking.systems.rows) >= FEWEST_ITEMS:
                findings.append(_finding(view, analysis.of, ranking) + _pairs_told(ranking, margin))
            caveats = caveats or _caveats(view, analysis, ranking)
    blocks += _unplanned(view)
    for stage, question in view.protocol.questions:
        if stage.unit is not Unit.JUDGE:
            blocks += _profile(view, question)
    if not blocks:
        return None
    return Section("systems", "How the systems do", blocks, findings[:_MOST_FINDINGS], caveats=caveats)


def _unplanned(view: View) -> list[Block]:
    """Why systems are not ranked that have numbers, and how they are: the protocol does not say by what."""
    if view.protocol.is_guessed or ranking_plans(view.protocol):
        return []
    table = view.scored.table
    numeric = [name for name in numeric_questions(table) if view.protocol.find(name)]
    if not numeric or table.filter(pl.col("question").is_in(numeric))["system"].n_unique() < 2:
        return []
    commands = [f"`lanner scores --question {name}`" for name in numeric]
    return [
        Paragraph(
            f"Systems are not ranked here: {view.protocol.name} plans no ranking (an `[[analysis]]` with the statistic "
            f"`ranking.systems`). {words(commands, 'or')} ranks them."
        )
    ]


def _leaves_judges_out(view: View, of: str, ranking: RankedSystems) -> bool:
    """Whether a ranking rests on fewer judges than have answered: one whose scores are all the same has no z."""
    answers = view.scored.table.filter(pl.col("question") == of, pl.col("system") != "", pl.col("score").is_not_null())
    return ranking.systems.counts.get("judges", 0) < answers["judge"].n_unique()


def _is_off_scale(view: View, of: str) -> bool:
    """Whether a ranking counts imported numbers that their scale does not reach."""
    answers = view.scored.table.filter(pl.col("question") == of)
    return bool(answers["flags"].list.contains(OUT_OF_RANGE).any())


_STATES = {State.DECIDED: "✓ decided", State.WITHIN: "≈ within margin", State.OPEN: "△ open"}
_FEW_DOCUMENTS, _FEW_JUDGES = 20, 3


def _pairs_told(ranking: RankedSystems, margin: float | None) -> str:
    """How many pairs are decided, lie within the margin, or are open; nothing where there is one pair alone."""
    if len(ranking.pairs.rows) < 2:
        return ""
    parts = [f"{ranking.count(State.DECIDED)} of {plural(len(ranking.pairs.rows), 'pair')} are decided"]
    if margin is not None:
        parts.append(f"{ranking.count(State.WITHIN)} within ±{margin:.12g}")
    return f" {', '.join([*parts, f'{ranking.count(State.OPEN)} open'])}."


_TOO_FEW_DOCUMENTS = 5
"""With no more, all of them saying the same is no p below .05."""


def _caveats(view: View, analysis: RankedBy, ranking: RankedSystems) -> list[str]:
    """What to know before a ranking is read: how little it rests on, and what it does not speak of."""
    caveats: list[str] = []
    of, test = analysis.of, analysis.options.get("test", "permutation")
    documents = ranking.systems.counts["documents"]
    if len(ranking.systems.rows) < 2:
        return []
    if documents < _FEW_DOCUMENTS and ranking.reach is not None:
        reach, name = number(ranking.reach, 2, bounded=False), _measured(view.short(of), ranking)
        caveats.append(
            f"**{plural(documents, 'document')}.** The interval of a difference in {name} reaches about {reach} to "
            "each side: smaller differences can hardly be told from chance."
        )
    elif documents <= _TOO_FEW_DOCUMENTS and test == "permutation":
        caveats.append(
            f"**{plural(documents, 'document')}.** With so few no difference between systems can be shown, however "
            "large it is."
        )
    if some := counts_some(view.scored.table, of, view.protocol):
        caveats.append(f"**{view.heading(of)} counts {some.replace('_', ' ')}.** The others have no score.")
    for system, own in list(ranking.judged_on_fewer.items())[:_MOST_NAMED]:
        caveats.append(
            f"**{system} was judged in {own} of {plural(documents, 'document')}.** It is compared with each other "
            "system on what both were judged on."
        )
    judges = ranking.systems.counts.get("judges", 0)
    if 0 < judges < _FEW_JUDGES:
        caveats.append(f"**{plural(judges, 'judge').capitalize()}.** Others may order the systems differently.")
    if view.material.settings.get("design") == "adaptive":
        caveats.append(
            "**The campaign was adaptive.** p and intervals here do not count how often it was looked at; what is "
            "decided, with every look counted, is told by `lanner campaign decided`."
        )
    pairs = language_pairs(view.scored.table)
    if len(pairs) > 1:
        caveats.append(
            f"**{len(pairs)} language pairs.** Scores average over {words(pairs)}, in which systems may stand in "
            "another order; a table shows each pair by itself."
        )
    if len({(document.source_language, document.target_language) for document in view.material.documents}) == 1:
        caveats.append("**One language pair.** The ranking says nothing about others.")
    return caveats


def _in_language_pairs(
    view: View, analysis: RankedBy, ranking: RankedSystems, options: Mapping[str, Any]
) -> list[Block]:
    """The same score in each language pair, where there are several."""
    plain = {name: value for name, value in options.items() if name != "margin"}
    results = rank_in_pairs(view.scored, analysis.of, view.protocol, resampling=view.resampling, **plain)
    if not any(result.rows for result in results.values()):
        return []
    columns = [*_score_columns(view, analysis.of, ranking), _RANKS, Column("documents", "Documents", quiet=True), _N]
    rows: list[dict[str, Json]] = []
    for pair, result in results.items():
        rows += [{"group": pair}, *printed(columns, result.rows)]
    data = [{"languages": pair, **_numbers(row)} for pair, result in results.items() for row in result.rows]
    caption = "Each language pair by itself: tests and rank ranges are those within the pair."
    signature = view.signature(ranking.systems)
    return [Table(f"ranking-{analysis.of}-by-languages", caption, columns, rows, data, signature)]


def _measured(name: str, ranking: RankedSystems) -> str:
    """What the numbers of a ranking are: not points of the scale where judges are standardised."""
    return f"{name} (z per judge)" if ranking.is_standardised else name


def _score_columns(view: View, of: str, ranking: RankedSystems) -> list[Column]:
    return [
        Column("rank", "System", cell=lambda row: f"{row['rank']}. {row['system']}"),
        Column(
            "score",
            _measured(capital(view.label(of)), ranking),
            cell=lambda row: number(row["score"], 2, bounded=False),
        ),
        Column("ci", view.level, quiet=True, cell=lambda row: interval(row["low"], row["high"], bounded=False)),
    ]


def _ranks(row: Mapping[str, Json]) -> str:
    return from_to(row["rank_low"], row["rank_high"])


_RANKS = Column("ranks", "Ranks", cell=_ranks)
_N = Column("n", "n", quiet=True)


def _numbers(row: Mapping[str, Json]) -> dict[str, Json]:
    """A system of a ranking for programs: the ends of its ranks stand in columns of their own."""
    return {key: value for key, value in row.items() if key != "ranks"}


def _differences(view: View, of: str, ranking: RankedSystems, margin: float | None) -> list[Block]:
    """Every pair of systems, the furthest apart first: decided, within the margin, or open."""
    rows = [row for row in ranking.pairs.rows if row["difference"] is not None]
    if len(rows) < 2 or len(rows) > _MOST_PAIRS:
        return []
    name = _measured(view.short(of), ranking)
    better = -1 if ranking.systems.rows[0]["score"] < ranking.systems.rows[-1]["score"] else 1
    pairs = sorted(rows, key=lambda row: -better * row["difference"])
    bars = [
        Difference(
            row["system"],
            row["other"],
            row["difference"],
            row["low"],
            row["high"],
            row["state"].value,
            _STATES[row["state"]],
        )
        for row in pairs
    ]
    zone = f" Grey zone: the margin of ±{margin:.12g} that was set." if margin is not None else ""
    within = (
        " Hollow with a grey line: neither is worse than the other by more than the margin."
        if margin is not None
        else ""
    )
    caption = (
        f"{_pairs_told(ranking, margin).strip()} Mark: difference in {name}; line: {view.level} interval, not "
        f"corrected. Filled: p < .05 corrected for all pairs.{within} Hollow otherwise: not decided, and not equal "
        f"either.{zone}"
    )
    drawing = differences(f"Differences in {name} between systems", bars, margin)
    data = [{**row, "state": row["state"].value} for row in pairs]
    return [Figure(f"differences-{of}", caption, str(drawing), data, view.signature(ranking.pairs))]


def _table(view: View, analysis: RankedBy, ranking: RankedSystems, margin: float | None) -> Table:
    """The ranking in numbers: score, rank range and cluster, and the difference to the next system with its test."""
    result = ranking.systems
    if len(result.rows) > 1:
        view.methods.add("holm")
    several = len({row["cluster"] for row in result.rows}) > 1
    names = [row["system"] for row in result.rows]
    data = [
        _numbers(row) | _lead(row["system"], below, ranking.pairs, with_margin=margin is not None)
        for row, below in zip(result.rows, [*names[1:], None], strict=True)
    ]

    def lead(row: Mapping[str, Json]) -> str:
        if row.get("difference") is None:
            return ""
        return estimate(row["difference"], row["difference_low"], row["difference_high"], 2, bounded=False)

    is_adjusted = any(abs(row["score"] - row["micro"]) > 1e-9 for row in result.rows)
    plain_mean = Column("micro", "Plain mean", quiet=True, cell=lambda row: number(row["micro"], 2, bounded=False))
    state = Column(
        "state", "Verdict", text=True, cell=lambda row: _STATES[State(row["state"])] if row.get("state") else ""
    )
    compared = (
        Column("gap", f"Lead [{view.level}]", cell=lead),
        Column("p", "p", quiet=True, cell=lambda row: p_number(row.get("p_corrected"))),
        state,
    )
    columns = [
        *_score_columns(view, analysis.of, ranking),
        *([plain_mean] if is_adjusted else []),
        *([*compared, _RANKS] if len(result.rows) > 1 else []),
        *([Column("cluster", "Cluster")] if len(result.rows) > 1 and not several else []),
        _N,
    ]
    rows: list[dict[str, Json]] = []
    for cluster, members in groupby(data, key=lambda row: row["cluster"]):
        rows += [{"group": f"Cluster {cluster}"}] if several else []
        rows += printed(columns, members)
    margin_note = (
        f" Within the margin: two one-sided tests show that neither is worse by ±{margin:.12g} or more."
        if margin is not None
        else ""
    )
    better = dict(result.signature.parts).get("better") if result.signature else ""
    below_zero = " (below 0: lower is better)" if better == "lower" else ""
    shared = "on what both were judged on, " if is_adjusted else ""
    lead_note = (
        f" Lead: the score less that of the next system{below_zero}, {shared}its interval not "
        "corrected; p is corrected for all pairs of systems; a cluster ends where every system above beats every "
        "system below."
    )
    caption = (
        f"{_finding(view, analysis.of, ranking)}{lead_note if len(result.rows) > 1 else ''}{margin_note} "
        f"{_ADJUSTED if is_adjusted else ''}This holds for {_holds_for(result)} and other documents like these."
    )
    return Table(f"ranking-{analysis.of}", caption, columns, rows, data, view.signature(result))


def _lead(system: str, below: str | None, pairs: Result, *, with_margin: bool) -> dict[str, Json]:
    """How far a system lies above another one, with the test; nothing where the two were not compared."""
    pair = next((row for row in pairs.rows if {row["system"], row["other"]} == {system, below}), None)
    if pair is None:
        return {}
    difference, low, high = pair["difference"], pair.get("low"), pair.get("high")
    if pair["system"] != system:
        difference, low, high = (None if end is None else -end for end in (difference, high, low))
    return {
        "next": below,
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "p": pair["p"],
        "p_corrected": pair["p_holm"],
        "state": pair["state"].value,
        **({"p_within_margin": pair["p_equivalent"]} if with_margin else {}),
    }


def _corrected_blocks(view: View, of: str) -> list[Block]:
    """The same scores for the texts that documents were drawn from, where they were chosen for difficulty."""
    rows_counted, chances = view.scored, probabilities(view.material.documents)
    if not chances or not chances.keys() >= set(rows_counted.table["document"]):
        return []
    bounds = score_bounds(view.protocol, of, {})
    result = rows_counted.sign(corrected_scores(rows_counted.table, of, chances, bounds, level=view.resampling.level))
    if not result.rows:
        return []

    def name(row: Mapping[str, Json]) -> str:
        return f"{row['system']} − {row['other']}" if row["other"] else row["system"]

    def value(row: Mapping[str, Json]) -> str:
        return estimate(row["value"], row["low"], row["high"], 2, bounded=False)

    columns = [
        Column("system", "System", cell=name),
        Column("all", f"For all texts [{view.level}]", cell=value),
        Column("chosen", "On the chosen ones", quiet=True, cell=lambda row: number(row["chosen"], 2, bounded=False)),
        Column("documents", "Documents", quiet=True),
    ]
    caption = " ".join(
        (
            f"{capital(view.label(of))} as answered, corrected for how documents were chosen: each counts one over "
            "the probability it was chosen with, so that means and differences are those of the texts it was drawn "
            "from.",
            *result.notes,
        )
    )
    rows = printed(columns, result.rows)
    return [Table(f"corrected-{of}", caption, columns, rows, result.rows, view.signature(result))]


_ADJUSTED = (
    "Systems were not judged on the same items, so scores are adjusted for how hard the items are; next to them stands "
    "the plain mean. "
)


def _figure(view: View, of: str, ranking: RankedSystems) -> Figure:
    result, name = ranking.systems, _measured(capital(view.label(of)), ranking)
    rows = result.rows[:_MOST_SYSTEMS]
    bars = [
        EstimateRow(
            row["system"],
            row["score"],
            row["low"],
            row["high"],
            note=_ranks(row) if len(rows) > 1 else "",
            rule=at > 0 and row["cluster"] != rows[at - 1]["cluster"],
        )
        for at, row in enumerate(rows)
    ]
    documents = plural(result.counts["documents"], "document")
    has_intervals = any(row["low"] is not None for row in rows)
    bars_words = f" Bars: {view.level} intervals over documents." if has_intervals else ""
    caption = (
        f"{name} of each system in {documents}, best first.{bars_words} At the right the range of "
        "ranks; a line ends a cluster."
    )
    if len(rows) == 1:
        bar = f"Bar: {view.level} interval over {documents}; " if has_intervals else f"{capital(documents)}; "
        caption = f"{bar}n {plural(result.counts['items'], 'item')}."
    drawing = intervals(f"{name} by system", bars, bounded=False)
    return Figure(f"systems-{of}", caption, str(drawing), result.rows, view.signature(result))


def _holds_for(result: Result) -> str:
    """Whom the ranking speaks of: these judges, or judges in general."""
    parts = dict(result.signature.parts) if result.signature else {}
    return parts.get("holds for", THESE_JUDGES)


def _finding(view: View, of: str, ranking: RankedSystems) -> str:
    result = ranking.systems
    first = [row for row in result.rows if row["cluster"] == 1]
    best, name = result.rows[0], _measured(view.short(of), ranking)
    sentence = estimate(best["score"], best["low"], best["high"], 2, bounded=False)
    equal = [row["system"] for row in result.rows if row["rank"] == best["rank"]]
    if len(equal) > 1:  # whose interval that of the first is not
        sentence = number(best["score"], 2, bounded=False)
    if len(result.rows) == 1:
        return f"System {best['system']} has a mean {name} of {sentence}."
    if len(first) == len(result.rows):
        have = f"{words(equal)} have" if len(equal) <= _MOST_NAMED else f"{len(equal)} systems have"
        who = have if len(equal) > 1 else f"{best['system']} has"
        return f"**No group of systems is shown to be best** on {name}; {who} the best mean ({sentence})."
    if len(first) == 1:
        return f"On {name}, **{best['system']} beats every other system** ({sentence})."
    if len(first) > _MOST_NAMED:
        last = [row["system"] for row in result.rows if row["cluster"] != 1]
        who = words(last) if len(last) <= _MOST_NAMED else f"the other {len(last)}"
        beat = f"{len(first)} of {len(result.rows)} systems beat {who}"
    else:
        beat = f"{words([row['system'] for row in first])} beat all others"
    lead = f"{best['system']} leads" if len(equal) == 1 else f"{words(equal[:_MOST_NAMED])} are level at the top"
    return f"On {name}, **{beat}**; {lead} ({sentence})."


def _profile(view: View, question: Question) -> list[Block]:
    """How often each row of a grid matters and how well each system handles it where it does."""
    own_rows = view.scored
    entries = profile(own_rows, question, resampling=view.resampling)
    systems = list(dict.fromkeys(entry.system for entry in entries))
    if not entries or len(systems) > _MOST_SYSTEMS:
        return []
    by_row: dict[str, dict[str, GridRowScore]] = {}
    for entry in entries:
        by_row.setdefault(entry.row, {})[entry.system] = entry
    is_graded = any(entry.matters.value != 1.0 for entry in entries)
    columns = [Column("row", view.label(question.id))]
    rows: list[dict[str, Json]] = [{"row": view.option(question.id, row)} for row in by_row]
    for system in systems:
        own = [
            *([Column(f"{system}-matters", "matters", quiet=True, span=system, cell=_matters)] if is_graded else []),
            Column(f"{system}-mean", "mean", span=system, cell=lambda e: number(e.quality.value, 2, bounded=False)),
            Column(f"{system}-ci", view.level, quiet=True, span=system, cell=_quality_interval),
        ]
        columns += own
        for row, handlings in zip(rows, by_row.values(), strict=True):
            row.update(*printed(own, [handlings[system]] if system in handlings else []))
    signature = (
        f"share of items and mean where it matters · {view.protocol.label} {question.id} · rows {own_rows.selection} · "
        f"n {sum(entry.quality.n for entry in entries):,}"
    )
    data = [entry.to_row() for entry in entries]
    caption = f"{view.label(question.id)}: {_weakest(view, question, entries)}"
    if is_graded:
        caption += (
            " “Matters” is the share of judgements in which a row was marked as relevant; the mean is over these."
        )
    figures = _panels(view, question, by_row, systems, signature) if 1 < len(systems) <= _MOST_PANELS else []
    table = Table(f"profile-{question.id}", caption, columns, rows, data, signature, folded=bool(figures))
    return [*figures, table]


def _matters(entry: GridRowScore) -> str:
    return percent(entry.matters.value, 0)


def _quality_interval(entry: GridRowScore) -> str:
    return interval(entry.quality.low, entry.quality.high, bounded=False)


def _weakest(view: View, question: Question, entries: Sequence[GridRowScore]) -> str:
    """Where quality is lowest among rows that matter often enough to say so."""
    known = list(filter(_enough, entries))
    if not known:
        return "too few judgements in which a row matters to say which is handled worst."
    low, *equal = leading(known, lambda entry: -(entry.quality.value or 0.0))
    if equal:
        names = [f"{view.inside(view.option(question.id, entry.row))} by {entry.system}" for entry in (low, *equal)]
        who = f"handled worst are {name_or_count(names, 'row')}" if len(names) < len(known) else "all are handled alike"
        return f"{who}: {number(low.quality.value, 2, bounded=False)}."
    name = view.inside(view.option(question.id, low.row))
    numbers = estimate(low.quality.value, low.quality.low, low.quality.high, 2, bounded=False)
    where = f", where it matters ({percent(low.matters.value, 0)} of judgements)" if low.matters.value != 1.0 else ""
    return f"handled worst is {name} by {low.system}: {numbers}{where}."


def _panels(
    view: View,
    question: Question,
    by_row: Mapping[str, Mapping[str, GridRowScore]],
    systems: Sequence[str],
    signature: str,
) -> list[Block]:
    """The means as small panels, one for each system, on one axis."""
    groups = {row.id: row.group or "" for row in question.rows} if isinstance(question, Grid) else {}
    rows = {row: own for row, own in by_row.items() if any(map(_enough, own.values()))}
    if not rows:
        return []
    bars = [
        EstimateGroup(
            system, "", [Estimator("mean", _effects({row: own[system] for row, own in rows.items() if system in own}))]
        )
        for system in systems
    ]
    means = {row: [e.quality.value or 0.0 for e in own.values() if _enough(e)] for row, own in rows.items()}
    spread = {row: max(values) - min(values) for row, values in means.items() if len(values) > 1}
    caption = f"Dot: mean where the row matters; bar: {view.level} interval over documents."
    if any(spread.values()):
        widest = []
        for row in leading(spread, spread.__getitem__):
            shown_means = [f"{name} {number(own.quality.value, 2, bounded=False)}" for name, own in rows[row].items()]
            widest.append(f"{view.inside(view.option(question.id, row))} ({', '.join(shown_means)})")
        caption = f"Systems differ most in how they handle {name_or_count(widest, 'row')}. {caption}"
    terms = [(row, view.option(question.id, row), groups.get(row, "")) for row in rows]
    data = [entry.to_row() for entries in rows.values() for entry in entries.values()]
    drawing = estimators(terms, bars, f"mean of {view.inside(view.label(question.id))} where it matters")
    return [Figure(f"profiles-{question.id}", caption, str(drawing), data, signature)]


def _enough(entry: GridRowScore) -> bool:
    """Whether enough judgements say how well a row is handled."""
    return entry.quality.value is not None and entry.quality.n >= FEWEST_ITEMS


def _effects(own: Mapping[str, GridRowScore]) -> dict[str, Effect]:
    return {
        row: Effect(
            value,
            value if entry.quality.low is None else entry.quality.low,
            value if entry.quality.high is None else entry.quality.high,
        )
        for row, entry in own.items()
        if _enough(entry) and (value := entry.quality.value) is not None
    }


_MOST, _LEVEL = 12, 0.05


def preferences(view: View) -> Section | None:
    """For questions that compare two outputs; one figure for each pair of systems."""
    tests_by_pair: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = {}
    results: dict[tuple[str, str], list[Result]] = {}
    table = with_sides(view.protocol, view.scored.table)
    for question in preference_questions(view.protocol, table):
        try:
            result = view.scored.sign(sign_test(table, question, resampling=view.resampling))
        except StatisticError:  # words that name no side: they are described as labels
            continue
        for row in result.rows:
            if row["pooled"]:
                pair = str(row["against"]), str(row["for"])
                tests_by_pair.setdefault(pair, []).append((question, dict(row)))
                counts = {name: row[name] for name in ("items", "documents", "judges")}
                interval_of_pair = None if row["low"] is None else result.interval
                results.setdefault(pair, []).append(replace(result, interval=interval_of_pair, counts=counts))
    blocks: list[Block] = []
    findings: list[str] = []
    corrected = f" after Holm over {len(tests_by_pair)} pairs" if len(tests_by_pair) > 1 else ""
    for (left, right), rows in list(tests_by_pair.items())[:_MOST]:
        bars = [
            Preference("", view.short(question), row["losses"], row["ties"], row["wins"], row["p_holm"])
            for question, row in rows
        ]
        findings.append(_finding_preferences(bars, left, right, corrected))
        caption = (
            f"{findings[-1].replace('**', '')} Bars are centred on the ties; small numbers are counts. p is that of "
            f"the share over documents, as its interval is; a sign test would take every answer as "
            "independent."
        )
        caption = " ".join([caption, *dict.fromkeys(note for _, row in rows for note in row["notes"])])
        data = [{"question": q, **r} for q, r in rows]
        name = identifier("preference", left, right)
        drawing = preference(bars, left, right, "p over documents, ties dropped")
        blocks.append(Figure(name, caption, str(drawing), data, view.signature(*results[left, right])))
    return Section("preferences", "Preferences", blocks, findings) if blocks else None


def _finding_preferences(bars: Sequence[Preference], left: str, right: str, corrected: str) -> str:
    """Who is preferred to whom, and on which questions where there are several."""
    by_outcome: dict[str, list[str]] = {}
    for bar in sorted(bars, key=lambda bar: bar.p is None or bar.p >= _LEVEL):  # what is shown first
        first, second, wins = (right, left, bar.right) if bar.right >= bar.left else (left, right, bar.left)
        is_clear = bar.p is not None and bar.p < _LEVEL
        outcome = (
            f"**{first} is preferred to {second}**"
            if is_clear
            else f"no preference between {left} and {right} is shown"
        )
        numbers = f"{wins} of {plural(bar.left + bar.right, 'decided answer')}{'' if is_clear else f' for {first}'}"
        if bar.p is not None:
            numbers += f", {p_value(bar.p)}{corrected}"
        where = f"on {bar.label} ({numbers})" if len(bars) > 1 else f"({numbers})"
        by_outcome.setdefault(outcome, []).append(where)
    return capital("; ".join(f"{outcome} {words(where)}" for outcome, where in by_outcome.items())) + "."


# What a score is made of


STATISTIC = "regression.blocks"


Rows = Sequence[Mapping[str, Any]]


def explained(view: View) -> Section | None:
    """For every model of this kind in the protocol's analysis plan that has answers."""
    findings: list[str] = []
    blocks = [block for analysis in _models(view) for block in _model(view, analysis, findings)]
    return Section("explained", "What the score is made of", blocks, findings) if blocks else None


def _models(view: View) -> list[Analysis]:
    return [one for one in view.protocol.analyses if one.statistic == STATISTIC and one.of in view.answered]


def coefficients(view: View) -> Section | None:
    """For the appendix: every coefficient estimated three ways, and the sentences for a paper."""
    blocks: list[Block] = []
    for analysis in _models(view):
        full = _full_model(view, analysis)
        judges = [judge for judge in view.people if any(row["judge"] == judge for row in full.rows)]
        if not judges:
            continue
        terms = predictors(view.protocol, analysis.options["blocks"], view.label, view.option)
        blocks += three_ways(view, analysis.of, analysis.options["blocks"], judges, terms, full.rows)
        sentences = list(_apa(view, analysis.of, judges, full.rows, {term: label for term, label, _ in terms}))
        blocks += [Paragraph(f"**For a paper.** {' '.join(sentences)}")] if sentences else []
    return Section("coefficients", "Coefficients in detail", blocks) if blocks else None


def _full_model(view: View, analysis: Analysis) -> Result:
    """The model with all blocks, judge by judge, errors clustered by document: for the body and for the appendix."""
    if analysis.of not in view.fitted:
        names: Sequence[str] = analysis.options["blocks"]
        view.fitted[analysis.of] = regress(view.wide, analysis.of, names, by=("judge",), resampling=view.resampling)
    return view.fitted[analysis.of]


def _model(view: View, analysis: Analysis, findings: list[str]) -> list[Block]:
    names: Sequence[str] = analysis.options["blocks"]
    data, by, how = view.wide, ("judge",), view.resampling
    steps = block_model(data, analysis.of, names, by=by, resampling=how)
    if not steps.rows:
        return [Paragraph(f"{view.label(analysis.of)} cannot be explained yet: {' '.join(steps.notes)}")]
    quick = replace(how, method="none")  # where R² is drawn without an interval
    first = regress(data, analysis.of, names[:1], by=by, resampling=quick)
    full = _full_model(view, analysis)
    judges = [judge for judge in view.people if any(row["judge"] == judge for row in steps.rows)]
    alone = [
        {**row, "step": f"{name} alone"}
        for name in names[1:]
        for row in block_model(data, analysis.of, [name], by=by, errors="classical", resampling=quick).rows
    ]
    panels = [_panel(view, judge, first.rows, full.rows, [*alone, *steps.rows]) for judge in judges]
    terms = predictors(view.protocol, names, view.label, view.option)
    more = f"with {words([view.inside(view.label(name)) for name in names[1:]])} added"
    models = (f"{view.inside(view.label(names[0]))} only", more if len(names) > 1 else "")
    drawing = forest(terms, panels, f"points of {view.inside(view.label(analysis.of))} for one step more", models)
    sentences = [
        f"{view.names[judge]}: R² {number(judge_steps[0]['r2'], 2)} with {view.inside(view.label(names[0]))}"
        f", {number(judge_steps[-1]['r2'], 2)} with all"
        for judge in judges
        if (judge_steps := [row for row in steps.rows if row["judge"] == judge])
    ]
    steps_with_items = [row for row in steps.rows if row["n"] >= FEWEST_ITEMS]
    if steps_with_items:
        findings.append(_explained_finding(view, analysis.of, names, steps_with_items))
    labels = {term: label for term, label, _ in terms}
    strongest = _strongest(view, full.rows, labels)
    marks = f"Bars: {view.level} intervals, errors clustered by document; * p < .05 with all predictors."
    caption = f"{'; '.join(sentences)}. {strongest} {marks}"
    figure = Figure(
        f"explained-{analysis.of}",
        caption,
        str(drawing),
        full.rows,
        view.signature(full, judges=len(judges)),
    )
    return [figure, _blocks_table(view, analysis.of, names, steps)]


def _apa(view: View, of: str, judges: Sequence[str], rows: Rows, labels: Mapping[str, str]) -> Iterator[str]:
    """The clearest coefficient of each judge in APA style."""
    for judge in judges:
        own = [row for row in _slopes(rows) if row["judge"] == judge and row["p"] is not None]
        if not own:
            continue
        top = min(own, key=lambda row: row["p"])
        name = view.inside(labels.get(str(top["term"]), str(top["term"])))
        verb = "predicted" if top["p"] < _LEVEL else "did not significantly predict"
        t = top["value"] / top["error"] if top["error"] else float("nan")
        b, error, df, t_text = (
            number(value, digits, bounded=False)
            for value, digits in ((top["value"], 2), (top["error"], 2), (top["df"], 1), (t, 2))
        )
        yield (
            f"For {view.names[judge]}, {name} {verb} the {view.short(of)}, b = {b}, SE = {error}, "
            f"t({df}) = {t_text}, {p_value(top['p'])}, {view.level} CI "
            f"{interval(top['low'], top['high'], bounded=False)}."
        )


def _slopes(rows: Rows) -> list[Mapping[str, Any]]:
    """Coefficients that rest on items enough to say anything."""
    return [row for row in rows if row["term"] != "intercept" and row["n"] >= FEWEST_ITEMS]


def _blocks_table(view: View, of: str, names: Sequence[str], steps: Result) -> Table:
    """R² block by block, with the joint test of what each adds."""

    def test(row: Mapping[str, Any]) -> str:
        return f"F({row['df1']:.0f}, {row['df2']:.1f}) = {row['f']:.2f}" if _tested(row) else "—"

    columns = [
        Column("judge", "Judge", cell=lambda row: view.names[row["judge"]]),
        Column("step", "Predictors", text=True, cell=lambda row: str(row["step"]).replace("_", " ")),
        Column("r2", "R²", cell=lambda row: number(row["r2"])),
        Column("ci", view.level, quiet=True, cell=lambda row: interval(row["r2_low"], row["r2_high"])),
        Column("added", "added", cell=lambda row: number(row["added"])),
        Column("f", "Joint test", cell=test),
        Column("p", "p", quiet=True, cell=lambda row: p_number(row["p"]) if _tested(row) else ""),
        Column("n", "n", quiet=True, cell=lambda row: count(row["n"])),
    ]
    gains = sorted(row["added"] for row in steps.rows if _is_last(row, steps.rows, names) and row["added"] is not None)
    more = f" The last block adds {_range(gains)} of the variance." if gains else ""
    has_untested = any(not _tested(row) for row in steps.rows)
    why = " A dash stands where there are too few documents for a joint test." if has_untested else ""
    caption = f"How much of the {view.short(of)} each block of predictors explains.{more}{why}"
    signature = view.signature(steps, judges=len({row["judge"] for row in steps.rows}))
    return Table(f"blocks-{of}", caption, columns, printed(columns, steps.rows), steps.rows, signature)


def _tested(row: Mapping[str, Any]) -> bool:
    """A joint test with hardly a degree of freedom (few documents, many terms) says nothing."""
    return row["f"] is not None and row["df2"] >= 2


def _explained_finding(view: View, of: str, names: Sequence[str], rows: Rows) -> str:
    """How much of the score each block explains, as a range over judges."""
    first = sorted(row["r2"] for row in rows if row["step"] == names[0])
    last = sorted(row["r2"] for row in rows if _is_last(row, rows, names))
    share = _range(first)
    first_block = view.protocol.find(names[0])
    explain = "explain" if first_block and isinstance(first_block[1], Grid) else "explains"
    sentence = f"The {view.short(names[0])} alone {explain} **{share} of the {view.short(of)}**"
    more = words([view.short(name) for name in names[1:]])
    return sentence + (f", together with the {more} {_range(last)}." if last else ".")


def _is_last(row: Mapping[str, Any], rows: Rows, names: Sequence[str]) -> bool:
    """Whether it is a step with all blocks, where there are several."""
    return len(names) > 1 and row["step"] == rows[-1]["step"]


def _range(shares: Sequence[float]) -> str:
    low, high = f"{100 * shares[0]:.0f}", f"{100 * shares[-1]:.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _strongest(view: View, rows: Rows, labels: Mapping[str, str]) -> str:
    terms = _slopes(rows)
    if not terms:
        return ""
    top = max(terms, key=lambda row: abs(row["value"]))
    numbers = estimate(top["value"], top["low"], top["high"], 2, bounded=False)
    name = view.inside(labels.get(str(top["term"]), str(top["term"])))
    return f"The largest coefficient is that of {name} for {view.names[top['judge']]} ({numbers}, n {top['n']:,})."


def _panel(view: View, judge: str, first: Rows, full: Rows, steps: Rows) -> ModelPanel:
    mine = sorted((row for row in steps if row["judge"] == judge), key=lambda row: float(row["r2"]))
    return ModelPanel(
        view.names[judge],
        f"n {mine[-1]['n']}",
        effects_of([row for row in first if row["judge"] == judge]),
        effects_of([row for row in full if row["judge"] == judge]),
        [(str(row["step"]).replace("_", " "), max(0.0, float(row["r2"]))) for row in mine],
    )


WAYS = ("OLS", "clustered", "mixed")


def three_ways(
    view: View,
    of: str,
    names: Sequence[str],
    judges: Sequence[str],
    terms: Sequence[tuple[str, str, str]],
    clustered: Rows,
) -> list[Block]:
    """A figure and a table of all coefficients of the full model, judge by judge. `clustered` are the rows of that
    model with errors clustered by document, which are known already."""
    quick = replace(view.resampling, method="none")
    plain = regress(view.wide, of, names, by=("judge",), errors="classical", resampling=quick).rows
    by_way: dict[str, dict[str, Rows]] = {}
    for judge in judges:
        own, own_clustered = ([row for row in rows if row["judge"] == judge] for rows in (plain, clustered))
        if own:
            by_way[judge] = dict(zip(WAYS, (own, own_clustered, _fit_mixed(view, of, names, judge)), strict=True))
    groups = [
        EstimateGroup(
            view.names[judge],
            f"n {own['OLS'][0]['n']:,}",
            [Estimator(way, effects_of(rows)) for way, rows in own.items()],
        )
        for judge, own in by_way.items()
    ]
    if not groups:
        return []
    labels = {term: words for term, words, _ in terms}
    data = list(_coefficient_rows(view, by_way, ("intercept", *labels)))
    disputed_terms = _find_disputed_terms(view, data, labels)
    slopes = sum(row["term"] != "intercept" for row in data)
    sentence = (
        f"Of {plural(slopes, 'coefficient')}, {len(disputed_terms)} would be called significant in one way and not in "
        "another" + (f" ({'; '.join(disputed_terms[:3])})" if disputed_terms else "")
    )
    unit = f"points of {view.inside(view.label(of))} for one step more"
    signature = (
        f"OLS, CR2 by document, REML with random documents (Satterthwaite) · {view.protocol.label} {of} · "
        f"judges {len(groups)} · t intervals {view.level}"
    )
    figure = Figure(
        f"three-ways-{of}",
        f"{sentence}. Hollow circle: least squares, sentences taken as independent; filled: errors clustered by "
        "document; diamond: mixed model, documents random.",
        str(estimators(terms, groups, unit)),
        data,
        signature,
    )
    return [figure, _ways_table(view, of, labels, data, signature, f"{sentence}.")]


def _fit_mixed(view: View, of: str, names: Sequence[str], judge: str) -> Rows:
    own = Wide(view.wide.table.filter(pl.col("judge") == judge), view.wide.notes)
    try:
        model = mixed(own, of, names, random=("document",), level=view.resampling.level)
    except LannerError:
        return ()
    return [row for row in model.rows if row["kind"] == "fixed"]


def _coefficient_rows(
    view: View, rows_by_judge: Mapping[str, Mapping[str, Rows]], terms: Sequence[str]
) -> Iterator[dict[str, Json]]:
    """Every coefficient of every judge with what each way says of it."""
    for judge, own in rows_by_judge.items():
        by_way = {way: {str(row["term"]): row for row in rows} for way, rows in own.items()}
        for term in terms:
            numbers = {
                f"{way}_{key}": rows[term][key]
                for way, rows in by_way.items()
                if term in rows
                for key in ("value", "low", "high", "error", "df", "p")
            }
            if numbers:
                yield {"judge": view.names[judge], "term": term, **numbers}


def _ways_table(
    view: View, of: str, labels: Mapping[str, str], data: list[dict[str, Json]], signature: str, answers: str
) -> Table:
    columns = [Column("term", "Term", cell=lambda row: labels.get(row["term"], "Intercept"))]
    for way, span in zip(WAYS, ("OLS", "Clustered by document", "Mixed, document random"), strict=True):
        columns += _way_columns(way, span, view.level)
    rows: list[dict[str, Json]] = []
    for judge, own in groupby(data, key=lambda row: row["judge"]):
        rows += [{"group": judge}, *printed(columns, own)]
    caption = f"Coefficients of {view.inside(view.label(of))} on all predictors, estimated three ways. {answers}"
    return Table(f"coefficients-{of}", caption, columns, rows, data, signature)


def _way_columns(way: str, span: str, level: str) -> Iterator[Column]:
    def ends(row: Mapping[str, Json]) -> str:
        return interval(row.get(f"{way}_low"), row.get(f"{way}_high"), bounded=False)

    def value(row: Mapping[str, Json]) -> str:
        return number(row[f"{way}_value"], 2, bounded=False) if f"{way}_value" in row else ""

    if way != "clustered":  # the estimate is that of OLS: only its uncertainty differs
        yield Column(f"{way}_b", "b", span=span, cell=value)
    yield Column(f"{way}_ci", level, quiet=True, span=span, cell=ends)
    yield Column(f"{way}_p", "p", quiet=True, span=span, cell=lambda row: p_number(row.get(f"{way}_p")))


def _find_disputed_terms(view: View, data: Sequence[Mapping[str, Json]], labels: Mapping[str, str]) -> list[str]:
    """Terms whose p crosses .05 between the ways."""
    texts = []
    for row in data:
        values = [row[f"{way}_p"] for way in WAYS if row.get(f"{way}_p") is not None]
        if row["term"] != "intercept" and len({p < _LEVEL for p in values}) > 1:
            term = view.inside(labels.get(str(row["term"]), str(row["term"])))
            texts.append(f"{row['judge']}, {term}")
    return texts


_MOST_CORRELATED = 6
_COEFFICIENTS = ("Pearson r", "Spearman ρ", "Kendall τ-b")
_COMPARED = _COEFFICIENTS[1]


def correlated_judges(view: View) -> Section | None:
    """For scales and scores that at least two people gave on the same items."""
    measures = [q.id for _, q in view.protocol.questions if isinstance(q, Scale | Number) and not q.for_each]
    measures += [score.id for score in view.protocol.scores if score.rule != "value"]
    measures = [name for name in measures if name in view.answered]
    if not measures or len(view.people) < 2:
        return None
    result = view.counted().sign(correlations(view.wide, measures, judges=view.people, resampling=view.resampling))
    # A correlation of fewer items than anything is said of is no number to print: with two items it is 1 or −1.
    values = [row for row in result.rows if row["value"] is not None and row["n"] >= FEWEST_ITEMS]
    if not values:
        return None
    columns = [Column("what", "Measure"), Column("pair", "Judges", text=True), Column("n", "n", quiet=True)]
    for statistic in _COEFFICIENTS:
        columns.append(Column(statistic, statistic.removesuffix(" r").removesuffix(" ρ")))
        columns.append(Column(f"{statistic}_ci", view.level, quiet=True))
    rows: dict[tuple[str, str, str], dict[str, Json]] = {}
    for row in values:
        pair = f"{view.names[row['x']]} – {view.names[row['y']]}"
        line = rows.setdefault((row["of"], row["x"], row["y"]), {"what": capital(view.label(row["of"])), "pair": pair})
        name = str(row["statistic"])
        line |= {name: number(row["value"]), f"{name}_ci": interval(row["low"], row["high"]), "n": row["n"]}
    # Coefficients of one kind only can be compared: Kendall's lies below the others on the same answers.
    highest = leading((row for row in values if row["statistic"] == _COMPARED), lambda row: row["value"])
    where = name_or_count(
        [f"{view.names[row['x']]} – {view.names[row['y']]} on {view.short(row['of'])}" for row in highest], "pair"
    )
    low, high = (highest[0][end] if len(highest) == 1 else None for end in ("low", "high"))
    caption = (
        f"Correlation between judges, over the items both judged. Highest {_COMPARED}: {where}, "
        f"{estimate(highest[0]['value'], low, high, 2)}."
    )
    signature = view.signature(result, judges=len(view.people))
    by_measure = groupby(rows.items(), key=lambda entry: entry[0][0])
    shown = [line for _, lines in by_measure for _, line in islice(lines, _MOST_CORRELATED)]
    if len(shown) < len(rows):
        caption += f" Of {len(rows)} rows the first {_MOST_CORRELATED} of each measure; the CSV file has all."
    table = Table("correlations", caption, columns, shown, result.rows, signature)
    return Section("correlations", "Do judges rank alike?", [table])
