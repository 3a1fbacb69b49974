"""The layout of mt-metrics-eval: folders `sources`, `documents`, `references`, `system-outputs`, `human-scores`,
`metric-scores`, with files named by language pair.

Segment ids are line numbers from 0, as that toolkit and WMT's item ids count. Scores of people and of metrics come in
one reading, so that they can be compared: a metric's judge is named by its file, the scores of people are their
published means. Error annotations (`*.seg.rating`) are MQM judgements in a reading of their own.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanner.errors import InputError, Where, check_known, did_you_mean
from lanner.formats import appraise
from lanner.formats.appraise import BatchDocuments
from lanner.formats.parallel import single_pair
from lanner.formats.parsing import textfile
from lanner.formats.parsing.aligned import (
    AlignedFiles,
    AlignedTexts,
    keep_newline,
    names_of,
    read_aligned,
    write_lines,
    write_places,
)
from lanner.formats.parsing.readings import Format, Reading
from lanner.formats.parsing.textfile import replacing, text_file
from lanner.formats.parsing.values import counted, number, problems
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment, languages
from lanner.model.messages import plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
QUESTION = "score"
_SENTENCES = {"bad_offsets": "{n} judgements hold a span with impossible offsets."}


@dataclass(frozen=True, slots=True)
class ErrorAnnotations:
    """Error annotations with who made them."""

    judges: tuple[Judge, ...]
    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...]


def read_scores(
    file: Path, root: Path, name: str, level: str, documents: Sequence[Document], *, metric: bool
) -> tuple[Judge, list[Judgement]]:
    """The scores of one file. At the level of domains the judgement's document is the domain's name."""
    kind = JudgeKind.METRIC if metric else JudgeKind.ADJUDICATED
    judge = Judge(name, kind, attributes=_attributes(name) if metric else {})
    places = _places(level, documents)
    place_count = len(places)
    turns: Counter[str] = Counter()
    origin = file.relative_to(root).as_posix()
    judgements: list[Judgement] = []
    systems: dict[str, tuple[str, ...]] = {}
    for line, text in enumerate(textfile.lines(file), 1):
        parts = text.split("\t") if "\t" in text else text.split()
        if len(parts) != (3 if level == "domain" else 2):
            textfile.failed(file, "This line does not say SYSTEM and SCORE.", line)
        system, cell = parts[-2].strip(), parts[-1].strip()
        if level == "domain":
            document, segment = parts[0], ""
        else:
            if turns[system] >= place_count:
                textfile.failed(file, f"{system!r} has more scores than the {place_count} {LEVELS[level]}s.", line)
            document, segment = places[turns[system]]
        turns[system] += 1
        score = number(cell)
        if score is None and cell != "None":
            textfile.failed(file, f"{cell!r} is not a score.", line, "A missing score is written None.")
        judgements.append(
            Judgement(
                name,
                LEVELS[level],
                QUESTION,
                document,
                segment,
                systems.setdefault(system, (system,)),
                score,
                flags=("missing",) if score is None else (),
                origin=f"{origin}:{line}",
            )
        )
    if level != "domain":
        for system, count in turns.items():
            if count != place_count:
                textfile.failed(file, f"{system!r}: scores {count}, {LEVELS[level]}s {place_count}.")
    return judge, judgements


def _attributes(name: str) -> dict[str, str]:
    """What a metric's file name says: `COMET-refA` is COMET with refA, `…-src` uses no reference."""
    base, mark, reference = name.rpartition("-")
    return {"metric": base, "reference": "" if reference == "src" else reference} if mark else {"metric": name}


def _places(level: str, documents: Sequence[Document]) -> list[tuple[str, str]]:
    match level:
        case "seg":
            return [(document.id, segment.id) for document in documents for segment in document]
        case "doc":
            return [(document.id, "") for document in documents]
        case _:
            return [("", "")]


