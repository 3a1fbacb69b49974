"""`lanner compare`, `audit`, `replace`, `metaeval` and `reproduce`: protocols, judges, metrics, papers side by side."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import polars as pl

from lanner import campaign
from lanner.analysis import GROUPS
from lanner.analysis.material import Material
from lanner.analysis.measures import group_of
from lanner.analysis.scores import gold_question, keep_on_scale, metric_columns, score_bounds, scored_set
from lanner.cli import chosen_pair, pending_notes, slug
from lanner.cli.commands.analysis import split_source
from lanner.cli.early_checks import names
from lanner.cli.judge import exit_code, print_standings, say_unfinished, texts_and_protocol, watching
from lanner.cli.output import Columns, Output, print_kinds, result_rows
from lanner.cli.scores import note_uncounted
from lanner.cli.source import Source, materials, refuse_left_out
from lanner.errors import InputError, LannerError, StatisticError, check_known, did_you_mean
from lanner.formats import mtme
from lanner.judges.comparison import compare as compare_judges
from lanner.judges.comparison import sample_documents
from lanner.judges.probes import audit_model
from lanner.judges.settings import SETTINGS, settings_from
from lanner.judges.setup import limits_from, plans_from, price_notes
from lanner.model import Json, Result
from lanner.model.messages import estimate, number, p_value, percent, plural, words
from lanner.reports import rendering
from lanner.reports.comparison import compare
from lanner.reports.parts import Column, Table, without_marks
from lanner.reports.rendering import write
from lanner.stats.metaeval import QUICK, TESTS, Scorer, comparisons, metaeval
from lanner.stats.models import replacement
from lanner.stats.resample import Resampling
from lanner.store import Store
from lanner.studies.reproduce import AGREES, DIFFERS, ValueCheck, check, mark, ours, page, read, summary, typed
from lanner.studies.study import Study, load
from lanner.studies.study import names as study_names

# `lanner compare`: two or more protocols on the same texts, question by question, on one page.


_KEPT = {"people": ("people",), "models": ("models", "metrics")}


def run_compare(
    output: Output,
    sources: tuple[str, ...],
    out: Path | None,
    hourly: float | None,
    currency: str,
    resamples: int,
    seed: int,
    judges: bool,
    svg_only: bool,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
) -> None:
    """Compare campaigns, files, parts of a file (FILE:PART), or the scenarios of one campaign. NAME=A gives a name."""
    if judges:
        _compare_judges(output, sources, store_place, Resampling(n=resamples, seed=seed))
        return
    materials_by_name = []
    for source in sources:
        for name, part in _named_parts(source, store_place, format_name, protocol):
            refuse_left_out(replace(part, name=name))  # or it would be said that nothing was asked or timed
            materials_by_name.append((name, part.under_code_names()))
    how = Resampling(n=resamples, seed=seed)
    page, rows = compare(_distinct(materials_by_name), resampling=how, hourly=hourly, currency=currency)
    folder = out or Path(re.sub(r"[^\w.-]+", "-", page.title))
    files = write(page, folder, pictures=not svg_only)
    [table] = page.tables
    overall = [row for row in table.rows if "group" not in row]
    columns = [(column.key, column.heading) for column in table.columns]
    output.show(overall, columns, filled=True)
    output.say()
    for sentence in page.findings:
        output.say(without_marks(sentence))
    output.rows.extend(rows)
    for row in rows:
        if row.get("reason"):
            output.note(f"{row['question'].replace('_', ' ')}: not answered, {row['reason']}")
    for name, part in materials_by_name:
        note_uncounted(output, replace(part, name=name))
    output.note(f"Page: {files}")
    output.sign(table.signature)


def _compare_judges(output: Output, sources: tuple[str, ...], store_place: str, how: Resampling) -> None:
    """The model judges of a campaign: `lanner compare --judges CAMPAIGN [JUDGE ...]`."""
    with Store.open(store_place, create=False) as store:
        standings = compare_judges(store, sources[0], sources[1:], resampling=how)
    print_standings(output, standings)
    if len(standings) > 1:
        output.note(f"Gains and changes are against {standings[0].judge}, item by item.")


def _named_parts(source: str, place: str, format_name: str | None, protocol: str | None) -> list[tuple[str, Material]]:
    """The parts of a source with their names; `FILE:PART` picks one, `NAME=FILE` names it, `@people` keeps some."""
    label, path, part, judges = split_source(source)
    parts = materials(path, place, format_name, protocol)
    if part:
        matches = [material for material in parts if material.name == part]
        if not matches:
            raise InputError(f"{path} has no part {part!r}.", next_step=did_you_mean(part, [m.name for m in parts]))
        parts = matches
    label = label if len(parts) == 1 else ""
    if judges:
        sides = [(label or judges, side) for side in (_of(material, judges) for material in parts) if side.judges]
        if not sides:
            raise InputError(f"Among the judges of {path} are no {judges}.", next_step=f"Leave out @{judges}.")
        return sides
    return [(label or material.name, material) for material in parts]


def _of(material: Material, judges: str) -> Material:
    """The same with people, models or some judges only."""
    if judges not in ("people", "models"):
        return material.only(judges.split(","))
    return material.only([judge.id for judge in material.judges if group_of(judge) in _KEPT[judges]])


def _distinct(pairs: list[tuple[str, Material]]) -> list[tuple[str, Material]]:
    """Names that are taken get the protocol's name added, then a number."""
    distinct: list[tuple[str, Material]] = []
    for name, material in pairs:
        names = {name for name, _ in distinct}
        tries = [name, f"{name} ({material.protocol.name})" if material.protocol else name]
        tries += [f"{name} {number}" for number in range(2, len(pairs) + 2)]
        distinct.append((next(one for one in tries if one not in names), material))
    return distinct


