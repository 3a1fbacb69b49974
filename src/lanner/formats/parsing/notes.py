"""Notes of readers: what was noticed on the way, and how the command line changes it."""

from __future__ import annotations


class Note(str):
    """A note as one line. `fact` is what was noticed; `advice` names options of the command line, so a page shows the
    fact alone; `about` says what it is about where that matters ("columns", "languages", "answers")."""

    fact: str
    advice: str
    about: str

    def __new__(cls, fact: str, advice: str = "", *, about: str = "") -> Note:
        note = super().__new__(cls, f"{fact} {advice}" if advice else fact)
        note.fact, note.advice, note.about = fact, advice, about
        return note


def fact_of(note: str) -> str:
    """What a note says without advice about options."""
    return note.fact if isinstance(note, Note) else note


def subject_of(note: str) -> str:
    """What a note is about, as a code; "" where nobody said."""
    return note.about if isinstance(note, Note) else ""


ANSWERS = "answers"
"""What a note is about that says why a table seems to hold judgements of which none could be read."""
JUDGEMENTS = "judgements"
"""What a note is about that says how answers were read, which is of no interest where the texts alone are taken."""
UNKNOWN_LANGUAGES = Note(
    "The languages are unknown, which judges will see.", "Set them with --languages, such as en-ko.", about="languages"
)
