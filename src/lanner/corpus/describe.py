"""The statistics table of a set of documents, as in the papers' Table 1."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lanner.corpus import split
from lanner.model import Document, Json
from lanner.model.languages import UNSPACED

_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")  # every character of a script without spaces is a word
_PUNCTUATION = re.compile(r"[^\w\s]+")

ALL, MEAN = "All", "Mean of domains"
HEADINGS = {
    "domain": "Domain",
    "documents": "#Doc",
    "segments": "#Seg",
    "judged": "#Judged",
    "sentences": "#Sent",
    "sentences_per_document": "#Sent/Doc",
    "sentences_per_segment": "#Sent/Seg",
    "words_min": "Words min",
    "words_mean": "mean",
    "words_max": "max",
}


def words(text: str) -> int:
    """Words of a text: what white space separates, and each character where a script writes none; punctuation alone is
    no word."""
    return sum(1 for match in _WORD.finditer(text) if not _PUNCTUATION.fullmatch(match[0]))


@dataclass(slots=True)
class _Tally:
    documents: int = 0
    segments: int = 0
    judged: int = 0
    sentences: int = 0
    words: int = 0
    least: int | None = None
    most: int = 0

    def add(self, document: Document, segmenters: Mapping[str, str]) -> None:
        self.documents += 1
        for segment in document.segments:
            size = words(segment.source)
            self.segments += 1
            self.judged += segment.judged
            self.sentences += len(split.spans(segment.source, document.source_language, segmenters))
            self.words += size
            self.least = size if self.least is None else min(self.least, size)
            self.most = max(self.most, size)

    def row(self, domain: str) -> dict[str, Json]:
        return {
            "domain": domain,
            "documents": self.documents,
            "segments": self.segments,
            "judged": self.judged,
            "sentences": self.sentences,
            "sentences_per_document": _ratio(self.sentences, self.documents),
            "sentences_per_segment": _ratio(self.sentences, self.segments),
            "words_min": self.least,
            "words_mean": _ratio(self.words, self.segments),
            "words_max": self.most if self.segments else None,
        }


@dataclass(slots=True)
class Description:
    """A table filled document by document, so that a stream can be described while it passes."""

    segmenters: Mapping[str, str] = field(default_factory=dict)
    _by_domain: dict[str, _Tally] = field(default_factory=lambda: defaultdict(_Tally))
    _all: _Tally = field(default_factory=_Tally)

    def add(self, document: Document) -> None:
        self._by_domain[document.domain].add(document, self.segmenters)
        self._all.add(document, self.segmenters)

    def rows(self) -> list[dict[str, Json]]:
        """One row a domain, in alphabetical order; then everything together; then, as the papers print it in their
        "All" row, the plain mean of the domains' sentence figures."""
        rows = [self._by_domain[domain].row(domain or "-") for domain in sorted(self._by_domain)]
        if len(rows) < 2:
            return [*rows, self._all.row(ALL)]
        figures = [row for row in rows if row["domain"] != "canary"]
        mean: dict[str, Json] = dict.fromkeys(rows[0])
        for key in ("sentences_per_document", "sentences_per_segment"):
            mean[key] = _ratio(sum(row[key] or 0.0 for row in figures), len(figures))
        return [*rows, self._all.row(ALL), mean | {"domain": MEAN}]


def describe(documents: Iterable[Document], segmenters: Mapping[str, str] | None = None) -> list[dict[str, Json]]:
    """Documents, segments, judged segments, sentences (found inside segments, by the segmenter of the source language),
    sentences per document and segment, and words per segment, by domain."""
    table = Description(segmenters or {})
    for document in documents:
        table.add(document)
    return table.rows()


def _ratio(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def cells(row: Mapping[str, Json]) -> list[str]:
    """A row's values as they are printed: two decimals for ratios, a dash for what is not there."""
    return [
        "—" if row[key] is None else f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key])
        for key in HEADINGS
    ]


def to_text(rows: Sequence[Mapping[str, Json]]) -> str:
    """The table in columns for a terminal."""
    lines = [list(HEADINGS.values()), *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def to_latex(rows: Sequence[Mapping[str, Json]], caption: str = "", label: str = "") -> str:
    """The table as LaTeX with booktabs rules; the pooled and mean rows stand below a rule."""
    body, rule = [], False
    for row in rows:
        if row["domain"] == ALL and not rule:
            body.append(r"\midrule")
            rule = True
        body.append(" & ".join(_latex(cell) for cell in cells(row)) + r" \\")
    head = " & ".join(_latex(title) for title in HEADINGS.values()) + r" \\"
    lines = [
        r"\begin{tabular}{l" + "r" * (len(HEADINGS) - 1) + "}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption or label:
        caption_lines = [rf"\caption{{{_latex(caption)}}}"] if caption else []
        caption_lines += [rf"\label{{{label}}}"] if label else []
        lines = [r"\begin{table}", r"\centering", *lines, *caption_lines, r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    return (
        re.sub(r"([&%$#_{}])", r"\\\1", text.replace("\\", r"\textbackslash "))
        .replace("~", r"\textasciitilde{}")
        .replace("—", "---")
    )