def read_ratings(file: Path, root: Path, name: str, documents: Sequence[Document]) -> ErrorAnnotations:
    """The error annotations of one file, as MQM judgements. The rater is told by the line, else by the file."""
    places = [(document, segment) for document in documents for segment in document]
    turns: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    origin = file.relative_to(root).as_posix()
    judges: dict[str, None] = {}
    judgements: list[Judgement] = []
    omissions: dict[str, int] = defaultdict(int)
    for line, text in enumerate(textfile.lines(file), 1):
        parts = text.split("\t")
        if len(parts) not in (2, 3):
            textfile.failed(file, "This line does not say SYSTEM and RATING.", line)
        system = parts[0]
        if turns[system] >= len(places):
            textfile.failed(file, f"{system!r} has more ratings than there are segments ({len(places)}).", line)
        document, segment = places[turns[system]]
        turns[system] += 1
        if parts[1] == "None":
            omissions[system] += 1
            continue
        spans, wrong = _spans(textfile.parse_json(parts[1], file, line), file, line, segment, system)
        judge = parts[2] if len(parts) == 3 and parts[2] != "None" else name
        judges[judge] = None
        flags.update(wrong)
        judgements.append(
            Judgement(
                judge,
                "marking",
                "errors",
                document.id,
                segment.id,
                (system,),
                spans,
                flags=wrong,
                origin=f"{origin}:{line}",
            )
        )
    for system, count in turns.items():
        if count != len(places):
            textfile.failed(file, f"{system!r}: ratings {count}, segments {len(places)}.")
    notes = counted(flags, _SENTENCES)
    if omissions:
        notes.append(f"{sum(omissions.values())} outputs have no rating (None).")
    kinds = {judge: JudgeKind.ADJUDICATED if judge.endswith("merged") else JudgeKind.PERSON for judge in judges}
    return ErrorAnnotations(tuple(Judge(judge, kind) for judge, kind in kinds.items()), tuple(judgements), tuple(notes))


