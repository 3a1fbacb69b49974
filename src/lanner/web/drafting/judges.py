"""Judges as an organiser pastes them: one per line, in any order of name, e-mail, language and remarks, or a table."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from lanner.errors import InputError, Where
from lanner.model import Judge, languages
from lanner.web.page.speech import say

MOST = 2000
_ADDRESS = re.compile(r"<?([^\s<>@,;]+@[^\s<>@,;]+\.[^\s<>@,;]+)>?")


@dataclass(frozen=True, slots=True)
class Invited:
    """A judge and the address to send their link to. Addresses are for the letter only: they are never stored."""

    judge: Judge
    email: str = ""


def invited(text: str, taken: Collection[str] = ()) -> list[Invited]:
    """Everyone named in the text, with ids of their own that nobody has yet."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(
            say("Nobody is named."), next_step=say("Write one judge per line, for instance: Ana, ana@example.org, ko")
        )
    if len(lines) > MOST:
        raise InputError(say("These are {n} lines; at most {most} judges are added at once.", n=len(lines), most=MOST))
    first = _cells(lines[0][1])
    header = [cell.casefold() for cell in first]
    used = set(taken)
    if "name" in header or "id" in header:
        return [_from_table(header, _cells(line), number, used) for number, line in lines[1:]]
    return [_from_line(line, number, used) for number, line in lines]


def _cells(line: str) -> list[str]:
    mark = "\t" if "\t" in line else ";" if ";" in line and "," not in line else ","
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]


def _from_table(header: list[str], cells: list[str], number: int, used: set[str]) -> Invited:
    row = dict(zip(header, cells, strict=False))
    email = next((row[key] for key in ("email", "e-mail", "mail") if row.get(key)), "")
    name = row.get("name") or row.get("id") or email.partition("@")[0]
    if not name:
        raise InputError(say("A judge has neither name nor id."), where=Where(line=number))
    own = {key: value for key, value in row.items() if value and key not in ("id", "name", "email", "e-mail", "mail")}
    return Invited(Judge(_unique(row.get("id") or name, used), name=name, attributes=own), email)


def _from_line(line: str, number: int, used: set[str]) -> Invited:
    found = _ADDRESS.search(line)
    email = found[1] if found else ""
    rest = [cell for cell in _cells(_ADDRESS.sub("", line)) if cell]
    spoken = [cell for cell in rest[1:] if languages.known(cell)]
    other = [cell for cell in rest[1:] if cell not in spoken]
    name = rest[0] if rest else email.partition("@")[0]
    if not name or len(name) > 120:
        raise InputError(say("There is no name in this line."), where=Where(line=number))
    attributes = {"language": languages.normal(spoken[0])} if spoken else {}
    if other:
        attributes["note"] = ", ".join(other)[:200]
    return Invited(Judge(_unique(name, used), name=name, attributes=attributes), email)


def _unique(name: str, used: set[str]) -> str:
    """A short id made of the name: letters of any script, digits and dashes."""
    folded = unicodedata.normalize("NFKC", name).strip().casefold()
    base = re.sub(r"[\W_]+", "-", folded).strip("-")[:40] or "judge"
    made, number = base, 2
    while made in used:
        made, number = f"{base}-{number}", number + 1
    used.add(made)
    return made
