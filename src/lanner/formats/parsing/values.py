"""What names and cells mean across formats: language pairs, numbers, missing values, durations, preferences."""

from __future__ import annotations

import ast
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from lanner import registry
from lanner.model import SIDES, TIES, languages


def from_utf16(text: str, offset: int) -> int:
    """The code point at which a UTF-16 offset lies; one inside a surrogate pair counts as the pair's beginning."""
    if offset <= 0 or text.isascii():
        return offset
    units = 0
    for position, char in enumerate(text):
        if units >= offset:
            return position if units == offset else position - 1
        units += 2 if ord(char) > 0xFFFF else 1
    return len(text) + (offset - units) if offset >= units else len(text) - 1


def to_utf16(text: str, offset: int) -> int:
    """The UTF-16 offset of a code point."""
    return offset + sum(ord(char) > 0xFFFF for char in text[: max(offset, 0)])


def problems(text: str | None, start: Any, end: Any, words: str | None) -> tuple[str, ...]:
    """What is wrong with a span, as flags: offsets that mark nothing, or other words than the text has there."""
    if not _whole(start) or not _whole(end) or start < 0 or end <= start:
        return ("bad_offsets",)
    if text is None:
        return ()
    if end > len(text):
        return ("bad_offsets",)
    return ("text_mismatch",) if words is not None and text[start:end] != words else ()


IN_UTF16 = (
    "{n} mark has its place in UTF-16 units, going by its words, and is read so.",
    "{n} marks have their places in UTF-16 units, going by their words, and are read so.",
)
"""What is said of marks that `in_code_points` moved."""


