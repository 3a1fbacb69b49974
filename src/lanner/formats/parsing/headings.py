"""What the headings of columns say, in the many words and languages that people use: what a column holds, whose it is,
on which scale, in which language. The words are in `headers.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

from lanner import registry
from lanner.formats.parsing.values import is_false, is_flag, without_accents
from lanner.model import SIDES, languages

_NAMES = registry.table("formats.parsing.headers")
"""The names that people give to columns."""


_JUDGES = (
    r"(?:judge|rater|annotator|evaluator|coder|assessor|reviewer|worker|linguist|user|participant|평가자|채점자|bewerter"
    r"|gutachter|prüfer|pruefer|annotateur|évaluateur|relecteur|evaluador|anotador|revisor|juez|juiz|avaliador"
    r"|valutatore|revisore|beoordelaar|hodnotitel|recenzent|評価者|採点者|评估员|评审|标注员|评分员|оценщик|эксперт|асессор)"
)
_JUDGE_WORD = re.compile(rf"^{_JUDGES}[\s_.:#-]*(\w{{0,20}})", re.I)
_JUDGE_AT_END = re.compile(
    rf"(?<![\s_.:/(\[|-])([\s_.:/(\[|-]++)({_JUDGES}[\s_.:#-]*+(?:\d{{1,3}}|[A-Za-z]))[)\]\s]*+$", re.I
)
_OUTPUT_NAMED = re.compile(
    r"^(?:outputs?|systems?|hyps?|hypothes[ie]s|mt|tgt|target|translations?|번역|übersetzung|traduction)([:._ -])(.+)$",
    re.I,
)
_REFERENCE_NAMED = re.compile(r"^(?:references?|refs?)([:._ -])(.+)$", re.I)
_REFERENCE_NUMBERED = re.compile(r"^(?:reference|ref)[A-Z0-9]$", re.I)
NO_NAMES = {"id", "name", "lang", "language", "context", "score", "length", "len", "tokens", "words", "type"}
_BRACKETS = re.compile(r"(?<!\s)\s*+[(\[（【<]([^()\[\]（）【】<>]*)[)\]）】>]\s*")
_SIDES = (*SIDES, ("one", "two"))
"""How two columns of a comparison are told apart, in the last or the first word of their names."""
ROLES = tuple(_NAMES["roles"])
ITEM_ROLES = ("item", "document", "segment", "source", "system", "system_a", "system_b")
"""What says which item a row is about."""
_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
"""Letters with a stroke and the like, which no decomposition makes plain."""


@cache
def fold(name: str) -> str:
    """A header without case, accents, spaces and punctuation."""
    return re.sub(r"[\W_]+", "", without_accents(name).translate(_LETTERS)) or name.strip()


@cache
def _roles_by_spelling() -> dict[str, tuple[str, int]]:
    """Folded spelling to role and how good it is (0 best)."""
    roles: dict[str, tuple[str, int]] = {}
    for role, spellings in _NAMES["roles"].items():
        for place, spelling in enumerate(spellings):
            roles.setdefault(fold(spelling), (role, place))
    return roles


@cache
def spellings_of(*kinds: str) -> frozenset[str]:
    """All spellings of these kinds of columns: output, reference, answer, comment."""
    names = {**_NAMES["texts"], **_NAMES["answers"]}
    return frozenset(fold(name) for kind in kinds for name in names[kind])


def error_words(kind: str) -> dict[str, list[str]]:
    """The words in tables whose rows are errors: of their `columns`, of `severities`, and for `none`."""
    return dict(_NAMES["errors"][kind])


_TO = r"(?:-|–|—|~|\.\.|/|to|bis|à|a|do|до|から|至|到)"
_SCALE = re.compile(
    rf"(?:(?:scale|skala|échelle|escala|шкала|척도|from|von|de|da|od|от|max\.?|out of|sur|/)[\s:]{{0,3}}){{0,2}}"
    rf"(?:(?:-?\d{{1,3}}\s?{_TO}\s?-?\d{{1,3}}|100)(?:\s?(?:%|점|点|分|points?|pts?\.?|Punkte|만점|満点|满分|척도))*"
    rf"|\d{{1,3}}\s?(?:점|点|分)\s?(?:만점|満点|满分|척도|制)?|-?\d{{1,3}}\s?[=:].{{1,80}}|%)"
    rf"|(?:/|out of|sur)\s?\d{{1,3}}",
    re.I,
)
"""What a heading says of its scale: `1-5`, `from 0 to 100`, `/20`, `100점 만점`, `1 = bad, 5 = good`."""
_SCALE_IN_BRACKETS = re.compile(r"[(\[（【]([^()\[\]（）【】]{1,90})[)\]）】]\s{0,3}$")
_SCALE_AT_END = re.compile(r"(?:[\s,:_]{1,3}|(?=/))(/?[^\s,:_/()\[\]]{1,12}(?:\s[^\s,:_/()\[\]]{1,12}){0,3})$")
_NUMBER_AT_END = re.compile(r"(?<!\d)\d{1,2}$|[A-Z]$")


def without_scale(name: str) -> str:
    """A heading without the scale that it names: `Accuracy (1-5)`, `Score 0–100`, `Note /20`, `점수(100점)`."""
    return _split_scale(name)[0]


_BEST = frozenset(
    {"best", "excellent", "perfect", "beste", "meilleur", "mejor", "migliore", "лучший", "最好", "最良", "최고"}
)
_WORST = frozenset({"worst", "schlechteste", "pire", "peor", "peggiore", "худший", "最差", "最悪", "최악"})


@cache
def _split_scale(name: str) -> tuple[str, str]:
    """A heading without its scale, and the scale; "" where it names none."""
    for pattern in (_SCALE_IN_BRACKETS, _SCALE_AT_END):
        hit = pattern.search(name) if len(name) <= 120 else None
        if hit and hit.start():
            # the longest end that is a scale: `Overall from 0 to 100`
            words = hit[1].strip().split(" ")
            for cut in range(len(words)) if pattern is _SCALE_AT_END else (0,):
                scale = " ".join(words[cut:])
                rest = name[: name.rindex(scale)].strip(" ,:_([（【/")
                # without brackets it may be the name of a system: `score GPT 3-5`
                word = re.sub(r"[\s_]?(?:[A-Z]|(?<!\d)\d{1,2})$", "", rest)
                is_sure = pattern is _SCALE_IN_BRACKETS or not {fold(rest), fold(word)}.isdisjoint(
                    {*spellings_of("answer"), "note"}
                )
                if is_sure and _SCALE.fullmatch(scale):
                    return rest, scale
    return name, ""


_ENDS = re.compile(rf"(-?\d{{1,3}})\s?{_TO}\s?(-?\d{{1,3}})", re.I)
_NAMED_STEP = re.compile(r"(-?\d{1,3})\s?[=:]\s?([^\d,;/=:]{1,60})")


def scale_of(name: str) -> tuple[float, float] | None:
    """The ends of the scale that a heading names, the worse one first: (1, 5) for `Accuracy (1-5)`, (5, 1) for
    `Accuracy (1 = best, 5 = worst)`. None where it does not name both."""
    scale = _split_scale(name)[1]
    steps = {int(number): words.strip() for number, words in _NAMED_STEP.findall(scale)}
    if len(steps) > 1:
        low, high = min(steps), max(steps)
        ranks = _steps_in_words([steps[low], steps[high]])
        is_turned = ranks[0] > ranks[1] if ranks else fold(steps[low]) in _BEST or fold(steps[high]) in _WORST
        return (high, low) if is_turned else (low, high)
    hit = _ENDS.search(scale)
    ends = (int(hit[1]), int(hit[2])) if hit else (0, 0)
    return ends if ends[0] < ends[1] else None


def split_suffix(name: str, *, apart: bool = False) -> tuple[str, str]:
    """`訳文A`, `score1` and `mtB` as a word and the letter or number behind it, also where they stand `apart`;
    ("", "") for other names."""
    hit = _NUMBER_AT_END.search(name.strip()) if len(name) <= 60 else None
    word = name.strip()[: hit.start()] if hit else ""
    word = word.rstrip(" _.:-") if apart else word
    if hit is None or not word or not word[-1].isalpha():
        return "", ""
    # `MTA` ends in a letter of its own where MT is a word that one knows
    is_shouted = hit[0].isalpha() and word[-1].isupper()
    return (word, hit[0]) if not is_shouted or fold(word) in spellings_of("output", "reference", "answer") else ("", "")


@cache
def _scales(*groups: str) -> tuple[dict[str, int], ...]:
    """For each scale of words, of all groups or of some, the step of each word."""
    scales = [scale for group in groups or _NAMES["scales"] for scale in _NAMES["scales"][group]]
    return tuple(
        {fold(word): step for step, words in enumerate(scale, 1) for word in words.split("|")} for scale in scales
    )


def steps_in_words(texts: Sequence[str]) -> list[int] | None:
    """The numbers of a scale whose steps are words: `Poor`, `Fair`, `Good`. None where no scale has all the words, or
    two of them at one step, or where there are only two, as `good` and `bad`, which are labels."""
    return _steps_in_words(texts) if len(set(map(fold, texts))) > 2 else None


def _steps_in_words(texts: Sequence[str]) -> list[int] | None:
    scale = _scale_in_words(texts)
    return None if scale is None else [scale[fold(text)] for text in texts]


def _scale_in_words(texts: Iterable[str]) -> dict[str, int] | None:
    words = set(map(fold, texts))
    fits = (s for s in _scales() if words <= s.keys() and len({s[word] for word in words}) == len(words))
    return next(fits, None)


def last_step_in_words(texts: Sequence[str]) -> int | None:
    """The last step of the scale that has these words, which judges may not have chosen; None for `one`, `two`,
    `three`, of which no one knows where they end."""
    scale = _scale_in_words(texts)
    return None if scale is None or scale in _scales("numbers") else max(scale.values())


@cache
def _totals() -> frozenset[str]:
    return frozenset(map(fold, _NAMES["rows"]["total"]))


def is_total(text: str) -> bool:
    """Whether a row that begins with this sums up the others: `Average`, `Summe`, `合計`, `Ø`."""
    return text.strip() in ("Ø", "ø", "Σ") or (len(text) <= 40 and fold(text) in _totals())


def header_score(cells: Iterable[Any]) -> int:
    """How many cells of a row are names of columns that one knows: how much the row looks like a header."""
    names = [str(cell).strip() for cell in cells if cell not in (None, "")]
    return sum(map(_names_column, names)) if len(set(names)) == len(names) else 0


@lru_cache(maxsize=4096)
def _names_column(name: str) -> bool:
    """Whether a cell is the name of a column that one knows. Asked of the cells of first rows, again and again."""
    if len(name) > 60:
        return False
    spellings = {fold(name), fold(without_language(name)[0])}
    words = spellings_of("output", "reference", "answer", "criterion")
    is_known = not (spellings.isdisjoint(_roles_by_spelling()) and spellings.isdisjoint(words))
    return is_known or output_or_reference(name) is not None or names_answer(name)


_APART = re.compile(r"(?<=\w\w)[\s_.:-]+[^\W\d_]$")
"""One letter apart at the end of a name."""


def spelled_role(name: str) -> tuple[str, int] | None:
    """The role of which a header is a known spelling, and how good a one (0 best). `Juez A` is no `jueza`."""
    word = _APART.sub("", name)
    roles = _roles_by_spelling()
    return None if word != name and fold(word) in roles else roles.get(fold(name))


def role_named(name: str) -> str:
    """The role of which a header is a known spelling; "" if there is none."""
    return (spelled_role(name) or ("", 0))[0]


def names_text_or_role(name: str) -> bool:
    """Whether a header is a word for texts, or for what rows are about: a document, a system, a judge."""
    return spelled_role(name) is not None or output_or_reference(name) is not None


def names_judges(name: str) -> bool:
    """Whether a header is a word for judges."""
    return role_named(name) == "judge"


def is_nobody(text: str) -> bool:
    """Whether a cell says that nobody is named: `anonymous`, as forms write it on every row."""
    return fold(text) in _nobody_words()


@cache
def _nobody_words() -> frozenset[str]:
    return frozenset(map(fold, _NAMES["persons"]["nobody"]))


def names_answer(name: str) -> bool:
    """Whether a header is a word for answers, with its scale or without."""
    return fold(name) in spellings_of("answer") or fold(without_scale(name)) in spellings_of("answer")


def names_remark(name: str) -> bool:
    """Whether a header asks for remarks: `Comments`, `Any comments?`, `Kommentar`, `評価コメント`."""
    words = spellings_of("comment")
    together = any(word in fold(name) for word in words if not word.isascii() and not word[0].islower())
    return together or any(fold(part) in words for part in (name, *re.split(r"[\W_]+", name)))


def names_criterion(name: str) -> bool:
    """Whether a header is a word for what may be asked about a translation: fluency, style, terminology."""
    return fold(without_scale(name)) in spellings_of("criterion")


def names_source(name: str) -> bool:
    """Whether a header is a word for source texts."""
    return role_named(name) == "source"


def names_item(names: Iterable[str]) -> bool:
    """Whether one of these headers is a word for what is judged: a document, a segment, a text, a system."""
    roles = {role_named(name) for name in names}
    return bool(roles & set(ITEM_ROLES)) or any(output_or_reference(name) for name in names)


def over_columns(heading: str, name: str) -> str:
    """One name for a column with a heading over it: under `System A` a `Translation` is the output of A and a `Score`
    a score of A."""
    hit = _OUTPUT_NAMED.match(heading)
    about = hit[2] if hit else heading
    if fold(name) in spellings_of("output"):
        return f"output:{about}"
    return f"{name} {about}" if names_answer(name) else f"{heading} {name}"


def sides_of(first: str, second: str) -> tuple[str, str] | None:
    """The words in which two headers differ where these name the two sides and nothing else differs: `a` and `b` of
    `model_a` and `model_b`."""
    words, others = header_words(first), header_words(second)
    differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    return differing[0] if len(words) == len(others) and len(differing) == 1 and differing[0] in _SIDES else None


def says_system(name: str) -> bool:
    """Whether the first word of a header is one for systems: `system 1`, `model_a`."""
    words = header_words(name)
    return bool(words) and role_named(words[0]) == "system"


def says_text(name: str) -> bool:
    """Whether a header says that translations stand below it, as `translation A` and `target:A` do. `MT 1` does not:
    some write the name of the system there."""
    word = (header_words(name) or ("",))[0]
    return word != "mt" and word in spellings_of("output") and _OUTPUT_NAMED.match(name) is not None


@lru_cache(maxsize=4096)
def header_words(name: str) -> tuple[str, ...]:
    """`systemA`, `system_a` and `System A` are the same two words."""
    return tuple(map(str.casefold, re.findall(r"[A-Z](?![a-z])|[A-Z]?[^\W\dA-Z_]+|[^\W\d_]+|\d+", name)))


def side_of(name: str) -> int | None:
    """0 where a name says the first of two sides, 1 for the second, None for neither."""
    words = header_words(name)
    return next((side for side in (0, 1) if any(pair[side] in words for pair in _SIDES)), None)


_WINS = {"wins", "win", "won", "winner", "better", "best", "preferred", "besser", "gewinnt", "meilleur", "mejor"}


def side_that_wins(name: str) -> str:
    """`a` or `b` where a heading asks whether the first or the second of two is better: `sys1_wins`, `A is better`; ""
    where it names neither, both, or what else there may be, as in `A not better`."""
    words = header_words(name)
    sides = [side for word in words for side in (0, 1) if any(pair[side] == word for pair in _SIDES)]
    others = {word for word in words if word not in _WINS and not any(word in pair for pair in _SIDES)}
    known = {"is", "was", "system", "sys", "model", "mt", "output", "translation", "engine", "the", "one"}
    return "ab"[sides.pop()] if len(sides) == 1 and others <= known and not _WINS.isdisjoint(words) else ""


@lru_cache(maxsize=4096)
def output_or_reference(column: str) -> tuple[str, str] | None:
    """Whether a column is an output or a reference, and whose."""
    name = fold(column)
    if name in spellings_of("output"):
        return "output", column
    if name in spellings_of("reference") or _REFERENCE_NUMBERED.match(column):
        return "reference", column
    if names_answer(column):
        return None
    # `Target text (DE)` is a target text with its language, and no output of a system called `text (DE)`
    if _BRACKETS.search(column) and fold(without_language(column)[0]) in spellings_of("output", "reference"):
        return None
    if nested_name := _nested_output(column):
        return nested_name
    for kind, pattern in (("output", _OUTPUT_NAMED), ("reference", _REFERENCE_NAMED)):
        hit = pattern.match(column)
        if hit is None or fold(hit[2]) in NO_NAMES or (hit[1] in " (-_" and named_language(hit[2])):
            continue
        # `System code` and `System (see below)` name no system; `output:code` does
        if hit[1] == ":" or (fold(hit[2]) not in _identifier_words() and not hit[2].startswith(("(", "["))):
            return kind, hit[2]
    word = fold(split_suffix(column, apart=True)[0])
    return next(((kind, column) for kind in ("output", "reference") if word in spellings_of(kind)), None)


def _nested_output(column: str) -> tuple[str, str] | None:
    """`tgt_text.GPT-4`, as an object with a text for each system is flattened: an output, and whose."""
    base, dot, name = column.partition(".")
    kinds = [kind for kind in ("output", "reference") if fold(base) in spellings_of(kind)]
    return (kinds[0], name) if dot and name and kinds and fold(name) not in NO_NAMES else None


def without_language(column: str) -> tuple[str, str]:
    """A column's name without brackets and without a language at its end or beginning, and that language."""
    language = ""
    base = column
    if hit := _BRACKETS.search(column):
        language = named_language(hit[1])
        base = f"{column[: hit.start()]} {column[hit.end() :]}".strip()
    for pattern in (r"^(.+?)[\s_.:/-]+([A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?)$", r"^([^\W\d]+)[\s_.:/-]+(\w+)$"):
        hit = re.match(pattern, base) if not language and len(base) <= 60 else None
        if hit and named_language(hit[2]):
            return hit[1], named_language(hit[2])
        if hit and named_language(hit[1]) and hit[1].casefold() != "is":  # `is_question` asks, and is not Icelandic
            return hit[2], named_language(hit[1])
    return (base or column), language


