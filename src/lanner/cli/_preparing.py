"""A preparation on the command line: run over a file, with a bar, as often as edits by hand ask for it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from lanner import formats, metrics
from lanner.cli._output import Output
from lanner.cli._progress import reading
from lanner.cli._source import documents_of
from lanner.corpus import manifest, recipe, verify
from lanner.corpus.automatic import Score
from lanner.corpus.edits import Edit
from lanner.corpus.prepare import Preparation
from lanner.corpus.rows import Doubt
from lanner.errors import InputError, LannerError, Where
from lanner.model import Document, Json
from lanner.reports.files import write_whole


@dataclass(frozen=True, slots=True)
class Job:
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
        with reading(self.output, self.path, "Preparing") as progress:
            run = Preparation(
                self.how, self.seed, rate=rate_systems, hand=hand, avoid=self.avoid, progress=progress, tables=False
            )
            run.on_doubt = lambda document, doubts: doubtful.append((document, doubts))
            for _ in run.run(documents_of(self.path, self.format_name)):
                pass

    def write(self, hand: Sequence[Edit]) -> manifest.Manifest:
        """Run and write the corpus, its manifest and the list of doubtful rows."""
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as buffer,
            reading(self.output, self.path, "Preparing") as progress,
        ):
            run = Preparation(self.how, self.seed, rate=rate_systems, hand=hand, avoid=self.avoid, progress=progress)
            run.on_doubt = lambda document, doubts: _keep(buffer, verify.table([document], doubts))
            formats.write("native", self.target, self._some(run))
            record = run.record(manifest.inputs(self.path))
            write_whole(self.target.with_suffix(".manifest.json"), record.to_json())
            doubtful = self.target.with_suffix(".doubtful.csv")
            if record.doubtful:
                verify.save(doubtful, lambda: _kept(buffer))
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


def _kept(file: IO[str]) -> Iterator[dict[str, str]]:
    file.seek(0)
    for line in file:
        yield json.loads(line)


def rate_systems(
    documents: Sequence[Document], metric: str, reference: str, options: Mapping[str, Json]
) -> list[Score]:
    """The systems' scores by any metric of Lanner, best first, on the segments that count."""
    pair = metrics.Languages(documents[0].source_language, documents[0].target_language)
    scorer = metrics.make(metric, pair, **options)
    rating = metrics.rate(documents, scorer, references=[reference] if reference else ())
    segments = sum(segment.judged for document in documents for segment in document)
    return [
        Score(
            row["system"], row["score"], row["low"], row["high"], len(documents), segments, str(rating.result.signature)
        )
        for row in rating.result.rows
    ]
