"""A bar for long work, on stderr of a terminal; nothing where nobody watches or a machine reads along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from lanner import formats
from lanner.cli._output import Output

Told = Callable[[str, int], None]
"""What is being done, and how many documents are through."""
_MOST_ENTRIES = 10_000  # of a folder whose size is added up


def _console() -> Console:
    return Console(stderr=True)


@contextmanager
def reading(output: Output, path: Path, words: str = "Reading") -> Iterator[Told]:
    """Show how much of a file or folder is read, and what the returned function is told meanwhile."""
    console = _console()
    if output.as_json or not console.is_terminal:
        yield lambda _what, _count: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(words, total=_size(path))

        def told(what: str, count: int) -> None:
            bar.update(task, description=f"{words}: {what} {count:,}")

        def read(size: int) -> None:
            bar.advance(task, size)

        with formats.watched(read):
            yield told


@contextmanager
def counting(output: Output, words: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show how many of a known number of things are done; the returned function counts one."""
    console = _console()
    if output.as_json or not console.is_terminal:
        yield lambda: None
        return
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console, transient=True
    ) as bar:
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