@cache
def _names_of_languages() -> dict[str, str]:
    return {name.casefold(): code for code, names in _NAMES["languages"].items() for name in names}


@cache
def _identifier_words() -> frozenset[str]:
    return frozenset(map(fold, _NAMES["identifiers"]["words"]))


@cache
def _person_words(kind: str) -> frozenset[str]:
    return frozenset(map(fold, _NAMES["persons"][kind]))


def names_identifier(name: str) -> bool:
    """Whether a header only says that something is named or numbered: `Name`, `ID`, `Nr.`"""
    return fold(name) in _identifier_words()


def names_person(name: str) -> bool:
    """Whether a header is a word for persons, who may be judges."""
    return fold(name) in _person_words("words")


@cache
def _division_words(of: str) -> frozenset[str]:
    return frozenset(map(fold, _NAMES["divisions"][of]))


@cache
def names_division(name: str, of: str) -> bool:
    """Whether a header is a word for a part of a long `text` or of a `study`: `chapter_title`, `Session no.`, with a
    word for numbers or titles or without."""
    words, text = _division_words(of), fold(name)
    others = (*_identifier_words(), *map(fold, _NAMES["roles"]["title"]))
    rests = (rest for other in others for rest in (text.removesuffix(other), text.removeprefix(other)))
    return text in words or any(rest in words for rest in rests)


