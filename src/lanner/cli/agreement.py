"""`lanner agreement`: how far judges agree, question by question, with intervals that resample documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from lanner.analysis.material import Material
from lanner.cli._output import Output
from lanner.cli._plain import plain_coefficients
from lanner.cli._source import Source, shares, source_options
from lanner.cli._why import print_why
from lanner.model import Json, Result, Spans
from lanner.reports.coefficients import Coefficient, all_coefficients
from lanner.reports.typeset import estimate
from lanner.stats.coefficients import kappa, pairwise
from lanner.stats.diagnosis import prevalence
from lanner.stats.gamma import gamma as gamma_of
from lanner.stats.reading import meaning, reading
from lanner.stats.resample import Resampling


@click.command("agreement", short_help="How far judges agree, with honest intervals.")
@click.option("--question", "-q", help="Only this question (default: all that can be compared).")
@click.option("--by", type=click.Choice(["domain"]), help="Each domain by itself.")
@click.option("--why", is_flag=True, help="What disagreement is made of: labels confused, judges who lean.")
@click.option("--gamma", is_flag=True, help="γ of marked spans, too: place and name beyond chance. Slow.")
@click.option(
    "--unit",
    type=click.Choice(["document", "item", "judge", "two-way"]),
    default="document",
    show_default=True,
    help="What intervals take as independent.",
)
@click.option("--resamples", default=2000, show_default=True, help="How many bootstrap resamples.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same numbers.")
@source_options
def command(
    source: Source,
    question: str | None,
    by: str | None,
    why: bool,
    gamma: bool,
    unit: str,
    resamples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Say how far judges agree: for each pair, and all together; and what the numbers mean.

    Example: lanner agreement h-falcon --question context
    """
    found = [source.part_that_asks(question)] if question else source.parts()
    output = Output("agreement", as_json)
    resampling = Resampling(unit=unit, n=resamples, seed=seed)  # type: ignore[arg-type]
    for part in found:
        for note in part.notes:
            output.note(f"{part.name}: {note}")
        for name, share in shares(part, by):
            asked = list(_asked(share, question, gamma))
            (print_why if why else _print)(output, share, name, asked, resampling)
    output.end()


def _asked(part: Material, question: str | None, gamma: bool) -> Iterator[Coefficient]:
    """The coefficients to compute: of all questions that were answered, or of the one asked for."""
    answered = set(part.table["question"])
    if part.protocol is None:
        yield from plain_coefficients(part.table, question)
    for asked, coefficient in all_coefficients(part.protocol) if part.protocol else ():
        if question not in (None, asked.id, coefficient.question):
            continue
        if coefficient.question in answered or question:
            yield coefficient
        if gamma and isinstance(asked, Spans):
            long = {
                (document.id, segment.id): max(map(len, (segment.source, *segment.outputs.values())))
                for document in part.documents
                for segment in document
            }
            yield Coefficient("gamma", "γ", gamma_of, asked.id, options={"lengths": long})


def _print(output: Output, part: Material, domain: str, asked: list[Coefficient], resampling: Resampling) -> None:
    rows: list[dict[str, Json]] = []
    everyones: list[tuple[Coefficient, Result]] = []
    for coefficient in asked:
        *pairs, everyone = _results(part, coefficient, resampling)
        for result in (*pairs, everyone):
            rows.append(_row(part, coefficient, domain, result))
            output.notes.extend(note for note in result.notes if note not in output.notes)
            output.signature = output.signature or str(result.signature or "")
        everyones.append((coefficient, everyone))
    columns = [("what", "question"), ("pair", "judges"), ("sign", ""), ("estimate", "estimate [95 %]"), ("n", "n")]
    output.table(rows, columns, title=" · ".join(filter(None, (part.name, domain))))
    output.say()
    for line in _in_words(everyones):
        output.say(line)
    for name in dict.fromkeys(c.question for c in asked if c.statistic is kappa):
        parted = prevalence(part.table, name, resampling=Resampling(method="none"))[1].notes[:1]
        output.notes.extend(f"{name}: {note}" for note in parted if note.startswith(("Judges agree", "κ is")))
    output.say()


def _in_words(results: list[tuple[Coefficient, Result]]) -> Iterator[str]:
    """What the numbers mean: of each question its first coefficient, and of each coefficient once what it is. Questions
    of which nothing can be said for the same reason stand together."""
    explained: set[str] = set()
    begun: set[str] = set()
    undefined: dict[str, list[str]] = {}
    for coefficient, result in results:
        name = coefficient.row or coefficient.question
        if name not in begun and result.value is None:
            undefined.setdefault(reading(result), []).append(name)
        elif name not in begun:
            yield f"{name}: {reading(result, brief=result.name in explained)}"
            explained.add(result.name)
        elif result.name not in explained and (words := meaning(result)):
            yield f"{name}: {words}"
            explained.add(result.name)
        begun.add(name)
    for reason, names in undefined.items():
        yield f"{', '.join(names)}: {reason}"


def _row(part: Material, coefficient: Coefficient, domain: str, result: Result) -> dict[str, Json]:
    row: dict[str, Json] = {"part": part.name, "question": coefficient.question, "row": coefficient.row}
    row |= {"domain": domain} if domain else {}
    row |= {"sign": coefficient.sign, **result.row(), "reading": reading(result)}
    row["pair"] = _who(part, row)
    row["what"] = coefficient.row or coefficient.question
    row["estimate"] = estimate(result.value, result.low, result.high)
    return row


def _who(part: Material, row: Mapping[str, Json]) -> str:
    if row.get("judge"):
        return f"{row['judge']} – {row['other']}"
    return " – ".join(judge.id for judge in part.judges) if len(part.judges) == 2 else "all"


def _results(part: Material, coefficient: Coefficient, resampling: Resampling) -> list[Result]:
    options = {**coefficient.options, **({"row": coefficient.row} if coefficient.row else {})}
    everyone = coefficient.statistic(part.table, coefficient.question, resampling=resampling, **options)
    if not coefficient.pairwise or len(part.judges) <= 2:
        return [everyone]
    pairs = pairwise(part.table, coefficient.question, of=coefficient.statistic, resampling=resampling, **options)
    return [*pairs, everyone]
