"""`lanner prefer`: which of two systems judges prefer: counts, sign tests with ties dropped and split, majority."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from lanner.analysis.material import Material
from lanner.cli._output import Output
from lanner.cli._source import Source, shares
from lanner.errors import InputError, StatisticError
from lanner.figures.typeset import estimate, p_value, percent
from lanner.model import Json, Rank, Result
from lanner.protocols.guessing import GENERIC
from lanner.protocols.wording import Wording
from lanner.stats.bradley_terry import bradley_terry
from lanner.stats.preference import TIES, majority, sign_test
from lanner.stats.resample import Resampling

_COLUMNS: list[str | tuple[str, str]] = [
    "question",
    "judge",
    "for",
    "wins",
    "ties",
    "losses",
    ("interval", "share [95 %]"),
    "ties dropped",
    "ties split",
    "by document",
]


def run(
    source: Source,
    question: str | None,
    favour: str | None,
    documents: str | None,
    by: str | None,
    votes: bool,
    ranking: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Test which of two systems is preferred, over all judges and for each judge."""
    output = Output("prefer", as_json)
    resampling = Resampling(seed=seed)
    for part in source.parts():
        for domain, share in shares(part.matching(documents) if documents else part, by):
            for name in _asked(share, question):
                with _own_words(share, name):
                    if votes:
                        result = majority(share.table, name, resampling=resampling)
                        _print_votes(output, result, name, domain)
                    elif ranking:
                        result = bradley_terry(share.table, name, resampling=resampling)
                        _print_strengths(output, result, name, domain)
                    else:
                        result = sign_test(share.table, name, favour=favour, resampling=resampling)
                        _print_tests(output, result, name, domain)
                output.say()
                output.notes.extend(note for note in result.notes if note not in output.notes)
                output.sign(result.signature)
    if not votes and not ranking:
        output.say(
            "Ties dropped and ties split are the published sign tests, which take every comparison as independent; by "
            "document does not: where it is much larger, a few documents decide. More documents narrow the interval."
        )
    output.end()


@contextmanager
def _own_words(part: Material, question: str) -> Iterator[None]:
    """An answer that names neither side is quoted as it stands in the file."""
    try:
        yield
    except StatisticError as error:
        label = error.names.get("label", "")
        if error.code != "unclear_side" or part.protocol is None:
            raise
        words = Wording(part.protocol).option(question, label).label
        raise StatisticError(
            f"It is not clear which of the two outputs the answer {words!r} to {question!r} prefers.",
            code=error.code,
            next_step="Write a, b or tie, first or second, or the name of the better system. Answers in words are "
            "understood if all of them name a side or a tie.",
        ) from error


def _asked(part: Material, question: str | None) -> list[str]:
    protocol = part.protocol if part.protocol and part.protocol.name != GENERIC else None
    rank_questions = [q.id for _, q in protocol.questions if isinstance(q, Rank)] if protocol else _plain(part)
    questions = [
        name for name in rank_questions if name in set(part.table["question"].unique()) and question in (None, name)
    ]
    if questions:
        return questions
    if protocol:
        raise InputError(f"{part.name} asks for no preference.", next_step="Preferences are questions of kind rank.")
    scored = part.table.filter(pl.col("score").is_not_null() & pl.col("system").str.contains("|", literal=True))
    if len(scored):
        name = scored["question"][0]
        values = scored.filter(pl.col("question") == name)["score"].unique().sort().to_list()
        shown = ", ".join(f"{value:g}" for value in values[:5]) + (" …" if len(values) > 5 else "")
        raise InputError(
            f"The answers to {name!r} in {part.name} are numbers ({shown}), which do not say which output is better.",
            next_step="Write a, b or tie instead, or the name of the better system. 1 and 2 are read as the first and "
            "the second, and 0 as a tie, if the heading says that a preference was asked for.",
        )
    raise InputError(
        f"{part.name} holds no preference between two outputs.",
        next_step="Name the two in a column system (human|mt) and give the answers a, b or tie, or the name of the "
        "better one.",
    )


def _plain(part: Material) -> list[str]:
    """Without a protocol: labels given to two outputs side by side, or labels that can only be two names and ties."""
    with_label = part.table.filter(pl.col("label").is_not_null())
    questions = []
    for name in with_label["question"].unique(maintain_order=True).to_list():
        own = with_label.filter(pl.col("question") == name)
        labels = set(own["label"].unique()) - TIES
        if own["system"].str.contains("|", literal=True).any() or ((own["system"] == "").all() and len(labels) <= 2):
            questions.append(name)
    return questions


def _print_tests(output: Output, result: Result, question: str, domain: str) -> None:
    rows: list[dict[str, Json]] = [
        {
            **row,
            "question": question,
            "signature": str(result.signature or ""),
            **({"domain": domain} if domain else {}),
            "preferred": percent(row["share"]),
            "interval": estimate(row["share"], row["low"], row["high"]),
            "ties dropped": p_value(row["p_drop"]),
            "ties split": p_value(row["p_split"]),
            "by document": p_value(row["p_documents"]),
        }
        for row in result.rows
    ]
    output.table(rows, _COLUMNS, title=domain)
    for row in rows:
        if row["judge"] == "all":
            output.say(_sentence(row))


def _sentence(row: Json) -> str:
    decisions, total = row["wins"] + row["losses"], row["wins"] + row["losses"] + row["ties"]
    if not decisions:
        return f"All {total} comparisons are ties."
    says = f"{row['for']} was preferred over {row['against']} in {row['wins']} of {decisions} decided comparisons"
    says += f" ({percent(row['share'], 0)}; {row['ties']} of {total} were ties). "
    sure = [row[key] is not None and row[key] < 0.05 for key in ("p_drop", "p_split", "p_documents")]
    if all(sure):
        return says + "Chance alone would hardly give that, however ties and documents are counted."
    if any(sure):
        return (
            says + "Whether that is more than chance depends on how ties and documents are counted: report all three."
        )
    return says + "Chance alone could well give that: no preference is shown."


def _print_votes(output: Output, result: Result, question: str, domain: str) -> None:
    rows = [
        {
            "question": question,
            "domain": domain,
            **row,
            "sign test": p_value(row["p"]) if row["p"] is not None else "—",
            "signature": str(result.signature or ""),
        }
        for row in result.rows
    ]
    columns: list[str | tuple[str, str]] = [
        "question",
        "one",
        "two",
        "items",
        ("won_by_one", "for one"),
        "ties",
        ("won_by_two", "for two"),
        "sign test",
    ]
    output.table(rows, columns, title=domain)
    for row in rows:
        output.say(
            f"Of {row['items']} items, most judges preferred {row['one']} on {row['won_by_one']} and {row['two']} on "
            f"{row['won_by_two']}; {row['ties']} have no majority."
        )


def _print_strengths(output: Output, result: Result, question: str, domain: str) -> None:
    rows = [
        {
            "question": question,
            "domain": domain,
            **row,
            "estimate": estimate(row.get("value"), row.get("low"), row.get("high"), bounded=False),
            "signature": str(result.signature or ""),
        }
        for row in result.rows
    ]
    estimates = ("estimate", "estimate [95 %]")
    columns: list[str | tuple[str, str]] = ["judge", "kind", "system", "other", estimates, "p", ("p_holm", "p (holm)")]
    columns_used = [
        c for c in columns if any(row.get(c if isinstance(c, str) else c[0]) not in (None, "") for row in rows)
    ]
    output.table(rows, columns_used, title=" · ".join(filter(None, (question, domain))))
    output.say("Strengths are log odds: 0.5 more means preferred in about 62 % of decided comparisons, 1 more in 73 %.")
