"""`lanner metric`: rate systems automatically, print their scores, keep them for all other commands."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from lanner import campaign, formats, metrics
from lanner.cli.options import chosen_pair, parse_options, reading_options
from lanner.cli.output import Output
from lanner.cli.source import materials
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.figures.typeset import estimate
from lanner.metrics import Languages, Rating, rate
from lanner.model import Document, Judge, Judgement, languages
from lanner.model.messages import in_number
from lanner.stats.resample import Resampling
from lanner.store import Store


def run(
    given: tuple[str, ...],
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
    """Score every system with one or more metrics, with confidence intervals over documents."""
    output = Output("metric", as_json)
    if listed or not given:
        output.table([{"metric": name, "what": title} for name, title in metrics.titles().items()])
        output.end()
        return
    *words, source = given
    if not words or source in metrics.names():
        hint = "For instance: lanner metric bleu chrf texts.jsonl"
        raise LannerError("Name one metric or more, and last the file or campaign.", next_step=hint)
    documents, judges, judgements = _texts(source, store_place, format_name, chosen_pair(), scored=bool(out or save))
    tongues = Languages(documents[0].source_language, documents[0].target_language)
    with _NotesFromLog(output):
        parts = [
            rate(
                documents,
                metrics.make(name, tongues, **parse_options(options)),
                systems=_names(systems),
                references=_names(references),
                resampling=Resampling(seed=seed),
            )
            for name in words
        ]
    for rating in parts:
        _print(output, rating)
    raters = [*judges, *(rating.judge for rating in parts)]
    scores = [*judgements, *(judgement for rating in parts for judgement in rating.judgements)]
    if out:
        _keep(out, documents, raters, scores)
        judge = parts[0].judge.id
        after = (
            f"lanner scores {out} --question score --judges {judge}"
            if out.suffix == ".jsonl"
            else f"lanner metaeval {out}"
        )
        output.say(f"Kept in {out}. Next: {after}")
    if save:
        number = _store(store_place, save, documents, raters, scores)
        output.say(
            in_number(
                number,
                "Stored {n} score as the campaign {save}. Next: lanner metaeval {save} --gold JUDGE",
                "Stored {n} scores as the campaign {save}. Next: lanner metaeval {save} --gold JUDGE",
                save=save,
            )
        )
    output.end()


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []


class _NotesFromLog(logging.Handler):
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
    source: str, store_place: str, format_name: str | None, pair: str | None, *, scored: bool
) -> tuple[list[Document], list[Judge], list[Judgement]]:
    """The documents of one language pair, and the scores that came with them where they are to be kept (`scored`):
    a folder of a shared task holds a hundred files of scores."""
    readings: list[tuple[Sequence[Document], Sequence[Judge], Sequence[Judgement]]]
    if not Path(source).exists():
        readings = [(m.documents, m.judges, m.judgements) for m in materials(source, store_place, format_name)]
    elif scored or not _has_texts_alone(source, format_name):
        readings = [
            (r.documents, r.judges, r.judgements) for r in formats.read(source, format_name, **reading_options())
        ]
    else:
        readings = [(list(formats.read_documents(source, format_name, **reading_options())), (), ())]
    pairs = list(dict.fromkeys(d.language_pair for documents, _, _ in readings for d in documents))
    code = "-".join(languages.pair(pair)) if pair else None
    if code and all(languages.UNDETERMINED in pair.split("-") for pair in pairs):
        pairs, code = [code], None  # the file does not name its languages
    if code and code not in pairs:
        raise InputError(f"There is no pair {pair!r}.", where=Where(source), next_step=did_you_mean(str(pair), pairs))
    if code is None and len(pairs) > 1:
        hint = f"Say which with --languages: {', '.join(pairs)}."
        raise InputError(f"There are {len(pairs)} language pairs.", where=Where(source), next_step=hint)
    for documents, judges, judgements in readings:
        matches = [d for d in documents if code in (None, d.language_pair)]
        if matches:
            ids = {d.id for d in matches} | {""}
            return matches, list(judges), [j for j in judgements if j.document in ids]
    raise InputError("There are no texts in it.", where=Where(source))


def _has_texts_alone(source: str, format_name: str | None) -> bool:
    """Whether texts can be read without the scores beside them."""
    name = format_name or formats.recognise(source, **reading_options())
    return formats.load(name).read_documents is not None


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
    judges_by_id = {judge.id: judge for judge in judges}
    form = "native" if out.suffix == ".jsonl" else "mtme"
    formats.write(form, out, documents, list(latest.values()), list(judges_by_id.values()))


def _store(place: str, name: str, documents: list[Document], judges: list[Judge], judgements: list[Judgement]) -> int:
    """How many scores there are in the new campaign; judges whose answers are no scores stay out of it."""
    answers = metrics.answers(judgements)
    judge_ids = {judgement.judge for judgement in answers}
    active = [judge for judge in judges if judge.id in judge_ids]
    with Store.open(place) as store:
        summary = campaign.import_campaign(store, name, answers, metrics.protocol(), documents=documents, judges=active)
    return summary.judgements