def in_code_points(span: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    """A span that counts UTF-16 units, as browsers do, in code points: where its words stand there and not where they
    should. Other spans as they are."""
    start, end, words = span.get("start"), span.get("end"), span.get("text")
    if not (isinstance(words, str) and _whole(start) and _whole(end) and problems(text, start, end, words)):
        return span
    first, last = from_utf16(text, cast("int", start)), from_utf16(text, cast("int", end))
    return span if problems(text, first, last, words) else {**span, "start": first, "end": last}


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_CODE = r"([a-z]{2,3}(?:_(?:[A-Z]{2}|[A-Z][a-z]{3})\b)?)"
_PAIR = re.compile(rf"(?<![A-Za-z0-9]){_CODE}-{_CODE}(?![A-Za-z0-9])")
_REGIONAL_PAIR = re.compile(r"(?<![A-Za-z0-9])[a-z]{2,3}(?:-[A-Za-z]{2,4}){2,3}(?![A-Za-z0-9])")
_JOINED = re.compile(r"(?<![A-Za-z0-9])([a-z]{2})([a-z]{2})(?![A-Za-z0-9])")
_MISSING = {"", "none", "nan", "na", "n/a", "n.a.", "#n/a", "null", "-", "–", "—"}
_LITERAL_LIMIT = 100_000


def file_languages(path: Path) -> tuple[str, str]:
    """The language pair that a file's name holds, as in `test.en-de.tsv`, `test.pt-br-en.tsv` or, with English alone
    since other words look alike, `ted_ende.tsv`; both `und` if it holds none."""
    regional = [languages.pair(hit[0]) for hit in _REGIONAL_PAIR.finditer(path.name)]
    hits: list[Sequence[str]] = [
        pair for pair in regional if all(map(languages.is_usual, pair)) and "-" in "".join(pair)
    ]
    hits += [hit.groups() for hit in _PAIR.finditer(path.name)]
    hits += [hit.groups() for hit in _JOINED.finditer(path.name) if "en" in hit.groups()]
    for source, target in hits:
        if languages.is_known(source) and languages.is_known(target):
            return languages.normal(source), languages.normal(target)
    return languages.UNDETERMINED, languages.UNDETERMINED


def is_missing(value: Any) -> bool:
    """Whether a cell says that there is no value."""
    return (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or (isinstance(value, str) and value.strip().casefold() in _MISSING)
    )


def is_label_none(texts: Iterable[str]) -> bool:
    """Whether `none` is an answer: it is written like the other words of its column, in small letters or with a
    capital, as programs write `None` among words in small letters for what is missing."""
    words = {text for text in texts if not is_missing(text)}
    nones = {text for text in texts if text.casefold() == "none"}
    return (
        bool(words and nones)
        and not any(map(is_numeric, words))
        and {text[0].isupper() for text in nones} == {text[0].isupper() for text in words}
    )


def number(value: Any) -> int | float | None:
    """The number a cell holds, `4.0` and `4` alike; None if it holds none."""
    if isinstance(value, bool) or value is None or (isinstance(value, str) and "_" in value):
        return None  # Python reads 1_2 as 12
    try:
        parsed_number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(parsed_number):
        return None
    return int(parsed_number) if parsed_number.is_integer() else parsed_number


def is_numeric(value: Any) -> bool:
    """Whether a cell holds a number, also one with a decimal comma or a percent sign."""
    return number(value) is not None or (
        isinstance(value, str)
        and bool(_TYPED_NUMBER.fullmatch(plain_number(value)) or _DOTTED.fullmatch(value.strip()))
    )


def literal_list(text: str) -> list[Any] | None:
    """A list written as JSON or as a Python literal (as pandas writes it into a CSV cell); None if it is neither.
    It has brackets: `2,5` is a number with a decimal comma, not a list."""
    value = _literal(text) if text.lstrip().startswith(("[", "(")) else None
    return list(value) if isinstance(value, list | tuple) else None


def literal_object(text: str) -> dict[str, Any] | None:
    """An object written likewise."""
    value = _literal(text) if text.lstrip().startswith("{") else None
    return value if isinstance(value, dict) else None


def _literal(text: str) -> Any:
    for parse in (json.loads, ast.literal_eval) if len(text) <= _LITERAL_LIMIT else ():
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return parse(text)
    return None


_LONGEST_ANSWER = 40


def is_short_answer(value: Any) -> bool:
    """Whether a value may be an answer to a closed question: a number, a yes or no, a few words, or nothing."""
    return value is None or isinstance(value, int | float) or (isinstance(value, str) and len(value) <= _LONGEST_ANSWER)


_TOOL_VALUES = ("rating", "number", "choices", "text", "datetime")
_VALUES = ("score", "rating", "value", "answer", "label", "grade", "points")


def value_in(part: Mapping[str, Any]) -> str:
    """The name of the answer in an object that says something else of it too: `score` beside `comment`."""
    return next((key for key in part if str(key).casefold() in _VALUES and is_short_answer(part[key])), "")


def unwrapped(value: Any) -> Any:
    """A cell of Label Studio or Doccano as the answer in it: `[{"rating": 3}]` is 3, as `{"rating": 3}` alone is, and
    regions with labels, or `[[0, 3, "minor"]]`, are spans; so are those of Appraise and Pearmut, whose `end_i` is the
    last character, and those that only quote their words as `span`. Anything else as it is."""
    part = literal_object(value) if isinstance(value, str) else value
    if isinstance(part, dict):
        return part[value_in(part)] if len(part) == 1 and value_in(part) else value
    entries = literal_list(value) if isinstance(value, str) else value
    if not isinstance(entries, list) or not entries:
        return value
    first = entries[0]
    if len(entries) == 1 and isinstance(first, dict) and len(first) == 1 and next(iter(first)) in _TOOL_VALUES:
        (answer,) = first.values()
        return answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if all(isinstance(each, list) and [type(part) for part in each] == [int, int, str] for each in entries):
        return [{"start": start, "end": end, "category": label} for start, end, label in entries]
    if all(isinstance(each, dict) and {"start", "end", "labels"} <= each.keys() for each in entries):
        return [_region(each) for each in entries]
    if all(isinstance(each, dict) and ({INCLUSIVE, "span"} & each.keys()) for each in entries):
        return [_marked(each) for each in entries]
    return value


INCLUSIVE = "end_i"
"""The key of a span that names its last character, and not the place behind it."""


def _marked(span: Mapping[str, Any]) -> dict[str, Any]:
    """A span of Appraise, or one that quotes its words, in our terms."""
    about = {
        key: value for key, value in span.items() if key not in ("start_i", INCLUSIVE, "span") and value is not None
    }
    if INCLUSIVE not in span:
        return about if "text" in about or "start" in about else {"text": span["span"], **about}
    start, end = span.get("start_i"), span[INCLUSIVE]
    if not isinstance(start, int) or not isinstance(end, int):
        return {**about, "missing": True}
    return {**about, "start": start, "end": end + 1}


def _region(region: Mapping[str, Any]) -> dict[str, Any]:
    labels = region["labels"] if isinstance(region["labels"], list) else [region["labels"]]
    span = {name: region[name] for name in ("start", "end", "text") if name in region}
    return {**span, "category": labels[0] if labels else None}


def counted(flags: Counter[str], sentences: dict[str, str]) -> list[str]:
    """One note for each flag that occurred, with how often: `sentences` say it of several, `{n}` is the number."""
    notes = []
    for flag, n in flags.items():
        sentence = sentences.get(flag, f"{{n}} judgements are flagged {flag!r}.")
        for many, one in _ONE.items() if n == 1 else ():
            sentence = sentence.replace(many, one, 1)
        notes.append(sentence.format(n=n))
    return notes


_ONE = {
    "{n} judgements are about documents": "{n} judgement is about a document",
    "{n} judgements are about incomplete documents": "{n} judgement is about an incomplete document",
    "{n} judgements are about items": "{n} judgement is about an item",
    "{n} judgements are": "{n} judgement is",
    "{n} judgements hold": "{n} judgement holds",
    "{n} judgements have": "{n} judgement has",
    "{n} judgements show": "{n} judgement shows",
    "{n} scores are": "{n} score is",
    "{n} rows of judges name": "{n} row of a judge names",
}
"""How the sentences begin that `counted` fills, of one."""


def is_canary(text: str, *names: str) -> bool:
    """Whether a line is the mark that test sets carry to be found in training data, by its text or its names."""
    return "canary guid" in text[:200].casefold() or any(name.casefold() == "canary" for name in names)


_TRUE = {"true", "yes", "y", "t", "ja", "oui", "si", "sí", "wahr", "vrai", "예", "네", "はい", "是", "да", "x"}
_FALSE = {"false", "no", "n", "f", "nein", "non", "falsch", "faux", "아니오", "아니요", "いいえ", "否", "нет"}


def is_flag(value: Any) -> bool:
    """Whether a cell says yes or no."""
    return isinstance(value, bool) or str(value).strip().casefold() in _TRUE | _FALSE


def is_false(value: Any) -> bool:
    """Whether a cell says no, in the words and languages of spreadsheets."""
    text = str(value).strip().casefold()
    return value is False or text in _FALSE or text in ("0", "0.0")


def as_text(value: Any) -> str:
    """A cell as text: what a spreadsheet made a number of is written as people typed it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


_SPACES = "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_UNSEEN = _SPACES + "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"


def trimmed(text: str) -> str:
    """A name without spaces around it, nor marks that nobody sees: of no width, or for the direction of writing."""
    return text.strip(_UNSEEN)


def without_accents(text: str) -> str:
    """Without case and accents. Korean syllables, which come apart on the way, are put together again."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", plain)