def names_opinion(name: str) -> bool:
    """Whether a header is a word for what persons think."""
    return fold(name) in _person_words("opinions")


_OF = re.compile(r"\s(?:de l|dell|d)['’]|\s(?:of the|of|de la|del|dell[ao]|de[rs]?|d[aiou]|das|dos|du)\s", re.I)
"""What stands between the two: `ID du document`, `Nom de l'évaluateur`, `Número da frase`."""


@cache
def role_of_identifier(column: str) -> str:
    """The role of a header that is a word for it together with `number`, `name` or the like; "" if there is none."""
    words = _identifier_words()
    name = fold(_OF.sub(" ", without_language(column)[0]))
    for word in sorted(words, key=len, reverse=True):
        for rest in (name.removesuffix(word), name.removeprefix(word)):
            role = role_named(rest)
            # `č` is a word for numbers, and the last letter of `SystemC` is none
            is_word = len(word) > 1 or not column.isascii()
            if is_word and rest not in (name, *words) and role in ("document", "segment", "item", "system", "judge"):
                return role
    return ""


_NO_LANGUAGES = ("id", "mt", "ht")
"""Codes that mean something else in a header: an identifier, machine and human translation."""


@lru_cache(maxsize=4096)
def named_language(name: str) -> str:
    """The language that a header or a part of it names, by code or by name; "" if none."""
    text = name.strip()
    if not text or len(text) > 30:
        return ""
    if text.casefold() in _names_of_languages():
        return _names_of_languages()[text.casefold()]
    code = re.fullmatch(r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{2,4})?", text)
    if (
        code
        and (code[1].islower() or code[1].isupper())
        and languages.is_known(text)
        and (code[1].casefold() not in _NO_LANGUAGES or re.fullmatch(r"..[-_][A-Z]{2}", text))
    ):
        return languages.normal(text)
    return languages.normal(text) if len(text) > 3 and text.isalpha() and languages.is_known(text) else ""


