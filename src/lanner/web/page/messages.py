"""The words of the interface, in the language the reader chose; the languages that are judged have no part in it.

One TOML file per language, tables of short texts. Counts stand beside their noun ("Not started: 9"), so that no text
needs plural forms. What a translation lacks is said in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from lanner.model import languages

FOLDER = Path(__file__).parents[1] / "messages"
FALLBACK = "en"
COOKIE = "lanner_language"
"""Where a judge's choice of language is kept."""


@cache
def available() -> dict[str, str]:
    """Codes of the interface languages and what each calls itself, English first."""
    codes = sorted((path.stem for path in FOLDER.glob("*.toml")), key=lambda code: (code != FALLBACK, code))
    return {code: _table(code)["language.name"] for code in codes}


def choose(codes: Iterable[str]) -> str:
    """The first wanted language that there is, "pt-BR" taken as "pt"; English where there is none."""
    for code in codes:
        language = languages.normal(code).partition("-")[0]
        if language in available():
            return language
    return FALLBACK


def from_header(accept_language: str) -> list[str]:
    """The languages of an Accept-Language header, most wanted first."""
    ranks = []
    for position, part in enumerate(accept_language.split(",")):
        code, _, weight = part.strip().partition(";q=")
        try:
            rank = float(weight) if weight else 1.0
        except ValueError:
            rank = 0.0
        if code and code != "*":
            ranks.append((-rank, position, code))
    return [code for _, _, code in sorted(ranks)]


class Messages:
    """Texts by key: `Messages("ko").get("rail.sentence", n=3)`."""

    def __init__(self, language: str = FALLBACK) -> None:
        self.language = choose([language])
        self.direction = languages.direction(self.language)
        self._texts = _table(FALLBACK) | _table(self.language)

    def get(self, key: str, **params: object) -> str:
        """The text for a key with its {places} filled; a key nobody wrote is a mistake of ours."""
        text = self._texts[key]
        return text.format(**params) if params else text

    @property
    def languages(self) -> dict[str, str]:
        """The languages one can change to."""
        return available()

    def table(self, name: str) -> dict[str, str]:
        """All texts of one table, for a page's script."""
        prefix = name + "."
        return {key.removeprefix(prefix): text for key, text in self._texts.items() if key.startswith(prefix)}


@cache
def _table(language: str) -> dict[str, str]:
    read = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, texts in read.items() for key, text in texts.items()}