# `lanner replace`: can this model replace a judge here, and what does it save?


_VERDICTS = {
    "replace": "{model} may replace a person here: it is as close to people as they are to each other, "
    "with {epsilon:g} allowed for what people cost.",
    "assist": "{model} is not shown to be close enough to replace a person here, but it helps: let it judge what "
    "people do not, and correct it.",
    "neither": "{model} is not shown to be close enough to replace a person here, nor to save work.",
    "unknown": "Nothing can be said about {model}: too few items were judged by it and by two people.",
}
_FEW_DOCUMENTS = (
    "{documents} are too few to say whether {model} may replace a person here: even a model as close as each of them "
    "in every document takes {needed}."
)


def run_replace(output: Output, source: Source, model: str, question: str | None, epsilon: float) -> None:
    """Say whether a model can replace a judge, how its scores differ from people's, and what it saves."""
    if not 0 <= epsilon < 1:
        raise InputError(
            "Epsilon lies between 0 and 1.", next_step="0.2 for experts, 0.15 for trained people, 0.1 else."
        )
    parts = [source.part_that_asks(question)] if question else source.parts()
    asked: list[str] = []
    for part in parts:
        note_uncounted(output, part)
        table = part.counted(of=tuple(GROUPS)).table
        names = _questions(part, table, model, question)
        asked += names
        for name in names:
            result = replacement(table, name, model=model, epsilon=epsilon)
            result = keep_on_scale(result, score_bounds(part.protocol, name, {}))
            _print(output, result, part.name, name)
    if not asked:
        raise StatisticError(
            f"{model} gave no scores and no labels, which are what is compared with people's here.",
            next_step="lanner agreement compares rankings and marked spans.",
        )


def _questions(part: Material, table: pl.DataFrame, model: str, question: str | None) -> list[str]:
    """The questions that the model answered by a score or by labels."""
    judges = table["judge"].unique().sort().to_list()
    check_known(model, judges, f"There is no judge {model!r} in {part.name}.", InputError)
    own = table.filter(pl.col("judge") == model)
    if question is not None:
        check_known(question, sorted(own["question"].unique()), f"{model} did not answer {question!r}.", InputError)
    compared = own.filter(pl.any_horizontal(pl.col("label", "labels", "score").is_not_null()))["question"]
    return [name for name in compared.unique(maintain_order=True) if question in (None, name)]


