"""`lanner metric`: rate systems automatically, print their scores, keep them for all other commands."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from lanner import campaign, formats, metrics
from lanner.cli._output import Output, json_option
from lanner.cli._source import from_option, materials, reading_options, store_option
from lanner.cli.import_ import parse_options
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.figures.typeset import estimate
from lanner.metrics import Languages, Rating, rate
from lanner.model import Document, Judge, Judgement, languages
from lanner.stats.resample import Resampling
from lanner.store import Store


@click.command("metric", short_help="Scores of systems by BLEU, chrF, COMET and other metrics.")
@click.argument("given", nargs=-1, metavar="METRIC... FILE_OR_CAMPAIGN")
@click.option("--lp", "pair", metavar="PAIR", help="The language pair, where the file has several.")
@click.option("--references", help="Only these references, with commas between. [default: all together]")
@click.option("--systems", help="Only these systems, with commas between.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the metrics; repeatable.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep texts and scores: a new folder in mt-metrics-eval's "
              "layout, or a .jsonl file.")  # fmt: skip
@click.option("--save", metavar="NAME", help="Store the scores as a campaign, with people's scores of the same texts.")
@click.option("--list", "listed", is_flag=True, help="Say which metrics there are.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same numbers.")
@from_option
@store_option
@json_option
def command(
    given: tuple[str, ...],
    pair: str | None,
    references: str | None,
    systems: str | None,
    options: tuple[str, ...],
    out: Path | None,
    save: str | None,
    listed: bool,
    seed: int,
    format_name: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Rate every system's texts by one or several metrics, with intervals over documents.

    Example: lanner metric bleu chrf wmt23 --lp en-de --out scored
    """
    output = Output("metric", as_json)
    if listed or not given:
        output.table([{"metric": name, "what": title} for name, title in metrics.titles().items()])
        output.end()
        return
    *asked, source = given
    if not asked or source in metrics.names():
        hint = "For instance: lanner metric bleu chrf texts.jsonl"
        raise LannerError("Name one metric or more, and last the file or campaign.", next_step=hint)
    documents, judges, judgements = _texts(source, store_place, format_name, pair)
    tongues = Languages(documents[0].source_language, documents[0].target_language)
    with _told(output):
        rated = [
            rate(
                documents,
                metrics.make(name, tongues, **parse_options(options)),
                systems=_names(systems),
                references=_names(references),
                resampling=Resampling(seed=seed),
            )
            for name in asked
        ]
    for rating in rated:
        _print(output, rating)
    raters = [*judges, *(rating.judge for rating in rated)]
    scores = [*judgements, *(judgement for rating in rated for judgement in rating.judgements)]
    if out:
        _keep(out, documents, raters, scores)
        judge = rated[0].judge.id
        after = (
            f"lanner scores {out} --of score --judges {judge}" if out.suffix == ".jsonl" else f"lanner metaeval {out}"
        )
        output.say(f"Kept in {out}. Next: {after}")
    if save:
        number = _store(store_place, save, documents, raters, scores)
        output.say(f"Stored {number:,} scores as the campaign {save}. Next: lanner metaeval {save} --gold JUDGE")
    output.end()


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in given.split(",")] if given else []


class _told(logging.Handler):  # noqa: N801 - used as `with _told(output)`
    """What metrics log (contexts that were trimmed, say) becomes notes of the output."""

    def __init__(self, output: Output) -> None:
        super().__init__(logging.WARNING)
        self.output = output

    def emit(self, record: logging.LogRecord) -> None:
        if (text := record.getMessage()) not in self.output.notes:
            self.output.note(text)

    def __enter__(self) -> None:
        logging.getLogger("lanner.metrics").addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("lanner.metrics").removeHandler(self)


def _texts(
    source: str, store_place: str, format_name: str | None, pair: str | None
) -> tuple[list[Document], list[Judge], list[Judgement]]:
    """The documents of one language pair, and the scores that came with them."""
    if Path(source).exists():
        found = [(r.documents, r.judges, r.judgements) for r in formats.read(source, format_name, **reading_options())]
    else:
        found = [(m.documents, m.judges, m.judgements) for m in materials(source, store_place, format_name)]
    known = list(dict.fromkeys(d.language_pair for documents, _, _ in found for d in documents))
    wanted = "-".join(languages.pair(pair)) if pair else None
    if wanted and wanted not in known:
        raise InputError(f"There is no pair {pair!r}.", where=Where(source), next_step=did_you_mean(str(pair), known))
    if wanted is None and len(known) > 1:
        hint = f"Say which with --lp: {', '.join(known)}."
        raise InputError(f"There are {len(known)} language pairs.", where=Where(source), next_step=hint)
    for documents, judges, judgements in found:
        kept = [d for d in documents if wanted in (None, d.language_pair)]
        if kept:
            ids = {d.id for d in kept} | {""}
            return kept, list(judges), [j for j in judgements if j.document in ids]
    raise InputError("There are no texts in it.", where=Where(source))


def _print(output: Output, rating: Rating) -> None:
    rows = [
        {
            "metric": rating.judge.id,
            **row,
            "value": row["score"],
            "unit": "document",
            "signature": str(rating.result.signature),
            "estimate": estimate(row["score"], row["low"], row["high"], 2, bounded=False),
        }
        for row in rating.result.rows
    ]
    output.table(rows, ["system", ("estimate", f"{rating.judge.id} [95 %]"), ("n", "documents")])
    output.say(str(rating.result.signature), style="dim")
    output.notes.extend(note for note in rating.result.notes if note not in output.notes)


def _keep(out: Path, documents: list[Document], judges: list[Judge], judgements: list[Judgement]) -> None:
    """An earlier score of the same metric is replaced, all else is kept beside the new scores."""
    latest = {(j.judge, j.stage, j.question, j.document, j.segment, j.systems, j.role): j for j in judgements}
    named = {judge.id: judge for judge in judges}
    form = "native" if out.suffix == ".jsonl" else "mtme"
    formats.write(form, out, documents, list(latest.values()), list(named.values()))


def _store(place: str, name: str, documents: list[Document], judges: list[Judge], judgements: list[Judgement]) -> int:
    """How many scores there are in the new campaign; judges whose answers are no scores stay out of it."""
    made = metrics.answers(judgements)
    answered = {judgement.judge for judgement in made}
    known = [judge for judge in judges if judge.id in answered]
    with Store.open(place) as store:
        done = campaign.import_campaign(store, name, made, metrics.protocol(), documents=documents, judges=known)
    return done.judgements
