"""`lanner prepare`: from files people have to documents ready to judge, by a recipe that others can repeat."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from lanner import formats, metrics
from lanner.cli.early_checks import listen, names
from lanner.cli.output import Output, reading
from lanner.cli.source import documents_of
from lanner.corpus import describe, recipe, verify
from lanner.corpus.edits import Edit, append_to_log, load_log
from lanner.corpus.prepare import Manifest, Preparation, describe_inputs
from lanner.corpus.review import Review, ReviewSession
from lanner.corpus.rows import Doubt
from lanner.corpus.systems import SystemScore
from lanner.errors import InputError, LannerError, Where
from lanner.formats.parsing.textfile import write_whole
from lanner.model import Document, Json
from lanner.model.messages import plural
from lanner.web.server import REVIEW_HOST, serve_review

# A preparation on the command line: run over a file, with a bar, as often as edits by hand ask for it.


@dataclass(frozen=True, slots=True)
class PreparationJob:
    """One preparation that can be run again with other edits. Documents pass one by one; only rows in doubt stay."""

    output: Output
    path: Path
    format_name: str | None
    how: recipe.Recipe
    seed: int | None
    avoid: Sequence[str]
    target: Path

    def run(self, hand: Sequence[Edit], doubtful: list[tuple[Document, Sequence[Doubt]]]) -> None:
        """Run without writing; what is in doubt is gathered in `doubtful`."""
        with reading(self.output, self.path, formats.watched, "Preparing") as progress:
            run = Preparation(
                self.how, self.seed, rate=rate_systems, hand=hand, avoid=self.avoid, progress=progress, tables=False
            )
            run.on_doubt = lambda document, doubts: doubtful.append((document, doubts))
            for _ in run.run(documents_of(self.path, self.format_name)):
                pass

    def write(self, hand: Sequence[Edit]) -> Manifest:
        """Run and write the corpus, its manifest and the list of doubtful rows."""
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as buffer,
            reading(self.output, self.path, formats.watched, "Preparing") as progress,
        ):
            run = Preparation(self.how, self.seed, rate=rate_systems, hand=hand, avoid=self.avoid, progress=progress)
            run.on_doubt = lambda document, doubts: _keep(buffer, verify.table([document], doubts))
            formats.write("native", self.target, self._some(run))
            record = run.record(describe_inputs(self.path))
            write_whole(self.target.with_suffix(".manifest.json"), record.to_json())
            doubtful = self.target.with_suffix(".doubtful.csv")
            if record.doubtful:
                verify.save(doubtful, lambda: _read_kept_rows(buffer))
            else:
                doubtful.unlink(missing_ok=True)
        return record

    def _some(self, run: Preparation) -> Iterator[Document]:
        empty = True
        for document in run.run(documents_of(self.path, self.format_name)):
            empty = False
            yield document
        if empty:  # while the file is being written, so that none appears
            raise LannerError("Nothing is left after this recipe.", next_step="Loosen its filters.")

    def edits_of(self, path: Path, hand: Sequence[Edit], by: str) -> list[Edit]:
        """What a person changed in the list of doubtful rows."""
        sheet = verify.load(path)
        doubtful: list[tuple[Document, Sequence[Doubt]]] = []
        self.run(hand, doubtful)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            return verify.edits({document.id: document for document, _ in doubtful}, sheet, by=by, when=when)
        except InputError as error:
            raise InputError(error.what, where=Where(path, error.where.line), next_step=error.next_step) from error


def _keep(file: IO[str], rows: Iterable[dict[str, str]]) -> None:
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _read_kept_rows(file: IO[str]) -> Iterator[dict[str, str]]:
    file.seek(0)
    for line in file:
        yield json.loads(line)


def rate_systems(
    documents: Sequence[Document], metric: str, reference: str, options: Mapping[str, Json]
) -> list[SystemScore]:
    """The systems' scores by any metric of Lanner, best first, on the segments that count."""
    pair = metrics.Languages(documents[0].source_language, documents[0].target_language)
    scorer = metrics.make(metric, pair, **options)
    rating = metrics.rate(documents, scorer, references=[reference] if reference else ())
    segments = sum(segment.judged for document in documents for segment in document)
    return [
        SystemScore(
            row["system"], row["score"], row["low"], row["high"], len(documents), segments, str(rating.result.signature)
        )
        for row in rating.result.rows
    ]


def run(
    output: Output,
    path: Path,
    recipe_name: str,
    out: Path | None,
    seed: int | None,
    verifying: bool,
    port: int,
    verified: Path | None,
    edits_from: Path | None,
    by: str,
    avoid: Path | None,
    sentences: int | None,
    criteria: str,
    describe_only: bool,
    latex: bool,
    format_name: str | None,
) -> None:
    """Split into sentences, align, filter and sample according to a recipe."""
    if describe_only:
        _describe(output, path, format_name, latex=latex)
        return
    how = recipe.load(recipe_name)
    if sentences is not None:
        how = recipe.with_difficult(how, sentences, tuple(names(criteria)))
    target = out or Path(f"{path.name.split('.')[0]}-{how.name}.jsonl")
    avoid_ids = tuple(document.id for document in formats.read_documents(avoid)) if avoid else ()
    job = PreparationJob(output, path, format_name, how, seed, avoid_ids, target)
    log = target.with_suffix(".edits.jsonl")
    hand = _earlier(output, log, edits_from, wanted=verifying or verified is not None)
    sheet = job.edits_of(verified, hand, by) if verified else []
    if verifying:
        _log_all(log, hand, sheet)
        result = _review(job, [*hand, *sheet], log, by, port) or job.write([*hand, *sheet])
    else:
        result = job.write([*hand, *sheet])
    _show(output, result.before, "Original", latex=latex)
    output.say()
    _show(output, result.after, "Prepared", latex=latex)
    output.say()
    _tell(output, result, target)
    output.sign(f"recipe {how.name} · seed {result.seed} · edits {len(result.edits)}")