_REPLACEMENT: list[tuple[str, Columns, str]] = [
    ("person", ["person", "items", ("closer", "model as close"), ("p_text", "p (corrected)"), "beaten"],
     "Left out in turn: is the model as close to the others?"),
    ("line", ["term", ("estimate", "people's score on the model's [95 %]"), "p_text"], "Calibration"),
    ("bias", [("estimate", "model less people [95 %]"), "p_text"], ""),
    ("system", ["system", ("estimate", "people and model [95 %]"), ("people_text", "people alone [95 %]"),
                ("gain_text", "worth")], "Means of systems, corrected by people"),
    ("label", ["label", ("estimate", "share, put right [95 %]"), ("model_text", "model"),
               ("people_text", "people, where they judged")], "Shares of labels"),
]  # fmt: skip


def _print(output: Output, result: Result, part: str, question: str) -> None:
    output.cite(result)
    output.say(f"{part} · {question}", style="bold")
    about = {"part": part, "question": question}
    [verdict] = [row for row in result.rows if row["kind"] == "verdict"]
    output.rows.append({**about, "signature": str(result.signature or ""), **verdict})
    for sentence in _words(verdict):
        output.say(sentence)
    output.say()
    print_kinds(output, result, _REPLACEMENT, about=about, texts=_texts)


def _texts(row: Mapping[str, Json]) -> dict[str, Json]:
    """Numbers of a row as they are printed."""
    cells: dict[str, Json] = {}
    if row["kind"] in ("line", "bias", "system"):
        cells["estimate"] = estimate(row["value"], row["low"], row["high"], 2, bounded=False)
    if row["kind"] in ("line", "bias"):
        cells["p_text"] = p_value(row["p"])
    if row["kind"] == "person":
        cells |= {"closer": percent(row["advantage"], 0), "p_text": p_value(row["p_corrected"])}
    if row["kind"] == "system":
        cells["people_text"] = estimate(row["people"], row["people_low"], row["people_high"], 2, bounded=False)
        cells["gain_text"] = f"{row['gain']:.1f} × people's answers" if row["gain"] else None
    if row["kind"] == "label":
        cells["estimate"] = estimate(row["value"], row["low"], row["high"], 2)
        cells |= {"model_text": percent(row["model"], 0), "people_text": percent(row["people"], 0)}
    return cells


def _words(verdict: Mapping[str, Json]) -> Iterator[str]:
    if verdict["verdict"] != "unknown" or verdict["documents_needed"] is None:
        yield _VERDICTS[verdict["verdict"]].format(**verdict)
    if verdict["documents_needed"] is not None:
        documents = plural(verdict["documents"], "document")
        yield _FEW_DOCUMENTS.format(documents=documents, model=verdict["model"], needed=verdict["documents_needed"])
    if verdict["winning_rate"] is not None:
        yield f"It beats {percent(verdict['winning_rate'], 0)} of {verdict['people']} people; half are enough."
    if verdict["saves"] is not None:
        low = verdict["saves_low"]
        end = "no interval" if low is None else f"{percent(low, 0)} at the lower end of the interval of r²"
        share = f"{percent(verdict['saves'], 0)} of the human judgements ({end})"
        if verdict["saves_measured"]:
            yield f"At the same precision it saves {share}."
        else:
            yield f"If it judges much more than people do, it can save up to {share} at the same precision."


# `lanner metaeval`: how well metrics and other scorers agree with gold about systems and segments.


_SHOWN = ("group", "metric", "acc_eq", "acc_eq_cv", "sys_pairwise_accuracy", "spa", "segment_pearson", "missing")
_MANY = 24  # scorers
_NARROW = {
    "sys_pairwise_accuracy": "sys acc",
    "segment_pearson": "seg r",
    "sys_pearson": "sys r",
    "item_kendall": "item τ",
    "acc_eq_cv": "cv",
}


