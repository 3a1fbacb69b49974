"""What people read on pages, in the language the reader chose; the languages that are judged have no part in it.

Judges' pages have one TOML file per language, tables of short texts by key. Counts stand beside their noun ("Not
started: 9"), so that no text needs plural forms. For organisers the English text is the key:
`messages/organiser/LANGUAGE.toml` has a line for every text. What a translation lacks is said in English. The reader's
language is set once per request, so that no function has to hand it on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

from markupsafe import Markup
from starlette.types import Scope

from lanner.model import languages
from lanner.model.messages import Message
from lanner.model.messages import count as thousands

FOLDER = Path(__file__).parent / "messages"
FALLBACK = "en"
COOKIE = "lanner_language"
"""Where a reader's choice of language is kept."""


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

    def has(self, key: str) -> bool:
        """Whether there is a text for a key."""
        return key in self._texts

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


# What organisers read. The English text is the key, so that a page reads as it will look.


_language: ContextVar[str] = ContextVar("language", default=FALLBACK)


def say(text: str, **places: object) -> str:
    """An English text in the reader's language, with its {places} filled."""
    translation = _texts(_language.get()).get(text, text)
    return translation.format(**{name: apart(value) for name, value in places.items()}) if places else translation


def mark(text: str, **places: object) -> Markup:
    """Translate a text with mark-up of ours; what fills its places is escaped."""
    own = {name: apart(value) if type(value) in (str, int, float) else value for name, value in places.items()}
    return Markup(_texts(_language.get()).get(text, text)).format(**own)  # the texts are ours


def apart(value: object) -> str:
    """A figure or name as it stands in a sentence. In a language read from the right it is set apart, else −.03 would
    come out as 03.− there; in the others a name read from the right is, else it would draw the figure after it to its
    other side. What is set apart keeps the direction of its own first letter, and figures run left to right."""
    text = str(value)
    is_mixed = _leftward(_language.get()) or re.search(languages.LEFTWARD, text)
    return f"\u2068{text}\u2069" if text and is_mixed else text


def amount(count: int, one: str, many: str) -> str:
    """So many of something. Languages with other plurals than English word the second so that it fits any number."""
    return say(one if count == 1 else many, n=thousands(count))


def translate(value: object) -> str:
    """A message of the live numbers in the reader's language, with whatever fills its places."""
    if isinstance(value, Message):
        return say(value.text, **{name: translate(place) for name, place in value.places})
    if isinstance(value, tuple):
        return listed([translate(part) for part in value])
    return day(value) if isinstance(value, date) else str(value)


def listed(parts: Sequence[str]) -> str:
    """oak, elm and fir."""
    return parts[0] if len(parts) == 1 else say("{some} and {last}", some=comma().join(parts[:-1]), last=parts[-1])


def comma() -> str:
    """What stands between the names of a list in the reader's language."""
    return languages.comma(_language.get())


def day(when: date | None) -> str:
    """A day without its year, as short as the language has it."""
    if when is None:
        return ""
    return f"{when:%a} {when.day} {when:%b}" if _language.get() == FALLBACK else when.isoformat()


def language() -> str:
    """The reader's language."""
    return _language.get()


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak a language for a while."""
    token = _language.set(choose([code]))
    try:
        yield
    finally:
        _language.reset(token)


def set_language(scope: Scope) -> None:
    """Speak the reader's language for the rest of a request: asked for in the address, chosen before, or the
    browser's."""
    _language.set(_preferred_language(scope))


def _preferred_language(scope: Scope) -> str:
    code: str = parse_qs(scope["query_string"].decode("latin-1")).get("language", [""])[-1]
    if code in available():
        return code
    from_browser = ""
    for name, value in scope["headers"]:
        if name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, _, cookie_value = str(part).strip().partition("=")
                if key == COOKIE and cookie_value in available():
                    return cookie_value
        elif name == b"accept-language":
            from_browser = value.decode("latin-1")
    return choose(from_header(from_browser))


@cache
def _leftward(code: str) -> bool:
    return languages.direction(code) == "rtl"


@cache
def _texts(code: str) -> Mapping[str, str]:
    file = FOLDER / "organiser" / f"{code}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
