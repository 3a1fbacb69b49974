"""Turn known segments into rows: one sentence of the source with its piece of every reference and output.

A border is set in the source where, averaged over all texts of the segment, one is more likely than not; every text is
then cut at its best place for that border. A row's confidence for a text is the least of three: how sure its two
borders are, and how sure it is that no border is missing inside. Rows below the threshold are listed as doubtful.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from lanner.corpus import split
from lanner.corpus.align import Alignment, align, candidates, project
from lanner.model import Document, Json, Segment

# Weaker places are no borders, whatever the other text says; they are used only where a border must be put somewhere.
SOURCE_ODDS, TARGET_ODDS = -4.5, -5.5
DOUBTFUL = "doubtful_alignment"


@dataclass(frozen=True, slots=True)
class Splitting:
    """How to split: segmenters other than the default by language, and the confidence below which a row is doubtful."""

    segmenters: Mapping[str, str] = field(default_factory=dict)
    threshold: float = 0.7


@dataclass(frozen=True, slots=True)
class Doubt:
    """A row whose text in `column` may not be where it belongs."""

    document: str
    segment: str
    column: str
    confidence: float


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """A document in rows, the rows to look at, and what happened, counted."""

    document: Document
    doubts: tuple[Doubt, ...]
    counts: Counter[str]


@dataclass(frozen=True, slots=True)
class _Piece:
    """One row to be: its texts by column, what followed each in the original, and the confidence of each."""

    texts: Mapping[str, str]
    gaps: Mapping[str, str]
    confidence: Mapping[str, float] = field(default_factory=dict)
    line: int = 0


def split_document(document: Document, how: Splitting) -> DocumentRows:
    """Every segment of a document in rows. Ids grow a number (`7` becomes `7.1`, `7.2`) where a segment was cut."""
    counts: Counter[str] = Counter(segments=len(document.segments))
    doubts: list[Doubt] = []
    rows: list[Segment] = []
    paragraph = -1
    for segment in document.segments:
        pieces = _pieces(segment, document, how)
        for index, piece in enumerate(pieces):
            paragraph += index == 0 or piece.line != pieces[index - 1].line
            row = _row(segment, piece, index if len(pieces) > 1 else None, document, paragraph)
            doubtful = [c for c, confidence in piece.confidence.items() if confidence < how.threshold]
            if doubtful:
                doubts += [Doubt(document.id, row.id, c, round(piece.confidence[c], 3)) for c in doubtful]
                row = replace(row, flags=tuple(dict.fromkeys((*row.flags, DOUBTFUL))))
            rows.append(row)
        counts.update(rows=len(pieces), split_segments=len(pieces) > 1)
    counts["doubtful_rows"] = len({doubt.segment for doubt in doubts})
    return DocumentRows(replace(document, segments=tuple(rows)), tuple(doubts), counts)


def _row(segment: Segment, piece: _Piece, index: int | None, document: Document, paragraph: int) -> Segment:
    """The row as a segment. What cannot be known from the row itself goes into `meta`: the segment it came from, how
    sure each text is, and white space between rows that is not the language's usual."""
    if index is None:
        meta: dict[str, Json] = dict(segment.meta)
    else:
        meta = {**segment.meta, "parent": segment.id, **unusual_gaps(document, piece.gaps)}
    unsure = {c: round(value, 3) for c, value in piece.confidence.items() if value < 0.9995}
    if unsure:
        meta["confidence"] = unsure
    source, references, outputs = parts(piece.texts)
    return Segment(
        id=segment.id if index is None else f"{segment.id}.{index + 1}",
        source=source,
        outputs=outputs,
        references=references,
        paragraph=paragraph if segment.paragraph is None else segment.paragraph,
        judged=segment.judged,
        flags=segment.flags,
        meta=meta,
    )


def _pieces(segment: Segment, document: Document, how: Splitting) -> list[_Piece]:
    columns = texts(segment)
    lines = {column: split.line_spans(text) for column, text in columns.items()}
    present = [column for column in columns if lines[column]]
    if not lines[SOURCE]:
        return [_Piece(columns, {})]
    if len({len(lines[column]) for column in present}) > 1:
        return _align_stretch(columns, document, how)
    pieces: list[_Piece] = []
    last = len(lines[SOURCE]) - 1
    for number in range(last + 1):
        line = {c: columns[c][slice(*lines[c][number])] if c in present else "" for c in columns}
        inner = _align_stretch(line, document, how)
        if number < last:
            gaps = {c: columns[c][lines[c][number][1] : lines[c][number + 1][0]] for c in present}
            inner[-1] = replace(inner[-1], gaps=gaps)
        pieces += [replace(piece, line=number) for piece in inner] if number else inner
    return pieces