def slug(text: str) -> str:
    """A heading as an id: small letters, digits and underscores; "" where it has none of them."""
    return re.sub(r"[^a-z0-9]+", "_", without_accents(text)).strip("_")[:60].strip("_")


_MEASURED = re.compile(r"(-?\d{1,15}(?:[.,]\d{1,15})?)\s*(?:%|s|sec|seconds)?", re.I)
_TYPED_NUMBER = re.compile(r"-?\d{1,15}(?:[.,]\d{1,15})?\s*%?|-?[1-9]\d{0,2}(?:,\d{3}){1,4}(?:\.\d{1,15})?")
_IN_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(?:,\d{3}){1,4}(?:\.\d{1,15})?")
_DOTTED = re.compile(r"-?[1-9]\d{0,2}(?:\.\d{3}){1,4}(?:,\d{1,15})?")
_SPACED = re.compile(r"-?[1-9]\d{0,2}(?:[ '’]\d{3}){1,4}(?:[.,]\d{1,15})?")
_FRACTION = re.compile(r"(\d{0,4})\s?([¼½¾⅐-⅞])")
_MARKS = {ord("−"): "-", ord("٫"): ".", ord("٬"): ",", ord("،"): ","}
_SHARE = re.compile(r"(\d{1,4}(?:[.,]\d{1,6})?)\s*(?:/|out of|of|von|sur|из)\s*(\d{1,4})", re.I)
_STEP = r"([+-]?\d{1,3}(?:[.,]\d{1,2})?)"
_LABELLED = re.compile(
    rf"{_STEP}(?:\s*[-–—:=.)]\s*([^\d\s].{{0,80}})|\s*(\([^()\d]{{1,80}}\))"
    r"|\s?([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8})|\s([^\W\d_]\D{0,30}))"
)
"""A step with its name: `4 - good`, `4 (good)`, `4점`, `4 points`."""
_NAMED_STEP = re.compile(rf"([^\W\d_]\D{{0,80}})[:=(\[]\s?{_STEP}\s?[)\]]?")
"""A step behind its name: `good (4)`."""
_SIGNS_OF_STEPS = {"---": -3, "--": -2, "-": -1, "0": 0, "o": 0, "+/-": 0, "±": 0, "=": 0, "+": 1, "++": 2, "+++": 3}
_STARS = re.compile(r"[★⭐]\ufe0f?(?:[★⭐☆]\ufe0f?){0,10}|☆{1,10}")
_PLACE = re.compile(
    r"(\d{1,2})\s?(?:st|nd|rd|th|er|ère|e|ème|[.ºª°]|위|등|位|名|[-‑]?(?:й|е|я|ое|ая|ый))|第\s?(\d{1,2})\s?(?:位|名)?",
    re.I,
)
"""A rank as it is written: 1st, 2., 3º, 1위, 第2位."""
_TWO_DIGITS = re.compile(r":\d\d(?!\d)")
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:[.,]\d{1,6})?)")