def without_name(column: str, part: str) -> str | None:
    """A name without the system's name at its beginning or end; None where it is not there."""
    name, pattern = column.casefold(), part.casefold()
    if name.endswith(pattern) and not column[-len(part) - 1].isalnum():
        return column[: -len(part)].strip(" _.:/-([|")
    if name.startswith(pattern) and not column[len(part)].isalnum():
        return column[len(part) :].strip(" _.:/-()[]|")
    for left, right in ("()", "[]"):
        if f"{left}{pattern}{right}" in name:
            at = name.index(f"{left}{pattern}{right}")
            return (column[:at] + column[at + len(part) + 2 :]).strip(" _.:/-")
    return None


def has_answer_name(column: str) -> bool:
    """Whether a header is a word for answers, alone or with the judge or the system that they are of."""
    answer_words = spellings_of("answer")
    return names_answer(column) or fold(judge_and_question(column, answer_words)[1]) in answer_words


def judge_and_question(name: str, answer_names: frozenset[str]) -> tuple[str, str]:
    """`score_ann` is a score by ann, `Rater 1` a score by Rater 1, `rater2_fluency` a fluency by rater2, `Is it good?
    (Rater 1)` an answer by Rater 1."""
    name = without_scale(name)
    word, number = split_suffix(name)
    if fold(word) in answer_names:
        return number, word
    pieces = list(re.finditer(r"[^\s_.:/()\[\]|-]+", name))
    for cut in range(1, len(pieces)):
        before = name[pieces[0].start() : pieces[cut - 1].end()]
        after = name[pieces[cut].start() : pieces[-1].end()]
        for question, judge in ((before, after), (after, before)):
            if fold(question) in answer_names:
                return judge, " ".join(re.findall(r"[^\s_.:/()\[\]|-]+", question))
    if (hit := _JUDGE_WORD.match(name)) and not (_counts_judges(name) or _names_no_judge(hit[1])):
        rest = name[hit.end() :].strip(" _.:/-()[]")
        return name[: hit.end()].strip(" _.:-"), rest or "score"
    if (hit := _JUDGE_AT_END.search(name)) and hit.start():
        return hit[2], name[: hit.start()]
    return "", name


