"""Rows in doubt, for tests of the page on which they are settled."""

from __future__ import annotations

from pathlib import Path

from lanner.corpus.review import Review, ReviewSession
from lanner.corpus.rows import DOUBTFUL, Doubt
from lanner.model import Document, Segment


def rows(parent: str, *pairs: tuple[str, str], doubtful: tuple[int, ...] = (1,)) -> tuple[Segment, ...]:
    """The rows of one segment, each a source and the output of `a`."""
    return tuple(
        Segment(
            f"{parent}.{n}",
            source,
            {"a": output},
            flags=(DOUBTFUL,) if n in doubtful else (),
            meta={"parent": parent},
        )
        for n, (source, output) in enumerate(pairs, start=1)
    )


DOCUMENT = Document(
    "d",
    (
        Segment("6", "Before.", {"a": "Antes."}),
        *rows("7", ("It rained.", "Llovió. Nos"), ("We slept. All day.", "dormimos. Todo el día."), ("Good.", "Bien.")),
        *rows("8", ("One.", "Uno."), ("Two.", "Dos."), doubtful=(1, 2)),
        Segment("9", "After.", {"a": "Después."}),
    ),
    "en",
    "es",
    "news",
    title="The <rain>",
)
DOUBTS = [Doubt("d", "7.1", "output:a", 0.41), Doubt("d", "8.1", "output:a", 0.3), Doubt("d", "8.2", "output:a", 0.3)]


def review_session(
    log: Path | None = None, document: Document = DOCUMENT, doubts: list[Doubt] | None = None
) -> ReviewSession:
    """Somebody called Ana going through them."""
    review = Review.of([document], DOUBTS if doubts is None else doubts)
    return ReviewSession(review, "set.jsonl", lambda edits: f"{len(edits)} edits", log, "Ana")