_LONGEST_NUMBER = 60


def plain_number(text: str) -> str:
    """What may be a number, as programs write it: in plain digits, with a plain minus, without spaces or apostrophes
    between thousands, `½` as .5. Other text comes back more or less as it was and is no number either."""
    text = text.strip()
    if len(text) > _LONGEST_NUMBER:  # a sentence: each cell of a table is asked, also those with the texts
        return text
    if not text.isascii():
        if hit := _FRACTION.fullmatch(text):
            return str(int(hit[1] or 0) + unicodedata.numeric(hit[2]))
        text = unicodedata.normalize("NFKC", text).strip().translate(_MARKS)
        text = "".join(str(unicodedata.decimal(char, char)) for char in text)
    return re.sub(r"[ '’]", "", text) if _SPACED.fullmatch(text) else text


def dots_in_thousands(texts: Sequence[str]) -> bool:
    """Whether the dots in a column of numbers separate thousands: `1.250,5` beside `980,25`, and never `1.5`."""
    with_dot = [text for text in texts if "." in text]
    return any("," in text for text in with_dot) and all(map(_DOTTED.fullmatch, with_dot))


def measured(text: str) -> float | int | None:
    """A number as people type it: with a decimal comma, a percent sign, seconds, or minutes and seconds, which have
    two digits: `4:5` may be four of five."""
    if hit := _MEASURED.fullmatch(plain_number(text)):
        return number(hit[1].replace(",", "."))
    return clock(text) if _TWO_DIGITS.search(text) else None


def clock(text: str) -> float | None:
    """Seconds of `1:23` or `01:02:03.5`; None for anything else."""
    hit = _CLOCK.fullmatch(text.strip())
    return int(hit[1] or 0) * 3600 + int(hit[2]) * 60 + float(hit[3].replace(",", ".")) if hit else None


def in_thousands(texts: Sequence[str]) -> bool:
    """Whether the commas in a column of numbers separate thousands: `1,250` beside `980`, and never `0,5` or `1,25`."""
    with_comma = [text for text in texts if "," in text]
    return bool(with_comma) and all(_IN_THOUSANDS.fullmatch(text) for text in with_comma)


