"""What judges wrote, in the context of the sentence they wrote it about."""

from __future__ import annotations

import polars as pl

from lanner.model import Text, languages
from lanner.reports.parts import Quotes, Section
from lanner.reports.typeset import plural
from lanner.reports.view import View

_MOST = 30


def section(view: View) -> Section | None:
    """The first comments of each judge; how many there are in all is said."""
    asked = [question.id for _, question in view.protocol.questions if isinstance(question, Text)]
    given = view.table.filter(pl.col("question").is_in(asked), pl.col("text").is_not_null())
    if not given.height:
        return None
    documents = {document.id: document for document in view.material.documents}
    entries = []
    for row in given.head(_MOST).iter_rows(named=True):
        document = documents.get(row["document"])
        segment = document.segment(row["segment"]) if document and row["segment"] else None
        lines = []
        if document and segment:
            texts = [(segment.source, document.source_language)]
            texts += [(segment.text(name) or "", document.target_language) for name in row["system"].split("|") if name]
            lines = [
                {"text": text, "language": code, "direction": languages.direction(code), "context": place == 0}
                for place, (text, code) in enumerate(texts)
            ]
        entries.append({"lines": lines, "answers": [(view.names.get(row["judge"], row["judge"]), row["text"])]})
    said = plural(given.height, "comment") + (f", of which the first {_MOST}" if given.height > _MOST else "")
    return Section("comments", "Comments", [Quotes("comments", f"{said}.", entries)])