def _spans(
    rating: Any, file: Path, line: int, segment: Segment, system: str
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    errors = rating.get("errors") if isinstance(rating, dict) else None
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        textfile.failed(file, "This rating has no list of errors.", line)
    spans: list[dict[str, Any]] = []
    flags: list[str] = []
    for error in errors:
        side = "source" if error.get("is_source_error") else "target"
        text = segment.source if side == "source" else segment.text(system)
        start, end = error.get("start"), error.get("end")
        wrong = problems(text, start, end, None)
        words = text[start:end] if text is not None and not wrong else None
        flags += wrong
        spans.append(
            {
                "side": side,
                "start": start,
                "end": end,
                "text": words,
                "category": error.get("category"),
                "severity": error.get("severity"),
            }
        )
    return spans, tuple(dict.fromkeys(flags))


@dataclass(frozen=True, slots=True)
class ScorerTable:
    """The scores of one scorer: `segments` is systems × segments, `system` one for each system if the folder tells
    them. NaN where a score is missing."""

    name: str
    systems: tuple[str, ...]
    segments: NDArray[np.float64]
    system: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """One language pair: the gold scores, every metric, which outputs are references, each segment's document."""

    gold: ScorerTable
    metrics: tuple[ScorerTable, ...]
    references: tuple[str, ...]
    documents: tuple[str, ...]
    domains: tuple[str, ...]


def pairs(root: Path) -> list[str]:
    """The language pairs that have metric scores."""
    folder = root / "metric-scores"
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []


def scored_pair(root: Path) -> str:
    """The one language pair that has metric scores."""
    folder_pairs = pairs(root)
    if len(folder_pairs) != 1:
        raise InputError(
            f"There are {len(folder_pairs)} language pairs.",
            where=Where(root),
            next_step=f"Say which with --languages: {', '.join(folder_pairs)}.",
        )
    return folder_pairs[0]


def read_tables(root: Path, pair: str, gold: str = "mqm", metrics: Sequence[str] = ()) -> ScoreTables:
    """The gold scores called `gold` and all metrics (or those named) of a language pair."""
    folder_pairs = pairs(root)
    if pair not in folder_pairs:
        hint = did_you_mean(pair, folder_pairs) or "Metric scores are expected under metric-scores/PAIR."
        raise InputError(f"There are no metric scores for {pair!r}.", where=Where(root), next_step=hint)
    people = _files_by_name(sorted((root / "human-scores").glob(f"{pair}.*.seg.score")), f"{pair}.")
    if gold not in people:
        hint = did_you_mean(gold, people) or f"Known: {', '.join(people) or 'none'}."
        raise InputError(f"There are no human scores called {gold!r}.", where=Where(root), next_step=hint)
    files = _files_by_name(sorted((root / "metric-scores" / pair).glob("*.seg.score")))
    for name in metrics:
        check_known(name, files, f"There is no metric {name!r}.", InputError, where=Where(root))
    lines = _documents(root / "documents" / f"{pair}.docs")
    size = len(lines) or None
    references = sorted((root / "references").glob(f"{pair}.*.txt"))
    return ScoreTables(
        _table(people[gold], gold, size),
        tuple(_table(file, name, size) for name, file in files.items() if not metrics or name in metrics),
        tuple(file.name.removeprefix(f"{pair}.").removesuffix(".txt") for file in references),
        tuple(document for _, document in lines),
        tuple(domain for domain, _ in lines),
    )


def _files_by_name(files: Sequence[Path], prefix: str = "") -> dict[str, Path]:
    return {file.name.removeprefix(prefix).removesuffix(".seg.score"): file for file in files}


def _documents(path: Path) -> list[tuple[str, str]]:
    if not path.is_file():
        return []
    lines = (line.partition("\t") for line in textfile.lines(path))
    return [(domain, document) for domain, _, document in lines]


def _table(file: Path, name: str, size: int | None) -> ScorerTable:
    import numpy as np  # loaded where it is needed: other files are recognised without it

    columns = _columns(file)
    systems: dict[str, list[float]] = {}
    for system, score in zip(*columns, strict=True):
        systems.setdefault(system, []).append(score)
    length = size if size is not None else len(next(iter(systems.values()), []))
    for system, scores in systems.items():
        if len(scores) != length:
            textfile.failed(file, f"{system!r}: scores {len(scores)}, segments {length}.")
    whole = file.with_name(file.name.removesuffix(".seg.score") + ".sys.score")
    system_scores = None
    if whole.is_file():
        values = dict(zip(*_columns(whole), strict=True))
        system_scores = np.array([values.get(system, np.nan) for system in systems])
    cells = np.array(list(systems.values()), float).reshape(len(systems), length)
    return ScorerTable(name, tuple(systems), cells, system_scores)


def _columns(file: Path) -> tuple[list[str], list[float]]:
    """Systems and scores of a file. Most are clean and read at once; the others line by line, to name the line."""
    import polars as pl  # loaded where it is needed: other files are recognised without it

    try:
        table = pl.read_csv(
            file,
            separator="\t",
            has_header=False,
            quote_char=None,
            null_values=["None"],
            schema={"system": pl.String, "score": pl.Float64},
        )
        return table["system"].to_list(), table["score"].fill_null(float("nan")).to_list()
    except pl.exceptions.PolarsError:
        systems, scores = [], []
    for line, text in enumerate(textfile.lines(file), 1):
        parts = text.split("\t") if "\t" in text else text.split()
        score = number(parts[-1].strip()) if len(parts) == 2 else None
        if len(parts) != 2 or (score is None and parts[1].strip() != "None"):
            textfile.failed(file, "This line does not say SYSTEM and SCORE.", line, "A missing score is written None.")
        systems.append(parts[0].strip())
        scores.append(float("nan") if score is None else float(score))
    return systems, scores


_LEVEL = {stage: level for level, stage in LEVELS.items()}


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    newline: str = "",
) -> None:
    """The texts of one language pair; numbers answering `score` as score files, MQM `errors` as rating files."""
    all_documents = list(documents)
    pair = single_pair(all_documents, path)
    references, systems = names_of(all_documents)
    metrics = {judge.id for judge in judges if judge.kind is JudgeKind.METRIC}
    scores, ratings = _sort_by_file(judgements, path)
    with replacing(path) as root:
        write_lines(root / "sources" / f"{pair}.txt", all_documents, AlignedTexts("source", newline=newline))
        write_places(root / "documents" / f"{pair}.docs", all_documents)
        keep_newline(root / "sources", newline)
        (root / "system-outputs" / pair).mkdir(parents=True)
        for name in references:
            file = root / "references" / f"{pair}.{name}.txt"
            write_lines(file, all_documents, AlignedTexts("reference", name, newline))
        for name in systems:
            file = root / "system-outputs" / pair / f"{name}.txt"
            write_lines(file, all_documents, AlignedTexts("output", name, newline))
        for (judge, stage), answers in scores.items():
            folder = root / "metric-scores" / pair if judge in metrics else root / "human-scores"
            prefix = "" if judge in metrics else f"{pair}."
            _write_block(folder / f"{prefix}{judge}.{_LEVEL[stage]}.score", stage, answers, all_documents, _score)
        for judge, answers in ratings.items():
            _write_block(
                root / "human-scores" / f"{pair}.{judge}.seg.rating", "segment", answers, all_documents, _rating
            )