def steps_of_scale(texts: Sequence[str]) -> list[int | float] | None:
    """The numbers of a scale whose steps are written out: `4/5`, `4 out of 5`, `4 - Good`, `4 points`, `2nd`, `★★★★☆`.
    None where it is not certain: the whole differs (`4/5`, `3/7`), or one number has two names."""
    shares = [_SHARE.fullmatch(text) for text in texts]
    if texts and all(shares):
        wholes = {share[2] for share in shares if share}
        parts = [number(share[1].replace(",", ".")) for share in shares if share]
        return [part for part in parts if part is not None] if len(wholes) == 1 else None
    if texts and all(places := [_PLACE.fullmatch(text) for text in texts]):
        return [int(place[1] or place[2]) for place in places if place]
    if steps := labelled_steps(texts):
        names = {(step, name) for step, name in steps if name}
        return [step for step, _ in steps] if len(dict(names)) == len(names) else None
    if texts and all(map(_STARS.fullmatch, texts)):
        return [sum(char in "★⭐" for char in text) for text in texts]
    if are_signs(texts):
        return [_SIGNS_OF_STEPS[_plain_signs(text)] for text in texts]
    return None


def labelled_steps(texts: Iterable[str]) -> list[tuple[int | float, str]] | None:
    """Numbers with the word beside each, "" where a number stands alone, as between `1 (bad)` and `5 (good)`. None
    unless every cell is one of these and some have a word, or where the words are sides: `1 (left)`, `0 (tie)`."""
    steps = []
    for text in texts:
        step, name = text, ""
        if hit := _LABELLED.fullmatch(text):
            step, name = filter(None, hit.groups())
        elif hit := _NAMED_STEP.fullmatch(text):
            name, step = filter(None, hit.groups())
        value = number(step.replace(",", "."))
        if value is None:
            return None
        steps.append((value, name.strip().casefold()))
    names = {name for _, name in steps if name}
    return steps if names and preferred_sides(names) is None else None


def _plain_signs(text: str) -> str:
    return re.sub("[−–—]", "-", text.strip().casefold())


def are_signs(texts: Iterable[str]) -> bool:
    """Whether answers are steps such as `--`, `-`, `0`, `+` and `++`, where `-` is none that is missing."""
    signs = set(map(_plain_signs, texts))
    return signs <= _SIGNS_OF_STEPS.keys() and bool(signs & {"+", "++", "+++"}) and bool(signs & {"-", "--", "---"})


_CODES = re.compile(r"-?(?:9{2,6}|8{2,6}|7{2,6}|9{1,5}[78])|-[1-9]|[789]")
"""Numbers by which tables say that there is no answer: -1, -99, 9, 88, 999, 998 …"""
KEEP_CODES = "none"
"""What `missing` says where such numbers are answers."""


def missing_codes(numbers: Sequence[int | float]) -> dict[int | float, int]:
    """Codes for missing answers among the answers to one question, with how often each is there: numbers that such
    codes are usually written as, far outside the scale that all others are on. 99 is none among percentages, -1 none
    where other answers are negative or nothing is larger than 2 (a scale from -1 to 1), -1 and -2 none where they are
    the lower half of a scale about 0, 9 none on a scale that goes beyond 5, or where few answers are known."""
    counts = Counter(numbers)
    codes = {value for value in counts if _CODES.fullmatch(str(value))}
    others = {value: n for value, n in counts.items() if value not in codes}
    if len(others) < 2:
        return {}
    low, high, total = min(others), max(others), sum(others.values())
    negative = {-value for value in codes if value < 0}
    if len(negative) > 1 and 0 in others and negative == set(range(1, len(negative) + 1)) and len(negative) >= high - 1:
        codes = {value for value in codes if value > 0}

    def is_outside(code: int | float) -> bool:
        if code < 0:
            return low >= 0 and (high > 2 or code < -9)
        if code < 10:
            return high <= 5 and total >= 10 and len(others) > 2 and low >= 0
        return high <= code / 4 and code - high >= high - low and (code > 99 or total >= 5)

    return {code: counts[code] for code in sorted(codes, key=abs) if is_outside(code)}


_GMT = re.compile(r"\s(?:GMT|UTC)(?:([+-])(1[0-4]|0?\d)(?::?([0-5]\d))?)?$")
_MOMENTS = (
    "%Y/%m/%d %I:%M:%S %p",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
)
_BEGINS_WITH_DATE = re.compile(r"\d{1,4}[./]\d{1,2}[./]\d")
"""What all of these begin with: every cell of a table may be asked, and each shape costs more than this."""
_EARLIEST, _LATEST = 946_684_800, 4_102_444_800  # the years 2000 and 2100, in seconds


