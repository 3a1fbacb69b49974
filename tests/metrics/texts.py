"""Small documents with outputs of two systems, for tests of metrics."""

from lanner.model import Document, Segment

SOURCES = (
    ("Die Katze sah den Hund.", "Sie lief weg.", "Der Hund blieb."),
    ("Das Gericht tagte.", "Es vertagte die Sache."),
    ("Der Zug hielt.",),
)
REFERENCES = (
    ("The cat saw the dog.", "She ran away.", "The dog stayed where it was."),
    ("The court met yesterday.", "It adjourned the case until May."),
    ("The train stopped at the station.",),
)
GOOD = (
    ("The cat saw the dog.", "She ran away quickly.", "The dog stayed where it was."),
    ("The court met yesterday.", "The court adjourned the case until May."),
    ("The train stopped at the station.",),
)
BAD = (
    ("The cat has seen a hound.", "They ran off.", "A dog remained."),
    ("The dish met.", "He postponed the thing."),
    ("Train halted.",),
)


def documents(references: bool = True) -> list[Document]:
    made = []
    for at, sources in enumerate(SOURCES):
        segments = tuple(
            Segment(
                str(n),
                source,
                {"good": GOOD[at][n], "bad": BAD[at][n]},
                {"refA": REFERENCES[at][n]} if references else {},
            )
            for n, source in enumerate(sources)
        )
        made.append(Document(f"d{at}", segments, "de", "en", "news"))
    return made
