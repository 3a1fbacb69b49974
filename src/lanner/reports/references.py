"""What a report should cite: the methods its numbers were made by, its protocols, and Lanner; as text and BibTeX."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from lanner import __version__
from lanner.model import Result

_ACCENT = re.compile(r"""\{\\(["'`~])(\w)\}""")
_COMBINING = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "~": "\u0303"}
_CONTAINERS = ("booktitle", "journal", "institution", "howpublished", "publisher", "note")


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of a bibliography. `fields` are those of BibTeX, in LaTeX."""

    key: str
    kind: str
    fields: Mapping[str, str]

    @property
    def bibtex(self) -> str:
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    @property
    def text(self) -> str:
        """Author, year, title and where it appeared, for reading."""
        place = next((self.fields[name] for name in _CONTAINERS if name in self.fields), "")
        number = f" {self.fields['volume']}" if "volume" in self.fields else ""
        pages = f", {self.fields['pages']}" if "pages" in self.fields else ""
        parts = (self.fields.get("author", ""), self.fields.get("year", ""), self.fields.get("title", ""))
        whole = ". ".join(part for part in (*parts, f"{place}{number}{pages}") if part)
        return f"{_plain(whole)}."


def used(results: Iterable[Result], protocol: str, citation: str = "", methods: Iterable[str] = ()) -> list[Reference]:
    """What to cite for these results of a protocol, in the order of their keys; Lanner itself comes last. `methods` are
    codes of what no result's signature names."""
    codes = {code for result in results for code in _codes(result)} | set(methods)
    references = [
        _reference(key, entry)
        for key, entry in sorted(_table().items())
        if codes & set(entry.get("methods", ())) or protocol in entry.get("protocols", ())
    ]
    if citation and not any(protocol in entry.get("protocols", ()) for entry in _table().values()):
        references.append(Reference(protocol, "misc", {"title": f"The protocol {protocol}", "note": citation}))
    return [*references, _lanner()]


def bibtex(references: Iterable[Reference]) -> str:
    """A file for a bibliography."""
    return "\n\n".join(reference.bibtex for reference in references) + "\n"


def _codes(result: Result) -> set[str]:
    """What a result can be known by: its name, the method of its interval, and its settings."""
    codes = {result.name}
    if result.interval is not None:
        codes.add(result.interval.method)
    if result.signature is not None:
        codes.add(result.signature.statistic)
        for name, value in result.signature.parts:
            codes |= {value, f"{name} {value}"}
    return codes


def _reference(key: str, entry: Mapping[str, Any]) -> Reference:
    fields = {name: str(value) for name, value in entry.items() if name not in ("type", "methods", "protocols")}
    return Reference(key, str(entry["type"]), fields)


def _lanner() -> Reference:
    title = "{Lanner}: Document-Level Evaluation of Machine Translation"
    fields = {"author": "{The Lanner authors}", "title": title, "note": f"Version {__version__}"}
    return Reference("lanner", "misc", fields)


def _plain(latex: str) -> str:
    """LaTeX as it reads: accents composed, braces gone."""
    text = _ACCENT.sub(lambda match: match[2] + _COMBINING[match[1]], latex)
    text = text.replace("---", "—").replace("--", "–").replace("$\\gamma$", "γ").replace(" and others", " et al.")
    return unicodedata.normalize("NFC", "".join(character for character in text if character not in "{}"))


@cache
def _table() -> dict[str, dict[str, Any]]:
    text = resources.files("lanner.reports").joinpath("references.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