def moment(text: str) -> datetime | None:
    """A point in time: ISO 8601, seconds or milliseconds since 1970, or a date whose order of parts is certain."""
    seconds = number(text)
    if seconds is not None:
        seconds = seconds / 1000 if seconds > _LATEST else seconds
        return datetime.fromtimestamp(seconds, UTC) if _EARLIEST <= seconds <= _LATEST else None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        pass
    text, zone = text.strip(), UTC
    if hit := _GMT.search(text):  # as forms of Google write it: 2026/05/01 10:11:00 AM GMT+2
        minutes = int(hit[2] or 0) * 60 + int(hit[3] or 0)
        text, zone = text[: hit.start()], timezone(timedelta(minutes=-minutes if hit[1] == "-" else minutes))
    for shape in _MOMENTS if _BEGINS_WITH_DATE.match(text) else ():
        try:
            return datetime.strptime(text, shape).replace(tzinfo=zone)
        except ValueError:
            continue
    return None


# Places: the ranks of systems, however their column is called

_RANKINGS = {2: 3, 3: 13, 4: 75, 5: 541, 6: 4683, 7: 47293, 8: 545835, 9: 7087261, 10: 102247563}
"""In how many ways so many systems can be ranked with ties (Fubini numbers)."""
_CHANCE = 0.001


def are_places(groups: Iterable[Sequence[Any]]) -> bool:
    """Whether the numbers of each group are the places 1, 2, 3 … of its members, ties allowed, in so many groups that
    scores from 1 to the number of members would hardly ever be so."""
    chance = 1.0
    for group in groups:
        numbers = [number(as_text(value)) for value in group if not is_missing(value)]
        places = [value for value in numbers if value is not None]
        if len(places) < len(numbers) or len(places) > max(_RANKINGS):
            return False
        before = [sum(other < place for other in places) for place in places]
        shared = [(places.count(place) - 1) / 2 for place in places]
        is_ranking = (
            all(place == 1 + n for place, n in zip(places, before, strict=True))
            or all(place == 1 + n + half for place, n, half in zip(places, before, shared, strict=True))
            or sorted(set(places)) == list(range(1, len(set(places)) + 1))
        )
        if not is_ranking:
            return False
        chance *= _RANKINGS.get(len(places), 1) / len(places) ** len(places) if len(places) > 1 else 1
    return chance < _CHANCE


# How long something took


_UNITS = {"milliseconds": 0.001, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[^\W\d_]+")
_PART = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)\s*([^\W\d_]+)\.?\s*")
_PLAIN = re.compile(r"\d{1,12}(?:[.,]\d{1,15})?")
_LONGEST_TIME = 1e8
"""Seconds in three years: larger numbers are moments since 1970."""


@cache
def _duration_words() -> dict[str, frozenset[str]]:
    lists = registry.table("formats.parsing.durations")
    return {name: frozenset(map(without_accents, entries)) for name, entries in lists.items()}


@dataclass(frozen=True, slots=True)
class Heading:
    """What a heading says about times: the unit (empty where it names none), and whether pauses are left out."""

    unit: str = ""
    active: bool = False

    @property
    def seconds(self) -> float:
        """Seconds in one of the unit; without one they are seconds."""
        return _UNITS[self.unit or "seconds"]


@cache
def duration_heading(name: str) -> Heading | None:
    """What the heading of a column says about times; None if it names no duration."""
    words = [without_accents(word) for word in _WORD.findall(name)]
    vocabulary = _duration_words()
    if not words or not vocabulary["other"].isdisjoint(words):
        return None
    units = [
        unit for unit in _UNITS for word in words if word in vocabulary[unit] or word in vocabulary[f"{unit}_short"]
    ]
    has_time = not vocabulary["time"].isdisjoint(words) or without_accents("".join(words)) in vocabulary["time"]
    alone = all(word in vocabulary["beside"] or any(word in vocabulary[unit] for unit in _UNITS) for word in words)
    if not has_time and not (units and alone):
        return None
    if len(set(units)) > 1:
        return None
    return Heading(units[0] if units else "", not vocabulary["active"].isdisjoint(words))


