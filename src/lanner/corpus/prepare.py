"""Run a recipe. Steps that look at one document at a time pass it on at once, so a million segments need no memory;
drawing a sample and choosing systems by a metric or by scores that the segments carry look at everything first."""

from __future__ import annotations

import hashlib
import json
import platform
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path

from lanner.corpus import cleaning, difficulty, edits, rows, sample, systems
from lanner.corpus import recipe as recipes
from lanner.corpus.cleaning import CleaningCounts, TextChange
from lanner.corpus.describe import Description
from lanner.errors import LannerError
from lanner.model import Document, Json, Segment

# The manifest: what another person needs to make the same bytes (recipe, inputs, versions, seed, counts, hand edits).

_PACKAGES = ("lanner", "nupunkt", "numpy", "kiwipiepy", "sacrebleu")
_SEGMENT = tuple(spec.name for spec in fields(Segment))
_DOCUMENT = tuple(spec.name for spec in fields(Document) if spec.name != "segments")


@dataclass(frozen=True, slots=True)
class PreparationStep:
    """One step of a preparation: what it did, counted, and how much it left."""

    do: str
    counts: dict[str, int]
    documents: int
    segments: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The record beside a prepared set. It knows no clock: the same inputs give the same manifest."""

    recipe: dict[str, Json]
    seed: int
    steps: tuple[PreparationStep, ...]
    output: str
    inputs: tuple[dict[str, Json], ...] = ()
    edits: tuple[edits.Edit, ...] = ()
    doubtful: int = 0
    sample: tuple[dict[str, Json], ...] = ()
    scores: tuple[dict[str, Json], ...] = ()
    before: tuple[dict[str, Json], ...] = ()
    after: tuple[dict[str, Json], ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


def versions() -> dict[str, str]:
    """The versions that a result may depend on."""
    result = {"python": platform.python_version(), "unicode": unicodedata.unidata_version}
    for name in _PACKAGES:
        try:
            result[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return result


def describe_inputs(path: Path) -> tuple[dict[str, Json], ...]:
    """Name, size and SHA-256 of a file, or of every file of a folder in order of name."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    base = path.parent if path.is_file() else path
    return tuple(
        {"name": file.relative_to(base).as_posix(), "bytes": file.stat().st_size, "sha256": _sha256(file)}
        for file in files
    )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Digest:
    """The SHA-256 of documents as they pass: equal digests mean equal documents in equal order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, document: Document) -> None:
        segments = [[getattr(segment, name) for name in _SEGMENT] for segment in document.segments]
        entry = [[getattr(document, name) for name in _DOCUMENT], segments]
        line = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self._hash.update(line.encode("utf-8", "surrogatepass") + b"\n")

    def __str__(self) -> str:
        return self._hash.hexdigest()


def digest(documents: Iterable[Document]) -> str:
    """The digest of documents in order."""
    total = Digest()
    for document in documents:
        total.add(document)
    return str(total)


# Running a recipe


Progress = Callable[[str, int], None]
"""Called with the name of a step and how many documents it has let through."""


@dataclass(frozen=True, slots=True)
class PreparedDocuments:
    """Documents ready to judge, how they came about, and the rows a person should look at."""

    documents: tuple[Document, ...]
    manifest: Manifest
    doubts: tuple[rows.Doubt, ...]


@dataclass(slots=True)
class _StepRecord:
    """One step's record, filled while documents pass."""

    do: str
    ledger: CleaningCounts
    documents: int = 0
    segments: int = 0


Rate = Callable[[Sequence[Document], str, str, Mapping[str, Json]], list[systems.SystemScore]]
"""Scores every system by a metric: the documents, its name, the reference ("" for the first), its options."""


