"""Every error a user can meet: what went wrong, where, and what to do next.

The command line prints these without a traceback and exits with the code of the class; the web pages show the same
sentences. Anything that is not a `LannerError` is a bug in Lanner.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Any


class ExitCode(IntEnum):
    """How a command ends, for scripts: who has to do something, and whether trying again later can help."""

    DONE = 0, "done"
    BUG = 1, "a bug in Lanner, with a traceback"
    MISTAKE = 2, "a mistake in what was given: an option, a name, a file, a protocol; the same command fails again"
    INCOMPLETE = 3, "done, but some items have no answer; the same command goes on with them"
    STATE = 4, "the campaign does not allow it as it is now: closed, frozen, nothing to do"
    SYSTEM = 5, "the database or the system refused: locked, full, unreadable; trying again later may help"
    MISSING = 6, "an optional package is missing, and the message names it"
    STOPPED = 130, "stopped with Ctrl+C"
    UNREAD = 141, "whoever read the output has left, as `head` does; the command ended there"

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


@dataclass(frozen=True, slots=True)
class Where:
    """A place in something the user gave us: a file, a line of it, a column, or a named row or question."""

    file: str | Path | None = None
    line: int | None = None
    column: int | None = None
    item: str | None = None

    def __str__(self) -> str:
        place = str(self.file) if self.file is not None else ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
            if self.column is not None:
                place += f":{self.column}"
        if self.item:
            place = f"{place}, {self.item}" if place else self.item
        return place


NOWHERE = Where()


class LannerError(Exception):
    """Base of all user-facing errors. `what` is a sentence, `where` a place, `next_step` what to do now. `code` is the
    reason in a word where it is a common one, for pages that say it in the reader's language, with the `names` that
    fill its places."""

    exit_code = ExitCode.MISTAKE
    usual_code = ""
    control = ""
    """The control of a form that it is about, set by whoever reads the form."""

    def __init__(
        self,
        what: str,
        *,
        code: str = "",
        names: Mapping[str, str] | None = None,
        where: Where = NOWHERE,
        next_step: str = "",
    ) -> None:
        super().__init__(what)
        self.what = what
        self.code = code or self.usual_code
        self.names = dict(names or {})
        self.where = where
        self.next_step = next_step
        if code.startswith(("unknown_", "bad_")) or code.endswith("_taken"):
            self.exit_code = ExitCode.MISTAKE  # whatever it was about, a name or a value is wrong

    def __str__(self) -> str:
        place = str(self.where)
        lines = [f"{place}: {self.what}" if place else self.what]
        if self.next_step:
            lines.append(self.next_step)
        return "\n".join(lines)


class InputError(LannerError):
    """A file that cannot be read as what it claims to be. Nothing of it has been taken."""


_OF_A_NAME = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError)


def exit_code_of(error: OSError) -> ExitCode:
    """A name is the user's mistake; a full disk or a missing right is not."""
    is_name = isinstance(error, _OF_A_NAME) or error.errno == ENAMETOOLONG
    return ExitCode.MISTAKE if is_name else ExitCode.SYSTEM


def refused_by_system(what: str, error: OSError, path: str | Path) -> InputError:
    """The error where the operating system does not let us read or write a file."""
    refused = InputError(
        f"{what}: {error.strerror or error}.",
        where=Where(path),
        next_step="Check the name, who may use what is there, and the room on the disk.",
    )
    refused.exit_code = exit_code_of(error)
    return refused


class ProtocolError(LannerError):
    """A protocol file with a mistake in it."""


class AnswerError(LannerError):
    """An answer that its protocol does not allow. `question` and `code` let a page put it next to the question."""

    usual_code = "invalid"

    def __init__(self, what: str, *, question: str = "", **details: Any) -> None:
        super().__init__(what, **details)
        self.question = question


class DesignError(LannerError):
    """Numbers that cannot be met, with the smallest change that would work."""


class CampaignError(LannerError):
    """Something a campaign in its present state does not allow: closed, frozen, finished, not assigned."""

    exit_code = ExitCode.STATE
    usual_code = "refused"


class StoreError(LannerError):
    """A database that cannot be opened, is newer than this program, or refused to write."""

    exit_code = ExitCode.SYSTEM


class StatisticError(LannerError):
    """A statistic asked of data that has no such question, judge or column."""


class MissingExtraError(LannerError):
    """An optional package that is needed for what was asked."""

    exit_code = ExitCode.MISSING

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional package.", next_step=f'Install it with: pip install "lanner[{extra}]"'
        )


def missing_file(path: str | Path) -> InputError:
    """The error for a path where there is nothing, with the file in the same folder that was probably meant."""
    place = Path(path)
    try:
        neighbour = nearest(place.name, (each.name for each in place.parent.iterdir()))
    except OSError:
        neighbour = None
    step = f"Did you mean {str(place.with_name(neighbour))!r}?" if neighbour else "Check the path."
    return InputError("There is no such file or folder.", where=Where(place), next_step=step)


def missing_store(path: str | Path) -> StoreError:
    """The error for a path where there is no database."""
    return StoreError(
        "There is no such store.", code="unknown_store", where=Where(Path(path)), next_step="Make one with: lanner new"
    )


def unasked(question: str, ids: Iterable[str], unread: Iterable[str] = ()) -> InputError:
    """The error where nothing is called so: no question, row or score. `unread` are columns of a file that do not look
    like answers: nobody disagrees in them, for instance."""
    step = did_you_mean(question, dict.fromkeys(ids))
    if question in unread:
        step = f"The column {question!r} is not read; --columns 'answer:{question}={question}' takes it as answers."
    return InputError(f"No part of this asks {question!r}.", next_step=step)


_ALIKE = 0.6
"""The share of two words' letters that must match, in their order."""


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The known word most like `word`, if any is like it at all."""
    folded = word.casefold()
    by_folded = {name.casefold(): name for name in names}
    # a word much longer than all that is known is like none of them, and is not taken apart to see that
    as_long = [name for name in by_folded if 2 * min(len(name), len(folded)) >= _ALIKE * (len(name) + len(folded))]
    hits = difflib.get_close_matches(folded, as_long, n=1, cutoff=_ALIKE) if as_long else []
    return by_folded[hits[0]] if hits else None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """A sentence for the end of an error: the nearest match, or the list of what is known."""
    names = list(words)
    hit = nearest(word, names)
    if hit is not None:
        return f"Did you mean {hit!r}?"
    if not names:
        return ""
    excerpt = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"Known: {excerpt}."


def check_known(
    name: str, known: Collection[str], what: str, error: type[LannerError] = LannerError, **details: Any
) -> None:
    """Raise `what` with the nearest known name where this is none of them; `details` are those of the error."""
    if name not in known:
        raise error(what, next_step=did_you_mean(name, known), **details)
