"""The texts of a segment under one kind of name: `source`, `reference:NAME`, `output:NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lanner.model import Document, Segment

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


def language(document: Document, column: str) -> str:
    """The language that a column of a document is in."""
    return document.source_language if column == SOURCE else document.target_language
