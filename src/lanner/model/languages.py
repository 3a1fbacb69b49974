"""Language codes: one spelling for each language, its English name and its direction of writing.

Files of the field write the same language as `de`, `deu`, `ger`, `de_DE` or `German`; `normal` makes one of them.
The shortest code wins, subtags are kept in their BCP 47 spelling, and a code that is not known stays what it is.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from importlib import resources
from typing import Any

UNDETERMINED = "und"
_RTL_SCRIPTS = {"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg"}
_PLACEHOLDERS = {"", "und", "mul", "xx", "unknown", "none"}
_COMMAS = {"ja": "、", "zh": "、", **dict.fromkeys(("ar", "fa", "ps", "ur"), "، ")}
_REGIONS = {
    "ar": "ae eg ma sa", "bn": "bd in", "ca": "es", "cs": "cz", "da": "dk", "de": "at ch de", "el": "gr",
    "en": "au ca gb ie in nz us za", "es": "ar cl co es mx pe us", "et": "ee", "fa": "ir", "fi": "fi",
    "fr": "be ca ch fr",
    "he": "il", "hi": "in", "hu": "hu", "id": "id", "it": "ch it", "ja": "jp", "ko": "kr", "lt": "lt", "lv": "lv",
    "ms": "my", "nb": "no", "nl": "be nl", "pl": "pl", "pt": "br pt", "ro": "md ro", "ru": "ru", "sk": "sk", "sl": "si",
    "sv": "fi se", "sw": "ke tz", "ta": "in lk", "th": "th", "tr": "tr", "uk": "ua", "ur": "in pk", "vi": "vn",
    "zh": "cn hans hant hk sg tw",
}  # fmt: skip
"""By language, the regions and scripts that texts are often localised for."""
_MOST_CODES = 2000  # remembered at once: browsers send codes, and anybody may send any


@cache
def table() -> dict[str, dict[str, Any]]:
    """Every language known by code: its name, other codes, direction."""
    return tomllib.loads((resources.files("lanner.model") / "languages.toml").read_text(encoding="utf-8"))


@cache
def _by_any_name() -> dict[str, str]:
    codes: dict[str, str] = {}
    for code, entry in table().items():
        for spelling in (code, entry["name"], *entry.get("codes", ())):
            codes[spelling.casefold()] = code
    return codes


@lru_cache(_MOST_CODES)
def normal(code: str) -> str:
    """One spelling of a language: `deu`, `GER` and `German` are `de`, `pt_br` is `pt-BR`, nothing is `und`."""
    name = code.strip()
    if name.casefold() in _PLACEHOLDERS:
        return UNDETERMINED
    tag = _by_any_name().get(name.casefold())
    if tag is not None:
        return tag
    first, *rest = name.replace("_", "-").split("-")
    return "-".join([_by_any_name().get(first.casefold(), first.casefold()), *map(_subtag, rest)])


def _subtag(tag: str) -> str:
    if len(tag) == 4 and tag.isalpha():
        return tag.title()
    return tag.upper() if len(tag) == 2 else tag.lower()


def is_known(code: str) -> bool:
    """Whether the language part of a code, or a language's name, is in the table."""
    return normal(code).split("-")[0] in table()


def name(code: str) -> str:
    """The English name, with subtags in brackets; the code itself where the language is not known."""
    language, *rest = normal(code).split("-")
    entry = table().get(language)
    if entry is None:
        return "unknown language" if language == UNDETERMINED else normal(code)
    return f"{entry['name']} ({', '.join(rest)})" if rest else str(entry["name"])


@lru_cache(_MOST_CODES)
def comma(code: str) -> str:
    """What stands between the names of a list."""
    return _COMMAS.get(normal(code).split("-")[0], ", ")


def three_letter(code: str) -> str:
    """The three-letter code of the language part, as older tools want it; the code itself where none is known."""
    language = normal(code).split("-")[0]
    return next((other for other in table().get(language, {}).get("codes", ()) if len(other) == 3), language)


@lru_cache(_MOST_CODES)
def direction(code: str) -> str:
    """`rtl` or `ltr`, from the script where the code names one, else from the language."""
    language, *rest = normal(code).split("-")
    scripts = [tag for tag in rest if len(tag) == 4 and tag.isalpha()]
    rtl = scripts[0] in _RTL_SCRIPTS if scripts else bool(table().get(language, {}).get("rtl", False))
    return "rtl" if rtl else "ltr"


@lru_cache(_MOST_CODES)
def direction_of_text(code: str) -> str:
    """`dir` of a text in a language: where that is not known, the text's own letters decide."""
    return "auto" if code == UNDETERMINED else direction(code)


LEFTWARD = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
"""A letter that is read from the right, as a regular expression."""


def is_unspaced(code: str) -> bool:
    """Whether a language is written without spaces between words."""
    return bool(table().get(normal(code).split("-")[0], {}).get("unspaced", False))


UNSPACED = (
    r"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"
    r"\u2e80-\u303f\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without spaces, as a part of a regular expression: Thai, Lao, Tibetan, Burmese, Khmer; Chinese, Japanese."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


def places_of(quote: str, text: str, near: int | None = None) -> list[int]:
    """Where a quotation stands in a text, the nearest place first where it is known about where: whole words where it
    is such anywhere, since the “is” that is meant is not that of “this”."""
    places = [place for place in range(len(text)) if text.startswith(quote, place)]
    if near is not None:
        return sorted(places, key=lambda place: abs(place - near))
    return [at for at in places if not (_in_word(text, at) or _in_word(text, at + len(quote)))] or places


def _in_word(text: str, place: int) -> bool:
    """Whether what stands before and after a place is one word."""
    around = text[max(0, place - 1) : place + 1]
    is_inside = 0 < place < len(text) and all(unicodedata.category(char)[0] in "LMN" for char in around)
    return is_inside and not _UNSPACED.search(around)


def pair(text: str) -> tuple[str, str]:
    """The two languages of a pair such as `en-de`, `eng_deu`, `en-pt_BR` or `en→de`; both `und` if it is none."""
    for arrow in ("→", "->", ">", "|", ":", " to "):
        if arrow in text:
            source, _, target = text.partition(arrow)
            return normal(source), normal(target)
    mark = "-" if "-" in text else "_"
    tags = text.split(mark)
    pairs = [(mark.join(tags[:at]), mark.join(tags[at:])) for at in range(1, len(tags))]
    pairs = [(source, target) for source, target in pairs if is_known(source) and is_known(target)]
    if not pairs:
        return UNDETERMINED, UNDETERMINED
    # `pt-br-en` and `pt-BR-en` are no pairs with Breton: regions are those of their language, or in capital letters
    source, target = min(pairs, key=lambda codes: (not all(map(is_usual, codes)), not codes[1][:2].islower()))
    return normal(source), normal(target)


def is_usual(code: str) -> bool:
    """Whether a language is named without a region, or with one that texts are often localised for."""
    language, _, region = code.casefold().replace("_", "-").partition("-")
    return not region or region in _REGIONS.get(language, "").split()