def run_metaeval(
    output: Output,
    source: str,
    gold: str | None,
    metrics: str | None,
    with_references: bool,
    question: str | None,
    compare: bool,
    asked: str | None,
    compat: bool,
    as_wmt24: bool,
    layout: str | None,
    swaps: int,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
) -> None:
    """Compare metrics with gold scores: pairwise accuracy with ties, system-level accuracy, correlations."""
    metric_names = names(metrics)
    references: tuple[str, ...] = ()
    if Path(source).is_dir() and (Path(source) / "metric-scores").is_dir():
        pair = chosen_pair() or mtme.scored_pair(Path(source))
        tables = mtme.read_score_tables(Path(source), pair, gold or "mqm", metric_names)
        truth, *scorers = (Scorer(t.name, t.systems, t.segments, t.system) for t in (tables.gold, *tables.metrics))
        references, documents = tables.references, list(tables.documents)
    else:
        place, earlier_notes = Source(source, store_place, format_name, protocol), list(pending_notes())
        part, *others = place.read()
        judges = {judge.id for judge in part.judges}
        columns = [name for name in metric_names if name not in judges]
        if columns := columns if metric_names else metric_columns(part):
            pending_notes()[:] = earlier_notes  # the file is read anew, and says the same again
            part = place.part_with([question or gold_question(part), *columns])
        scorer_set = scored_set(part, question, gold, metric_names)
        truth, scorers, documents = scorer_set.gold, list(scorer_set.scorers), list(scorer_set.documents)
        if others:
            output.note(f"Of {len(others) + 1} parts only {part.name} is evaluated.")
        note_uncounted(output, part)
        output.note(*scorer_set.notes)
    without = () if with_references else references
    if references and not with_references:
        output.note(f"References are left out as systems: {', '.join(references)}.")
    if compare:
        tests = _tests(asked, len(scorers), output)
        result = comparisons(
            truth, scorers, without=without, documents=documents, tests=tests, k=swaps, seed=seed, as_wmt24=as_wmt24
        )
        headings = {f"p_{name}": _NARROW.get(name, name.replace("_", " ")) for name in tests}
        rows = [{**row, **{name: p_value(row[p]) for p, name in headings.items()}} for row in result.rows]
        output.table(rows, ["metric", "other", *headings.values()])
    else:
        result = metaeval(
            truth,
            scorers,
            without=without,
            documents=documents,
            swaps_of_segments=swaps,
            seed=seed,
            compat=compat,
            as_wmt24=as_wmt24,
        )
        if layout:
            click.echo(_typeset(result, layout), nl=False)
            raise click.exceptions.Exit(0)
        output.table(list(result.rows), [(name, _NARROW.get(name, name)) for name in _SHOWN])
    output.cite(result)


def _tests(test_names: str | None, scorers: int, output: Output) -> Sequence[str]:
    """All tests, unless there are so many scorers that the two slow ones would take minutes and nobody asked."""
    if test_names is not None and test_names != "all":
        return names(test_names)
    if test_names == "all" or scorers <= _MANY:
        return TESTS
    left = words(sorted(set(TESTS) - set(QUICK)))
    output.note(f"With {scorers} scorers, {left} are not tested, since that takes minutes: --tests all does it.")
    return QUICK


def _typeset(result: Result, layout: str) -> str:
    """The shared-task table: scorers in groups of rank, three digits in LaTeX, all digits in TSV."""
    if layout == "tsv":
        lines = [_SHOWN, *(["" if row[name] is None else str(row[name]) for name in _SHOWN] for row in result.rows)]
        return "".join("\t".join(line) + "\n" for line in lines)
    columns = [
        Column(f"{name}_", _NARROW.get(name, name).replace("_", " "), text=name == "metric") for name in _SHOWN
    ]  # a key "group" would be a heading
    rows = [
        {f"{name}_": str(cell) if isinstance(cell := row[name], str | int) else number(cell) for name in _SHOWN}
        for row in result.rows
    ]
    caption = f"Agreement of {len(rows)} scorers with gold. " + " ".join(result.notes)
    return rendering.latex_table(Table("metaeval", caption, columns, rows, signature=str(result.signature)))


# `lanner reproduce`: recompute what a paper printed from its released data, and say where it agrees.


def run_reproduce(
    output: Output, name: str | None, data: Path | None, only: str | None, report: bool, out: Path | None, listing: bool
) -> None:
    """Recompute the values printed in a paper and compare. Differences are reported, never adjusted."""
    if listing:
        _list(output)
        return
    if name is None:
        raise LannerError("No study is named.", next_step=f"Name one: {', '.join(study_names())}. See --list.")
    study = load(name)
    _refuse_unknown_table(study, only)
    released_data = read(study, data)
    checks = check(study, released_data, only or "")
    output.rows.extend(check_row.row() for check_row in checks)
    for where in dict.fromkeys(entry.cell.where for entry in checks):
        output.show([_check_cells(entry) for entry in checks if entry.cell.where == where], title=where)
        output.say()
    output.say(f"{study.citation}: {summary(checks)}", style="bold")
    output.notes.extend(study.remarks)
    if output.as_json:  # people see the reasons beside the values
        output.notes.extend(
            entry.remark for entry in checks if entry.remark and (entry.verdict != AGREES or entry.proviso)
        )
    if report or out:
        path = write(page(study, checks, released_data), out or Path(f"{study.name}-report"))
        output.note(f"Page: {path}")
    output.sign(f"{study.name} · {len(checks)} values" + (" · simulated judges" if study.simulated else ""))