def are_durations(values: Sequence[Any]) -> bool:
    """Whether cells can be times that something took: most are numbers or times, and none is a date."""
    seconds = [duration(as_text(value)) for value in values]
    durations = [value for value in seconds if value is not None]
    return (
        bool(durations) and len(durations) * 2 > len(values) and min(durations) >= 0 and max(durations) < _LONGEST_TIME
    )


def duration(text: str, unit: float = 1.0) -> float | None:
    """Seconds: `12.5` in the unit, `1:23`, `2 min 5 s`, `850 ms`; None for anything else."""
    plain = plain_number(text.strip())
    if _PLAIN.fullmatch(plain):
        value = number(plain.replace(",", "."))
        return None if value is None else float(value) * unit
    if (seconds := clock(text)) is not None:
        return seconds
    total, end = 0.0, 0
    for part in _PART.finditer(text.strip()):
        word = without_accents(part[2])
        own = next(
            (name for name in _UNITS if word in _duration_words()[name] or word in _duration_words()[f"{name}_short"]),
            None,
        )
        if own is None or part.start() != end:
            return None
        total, end = total + float(part[1].replace(",", ".")) * _UNITS[own], part.end()
    return total if end and end == len(text.strip()) else None


# Which of two outputs an answer prefers, however it is worded


Side = Literal["a", "b", "tie"]

_TOKEN = re.compile(r"\d+(?:st|nd)\b|\d+|[^\W\d_\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", re.I)
"""Numbers and words. Korean, Japanese and Chinese characters end a word: in `A가` the word is `A`."""
_SIGNS = re.compile(r"(\w{0,12}?) ?([<>=]{1,3}|≈|~) ?(\w{0,12})")
_MOST = 12
"""How many different answers a column of preferences has; in words, a scale from `A much better` to `B much better`."""


@cache
def _preference_words() -> dict[str, list[str]]:
    own = {"first": [one for one, _ in SIDES], "second": [two for _, two in SIDES], "tie": TIES}
    words = registry.table("formats.parsing.preferences")
    return {kind: [_fold_arabic(word) for word in (*entries, *own.get(kind, ()))] for kind, entries in words.items()}


def preferred_sides(texts: Collection[str], heading: str = "") -> dict[str, Side] | None:
    """What each of the different answers to one question means; None unless all of them are certain.

    Numbers are sides only where the heading asks for a preference: 1 and 2, with 0 for a tie. One answer alone, as
    where all judges prefer one output, and ties alone are certain only below such a heading.
    """
    asks = asks_preference(heading)
    if not 0 < len(texts) <= _MOST or (len(texts) == 1 and not asks):
        return None
    if all(text.strip().lstrip("+-").isdigit() for text in texts):
        return _sides_by_number(texts, heading)
    meanings: dict[str, Side] = {}
    for text in texts:
        meaning = preferred_side(text)
        if meaning is None:
            return None
        meanings[text] = meaning
    return meanings if asks or {"a", "b"} & set(meanings.values()) else None


@lru_cache(maxsize=4096)
def asks_preference(heading: str) -> bool:
    """Whether a heading asks for a preference: `Better one`, `Bevorzugt`, `선호`."""
    plain = _fold_arabic(heading)
    return _says(plain, _TOKEN.findall(plain), "headings")


def preferred_side(text: str) -> Side | None:
    """What one answer means; None where it is not certain."""
    plain = _fold_arabic(text)
    if signs := _SIGNS.fullmatch(plain.strip()):
        return _side_of_comparison(*signs.groups())
    tokens = _TOKEN.findall(plain)
    capitals: list[Side] = ["a" if letter == "A" else "b" for letter in re.findall(r"(?<!\w)[AB](?![a-z])", text)]
    # a small letter beside capitals or in `a tie` is an article
    named = set(capitals) or _sides_named(plain, tokens)
    if _says(plain, tokens, "tie") or any(phrase in plain for phrase in _preference_words()["tie_phrases"]):
        is_article = not capitals and "a" in tokens and len(tokens) > 1
        return "tie" if len(named - {"a"} if is_article else named) != 1 else None
    if _says(plain, tokens, "doubtful"):
        return None
    if len(named) == 1:
        return named.pop()
    than = set(_preference_words()["than"]).intersection(tokens)
    return capitals[0] if len(capitals) == 2 and than else None


