"""Judges as an organiser pastes them: one per line, in any order of name, e-mail, language and remarks, or a table."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from lanner.errors import InputError, Where
from lanner.model import Judge, languages
from lanner.web.speech import say

MOST = 2000
LONGEST = 1000
"""Characters a line may have: a name, an address, a language, a remark."""
_ADDRESS = re.compile(r"<?(?<![^\s<>@,;])([^\s<>@,;]++@[^\s<>@,;]+\.[^\s<>@,;]+)>?")


@dataclass(frozen=True, slots=True)
class InvitedJudge:
    """A judge and the address to send their link to. Addresses are for the letter only: they are never stored."""

    judge: Judge
    email: str = ""


def invited(text: str, existing_ids: Collection[str] = (), *, same_names: bool = False) -> list[InvitedJudge]:
    """Everyone named in the text, with ids of their own that nobody has yet. Two of one name are asked about, unless
    `same_names` says that they are different people."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(
            say("Nobody is named."), next_step=say("Write one judge per line, for instance: Ana, ana@example.org, ko")
        )
    if len(lines) > MOST:
        raise InputError(say("These are {n} lines; at most {most} judges are added at once.", n=len(lines), most=MOST))
    for number, line in lines:
        if len(line) > LONGEST:
            raise InputError(
                say("This line has {n} characters; at most {most} are read.", n=len(line), most=LONGEST),
                where=Where(line=number),
                next_step=say("Write one judge per line, for instance: Ana, ana@example.org, ko"),
            )
    first = _cells(lines[0][1])
    header = [cell.casefold() for cell in first]
    ids = Ids(existing_ids, same_names=same_names)
    if "name" in header or "id" in header:
        return [_from_table(header, _cells(line), number, ids) for number, line in lines[1:]]
    return [_from_line(line, number, ids) for number, line in lines]


class Ids:
    """The ids there are. A name that comes again is refused, unless those are different people."""

    def __init__(self, existing_ids: Collection[str], *, same_names: bool) -> None:
        self._ids, self._same_names = set(existing_ids), same_names

    def add(self, name: str, line: int) -> str:
        """A short id made of the name: letters of any script, digits and dashes."""
        plain_name = unicodedata.normalize("NFKC", name).strip().casefold()
        base = re.sub(r"[\W_]+", "-", plain_name).strip("-")[:40] or "judge"
        if base in self._ids and not self._same_names:
            raise InputError(
                f"There is a judge called {name} already.",
                code="same_name",
                names={"name": name},
                where=Where(line=line),
                next_step="Leave the line out, or say that these are different people.",
            )
        candidate, number = base, 2
        while candidate in self._ids:
            candidate, number = f"{base}-{number}", number + 1
        self._ids.add(candidate)
        return candidate


def _cells(line: str) -> list[str]:
    mark = "\t" if "\t" in line else ";" if ";" in line and "," not in line else ","
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]


def _from_table(header: list[str], cells: list[str], number: int, ids: Ids) -> InvitedJudge:
    row = dict(zip(header, cells, strict=False))
    email = next((row[key] for key in ("email", "e-mail", "mail") if row.get(key)), "")
    name = row.get("name") or row.get("id") or email.partition("@")[0]
    if not name:
        raise InputError(say("A judge has neither name nor id."), where=Where(line=number))
    own = {key: value for key, value in row.items() if value and key not in ("id", "name", "email", "e-mail", "mail")}
    return InvitedJudge(Judge(ids.add(row.get("id") or name, number), name=name, attributes=own), email)


def _from_line(line: str, number: int, ids: Ids) -> InvitedJudge:
    match = _ADDRESS.search(line)
    email = match[1] if match else ""
    rest = [cell for cell in _cells(_ADDRESS.sub("", line)) if cell]
    language_names = [cell for cell in rest[1:] if languages.known(cell)]
    other = [cell for cell in rest[1:] if cell not in language_names]
    name = rest[0] if rest else email.partition("@")[0]
    if not name or len(name) > 120:
        raise InputError(say("There is no name in this line."), where=Where(line=number))
    attributes = {"language": languages.normal(language_names[0])} if language_names else {}
    if other:
        attributes["note"] = ", ".join(other)[:200]
    return InvitedJudge(Judge(ids.add(name, number), name=name, attributes=attributes), email)
