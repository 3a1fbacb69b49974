"""`lanner scores`: what systems score, how sure their order is, and at which level."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from lanner.analysis import Reason
from lanner.analysis.material import Material
from lanner.analysis.scores import keep_on_scale, ranked_by, score_bounds, scored_rows
from lanner.analysis.selection import choice_bias, corrected_scores, probabilities
from lanner.cli._domains import with_domains
from lanner.cli._options import chosen_pair
from lanner.cli._output import Output
from lanner.cli._source import Source, chosen_judges
from lanner.errors import InputError, did_you_mean
from lanner.figures.typeset import estimate, number, p_value
from lanner.model import Result, languages
from lanner.stats import ranking, scores
from lanner.stats.resample import Resampling

_SELECTION = (
    "repeats",
    "without_flags",
    "without_domains",
    "standardise",
    "ddof",
    "constant",
    "row",
    "roles",
    "judges",
)


def run(
    source: Source,
    question: str | None,
    part: str | None,
    documents: Path | None,
    preset: str | None,
    level: scores.Level,
    pairs: bool,
    better: str | None,
    selection: bool,
    other_judges: bool,
    seed: int,
    as_json: bool,
    **details: Any,
) -> None:
    """Score and rank systems."""
    output = Output("scores", as_json)
    known = scores.preset(preset) if preset else None
    pair = chosen_pair()
    parts = _named(source.read(), part)
    material = chosen_judges(_of_pair(parts, pair), source.judges)
    if known and known.weights and material.protocol:
        material = replace(material, protocol=known.weigh(material.protocol))
        output.note(f"Errors weigh as in {known.citation}; weights from {known.weights_from}.")
    rows = scored_rows(material, judges_named=bool(source.judges))
    table, notes = with_domains(rows.table, documents) if documents else (rows.table, ())
    output.notes.extend(f"{judge} is left out: {reason}" for judge, reason in material.left_out.items())
    output.notes.extend(notes)
    if others := rows.excluded.get(Reason.OTHER_JUDGES):
        group = rows.selection.groups[0]
        output.note(
            f"Scores by {group} alone count; {others:,} answers of other judges do not. Name them with --judges."
        )
    named = question or (known.of if known else None)
    if better:
        details["direction"] = f"{better}_is_better"
    for entry in ranked_by(material.protocol, rows.table, named):
        of = entry.of
        plan = known.options if known else entry.options
        options = {**plan, **{k: v for k, v in details.items() if v is not None}}
        if source.judges:
            options["judges"] = [judge.id for judge in material.judges]
        if options.get("per_words"):
            options["words"] = material.words
        if level != "system":
            rows_of_items = scores.items(table, of, **{k: v for k, v in options.items() if k in _SELECTION})
            _print_level(output, rows.sign(scores.at(rows_of_items, level)), of)
            continue
        if options.get("average", "micro").endswith("macro") and (table["domain"] == "").all():
            output.note("No domain is known, so that all is one domain: name them with --documents.")
        options |= {"other_judges": True} if other_judges else {}
        rank = ranking.head_to_head if pairs else ranking.systems
        result = rows.sign(rank(table, of, resampling=Resampling(seed=seed), **options))
        if not pairs:
            result = keep_on_scale(result, score_bounds(material.protocol, of, options))
        name = f"{of}, z per judge" if options.get("standardise") else of
        (_print_pairs if pairs else _print_systems)(output, result, of, name)
        if selection:
            bounds = score_bounds(material.protocol, of, {})  # as answered: neither standardised nor a rate
            corrected = rows.sign(corrected_scores(table, of, probabilities(material.documents), bounds))
            _print_corrected(output, corrected, of, pairs=pairs)
    if not selection and (bias := choice_bias(material.documents, material.settings)):
        output.note(str(bias))
    output.end()


def _print_corrected(output: Output, result: Result, of: str, *, pairs: bool) -> None:
    """Means of all systems, or differences of all pairs, for the texts that documents were chosen from."""
    rows = [
        {
            **row,
            "question": of,
            "signature": str(result.signature),
            "pair": f"{row['system']} − {row['other']}",
            "for all texts": estimate(row["value"], row["low"], row["high"], bounded=False),
            "of the chosen": number(row["chosen"], 2, bounded=False),
        }
        for row in result.rows
        if bool(row["other"]) == pairs
    ]
    output.say()
    output.notes.extend(note for note in result.notes if note not in output.notes)
    columns = ["pair" if pairs else "system", "for all texts", "of the chosen", "documents"]
    title = f"{of} as answered, not standardised, corrected for how documents were chosen"
    output.table(rows, columns, title=title, empty=f"{of}: no answers are numbers, so nothing is corrected.")
    output.say(str(result.signature))


def _named(parts: list[Material], name: str | None) -> list[Material]:
    parts_of_name = [part for part in parts if name in (None, part.name)]
    if not parts_of_name:
        names = [part.name for part in parts]
        raise InputError(f"There is no part {name!r}.", next_step=did_you_mean(str(name), names))
    return parts_of_name


def _of_pair(parts: list[Material], pair: str | None) -> Material:
    """The part of one language pair: told by its texts, or by the name a reader gives to it."""
    if pair is None:
        if len(parts) > 1:
            several = ", ".join(part.name for part in parts)
            raise InputError(f"There are several parts: {several}.", next_step="Say which with --languages or --part.")
        return parts[0]
    language_pair = languages.pair(pair)
    for part in parts:
        suffix = part.name.rpartition(".")[2]
        if language_pair in _pairs(part) or (
            "-" in suffix and len(suffix) < 12 and languages.pair(suffix) == language_pair
        ):
            return part
    if len(parts) == 1 and all(languages.UNDETERMINED in pair for pair in _pairs(parts[0])):
        return parts[0]
    names = [part.name for part in parts]
    raise InputError(
        f"There is no pair {pair!r}.", next_step=did_you_mean(pair, names) or f"Parts: {', '.join(names)}."
    )


def _pairs(part: Material) -> set[tuple[str, str]]:
    return {(document.source_language, document.target_language) for document in part.documents}


def _print_systems(output: Output, result: Result, of: str, name: str) -> None:
    rows = [
        {
            "question": of,
            **row,
            "value": row["score"],
            "unit": result.interval.unit if result.interval else None,
            "ranks_text": f"{row['rank_low']}–{row['rank_high']}",
            "estimate": estimate(row["score"], row["low"], row["high"], 2, bounded=False),
        }
        for row in result.rows
    ]
    columns = [
        ("rank", "#"),
        "system",
        ("estimate", f"{name} [95 %]"),
        "micro",
        ("ranks_text", "ranks"),
        "cluster",
        "n",
    ]
    _print(output, rows, columns, result)


def _print_pairs(output: Output, result: Result, of: str, name: str) -> None:
    rows = [
        {
            "question": of,
            **row,
            "estimate": estimate(row["difference"], row["low"], row["high"], 2, bounded=False),
            "p_text": p_value(row["p"]),
            **{f"{name}_text": p_value(row[name]) for name in _CORRECTED if name in row},
        }
        for row in result.rows
    ]
    correction = dict(result.signature.parts)["correction"] if result.signature else "holm"
    columns: list[Any] = [
        "system",
        "other",
        ("estimate", f"difference in {name} [95 %]" if name != of else "difference [95 %]"),
        ("p_text", "p"),
    ]
    columns += [
        (f"{name}_text", f"{title} ({correction})" if correction != "none" else title)
        for name, title in _CORRECTED.items()
        if rows and name in rows[0]
    ]
    _print(output, rows, [*columns, "higher", "lower", "n", "documents"], result)


_CORRECTED = {"p_holm": "p", "p_not_worse": "p other not worse", "p_equivalent": "p equal within margin"}


def _print_level(output: Output, result: Result, of: str) -> None:
    _print(output, [{"question": of, **row} for row in result.rows], [], result)


def _print(output: Output, rows: list[dict[str, Any]], columns: list[Any], result: Result) -> None:
    output.notes.extend(note for note in result.notes if note not in output.notes)
    output.sign(result.signature)
    output.table([{**row, "signature": str(result.signature or "")} for row in rows], columns)
