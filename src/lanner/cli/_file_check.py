"""What can be said of a small file before statistics are loaded: whether it can be read as the options say, and whether
it has the question and the judges that were named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lanner import formats, protocols
from lanner.cli._early_checks import refuse_unasked
from lanner.cli._options import reading_options
from lanner.errors import InputError, did_you_mean
from lanner.formats import Reading
from lanner.protocols import guessing


def check_file(
    path: Path, format_name: str | None, protocol: str | None, question: str | None, judges: Sequence[str]
) -> None:
    """Raise what the command would say later of a file that cannot be read, of a question that nobody was asked, or of
    a judge who is not there."""
    if not (question or judges or reading_options()):
        return
    readings = [reading for reading in formats.read(path, format_name, **reading_options()) if reading.judgements]
    if not readings:  # texts, or a table of one judge, which is read in another way later
        return
    if question:
        asked = [_protocol_of(reading, protocol) for reading in readings]
        if all(asked):
            refuse_unasked(question, asked)
    refuse_unknown_judges(judges, [judge.id for reading in readings for judge in reading.judges], path)


def refuse_unknown_judges(names: Sequence[str], judge_ids: Sequence[str], place: str | Path) -> None:
    """The error where one of these judges is not there."""
    for name in names:
        if name not in judge_ids:
            hint = did_you_mean(name, dict.fromkeys(judge_ids))
            raise InputError(f"There is no judge {name!r} in {place}.", next_step=hint)


def _protocol_of(reading: Reading, name: str | None) -> str:
    """The protocol that judgements answer, as JSON; nothing where they answer none."""
    if name or reading.protocol:
        return protocols.load(name or reading.protocol).model_dump_json(by_alias=True)
    if not reading.questions:
        return ""
    return guessing.guess(reading.judgements, reading.questions).protocol.model_dump_json(by_alias=True)