_Given = dict[tuple[str, str, str], Judgement]


def _sort_by_file(
    judgements: Iterable[Judgement], path: Path
) -> tuple[dict[tuple[str, str], _Given], dict[str, _Given]]:
    """Judgements by the file they go to, each by system, document and segment."""
    scores: dict[tuple[str, str], _Given] = {}
    ratings: dict[str, _Given] = {}
    for judgement in judgements:
        place = ("|".join(judgement.systems), judgement.document, judgement.segment)
        if judgement.question == QUESTION and judgement.stage in _LEVEL and len(judgement.systems) == 1:
            scores.setdefault((judgement.judge, judgement.stage), {})[place] = judgement
        elif judgement.question == "errors" and len(judgement.systems) == 1:
            ratings.setdefault(judgement.judge, {})[place] = judgement
        else:
            raise InputError(
                f"This layout holds scores and MQM errors, not answers to {judgement.question!r}.", where=Where(path)
            )
    return scores, ratings


def _write_block(path: Path, stage: str, answers: _Given, documents: Sequence[Document], cell: Any) -> None:
    systems = dict.fromkeys(system for system, _, _ in answers)
    with text_file(path) as out:
        if stage == "domain":
            for (system, domain, _), judgement in answers.items():
                out.write(f"{domain}\t{system}\t{cell(judgement)}\n")
            return
        places = {
            "segment": [(document.id, segment.id) for document in documents for segment in document],
            "document": [(document.id, "") for document in documents],
            "system": [("", "")],
        }[stage]
        for system in systems:
            for place in places:
                out.write(f"{system}\t{cell(answers.get((system, *place)))}\n")


def _score(judgement: Judgement | None) -> str:
    return "None" if judgement is None or judgement.value is None else repr(judgement.value)


def _rating(judgement: Judgement | None) -> str:
    if judgement is None or judgement.value is None:
        return "None"
    errors = [
        {
            "start": span.get("start"),
            "end": span.get("end"),
            "category": span.get("category"),
            "severity": span.get("severity"),
            "is_source_error": span.get("side") == "source",
        }
        for span in judgement.value
    ]
    return json.dumps({"errors": errors}, ensure_ascii=False)


read_score_tables = read_tables  # scores alone, as arrays


def recognise(path: Path) -> bool:
    """A folder with `sources/PAIR.txt`."""
    return path.is_dir() and bool(_pairs(path)) and (path / "system-outputs").is_dir()


def read(
    path: Path, *, languages: str = "", metrics: str = "all", levels: str = "seg,doc,sys", newline: str = ""
) -> list[Reading]:
    """For each language pair its scores and its error annotations, each with the documents they are about."""
    names = [level.strip() for level in levels.split(",") if level.strip()]
    for level in names:
        check_known(level, LEVELS, f"There is no level {level!r}.", InputError)
    readings: list[Reading] = []
    for pair in _choose_pairs(path, languages):
        documents = tuple(read_aligned(_files(path, pair, newline)))
        readings += _Scores(path, pair, documents, names, metrics).readings()
    for file in sorted((path / "humeval").glob("*.csv")):
        if appraise.recognise_scores(file):
            sources = _sources(file, [reading.documents for reading in readings])
            readings += appraise.read_export(file, sources, root=path)
    return readings


