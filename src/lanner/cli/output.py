"""How commands speak: tables and sentences for people, one JSON envelope for machines, errors on stderr."""

from __future__ import annotations

import json
import math
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanner import __version__
from lanner.cli import pending_notes, wants_explanation
from lanner.errors import LannerError
from lanner.model.messages import estimate, number, p_number, plural

if TYPE_CHECKING:  # these take a while to load, and an error message needs none of them
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

    from lanner.model import Json, Result


Columns = list[str | tuple[str, str]]
"""Which keys of its rows a table shows; a pair has the heading of the column besides."""
_HEADINGS = {"estimate": "estimate [95 %]", "p_text": "p", "p_holm": "p (holm)"}
_SHORT = 12  # numbers shorter than this are never broken over two lines
_COUNTED = re.compile(r"([^(]*)\((\d+)\)(:.*)")  # "Fewer than 20 documents (6): …"
_PAGE = 160  # columns where nobody watches: a file, a pipe


def _console() -> Console:
    """Text wraps between words on a terminal; in a file or a pipe every sentence is one line."""
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, soft_wrap=True, width=_PAGE)


@dataclass(slots=True)
class Output:
    """What one command prints. With `as_json` only the envelope goes to standard output, everything else is silent."""

    command: str
    as_json: bool = False
    rows: list[Mapping[str, Json]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    console: Console = field(default_factory=_console)

    @property
    def wraps(self) -> bool:
        return not self.console.soft_wrap

    def say(self, text: str = "", *, style: str | None = None, indent: int = 0) -> None:
        """A line for people; text from files is printed as it is, never read as mark-up. Where it is wrapped, its
        other lines begin after `indent` spaces."""
        from rich.markup import escape
        from rich.text import Text

        if not self.as_json:
            if indent and self.wraps and _longest_part(text) <= self.console.width - indent:
                head, body = text[:indent], Text(text[indent:])
                lines = [str(line) for line in body.wrap(self.console, self.console.width - indent)]
                text = "\n".join(f"{start}{line}" for start, line in zip_longest([head], lines, fillvalue=" " * indent))
            unbroken = not self.wraps or _longest_part(text) > self.console.width  # an address stays in one piece
            self.console.print(escape(text), style=style, soft_wrap=unbroken)

    def say_stopped(self, text: str) -> None:
        """How a command that serves pages ended. Another Ctrl+C meanwhile stops nothing else, and is not answered."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.say(f"Stopped. {text}")

    def note(self, *texts: str) -> None:
        """What is to be known besides, each once."""
        self.notes += [text for text in dict.fromkeys(texts) if text not in self.notes]

    def sign(self, signature: object) -> None:
        """How a number was made, said once at the end however many numbers were made so."""
        if (text := str(signature or "")) and text not in self.signatures:
            self.signatures.append(text)

    def cite(self, result: Result) -> None:
        """What is to be known of a result: its notes, and how it was made."""
        self.note(*result.notes)
        self.sign(result.signature)

    def table(
        self,
        rows: Sequence[Mapping[str, Json]],
        columns: Sequence[str | tuple[str, str]] = (),
        title: str = "",
        *,
        empty: str = "",
        filled: bool = False,
    ) -> None:
        """Rows as a table for people, and as rows of the envelope. Where there are none, people are told what is
        `empty` and how to begin."""
        self.rows.extend(rows)
        if not rows and empty:
            self.say(empty)
        self.show(rows, columns, title, filled=filled)

    def show(
        self,
        rows: Sequence[Mapping[str, Json]],
        columns: Sequence[str | tuple[str, str]] = (),
        title: str = "",
        *,
        filled: bool = False,
    ) -> None:
        """A table for people alone. `columns` picks and names what they see; only those in which something stands
        where they have to be `filled`."""
        from rich.cells import cell_len
        from rich.markup import escape
        from rich.table import Table

        if self.as_json or not rows:
            return
        headings = [
            (column, _HEADINGS.get(column, column)) if isinstance(column, str) else column
            for column in columns or rows[0]
        ]
        if filled:
            headings = [pair for pair in headings if any(row.get(pair[0]) not in (None, "") for row in rows)]
        table = Table(title=escape(title) or None, title_justify="left", box=None, header_style="bold", pad_edge=False)
        cells = {key: [heading, *(_cell(row.get(key), key) for row in rows)] for key, heading in headings}
        widths = {key: max(map(cell_len, texts)) for key, texts in cells.items()}
        fits = sum(widths.values()) + 2 * len(headings) <= self.console.width
        least = {key: max(_longest_part(text) for text in texts) for key, texts in cells.items()}
        if not fits and sum(least.values()) + 2 * len(headings) > self.console.width:
            self._print_records(rows, headings, title)
            return
        shares = _column_widths(widths, least, self.console.width - 2 * len(headings))
        for key, heading in headings:
            numeric = all(isinstance(row.get(key), int | float | None) for row in rows)
            table.add_column(
                escape(heading),
                justify="right" if numeric else "left",
                no_wrap=fits or (numeric and widths[key] <= _SHORT),
                width=shares[key],
            )
        for row in rows:
            table.add_row(*(escape(_cell(row.get(key), key)) for key, _ in headings))
        self.console.print(table)

    def _print_records(
        self, rows: Sequence[Mapping[str, Json]], headings: Sequence[tuple[str, str]], title: str
    ) -> None:
        """Rows one below another, where a table would break names: the terminal is too narrow for its columns."""
        from rich.cells import cell_len
        from rich.markup import escape
        from rich.text import Text

        if title:
            self.console.print(escape(title), style="italic")
        width = max(cell_len(heading) for _, heading in headings)
        for row in rows:
            for key, heading in headings:
                if (text := _cell(row.get(key), key)) in ("", "—"):
                    continue
                room = self.console.width - width - 2
                wraps = self.wraps and _longest_part(text) <= room
                lines = [str(line) for line in Text(text).wrap(self.console, room)] if wraps else [text]
                for label, line in zip_longest([heading], lines, fillvalue=""):
                    self.console.print(f"{escape(label.ljust(width))}  {escape(line)}", soft_wrap=True)
            self.console.print()

    def end(self) -> None:
        """Print the notes and signature, or the envelope. Called once, last."""
        from rich.markup import escape
        from rich.padding import Padding

        self.note(*pending_notes())
        if self.as_json:
            click.echo(
                json.dumps(
                    {
                        "command": self.command,
                        "version": __version__,
                        "signature": "\n".join(self.signatures),
                        "rows": [_finite(dict(row)) for row in self.rows],
                        "notes": self.notes,
                    },
                    ensure_ascii=False,
                    default=str,
                )
            )
            return
        notes = _merge_notes(self.notes)
        excerpt = notes if wants_explanation() or len(notes) <= _MOST_NOTES else notes[: _MOST_NOTES - 1]
        for note in excerpt:
            self.console.print(Padding(escape(note), (0, 0, 0, 2)) if self.wraps else f"  {escape(note)}", style="dim")
        if len(notes) > len(excerpt):
            more = plural(len(notes) - len(excerpt), "more note")
            self.console.print(f"  … {more}: --explain", style="dim")
        few = self.signatures if wants_explanation() else self.signatures[:_MOST_SIGNATURES]
        for signature in few:
            self.console.print(escape(signature), style="dim")
        if len(self.signatures) > len(few):
            more = plural(len(self.signatures) - len(few), "more signature")
            self.console.print(f"… {more}: --explain", style="dim")


_MOST_NOTES = 6
_MOST_SIGNATURES = 3


def _merge_notes(notes: Sequence[str]) -> list[str]:
    """Notes that differ in nothing but a count in brackets stand once, with the smallest and the largest count."""
    counts: dict[tuple[str, str], list[int]] = {}
    for note in notes:
        match = _COUNTED.fullmatch(note)
        counts.setdefault((match[1], match[3]) if match else (note, ""), []).extend([int(match[2])] if match else [])
    notes_out = []
    for (before, after), count in counts.items():
        between = f"{min(count)} to {max(count)}" if len(set(count)) > 1 else str(*set(count))
        notes_out.append(f"{before}({between}){after}" if count else before)
    return notes_out


def minute(moment: datetime | None) -> str:
    """A moment as tables have it; nothing where it has not come."""
    return moment.isoformat(timespec="minutes") if moment else ""


def result_rows(results: Iterable[Result]) -> list[dict[str, Json]]:
    """Results as rows of the envelope, with a readable estimate for people."""
    return [{**result.row(), "estimate": estimate(result.value, result.low, result.high)} for result in results]


def rows_of(
    result: Result, texts: Callable[[Mapping[str, Json]], dict[str, Json]] = lambda _row: {}, **about: Json
) -> list[dict[str, Json]]:
    """The rows of a Result that is a table: what they are about, how they were made, and `texts`, which are the numbers
    of a row as people read them."""
    signature = str(result.signature or "")
    return [{**about, **row, "signature": row.get("signature") or signature, **texts(row)} for row in result.rows]


def add_rows(
    output: Output,
    result: Result,
    columns: Sequence[str],
    *,
    rows: Sequence[Mapping[str, Json]] | None = None,
    about: Mapping[str, Json] | None = None,
    headings: Mapping[str, str] | None = None,
    bounded: bool = True,
) -> None:
    """The rows of a Result that is a table, each estimate with its interval; only columns that say something."""
    table_rows: list[dict[str, Json]] = [
        {
            **(about or {}),
            **row,
            "estimate": estimate(row.get("value"), row.get("low"), row.get("high"), bounded=bounded),
            "signature": row.get("signature") or str(result.signature or ""),
            "p_text": p_number(row.get("p")),
        }
        for row in (rows if rows is not None else result.rows or [result.row()])
    ]
    output.note(*result.notes)
    for row in table_rows:
        output.sign(row["signature"])
    names = {**_HEADINGS, **(headings or {})}
    keys = ["p_text" if column == "p" else column for column in columns]
    output.table(table_rows, [(key, names.get(key, key)) for key in keys], filled=True)


def print_kinds(
    output: Output,
    result: Result,
    tables: Sequence[tuple[str, Columns, str]],
    *,
    about: Mapping[str, Json],
    texts: Callable[[Mapping[str, Json]], dict[str, Json]],
) -> dict[str, list[dict[str, Json]]]:
    """A table for each kind of rows of a Result: the kind, its columns and its title. Returns the rows by their kind;
    see `rows_of`."""
    kinds: dict[str, list[dict[str, Json]]] = {}
    for row in rows_of(result, texts, **about):
        kinds.setdefault(row["kind"], []).append(row)
    for kind, columns, title in tables:
        if kinds.get(kind):
            output.table(kinds[kind], columns, title=title)
            output.say()
    return kinds


def print_error(error: LannerError, *, as_json: bool) -> None:
    """The error's sentences on stderr; with --json as an object, so that a program can read it too."""
    if as_json:
        fields = {"error": error.what, "where": str(error.where), "next": error.next_step, "version": __version__}
        click.echo(json.dumps(fields, ensure_ascii=False), err=True)
        return
    place = str(error.where)
    click.echo(f"{click.style('Error:', fg='red', bold=True)} {f'{place}: ' if place else ''}{error.what}", err=True)
    if error.next_step:
        click.echo(error.next_step, err=True)


def _cell(value: Any, key: str = "") -> str:
    if value is None:
        return "—"
    if isinstance(value, float) and (key == "p" or key.startswith("p_")):
        return p_number(value)
    if isinstance(value, float) and key == "cost":  # a reply costs a fraction of a cent, and not nothing
        return f"{value:,.2f}" if value >= 1 else f"{value:.3g}"
    if isinstance(value, float):
        return number(value) if abs(value) < 100 else f"{value:,.1f}"
    if isinstance(value, list | tuple):
        parts = [str(part) for part in value]
        return ("; " if any(", " in part for part in parts) else ", ").join(parts)
    return str(value)


def _column_widths(natural: Mapping[str, int], least: Mapping[str, int], room: int) -> dict[str, int]:
    """Widths of columns that fit into the room: the widest give way first, none below its longest word."""
    widths = dict(natural)
    while sum(widths.values()) > room:
        wide = [key for key in widths if widths[key] > least[key]]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _longest_part(text: str) -> int:
    """The width of the longest part of a text that must not be broken."""
    from rich.cells import cell_len

    return max(map(cell_len, text.split()), default=0)


def _finite(value: Any) -> Any:
    """JSON has no NaN: an undefined number is null, and its reason is in the notes."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


# A bar for long work, on stderr of a terminal; nothing where nobody watches or a machine reads along.


Report = Callable[[str, int], None]
"""What is being done, and how many documents are through."""
Watch = Callable[[Callable[[int], None]], AbstractContextManager[None]]
_MOST_ENTRIES = 10_000  # of a folder whose size is added up


def _progress_console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


@contextmanager
def progress_bar(output: Output, *columns: str | ProgressColumn) -> Iterator[Progress | None]:
    """A bar on stderr of a terminal; None where nobody watches or a machine reads along."""
    from rich.progress import Progress

    console = _progress_console()
    if output.as_json or not console.is_terminal:
        yield None
        return
    with Progress(*columns, console=console, transient=True) as bar:
        yield bar


@contextmanager
def reading(output: Output, path: Path, watched: Watch, words: str = "Reading") -> Iterator[Report]:
    """Show how much of a file or folder is read, as `formats.watched` says, and what the returned function is told
    meanwhile."""
    from rich.progress import BarColumn, TaskProgressColumn, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with progress_bar(output, *columns) as bar:
        if bar is None:
            yield lambda _what, _count: None
            return
        task = bar.add_task(words, total=_size(path))
        with watched(lambda size: bar.advance(task, size)):
            yield lambda what, count: bar.update(task, description=f"{words}: {what} {count:,}")


@contextmanager
def counting(output: Output, words: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show how many of a known number of things are done; the returned function counts one."""
    from rich.progress import BarColumn, MofNCompleteColumn

    with progress_bar(output, "{task.description}", BarColumn(), MofNCompleteColumn()) as bar:
        if bar is None:
            yield lambda: None
            return
        task = bar.add_task(words, total=total)
        yield lambda: bar.advance(task)


def _size(path: Path) -> int | None:
    """Bytes to read; unknown for an archive, which is unpacked first, and for a folder of very many files: `/` should
    not be walked for the sake of a progress bar."""
    if path.suffix.lower() == ".zip" or not path.exists():
        return None
    if path.is_file():
        return path.stat().st_size or None
    entries = list(islice(path.rglob("*"), _MOST_ENTRIES + 1))
    if len(entries) > _MOST_ENTRIES:
        return None
    return sum(entry.stat().st_size for entry in entries if entry.is_file()) or None
