"""`lanner scores` and `prefer`: which systems are better, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lanner.analysis import GROUPS, CountedRows, Reason
from lanner.analysis.material import Material, part_in_pair, with_domains
from lanner.analysis.scores import (
    choice_bias,
    compare_systems,
    corrected_scores,
    group_rows,
    pooled_pairs,
    preference_questions,
    probabilities,
    ranked_by,
    score_bounds,
    score_systems,
    scored_rows,
    with_sides,
)
from lanner.cli import chosen_pair, notes_of, pending_notes
from lanner.cli.output import Columns, Output, rows_of
from lanner.cli.source import Source, chosen_judges, shares
from lanner.errors import InputError, LannerError, StatisticError
from lanner.model import Json, Object, Protocol, Result
from lanner.model.messages import estimate, from_to, in_number, number, p_number, p_value, percent, plural
from lanner.model.protocol import Wording
from lanner.stats import scores
from lanner.stats.preference import bradley_terry, majority, sign_test
from lanner.stats.resample import Resampling

# `lanner scores`: what systems score, how sure their order is, and at which level.


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


def run_scores(
    output: Output,
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
    **details: Any,
) -> None:
    """Score and rank systems."""
    _refuse_unused(level, details, pairs=pairs)
    rules = scores.preset(preset) if preset else None
    pair = chosen_pair()
    parts = source.read()
    material = part_in_pair(parts, part, pair)
    others = set(notes_of(*(each for each in parts if each.name != material.name)))
    pending_notes()[:] = [note for note in pending_notes() if note not in others]
    material = chosen_judges(material, source.judges)
    if rules and rules.weights and material.protocol:
        material = replace(material, protocol=rules.weigh(material.protocol))
        output.note(f"Errors weigh as in {rules.citation}; weights from {rules.weights_from}.")
    rows = scored_rows(material, judges_named=bool(source.judges))
    table, notes = with_domains(rows.table, documents) if documents else (rows.table, ())
    note_uncounted(output, material, rows)
    output.notes.extend(notes)
    named = question or (rules.of if rules else None)
    if better:
        details["direction"] = f"{better}_is_better"
    for entry in ranked_by(material.protocol, rows.table, named):
        of = entry.of
        plan = rules.options if rules else entry.options
        options = {"judges": None, **plan, **{k: v for k, v in details.items() if v is not None}}
        if source.judges:
            options["judges"] = [judge.id for judge in material.judges]
        if options.get("per_words"):
            options["words"] = material.words
        if level != "system":
            rows_of_items = scores.items(table, of, **{k: v for k, v in options.items() if k in _SELECTION})
            result = rows.sign(scores.at(rows_of_items, level))
            output.cite(result)
            output.table(rows_of(result, question=of))
            continue
        if options.get("average", "micro").endswith("macro") and (table["domain"] == "").all():
            output.note("No domain is known, so that all is one domain: name them with --documents.")
        options |= {"other_judges": True} if other_judges else {}
        of_domains, resampling = replace(rows, table=table), Resampling(seed=seed)
        if pairs:
            result = compare_systems(of_domains, of, resampling=resampling, **options)
        else:
            result = score_systems(of_domains, of, material.protocol, resampling=resampling, **options)
        name = f"{of}, z per judge" if options.get("standardise") else of
        (_print_pairs if pairs else _print_systems)(output, result, of, name)
        if selection:
            bounds = score_bounds(material.protocol, of, {})  # as answered: neither standardised nor a rate
            corrected_result = rows.sign(corrected_scores(table, of, probabilities(material.documents), bounds))
            _print_corrected(output, corrected_result, of, pairs=pairs)
    if not selection and (bias := choice_bias(material.documents, material.settings)):
        output.note(str(bias))


def _refuse_unused(level: str, details: Mapping[str, Any], *, pairs: bool) -> None:
    """The error where a setting is given that changes nothing at this level, or without a comparison of pairs."""
    unused = {"margin": "without --head-to-head"} if not pairs else {}
    if level != "system":
        tests = ("average", "test", "combine", "correction", "margin", "adjust")
        unused = dict.fromkeys(tests, f"with --level {level}, which averages and tests nothing")
    for name, why in unused.items():
        if details.get(name) is not None:
            raise LannerError(f"--set {name} does nothing {why}.", next_step="Leave it out.")


def note_uncounted(output: Output, part: Material, rows: CountedRows | None = None) -> None:
    """Say whose answers do not count: of judges who are left out, and of other kinds than those of the `rows` that
    are pooled; and which language pairs are."""
    output.note(*(f"{part.name}: {sentence}." for sentence in part.who_is_left_out()))
    if rows and rows.excluded.get(Reason.OTHER_JUDGES):  # how many rows says little: a grid or a score has its own
        output.note(
            f"Answers by {rows.selection.groups[0]} alone count; answers of other judges do not. "
            "Name them with --judges."
        )
    if pooled := pooled_pairs((rows or part.counted(of=tuple(GROUPS))).table):
        output.note(pooled)


def _print_corrected(output: Output, result: Result, of: str, *, pairs: bool) -> None:
    """Means of all systems, or differences of all pairs, for the texts that documents were chosen from."""

    def texts(row: Mapping[str, Json]) -> dict[str, Json]:
        return {
            "pair": f"{row['system']} − {row['other']}",
            "for all texts": estimate(row["value"], row["low"], row["high"], bounded=False),
            "of the chosen": number(row["chosen"], 2, bounded=False),
        }

    rows = [row for row in rows_of(result, texts, question=of) if bool(row["other"]) == pairs]
    output.say()
    output.note(*result.notes)
    columns = ["pair" if pairs else "system", "for all texts", "of the chosen", "documents"]
    title = f"{of} as answered, not standardised, corrected for how documents were chosen"
    output.table(rows, columns, title=title, empty=f"{of}: no answers are numbers, so nothing is corrected.")
    output.say(str(result.signature))


def _print_systems(output: Output, result: Result, of: str, name: str) -> None:
    def texts(row: Mapping[str, Json]) -> dict[str, Json]:
        return {
            "value": row["score"],
            "unit": result.interval.unit if result.interval else None,
            "ranks_text": from_to(row["rank_low"], row["rank_high"]),
            "estimate": estimate(row["score"], row["low"], row["high"], 2, bounded=False),
        }

    output.cite(result)
    columns: Columns = [("rank", "#"), "system", ("estimate", f"{name} [95 %]"), "micro", ("ranks_text", "ranks")]
    output.table(rows_of(result, texts, question=of), [*columns, "cluster", "n"])


_CORRECTED = {"p_holm": "p", "p_not_worse": "p other not worse", "p_equivalent": "p equal within margin"}


def _print_pairs(output: Output, result: Result, of: str, name: str) -> None:
    def texts(row: Mapping[str, Json]) -> dict[str, Json]:
        return {
            "estimate": estimate(row["difference"], row["low"], row["high"], 2, bounded=False),
            **{f"{key}_text": p_number(row[key]) for key in ("p", *_CORRECTED) if key in row},
        }

    rows = rows_of(result, texts, question=of)
    correction = dict(result.signature.parts if result.signature else ()).get("correction", "holm")
    difference = f"difference in {name} [95 %]" if name != of else "difference [95 %]"
    corrected = [
        (f"{key}_text", f"{title} ({correction})" if correction != "none" else title)
        for key, title in _CORRECTED.items()
        if rows and key in rows[0]
    ]
    columns: Columns = ["system", "other", ("estimate", difference), "p_text", *corrected]
    output.cite(result)
    output.table(rows, [*columns, "higher", "lower", "n", "documents"])


# `lanner prefer`: which of two systems judges prefer: counts, sign tests with ties dropped and split, majority.


_COLUMNS: Columns = [
    *("question", "judge", "for", "against", "wins", "ties", "losses"),
    ("interval", "share [95 %]"),
    *("ties dropped", "ties split", "by document"),
]


def run_prefer(
    output: Output,
    source: Source,
    question: str | None,
    favour: str | None,
    documents: str | None,
    by: str | None,
    votes: bool,
    ranking: bool,
    seed: int,
) -> None:
    """Test which of two systems is preferred, over all judges who count and for each."""
    resampling = Resampling(seed=seed)
    for whole in source.parts():
        part = whole.matching(documents) if documents else whole
        note_uncounted(output, part, group_rows(part, judges_named=bool(source.judges)))
        for domain, share in shares(part, by):
            rows = group_rows(share, judges_named=bool(source.judges))
            table = with_sides(share.protocol, rows.table)
            for name in _preferences_of(share, rows, question):
                with _own_words(share, name):
                    if votes:
                        result = rows.sign(majority(table, name, resampling=resampling))
                        _print_votes(output, result, name, domain)
                    elif ranking:
                        result = rows.sign(bradley_terry(table, name, resampling=resampling))
                        _print_strengths(output, result, name, domain)
                    else:
                        result = rows.sign(sign_test(table, name, favour=favour, resampling=resampling))
                        _print_tests(output, result, name, domain)
                output.say()
                output.cite(result)
    if not votes and not ranking:
        output.say(
            "Ties dropped and ties split are the published sign tests, which take every comparison as independent; by "
            "document does not: where it is much larger, a few documents decide. More documents narrow the interval."
        )


@contextmanager
def _own_words(part: Material, question: str) -> Iterator[None]:
    """An answer that names neither side, or only one, is quoted as it stands in the file."""
    try:
        yield
    except StatisticError as error:
        label = error.names.get("label", "")
        if error.code not in ("unclear_side", "unnamed_side") or part.protocol is None:
            raise
        words = Wording(part.protocol).option(question, label).label
        if error.code == "unnamed_side":
            what = error.what.replace(repr(label), repr(words))
            raise StatisticError(what, code=error.code, next_step=error.next_step) from error
        raise StatisticError(
            f"It is not clear which of the two outputs the answer {words!r} to {question!r} prefers.",
            code=error.code,
            next_step="Write a, b or tie, first or second, or the name of the better system. Answers in words are "
            "understood if all of them name a side or a tie.",
        ) from error


def _preferences_of(part: Material, rows: CountedRows, question: str | None) -> list[str]:
    if questions := preference_questions(part.protocol, rows.table, question):
        return questions
    if part.protocol and not part.protocol.is_guessed:
        raise _no_preference(part, part.protocol, question)
    score_rows = part.table.filter(pl.col("score").is_not_null() & pl.col("system").str.contains("|", literal=True))
    if len(score_rows):
        name = score_rows["question"][0]
        values = score_rows.filter(pl.col("question") == name)["score"].unique().sort().to_list()
        excerpt = ", ".join(f"{value:.12g}" for value in values[:5]) + (" …" if len(values) > 5 else "")
        raise InputError(
            f"The answers to {name!r} in {part.name} are numbers ({excerpt}), which do not say which output is better.",
            next_step="Write a, b or tie instead, or the name of the better system. 1 and 2 are read as the first and "
            "the second, and 0 as a tie, if the heading says that a preference was asked for and a 2 is among them: "
            "without one, 1 may be either side.",
        )
    raise InputError(
        f"{part.name} holds no preference between two outputs.",
        next_step="Name the two in a column system (human|mt) and give the answers a, b or tie, or the name of the "
        "better one.",
    )


def _no_preference(part: Material, protocol: Protocol, name: str | None) -> InputError:
    """The error where no question of a protocol is known to ask which of two outputs is better."""
    compares = [q.id for stage, q in protocol.questions if stage.object is Object.OUTPUTS and name in (None, q.id)]
    if not compares:
        return InputError(
            f"{part.name} asks for no preference.",
            next_step="Preferences are questions about two outputs: a rank, a choice between them, or a scale.",
        )
    return InputError(
        f"The protocol does not say which answers to {compares[0]!r} prefer which output.",
        next_step="Let every option of a choice name one of the two (left, right; A, B) or a tie, or both ends of a "
        'scale from −n to n: low = "A is much better", high = "B is much better", where A is the output shown first. '
        "Export the answers (lanner export) and analyse the file with --protocol FILE.toml, your copy of the protocol.",
    )


def _print_tests(output: Output, result: Result, question: str, domain: str) -> None:
    def texts(row: Mapping[str, Json]) -> dict[str, Json]:
        return {
            "preferred": percent(row["share"]),
            "interval": estimate(row["share"], row["low"], row["high"]),
            "ties dropped": p_value(row["p_drop"]),
            "ties split": p_value(row["p_split"]),
            "by document": p_value(row["p_documents"]),
            "by document (holm)": p_value(row["p_holm"]),
        }

    rows = rows_of(result, texts, question=question, **({"domain": domain} if domain else {}))
    several = len({(row["for"], row["against"]) for row in rows}) > 1
    output.table(rows, [*_COLUMNS, "by document (holm)"] if several else _COLUMNS, title=domain)
    for row in rows:
        if row["pooled"]:
            output.say(_sentence(row))


def _sentence(row: Json) -> str:
    decisions, total = row["wins"] + row["losses"], row["wins"] + row["losses"] + row["ties"]
    if not decisions:
        return in_number(total, "The only comparison is a tie.", "All {n} comparisons are ties.")
    winner, loser, wins = row["for"], row["against"], row["wins"]
    if wins < row["losses"]:
        winner, loser, wins = loser, winner, row["losses"]
    says = f"{winner} was preferred over {loser} in {wins} of {decisions} decided comparisons"
    says += f" ({percent(wins / decisions, 0)}; {row['ties']} of {total} were ties). "
    sure = [row[key] is not None and row[key] < 0.05 for key in ("p_drop", "p_split", "p_holm")]
    if all(sure):
        return says + "Chance alone would hardly give that, however ties and documents are counted."
    if row["p_documents"] is None:
        return (
            says + "Whether that is more than chance is not known: no test by document can tell here, and the sign "
            "tests take every comparison as independent."
        )
    if any(sure):
        return (
            says + "Whether that is more than chance depends on how ties and documents are counted: report all three."
        )
    return says + "Chance alone could well give that: no preference is shown."


def _print_votes(output: Output, result: Result, question: str, domain: str) -> None:
    def texts(row: Mapping[str, Json]) -> dict[str, Json]:
        tests = {"sign test": row["p"], "by document": row["p_documents"]}
        return {name: p_value(p) if p is not None else "—" for name, p in tests.items()}

    rows = rows_of(result, texts, question=question, domain=domain)
    columns: Columns = ["question", "one", "two", "items", ("won_by_one", "for one"), "ties"]
    columns += [("won_by_two", "for two"), "sign test", "by document"]
    output.table(rows, columns, title=domain)
    for row in rows:
        output.say(
            f"Of {plural(row['items'], 'item')}, most judges preferred {row['one']} on {row['won_by_one']} and "
            f"{row['two']} on {row['won_by_two']}; {row['ties']} {'has' if row['ties'] == 1 else 'have'} no majority."
        )


def _strength(row: Mapping[str, Json]) -> str:
    """A strength or a difference; of one without an upper end its lower bound."""
    if row.get("value") is None and row.get("low") is not None:
        return f"above {number(row['low'], 3, bounded=False)}"
    return estimate(row.get("value"), row.get("low"), row.get("high"), bounded=False)


def _print_strengths(output: Output, result: Result, question: str, domain: str) -> None:
    rows = rows_of(result, lambda row: {"estimate": _strength(row)}, question=question, domain=domain)
    title = " · ".join(filter(None, (question, domain)))
    output.table(rows, ["judge", "kind", "system", "other", "estimate", "p", "p_holm"], title, filled=True)
    output.say("Strengths are log odds: 0.5 more means preferred in about 62 % of decided comparisons, 1 more in 73 %.")