def _sides_by_number(texts: Collection[str], heading: str) -> dict[str, Side] | None:
    numbers = {text: int(text) for text in texts}
    # 1 without a 2 may be the second of 0 and 1, or the first of 1 and -1
    if not asks_preference(heading) or not {2} <= set(numbers.values()) <= {0, 1, 2}:
        return None
    meanings: dict[int, Side] = {0: "tie", 1: "a", 2: "b"}
    return {text: meanings[number] for text, number in numbers.items()}


def _side_of_comparison(left: str, sign: str, right: str) -> Side | None:
    """`A>B`, `B>A`, `A=B`, and a sign alone, which stands between the first and the second."""
    first: set[Side] = _sides_named(left, [left]) if left else {"a"}
    second: set[Side] = _sides_named(right, [right]) if right else {"b"}
    if len(first | second) != 2 or len(first) != 1 or len(second) != 1 or len(set(sign)) > 1:
        return None
    if sign[0] in "=≈~":
        return "tie"
    return (first if sign[0] == ">" else second).pop()


def _sides_named(plain: str, tokens: Collection[str]) -> set[Side]:
    sides: set[Side] = {"a"} if _says(plain, tokens, "first") else set()
    return sides | ({"b"} if _says(plain, tokens, "second") else set())


def _says(plain: str, tokens: Collection[str], kind: str) -> bool:
    inside = _preference_words().get(f"{kind}_inside", [])
    return not set(_preference_words()[kind]).isdisjoint(tokens) or any(part in plain for part in inside)


def _fold_arabic(text: str) -> str:
    return without_accents(text).replace("أ", "ا").replace("إ", "ا")


# Which language texts are in, guessed from their script and from frequent function words.
#
# For a preview in which somebody confirms or changes it. A script that one language uses tells it alone; among
# languages that share a script, the one whose function words are found most often is taken.

_ONE_LANGUAGE = 0.99
_FEWEST_WORDS, _LEAST_SHARE = 5, 0.08
"""So few words, or so few of them known, tell nothing."""


class LanguageGuess(NamedTuple):
    """A language code, "" where nothing can be told, and how sure that is, from 0 to 1."""

    code: str = ""
    sure: float = 0.0


def guess_language(texts: Iterable[str]) -> LanguageGuess:
    """The language most of these texts are in."""
    text = " ".join(texts)
    scripts = Counter(script for letter in text if letter.isalpha() and (script := _script(letter)))
    total = sum(scripts.values())
    own = {script: number for script, number in scripts.items() if script in _SCRIPTS}
    if own and sum(own.values()) * 3 >= total:
        if own.keys() & {"HIRAGANA", "KATAKANA"} and scripts["CJK"]:
            return LanguageGuess("ja", _ONE_LANGUAGE)
        return LanguageGuess(_SCRIPTS[max(own, key=lambda script: own[script])], _ONE_LANGUAGE)
    return _by_words(text)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _by_words(text: str) -> LanguageGuess:
    words = ["".join(c for c in word if c.isalpha()) for word in text.casefold().split()]
    counts = Counter(word for word in words if word)
    total = sum(counts.values())
    if total < _FEWEST_WORDS:
        return LanguageGuess()
    hits = {code: sum(counts[word] for word in vocabulary) for code, vocabulary in _function_words().items()}
    first, second = sorted(hits, key=lambda code: -hits[code])[:2]
    if hits[first] < _LEAST_SHARE * total or hits[first] == hits[second]:
        return LanguageGuess()
    return LanguageGuess(first, min(_ONE_LANGUAGE, hits[first] / (hits[first] + hits[second])))


_SCRIPTS: Mapping[str, str] = registry.table("formats.parsing.language_signs")["scripts"]
"""The first word of a letter's Unicode name, and the language whose script that is."""


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    words_by_language = registry.table("formats.parsing.language_signs")["words"]
    return {code: frozenset(words.split()) for code, words in words_by_language.items()}