def _sources(file: Path, editions: Sequence[tuple[Document, ...]]) -> dict[str, BatchDocuments]:
    """For each pair of a score file the sources of a pair that shares its source language, as test sets do: they
    bring domains and what surrounds a sentence. Translations into another language are left out."""
    sources: dict[str, BatchDocuments] = {}
    for pair in appraise.language_pairs(file):
        source, target = languages.pair(pair)
        same = next((documents for documents in editions if documents and documents[0].source_language == source), ())
        if same and same[0].target_language == target:
            sources[pair] = BatchDocuments(documents=same)
        else:
            sources[pair] = BatchDocuments(documents=tuple(_source_side(document, target) for document in same))
    return sources


def _source_side(document: Document, target: str) -> Document:
    segments = tuple(replace(segment, outputs={}, references={}) for segment in document)
    return replace(document, target_language=target, segments=segments)


def read_documents(
    path: Path, *, languages: str = "", metrics: str = "", levels: str = "", newline: str = ""
) -> Iterator[Document]:
    """The documents of each language pair, one by one."""
    del metrics, levels  # options of scores
    for pair in _choose_pairs(path, languages):
        yield from read_aligned(_files(path, pair, newline))


def _pairs(path: Path) -> list[str]:
    return sorted(file.name.removesuffix(".txt") for file in (path / "sources").glob("*-*.txt"))


def _choose_pairs(path: Path, wish: str) -> list[str]:
    pairs = _pairs(path)
    if not wish:
        return pairs
    matches = [pair for pair in pairs if pair == wish or languages.pair(pair) == languages.pair(wish)]
    if not matches:
        raise InputError(f"There is no pair {wish!r}.", where=Where(path), next_step=did_you_mean(wish, pairs))
    return matches


def _files(path: Path, pair: str, newline: str) -> AlignedFiles:
    references = sorted((path / "references").glob(f"{pair}.*.txt"))
    outputs = sorted((path / "system-outputs" / pair).glob("*.txt"))
    documents = path / "documents" / f"{pair}.docs"
    reference_files = {file.name.removeprefix(f"{pair}.").removesuffix(".txt"): file for file in references}
    return AlignedFiles(
        path / "sources" / f"{pair}.txt",
        languages.pair(pair),
        reference_files,
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
        for file in self._metric_files(automatic):
            name, level = _score_name(file.name)
            self._scores(file, name, level, metric=True)
        if missing := sum("missing" in judgement.flags for judgement in self.judgements):
            self.notes.append(f"{plural(missing, 'score is', 'scores are')} missing.")
        readings = [
            self._reading(self.pair, tuple(self.judges.values()), tuple(self.judgements), "", tuple(self.notes))
        ]
        for file in sorted((self.root / "human-scores").glob(f"{self.pair}.*.seg.rating")):
            name = file.name.removesuffix(".seg.rating")
            ratings = read_ratings(file, self.root, name.removeprefix(f"{self.pair}."), self.documents)
            readings.append(self._reading(name, ratings.judges, ratings.judgements, "mqm", ratings.notes))
        return readings

    def _reading(
        self,
        name: str,
        judges: tuple[Judge, ...],
        judgements: tuple[Judgement, ...],
        protocol: str,
        notes: tuple[str, ...],
    ) -> Reading:
        return Reading(name, self.documents, judges, judgements, protocol, notes)

    def _metric_files(self, files: list[Path]) -> list[Path]:
        if self.metrics == "all":
            return files
        names = [] if self.metrics == "none" else [name.strip() for name in self.metrics.split(",")]
        metric_names = {_score_name(file.name)[0] for file in files}
        for name in names:
            if name not in metric_names:
                raise InputError(f"There is no metric {name!r}.", next_step=did_you_mean(name, sorted(metric_names)))
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


FORMAT = Format(
    name="mtme",
    title="mt-metrics-eval's folders: sources, documents, references, system-outputs, scores",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    write=write,
    options={
        "languages": "which language pair, where the folder has several (all)",
        "metrics": "all, none, or names of metrics separated by commas (all)",
        "levels": "which levels of scores: seg, doc, domain, sys (seg,doc,sys)",
        "newline": "what stands for a line break inside a segment, for instance <br>",
    },
    signs={"folder": ("sources", "documents", "system-outputs")},
    folder=True,
)
