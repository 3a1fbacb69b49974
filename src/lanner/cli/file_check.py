"""What can be said of a small file before statistics and the store are loaded: whether it can be read as the options
say, and whether it has the question and the judges that were named."""

from __future__ import annotations

import tomllib
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lanner import formats, registry
from lanner.cli import reading_options
from lanner.cli.early_checks import question_ids, refuse_unknown_judges
from lanner.errors import unasked
from lanner.formats import Reading

READ_TWICE = 300_000
"""Files of up to so many bytes are read once before statistics and the store are loaded: that takes less time than
loading them, so that what is wrong with a file, or with a name that should be in it, is said at once."""


def check_judgements(
    path: str | Path,
    format_name: str | None,
    protocol: str | None = None,
    question: str | None = None,
    judges: Sequence[str] = (),
) -> None:
    """Raise what the command would say later of a file that cannot be read or holds no judgements, of a question that
    nobody was asked, or of a judge who is not there."""
    if not _is_small([path]):
        return
    readings = formats.read_judged(path, format_name, **reading_options())
    if question:
        _refuse_unasked(question, readings, protocol)
    refuse_unknown_judges(judges, [judge.id for reading in readings for judge in reading.judges], path)


def check_texts(paths: str | Path | Sequence[Path] | None, format_name: str | None = None) -> None:
    """Raise what the command would say later of texts that cannot be read."""
    if paths and _is_small(_as_list(paths)):
        with suppress(
            formats.ScatteredRowsError
        ):  # where rows of a document stand apart, the command reads all at once
            deque(formats.read_documents(paths, format_name, **reading_options()), 0)


def check_format(path: str | Path, format_name: str | None) -> None:
    """Raise what the command would say later of a file that no format fits."""
    if _is_small([path]) and not format_name:
        formats.recognise(path, **reading_options())


def _as_list(paths: str | Path | Sequence[Path]) -> Sequence[str | Path]:
    return [paths] if isinstance(paths, str | Path) else paths


def _is_small(paths: Sequence[str | Path]) -> bool:
    """Whether these are files that are read in no time."""
    files = [Path(path) for path in paths]
    return all(file.is_file() for file in files) and sum(file.stat().st_size for file in files) <= READ_TWICE


def _refuse_unasked(question: str, readings: Sequence[Reading], protocol: str | None) -> None:
    """The error where no protocol that the judgements may answer has anything of this name. Protocols are looked
    through as text: checking them takes long, and where the name is somewhere in one, the command says the rest."""
    if not all(protocol or reading.protocol or reading.questions for reading in readings):
        return
    names = {protocol or reading.protocol for reading in readings}
    possible = names if all(names) else {*names, *registry.names("protocols", ".toml")}
    texts = {name: path.read_text(encoding="utf-8") for name in possible if (path := _protocol_file(name))}
    ids = [judgement.question for reading in readings for judgement in reading.judgements]
    if question in ids or any(question in text for text in texts.values()):
        return
    if all(names):
        ids = [each for name in names if name in texts for each in question_ids(tomllib.loads(texts[name]))]
    raise unasked(question, ids, [column for reading in readings for column in reading.unread])


def _protocol_file(name: str) -> Path | None:
    return Path(name) if Path(name).is_file() else registry.data_file("protocols", name, ".toml")