def asks_something(name: str) -> bool:
    """Whether one of the words of a heading is one for answers or for what may be asked about a translation."""
    words = spellings_of("answer", "criterion")
    return any(fold(part) in words for part in re.findall(r"[^\W_]+", name))


def _names_no_judge(word: str) -> bool:
    """Whether a word behind one for judges says what they noted or what is known about them: `reviewer note`."""
    return names_remark(word) or fold(word) in NO_NAMES | {"note", "status", "time"}


def _counts_judges(name: str) -> bool:
    """Whether a header says how many judges there were: `annotators`, `raters`."""
    hit = _JUDGE_WORD.match(name)
    return hit is not None and hit[1].casefold() in ("s", "en", "innen") and hit.end() == len(name)


_SYSTEM_WORD = re.compile(
    r"^(?:sys|system|model|engine|mt|nmt|smt|llm|gpt|chatgpt|claude|gemini|llama|mistral|qwen|deepl|google|microsoft"
    r"|bing|amazon|baidu|papago|yandex|nllb|online|baseline|human|ref|reference|pe)(?:[\d.v-]*[a-z]?\d*)$",
    re.I,
)


@cache
def _system_words(kind: str) -> frozenset[str]:
    return frozenset(map(fold, _NAMES["systems"][kind]))


_LETTER_OR_NUMBER = re.compile(r"[\s_.:#-]{0,3}(?:[A-Z]|\d{1,3})$")