@dataclass(slots=True)
class Preparation:
    """One run of a recipe. Draw from `run(documents)`; when it is exhausted, `record()` is complete.

    `scores` are the systems' scores for `choose`, higher is better unless the recipe says otherwise; `rate` scores
    systems by metrics that are not of the surface (COMET), where the caller has them; `hand` the edits
    made by hand after splitting; `avoid` ids of documents that a sample must not draw. `on_doubt` is called with each
    document of the result that has rows in doubt, as the split and the edits left it (so that edits apply to what was
    seen), and with its doubts; without it they are collected in `doubts`.
    """

    recipe: recipes.Recipe
    seed: int | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    rate: Rate | None = None
    hand: Sequence[edits.Edit] = ()
    avoid: Collection[str] = ()
    progress: Progress | None = None
    on_change: Callable[[TextChange], None] | None = None
    on_doubt: Callable[[Document, Sequence[rows.Doubt]], None] | None = None
    tables: bool = True
    doubtful: int = 0
    doubts: list[rows.Doubt] = field(default_factory=list)
    drawn: tuple[dict[str, Json], ...] = ()
    scored: tuple[dict[str, Json], ...] = ()
    _doubts_by_document: dict[str, tuple[Document, Sequence[rows.Doubt]]] = field(default_factory=dict)
    _records: list[_StepRecord] = field(default_factory=list)
    _before: Description = field(default_factory=Description)
    _after: Description = field(default_factory=Description)
    _digest: Digest = field(default_factory=Digest)

    def run(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The prepared documents, one by one."""
        stream = self._count_each(self._open("input"), self._languages(documents))
        if self.tables:
            stream = self._describe_each(stream, self._before)
        splits = [number for number, step in enumerate(self.recipe.steps) if isinstance(step, recipes.Split)]
        if self.hand and not splits:
            raise LannerError(
                "There are edits by hand, but the recipe does not split.",
                next_step='Add a step with do = "split", or leave the edits out.',
            )
        for number, step in enumerate(self.recipe.steps):
            progress = self._open(step.do)
            stream = self._count_each(progress, self._step(step, progress.ledger, stream))
            if self.hand and number == splits[-1]:
                progress = self._open("edits")
                progress.ledger.counts.update(edit.kind for edit in self.hand)
                stream = self._count_each(progress, self._apply_edits(stream))
        if self.tables:
            stream = self._describe_each(stream, self._after)
        for document in stream:
            self._digest.add(document)
            self._report_doubts(document)
            yield document

    def _report_doubts(self, document: Document) -> None:
        """Hand over the doubts about rows of the result that nobody has settled."""
        whole, doubts = self._doubts_by_document.pop(document.id, (document, ()))
        doubtful = {row.id for row in document.segments if rows.DOUBTFUL in row.flags} if doubts else set()
        left = [doubt for doubt in doubts if doubt.segment in doubtful]
        self.doubtful += len({doubt.segment for doubt in left})
        if self.on_doubt and left:
            self.on_doubt(whole, left)
        else:
            self.doubts += left

    def _apply_edits(self, stream: Iterable[Document]) -> Iterator[Document]:
        """Apply the edits by hand, and remember each split document as a person would see it."""
        for document in edits.apply(stream, self.hand):
            if document.id in self._doubts_by_document:
                self._doubts_by_document[document.id] = (document, self._doubts_by_document[document.id][1])
            yield document

    def record(self, inputs: Sequence[dict[str, Json]] = ()) -> Manifest:
        """The manifest of this run."""
        steps = (
            PreparationStep(p.do, dict(sorted(p.ledger.counts.items())), p.documents, p.segments) for p in self._records
        )
        return Manifest(
            recipe=self.recipe.model_dump(mode="json", by_alias=True),
            seed=self._seed,
            steps=tuple(steps),
            output=str(self._digest),
            inputs=tuple(inputs),
            edits=tuple(self.hand),
            doubtful=self.doubtful,
            sample=self.drawn,
            scores=self.scored,
            before=tuple(self._before.rows()) if self.tables else (),
            after=tuple(self._after.rows()) if self.tables else (),
            versions=versions(),
        )

    @property
    def _seed(self) -> int:
        return self.recipe.seed if self.seed is None else self.seed

    def _languages(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            changes = {
                side: language
                for side in ("source_language", "target_language")
                if getattr(document, side) == "und" and (language := getattr(self.recipe, side))
            }
            yield replace(document, **changes) if changes else document

    def _describe_each(self, documents: Iterable[Document], table: Description) -> Iterator[Document]:
        for document in documents:
            table.add(document)
            yield document

    def _open(self, do: str) -> _StepRecord:
        progress = _StepRecord(do, CleaningCounts(on_change=self.on_change))
        self._records.append(progress)
        return progress

    def _count_each(self, progress: _StepRecord, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            progress.documents += 1
            progress.segments += len(document.segments)
            if self.progress:
                self.progress(progress.do, progress.documents)
            yield document

    def _step(self, step: recipes.Step, ledger: CleaningCounts, stream: Iterable[Document]) -> Iterable[Document]:
        if isinstance(step, recipes.Normalise):
            rules = {*step.rules, *(["escaped_newlines"] if step.escaped_newlines else [])}
            return (cleaning.normalise(document, ledger, rules) for document in stream)
        if isinstance(step, recipes.Filter):
            by = cleaning.TextFilter(step.rules, step.action, step.domains, step.max_words)
            ledger.counts.update(dict.fromkeys(step.rules, 0))  # a rule that met nothing is worth knowing too
            return (part for document in stream if (part := cleaning.keep(document, ledger, by)))
        if isinstance(step, recipes.Split):
            return self._split(rows.Splitting(step.segmenters, step.threshold), ledger, stream)
        if isinstance(step, recipes.Choose):
            return self._choose(step, ledger, stream)
        if isinstance(step, recipes.Difficult):
            return self._difficult(step, stream)
        return self._sample(step, stream)

    def _split(self, how: rows.Splitting, ledger: CleaningCounts, stream: Iterable[Document]) -> Iterator[Document]:
        for document in stream:
            pieces = rows.split_document(document, how)
            ledger.counts.update(pieces.counts)
            if pieces.doubts:
                self._doubts_by_document[document.id] = (pieces.document, pieces.doubts)
            yield pieces.document

    def _choose(self, step: recipes.Choose, ledger: CleaningCounts, stream: Iterable[Document]) -> Iterator[Document]:
        selection, documents = step.systems, stream
        if step.best:
            scores, higher = step.scores or self.scores, step.higher_is_better
            if step.column:
                documents = list(stream)
                scores = systems.mean_scores(documents, step.column)
            if step.metric:
                documents = list(stream)
                results = self._rate_systems(documents, step)
                self.scored = tuple(score.row() for score in results)
                scores = {score.system: score.value for score in results}
                higher = systems.METRICS.get(step.metric, True)
            selection = systems.best(scores, step.best, higher_is_better=higher)
        names: dict[str, None] = {}
        for document in documents:
            names |= dict.fromkeys(document.systems)
            ledger.counts.update(name for name in document.systems if name in selection)
            yield systems.only(document, selection)
        systems.check_names(selection, names)

    def _rate_systems(self, documents: Sequence[Document], step: recipes.Choose) -> list[systems.SystemScore]:
        """The systems' scores by the metric of the step: one of the surface, or one that the caller can make."""
        if step.metric in systems.METRICS or self.rate is None:
            return systems.scores(documents, step.metric, reference=step.reference, seed=self._seed)
        return self.rate(documents, step.metric, step.reference, step.options)

    def _difficult(self, step: recipes.Difficult, stream: Iterable[Document]) -> Iterator[Document]:
        documents = [document for document in stream if document.id not in set(self.avoid)]
        choice = difficulty.choose_difficult(
            documents, step.sentences, step.by, seed=self._seed, floor=step.floor, columns=step.columns
        )
        self.drawn = choice.rows
        yield from choice.documents

    def _sample(self, step: recipes.Sample, stream: Iterable[Document]) -> Iterator[Document]:
        avoid = {*step.avoid, *self.avoid}
        draw = sample.sample(
            list(stream), step.sentences, seed=self._seed, clip=step.clip, avoid=avoid, shares=step.shares
        )
        self.drawn = draw.rows
        yield from draw.documents


def prepare(
    documents: Iterable[Document],
    how: recipes.Recipe,
    seed: int | None = None,
    *,
    scores: Mapping[str, float] | None = None,
    rate: Rate | None = None,
    hand: Sequence[edits.Edit] = (),
    avoid: Collection[str] = (),
    inputs: Sequence[dict[str, Json]] = (),
    progress: Progress | None = None,
) -> PreparedDocuments:
    """Run a recipe on documents that fit into memory; `Preparation` does the same for those that do not."""
    run = Preparation(how, seed, scores=scores or {}, rate=rate, hand=hand, avoid=avoid, progress=progress)
    documents_out = tuple(run.run(documents))
    return PreparedDocuments(documents_out, run.record(inputs), tuple(run.doubts))