def _list(output: Output) -> None:
    studies = [load(name) for name in study_names()]
    rows = [
        {"study": study.name, "paper": study.citation, "values": len(study.cells), "data": study.data}
        for study in studies
    ]
    output.table(rows)


def _refuse_unknown_table(study: Study, only: str | None) -> None:
    tables = list(dict.fromkeys(cell.where for cell in study.cells))
    if only and not any(only.casefold() in where.casefold() for where in tables):
        raise LannerError(f"{study.name} has no table {only!r}.", next_step=f"It has: {'; '.join(tables)}.")


def _check_cells(check_row: ValueCheck) -> dict[str, str]:
    paper_value = typed(check_row.cell.paper, check_row.cell.digits) if check_row.cell.paper is not None else ""
    if check_row.cell.simulated:
        return {
            "row": check_row.cell.row,
            "column": check_row.cell.column,
            "paper": paper_value,
            "simulated truth": typed(check_row.result.truth, check_row.cell.digits),
            "simulated estimate": ours(check_row),
            "": mark(check_row),
        }
    digits = check_row.cell.digits + (1 if check_row.verdict == DIFFERS else 0)
    return {
        "row": check_row.cell.row,
        "column": check_row.cell.column,
        "printed": typed(check_row.cell.paper, check_row.cell.digits),
        "recomputed": ours(check_row),
        "difference": number(check_row.difference, digits, bounded=False) if check_row.difference is not None else "",
        "": mark(check_row),
        "reason": check_row.reason if check_row.verdict != AGREES else check_row.proviso,
    }


# `lanner audit`: what moves a model's judgements that should not.


def run_audit(
    output: Output,
    model: str,
    source: str,
    sentences: int,
    repeats: int,
    other_languages: tuple[str, ...],
    assignments: tuple[str, ...],
    store_place: str,
    **given: Any,
) -> int:
    """Audit a model: what moves its judgements that should not, and how far it agrees with itself."""
    values, _ = settings_from(None, assignments, dict.fromkeys(SETTINGS))
    options = given | values | {"models": (model,), "judge_name": "", "limit": None}
    [plan] = plans_from(options)
    limits = limits_from(options, [plan])
    output.note(*price_notes([plan], options))
    with Store.open(store_place) as store:
        documents, protocol = texts_and_protocol(store, source, options)
        names = [entry.name for entry in campaign.campaigns(store)]
        sample = sample_documents(documents, sentences)
        with watching(output) as show:
            report = asyncio.run(
                audit_model(
                    store,
                    f"audit-{slug(model)}-{slug(protocol.name)}",
                    sample,
                    protocol,
                    plan,
                    samples=repeats,
                    languages=other_languages,
                    limits=limits,
                    report=show,
                    people_of=source if source in names else None,
                )
            )
    rows = []
    for probe, row in zip(report.checks, result_rows(one.result for one in report.checks), strict=True):
        rows.append({"probe": probe.probe, **row, "verdict": probe.verdict, "in words": probe.sentence})
    columns: Columns = [
        *("probe", "question", "statistic"),
        ("estimate", "estimate [95 %]"),
        *("n", "in words"),
    ]
    output.table(rows, columns)
    number = sum(len(document.segments) for document in sample)
    size = f"{plural(len(sample), 'document')} with {plural(number, 'sentence')}"
    output.note(f"{size}; kept in {words(report.campaigns)}.")
    say_unfinished(output, report.totals)
    if report.totals.missing or report.totals.failed:
        output.note("Items without an answer are left out of these numbers.")
    output.sign(f"{protocol.name} · {plan.attributes['template']} · context {plan.settings.context}")
    return exit_code(report.totals)