def _align_stretch(columns: Mapping[str, str], document: Document, how: Splitting) -> list[_Piece]:
    """The rows of one stretch of text that is known to be parallel."""
    others = [c for c, text in columns.items() if c != SOURCE and text.strip()]
    boundaries = {c: split.cuts(columns[c], language(document, c), how.segmenters) for c in (SOURCE, *others)}
    if not any(boundaries.values()):  # the common case of one sentence a segment costs nothing
        return [_Piece({c: text.strip() for c, text in columns.items()}, {})]
    if not others:
        return _cut(columns, {SOURCE: boundaries[SOURCE]}, {})
    source = candidates(columns[SOURCE], document.source_language, boundaries[SOURCE]).at_least(SOURCE_ODDS)
    targets = {c: candidates(columns[c], document.target_language, boundaries[c]) for c in others}
    alignments = {c: align(source, target.at_least(TARGET_ODDS)) for c, target in targets.items()}
    likely = np.mean([alignment.source_borders for alignment in alignments.values()], axis=0)
    cuts = [0, *(i for i in range(1, len(source) - 1) if likely[i] > 0.5), len(source) - 1]
    borders = source.select(cuts)
    offsets = {SOURCE: [int(offset) for offset in borders.offsets[1:-1]]}
    confidence: dict[str, list[float]] = {}
    for column, alignment in alignments.items():
        offsets[column] = project(borders, targets[column])
        confidence[column] = _confidence(alignment, cuts, offsets[column])
    return _cut(columns, offsets, confidence)


def _confidence(alignment: Alignment, cuts: Sequence[int], offsets: Sequence[int]) -> list[float]:
    """How sure each row is of its two borders, and that none is missing between them."""
    index = {int(offset): j for j, offset in enumerate(alignment.target.offsets)}
    inner = [
        float(alignment.posterior[i, index[y]]) if y in index else 0.0 for i, y in zip(cuts[1:-1], offsets, strict=True)
    ]
    borders = [1.0, *inner, 1.0]
    inside = [1.0 - float(alignment.source_borders[start + 1 : end].max(initial=0.0)) for start, end in pairwise(cuts)]
    return [min(*pair, within) for pair, within in zip(pairwise(borders), inside, strict=True)]


def _cut(
    columns: Mapping[str, str], offsets: Mapping[str, Sequence[int]], confidence: Mapping[str, Sequence[float]]
) -> list[_Piece]:
    """The pieces of every text between its offsets; a text without offsets is blank and stays so."""
    rows = len(offsets[SOURCE]) + 1
    pieces: list[_Piece] = []
    for row in range(rows):
        piece, gaps = {}, {}
        for column, text in columns.items():
            if column not in offsets:
                piece[column] = ""
                continue
            edges = [0, *offsets[column], len(text)]
            whole = text[edges[row] : edges[row + 1]]
            piece[column] = whole.strip()
            if row < rows - 1:
                after = text[edges[row + 1] :]
                gaps[column] = whole[len(whole.rstrip()) :] + after[: len(after) - len(after.lstrip())]
        sure = {column: 0.0 if not piece[column] else values[row] for column, values in confidence.items()}
        pieces.append(_Piece(piece, gaps, sure))
    return pieces


# The texts of a segment under one kind of name: `source`, `reference:NAME`, `output:NAME`.


SOURCE = "source"
_REFERENCE, _OUTPUT = "reference:", "output:"


def texts(segment: Segment) -> dict[str, str]:
    """All texts of a segment by column, the source first."""
    return {
        SOURCE: segment.source,
        **{_REFERENCE + name: text for name, text in segment.references.items()},
        **{_OUTPUT + name: text for name, text in segment.outputs.items()},
    }


def with_texts(segment: Segment, columns: Mapping[str, str]) -> Segment:
    """The segment with other texts; columns that are not given are gone."""
    source, references, outputs = parts(columns)
    return replace(segment, source=source, references=references, outputs=outputs)


def parts(columns: Mapping[str, str]) -> tuple[str, dict[str, str], dict[str, str]]:
    """Source, references and outputs of columns."""
    return (
        columns.get(SOURCE, ""),
        {c.removeprefix(_REFERENCE): text for c, text in columns.items() if c.startswith(_REFERENCE)},
        {c.removeprefix(_OUTPUT): text for c, text in columns.items() if c.startswith(_OUTPUT)},
    )


def unusual_gaps(document: Document, gaps: Mapping[str, str]) -> dict[str, Json]:
    """What a row's `meta` says of the white space after it: nothing where it is the languages' usual."""
    unusual = {column: gap for column, gap in gaps.items() if gap != split.joiner(language(document, column))}
    return {"gaps": unusual} if unusual else {}


def language(document: Document, column: str) -> str:
    """The language that a column of a document is in."""
    return document.source_language if column == SOURCE else document.target_language