def _is_called(name: str, words: str, names: str) -> bool:
    """Whether a name is one of these words, alone or with a letter or number, or has one of these names in it and asks
    for nothing: `MT fluency` does."""
    word = fold(_LETTER_OR_NUMBER.sub("", name.strip())) if len(name) <= 60 else ""
    if word in _system_words(words) or fold(name) in _system_words(words):
        return True
    parts = {fold(part) for part in re.findall(r"[^\W\d_]+", name)}
    return not parts.isdisjoint(_system_words(names)) and parts.isdisjoint(
        spellings_of("answer", "criterion") | {"note"}
    )


def names_engine(name: str) -> bool:
    """Whether a name is one that systems have and judges have not: `DeepL`, `ONLINE-B`, `System A`, `MT2`, `refA`."""
    return _is_called(name, "words", "engines")


def names_language_model(name: str) -> bool:
    """Whether a name is that of a model which translates and judges."""
    return _is_called(name, "model_words", "models")


def says_judge(name: str) -> bool:
    """Whether a name begins with a word for judges: `Rater 1`, `annotator_b`."""
    return _JUDGE_WORD.match(name) is not None


def mentions_judge(name: str) -> bool:
    """Whether a name begins or ends with a word for judges: `Rater 1: good?`, `Is it good? (Rater 1)`."""
    return says_judge(name) or _JUDGE_AT_END.search(name) is not None