def _earlier(output: Output, log: Path, path: Path | None, *, wanted: bool) -> list[Edit]:
    """Edits made before: those given, else those of earlier sessions over the same corpus."""
    if path:
        return load_log(path)
    edits = load_log(log) if log.exists() else []
    if edits and not wanted:
        output.note(f"{log} has {len(edits)} edits that are not made here; --edits {log} makes them.")
        return []
    if edits:
        output.note(f"{len(edits)} edits of earlier sessions are made first, from {log}.")
    return edits


def _log_all(log: Path, hand: Sequence[Edit], sheet: Sequence[Edit]) -> None:
    """Have every edit that a session starts from in its log, so that it can be gone on with."""
    edits = load_log(log) if log.exists() else []
    if edits and edits != list(hand):
        raise InputError(
            "An earlier session left other edits than those given.",
            where=Where(log),
            next_step="Go on with them by leaving out --edits, or write another corpus with --out.",
        )
    append_to_log(log, [*([] if edits else hand), *sheet])


def _review(job: PreparationJob, hand: list[Edit], log: Path, by: str, port: int) -> Manifest | None:
    """Let a person settle what is in doubt and write the result with all edits, those of earlier sessions first; None
    if there is nothing to settle."""
    doubtful: list[tuple[Document, Sequence[Doubt]]] = []
    job.run(hand, doubtful)
    if not doubtful:
        job.output.say("Nothing is in doubt: there is nothing to verify.")
        return None
    doubts = [doubt for _, entries in doubtful for doubt in entries]
    review = Review.of([document for document, _ in doubtful], doubts)

    manifests: list[Manifest] = []

    def finish(edits: list[Edit]) -> str:
        manifests.append(job.write([*hand, *edits]))
        left = manifests[-1].doubtful
        return f"{job.target}\n{len(edits)} edits, {left} rows still in doubt. You can close this page."

    def announce(link: str) -> None:
        job.output.say(f"{len(review.places)} segments have rows in doubt. Settle them here:")
        job.output.say(f"  {link}", style="bold")
        job.output.say(f"Every edit is in {log} at once; stop with Ctrl+C and go on later with the same command.")

    try:
        session = ReviewSession(review, job.target.name, finish, log, by)
        serve_review(session, listen(REVIEW_HOST, port), announce)
    except KeyboardInterrupt:
        job.output.say_stopped(f"Every edit is in {log}; the same command goes on from here.")
        raise click.exceptions.Exit(0) from None
    return manifests[-1] if manifests else job.write([*hand, *review.edits])


def _describe(output: Output, path: Path, format_name: str | None, *, latex: bool) -> None:
    table = describe.Description()
    with reading(output, path, formats.watched, "Counting") as progress:
        for number, document in enumerate(documents_of(path, format_name), 1):
            table.add(document)
            progress("documents", number)
    _show(output, table.rows(), "Original", latex=latex)


def _show(output: Output, rows: Iterable[dict[str, object]], title: str, *, latex: bool) -> None:
    all_rows = list(rows)
    output.rows.extend({"set": title.lower(), **row} for row in all_rows)
    if latex:
        output.say(describe.to_latex(all_rows, caption=title))
        return
    output.say(title, style="bold")
    output.say(describe.to_text(all_rows))


def _tell(output: Output, record: Manifest, target: Path) -> None:
    for step in record.steps:
        counts = ", ".join(f"{name} {number:,}" for name, number in step.counts.items())
        output.note(f"{step.do}: {counts or 'nothing changed'}")
    for row in record.scores:
        between = "" if row["low"] is None else f" [{row['low']:.2f}, {row['high']:.2f}]"
        rests = f"{plural(row['segments'], 'segment')} of {plural(row['documents'], 'document')}"
        output.note(f"{row['system']}: {row['score']:.2f}{between}, {rests}")
    if record.scores:
        output.note(f"scored by {record.scores[0]['signature']}")
    for row in record.sample:
        output.note(
            f"sample {row['domain']}: asked {row['asked']:,}, got {plural(row['got'], 'sentence')} in "
            f"{plural(row['documents'], 'document')} (of {row['available_sentences']:,} in "
            f"{row['available_documents']:,})"
        )
    if any("harder_by" in row and row["documents"] < row["available_documents"] for row in record.sample):
        output.note(
            f"Documents were chosen by criteria: on these they lie {record.sample[-1]['harder_by']:+.2f} standard "
            "deviations from the mean of all, so scores on them are not those of all texts. Each keeps its probability "
            "(meta.selection); lanner scores --selection corrects for it."
        )
    if record.doubtful:
        doubtful = target.with_suffix(".doubtful.csv")
        output.say(f"{record.doubtful:,} rows are doubtful: settle them on a page with --verify, or correct")
        output.say(f"{doubtful} in a spreadsheet and give it back with --verified.")
    output.say(f"Wrote {target} and {target.with_suffix('.manifest.json')}.", style="bold")
