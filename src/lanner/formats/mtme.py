"""The layout of mt-metrics-eval: folders `sources`, `documents`, `references`, `system-outputs`, `human-scores`,
`metric-scores`, with files named by language pair.

Segment ids are line numbers from 0, as that toolkit and WMT's item ids count. Scores of people and of metrics come in
one reading, so that they can be compared: a metric's judge is named by its file, the scores of people are their
published means. Error annotations (`*.seg.rating`) are MQM judgements in a reading of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lanner.errors import InputError, Where, did_you_mean
from lanner.formats import _textfile as textfile
from lanner.formats import appraise_scores
from lanner.formats._aligned import AlignedFiles, read_aligned
from lanner.formats._mtme_scores import LEVELS, read_ratings, read_scores
from lanner.formats._mtme_tables import pairs, read_tables
from lanner.formats._mtme_writing import write_mtme
from lanner.formats._reading import Reading
from lanner.formats.appraise_batches import Batches
from lanner.model import Document, Judge, Judgement, languages

TITLE = "mt-metrics-eval's folders: sources, documents, references, system-outputs, scores"
SIGNS = {"folder": ("sources", "documents", "system-outputs")}
FOLDER = True
OPTIONS = {
    "languages": "which language pair, where the folder has several (all)",
    "metrics": "all, none, or names of metrics separated by commas (all)",
    "levels": "which levels of scores: seg, doc, domain, sys (seg,doc,sys)",
    "newline": "what stands for a line break inside a segment, for instance <br>",
}
write = write_mtme
read_score_tables, scored_pairs = read_tables, pairs  # scores alone, as arrays


def recognise(path: Path) -> bool:
    """A folder with `sources/PAIR.txt`."""
    return path.is_dir() and bool(_pairs(path)) and (path / "system-outputs").is_dir()


def read(
    path: Path, *, languages: str = "", metrics: str = "all", levels: str = "seg,doc,sys", newline: str = ""
) -> list[Reading]:
    """For each language pair its scores and its error annotations, each with the documents they are about."""
    wanted = [level.strip() for level in levels.split(",") if level.strip()]
    for level in wanted:
        if level not in LEVELS:
            raise InputError(f"There is no level {level!r}.", next_step=did_you_mean(level, LEVELS))
    readings: list[Reading] = []
    for pair in _chosen(path, languages):
        documents = tuple(read_aligned(_files(path, pair, newline)))
        readings += _Scores(path, pair, documents, wanted, metrics).readings()
    for file in sorted((path / "humeval").glob("*.csv")):
        if appraise_scores.recognise(file):
            sources = _sources(file, [reading.documents for reading in readings])
            readings += appraise_scores.read_export(file, sources, root=path)
    return readings


def _sources(file: Path, known: Sequence[tuple[Document, ...]]) -> dict[str, Batches]:
    """For each pair of a score file the sources of a pair that shares its source language, as test sets do: they
    bring domains and what surrounds a sentence. Translations into another language are left out."""
    found: dict[str, Batches] = {}
    for pair in appraise_scores.language_pairs(file):
        source, target = languages.pair(pair)
        same = next((documents for documents in known if documents and documents[0].source_language == source), ())
        if same and same[0].target_language == target:
            found[pair] = Batches(documents=same)
        else:
            found[pair] = Batches(documents=tuple(_source_side(document, target) for document in same))
    return found


def _source_side(document: Document, target: str) -> Document:
    segments = tuple(replace(segment, outputs={}, references={}) for segment in document)
    return replace(document, target_language=target, segments=segments)


def read_documents(
    path: Path, *, languages: str = "", metrics: str = "", levels: str = "", newline: str = ""
) -> Iterator[Document]:
    """The documents of each language pair, one by one."""
    del metrics, levels  # options of scores
    for pair in _chosen(path, languages):
        yield from read_aligned(_files(path, pair, newline))


def _pairs(path: Path) -> list[str]:
    return sorted(file.name.removesuffix(".txt") for file in (path / "sources").glob("*-*.txt"))


def _chosen(path: Path, given: str) -> list[str]:
    pairs = _pairs(path)
    if not given:
        return pairs
    found = [pair for pair in pairs if pair == given or languages.pair(pair) == languages.pair(given)]
    if not found:
        raise InputError(f"There is no pair {given!r}.", where=Where(path), next_step=did_you_mean(given, pairs))
    return found


def _files(path: Path, pair: str, newline: str) -> AlignedFiles:
    references = sorted((path / "references").glob(f"{pair}.*.txt"))
    outputs = sorted((path / "system-outputs" / pair).glob("*.txt"))
    documents = path / "documents" / f"{pair}.docs"
    named = {file.name.removeprefix(f"{pair}.").removesuffix(".txt"): file for file in references}
    return AlignedFiles(
        path / "sources" / f"{pair}.txt",
        languages.pair(pair),
        named,
        {file.name.removesuffix(".txt"): file for file in outputs},
        documents if documents.is_file() else None,
        newline,
    )


@dataclass(slots=True)
class _Scores:
    """The scores and ratings of one language pair."""

    root: Path
    pair: str
    documents: tuple[Document, ...]
    levels: list[str]
    metrics: str
    judges: dict[str, Judge] = field(default_factory=dict)
    judgements: list[Judgement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def readings(self) -> list[Reading]:
        if canaries := sum("canary" in segment.flags for document in self.documents for segment in document):
            self.notes.append(f"{canaries} canary lines are kept, flagged and not judged.")
        human = sorted((self.root / "human-scores").glob(f"{self.pair}.*.score"))
        for file in human:
            name, level = _score_name(file.name.removeprefix(f"{self.pair}."))
            self._scores(file, name, level, metric=False)
        automatic = sorted((self.root / "metric-scores" / self.pair).glob("*.score"))
        for file in self._wanted(automatic):
            name, level = _score_name(file.name)
            self._scores(file, name, level, metric=True)
        if missing := sum("missing" in judgement.flags for judgement in self.judgements):
            self.notes.append(f"{missing} scores are missing.")
        made = [self._reading(self.pair, tuple(self.judges.values()), tuple(self.judgements), "", tuple(self.notes))]
        for file in sorted((self.root / "human-scores").glob(f"{self.pair}.*.seg.rating")):
            name = file.name.removesuffix(".seg.rating")
            rated = read_ratings(file, self.root, name.removeprefix(f"{self.pair}."), self.documents)
            made.append(self._reading(name, rated.judges, rated.judgements, "mqm", rated.notes))
        return made

    def _reading(
        self,
        name: str,
        judges: tuple[Judge, ...],
        judgements: tuple[Judgement, ...],
        protocol: str,
        notes: tuple[str, ...],
    ) -> Reading:
        return Reading(name, self.documents, judges, judgements, protocol, notes)

    def _wanted(self, files: list[Path]) -> list[Path]:
        if self.metrics == "all":
            return files
        names = [] if self.metrics == "none" else [name.strip() for name in self.metrics.split(",")]
        known = {_score_name(file.name)[0] for file in files}
        for name in names:
            if name not in known:
                raise InputError(f"There is no metric {name!r}.", next_step=did_you_mean(name, sorted(known)))
        return [file for file in files if _score_name(file.name)[0] in names]

    def _scores(self, file: Path, name: str, level: str, *, metric: bool) -> None:
        if level not in LEVELS:
            textfile.failed(file, f"{level!r} is no level of scores.", next_step=f"Levels: {', '.join(LEVELS)}.")
        if level in self.levels:
            judge, judgements = read_scores(file, self.root, name, level, self.documents, metric=metric)
            self.judges[judge.id] = judge
            self.judgements += judgements


def _score_name(name: str) -> tuple[str, str]:
    """`BLEU-refA.seg.score` is BLEU-refA at level seg."""
    stem, _, level = name.removesuffix(".score").rpartition(".")
    return stem, level