def names_usual_system(name: str) -> bool:
    """Whether a name is a word for systems or that of a well-known one."""
    return _SYSTEM_WORD.match(name) is not None


def names_one_judge(name: str) -> bool:
    """Whether a name is one that judges have and systems have not: `Rater 1`, `R2`."""
    return says_judge(name) or _JUDGE_NUMBER.match(name) is not None


_METRIC = re.compile(
    r"(?:(?:sacre)?bleu|chrf|x?comet|wmt\d{2}|h?ter\b|bleurt|bertscore|metricx|yisi|meteor|nist\b|rouge|perplexity"
    r"|ppl\b|gemba|prism\b|blonde\b|wer\b|cer\b)"
    # `COMETKiwi` and `chrFpp` are metrics, `Rouget` is somebody's name
    r"(?:(?![a-z])|kiwi|comet|scores?|doc|qe|da|mbr|pp|free|f\d|x*l(?![a-z])|large|hybrid)",
    re.I,
)
_DERIVED = {"z", "raw", "norm", "normalised", "normalized", "standardised", "standardized", "model", "log"}


def names_metric(name: str) -> bool:
    """Whether a header is the name of an automatic metric."""
    return _METRIC.match(name) is not None


@cache
def _kind_words(kind: str) -> frozenset[str]:
    return frozenset(map(fold, _NAMES["judge_kinds"][kind]))


def kind_in_words(text: str) -> str:
    """The kind of judge that a cell names: `LLM` is a model, `expert` a person; "" for other words."""
    kinds = ("person", "model", "metric", "adjudicated", "simulated")
    return next((kind for kind in kinds if fold(text) in _kind_words(kind)), "")


@cache
def kind_by_name(name: str) -> str:
    """The kind of a judge whose name no person has: a metric, a language model, or answers that were settled or
    averaged; "" for other names. `Claude` may be a person, and `claude-3` is none."""
    if fold(name) in _kind_words("adjudicated") or is_total(name):
        return "adjudicated"
    if names_metric(name):
        return "metric"
    if fold(name) in _kind_words("model") and (len(name) > 2 or name.isupper()):
        return "model"  # `Ai` is a name
    if not names_language_model(name):
        return ""
    parts = {fold(part) for part in re.findall(r"[^\W\d_]+", name)}
    may_be_person = parts & _system_words("models") <= _kind_words("names_of_people")
    is_version = any(map(str.isdigit, name)) or not parts.isdisjoint(_kind_words("versions"))
    return "model" if is_version or not may_be_person else ""


@cache
def _item_roles() -> dict[str, frozenset[str]]:
    return {role: frozenset(map(fold, words)) for role, words in _NAMES["item_roles"].items()}


def asks_control(heading: str) -> bool:
    """Whether a heading asks if something is a control item: `is_control`, `attention check`."""
    return not _item_roles()["flags"].isdisjoint(header_words(heading))


def role_in_words(text: str, heading: str = "") -> str:
    """What an answer is for, as a cell says it: `training` is a tutorial, and yes below `is_control` a control. Other
    words come back as they are."""
    if asks_control(heading) and (is_flag(text) or text in ("0", "1")):
        return "main" if is_false(text) else "control"
    roles = (role for role, words in _item_roles().items() if role != "flags" and fold(text) in words)
    return next(roles, text.casefold())


def is_computed(name: str) -> bool:
    """What no judge is called: `score_bleu`, `z_score` and `mean_score` are what programs computed."""
    return is_total(name) or fold(name) in _DERIVED or names_metric(name)


_JUDGE_NUMBER = re.compile(r"^[rjae][a-z]?\d{1,2}$", re.I)


def is_measure(column: str) -> bool:
    """Numbers about the texts or the row and no answers: lengths, counts, offsets."""
    counts = {"length", "len", "tokens", "words", "chars", "year"}
    return is_index(column) or _counts_judges(column) or not _words(column).isdisjoint(counts)


def is_summary(column: str) -> bool:
    """Numbers that sum up those of other columns, and are no judge's: `Average`, `Mean score`."""
    words = [word for word in re.split(r"[\W_]+", column) if word]
    return is_total(column) or (bool(words) and (is_total(words[0]) or is_total(words[-1])))


def is_index(column: str) -> bool:
    """Numbers that tell rows apart."""
    return not _words(column).isdisjoint({"id", "idx", "index", "order", "number"})


def _words(column: str) -> set[str]:
    return {*re.split(r"[\W_]+", column.casefold()), *header_words(column)}
