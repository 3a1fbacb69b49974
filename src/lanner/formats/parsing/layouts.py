"""Tables whose rows hold several answers, read with a row for each: all answers of a judge, as forms on the web export
them, or rows that order several systems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.headings import (
    ITEM_ROLES,
    fold,
    header_score,
    header_words,
    is_nobody,
    names_answer,
    names_criterion,
    names_engine,
    names_identifier,
    names_item,
    names_judges,
    names_language_model,
    role_named,
    role_of_identifier,
    split_suffix,
    without_scale,
)
from lanner.formats.parsing.values import as_text, asks_preference, is_missing, is_numeric, literal_list, moment

if TYPE_CHECKING:  # which are read without this module where they hold texts alone
    from lanner.formats.parsing.tables import Row, TableRows

_DIGITS = re.compile(r"\d+")
_ITEMS_AT_LEAST = 3


def one_answer_a_row(
    path: Path, rows: TableRows, columns: Mapping[str, str] = MappingProxyType({}), *, is_told: bool = False
) -> TableRows:
    """The same table with a row for each answer; as it is where it has one. What is not clear is asked about, unless
    somebody has told what the `columns` hold, by role, or who judged."""
    named = rows if is_told else _responses(rows)
    of_outputs = _by_slots(path, _by_ranks(path, named), columns.values())
    return _by_items(path, of_outputs, columns, is_told=is_told)


_RESPONSE_NUMBERS = frozenset({"id", "responseid", "respondentid"})


def _responses(rows: TableRows) -> TableRows:
    """A form as Microsoft Forms exports it, with a column `judge` instead of those about the response: its number, when
    it was begun and sent, and who sent it, where `anonymous` or an empty cell is nobody. Other tables as they are."""
    names = rows.header
    is_numbered = bool(rows.sample) and fold(names[0]) in _RESPONSE_NUMBERS
    people = [at for at, name in enumerate(names) if at and (names_judges(name) or names_identifier(name))]
    named = {at: texts for at in people if (texts := [text for text in _cells(rows, at) if not is_nobody(text)])}
    moments = [at for at in (1, 2) if at < len(names) and all(moment(as_text(row[at])) for row in rows.sample)]
    about = {0, *moments, *people}
    others = [at for at in range(len(names)) if at not in about]
    is_form = is_numbered and (len(moments) == 2 or (people and not named))
    if not is_form or any(role_named(names[at]) in ITEM_ROLES for at in others):
        return rows
    judges = {at: texts for at, texts in {**named, 0: _cells(rows, 0)}.items() if len(texts) == len(rows.sample)}
    judge = next(iter(judges), 0)
    if len(set(judges.get(judge, ()))) < len(rows.sample):
        return rows  # somebody answered twice
    responses = ((line, [values[at] for at in (judge, *others)], extra) for line, values, extra in rows.rows)
    note = f"Each row is the response of a judge, who is called after {names[judge]!r}."
    return rows.turned(["judge", *(names[at] for at in others)], responses, note)


def _by_items(
    path: Path, rows: TableRows, columns: Mapping[str, str] = MappingProxyType({}), *, is_told: bool
) -> TableRows:
    """A table with a row for each judge and a column for each item, as forms on the web export it, with a row for each
    answer; other tables as they are. The columns differ in a number, `Sentence 1: how good is it?`, `Sentence 2: …`, or
    in what stands in brackets behind one question, `How good is it? [The cat sat.]`, or name a system or a question as
    well, `Text 1 [DeepL]`."""
    told = columns.get("judge", "")
    judge = next((at for at, name in enumerate(rows.header) if name == told or names_judges(name)), None)
    judges = [row[judge] for row in rows.sample] if judge is not None else []
    if judge is None:
        return _by_nameless_judges(path, rows, is_told=is_told)
    if not judges or len(set(judges)) < len(judges):
        return rows
    # where each row is another judge, `Nr.` counts the judges
    about_judges = {judge, *(at for at in range(len(rows.header)) if _numbers_rows(rows, at))}
    about_judges -= {at for at, name in enumerate(rows.header) if name in columns.values() and at != judge}
    parts = _crossed(rows.header) or _grids(rows.header)
    if parts and not names_item(name for at, name in enumerate(rows.header) if at not in (*parts, *about_judges)):
        return _one_row_per_item(rows, judge, parts)
    shapes = (_without_numbers, _before_number, _before_brackets)
    kinds = next((kinds for shape in shapes if (kinds := _alike(rows.header, shape))), {})
    places = max(kinds.values(), key=len, default=[])
    others = [name for at, name in enumerate(rows.header) if at not in (*places, *about_judges)]
    if not places or judge in places or header_score(others) > 1 or names_item(others):
        return rows
    numbers = [number for at in places if (number := _leading_number(rows.header[at]))]
    is_asked_again = _before_number(rows.header[places[0]]) in kinds and len(set(numbers)) < len(numbers)
    if len(kinds) > 1 or is_asked_again:
        examples = [rows.header[same[0]] for same in list(kinds.values())[:3]]
        raise InputError(
            f"Each row is a judge, and columns of {max(len(kinds), 2)} kinds hold answers "
            f"({', '.join(map(repr, examples))}): whether they are about different systems or "
            "ask different questions is not said.",
            code="several_kinds_of_items",
            where=Where(path, rows.line),
            next_step="Make a table with a row for each judge and item: columns judge, document, segment, system, and "
            "one for each question.",
        )
    items = {at: _short_name(rows.header[at]) for at in places}
    if len(set(items.values())) < len(items):
        items = {at: str(number) for number, at in enumerate(places, 1)}
    return _one_row_per_item(rows, judge, {at: _Part(item, "", "") for at, item in items.items()})


def _numbers_rows(rows: TableRows, at: int) -> bool:
    """Whether a column such as `Nr.` holds 1, 2, 3 … from the first row to the last."""
    in_order = [str(number) for number in range(1, len(rows.sample) + 1)]
    return names_identifier(rows.header[at]) and _cells(rows, at) == in_order


def _by_nameless_judges(path: Path, rows: TableRows, *, is_told: bool) -> TableRows:
    """The same where a form asked for no name, and every row begins with the moment when it was sent. Without moments a
    row may be an item as well, and each column a judge's, so that it is asked about."""
    first = role_named(rows.header[0]) if rows.header else ""
    is_timed = first == "answered_at" and bool(rows.sample) and all(moment(as_text(row[0])) for row in rows.sample)
    cells = [cell for row in rows.sample for cell in row if not is_missing(cell)]
    is_asked = not (is_told or rows.is_survey) and sum(map(is_numeric, cells)) * 2 > len(cells)
    if not (is_timed or is_asked):
        return rows
    start = int(is_timed)
    header = ["judge", *rows.header[start:]]
    numbered = ((line, [f"row {line}", *values[start:]], extra) for line, values, extra in rows.rows)
    sample: list[Sequence[Any]] = [[f"row {number}", *values[start:]] for number, values in enumerate(rows.sample)]
    judges = replace(rows, header=header, rows=numbered, sample=sample)
    turned = _by_items(path, judges, is_told=is_told)
    if turned is judges:
        return rows
    if not is_timed:
        raise InputError(
            f"The columns ask the same about several items ({', '.join(map(repr, rows.header[:2]))}, …), and nothing "
            "names the judges.",
            code="no_judge_column",
            names={"columns": ", ".join(rows.header)},
            where=Where(path, rows.line),
            next_step="If each row holds the answers of one judge, say which column names the judge: --columns "
            "judge=COLUMN; without one, add a first column `judge`. If each column holds those of one judge, add a "
            "first column `segment` and call the others after the judges.",
        )
    turned.notes.append("No column names the judges: each row is one, called after its line.")
    return turned


_PLACE = re.compile(
    r"(?:rank|place|platz|rang|puesto|lugar|posto|miejsce|место)?[\s_.:#-]{0,2}(\d{1,2})(?:st|nd|rd|th|er|e|º|°|위|位)?"
    r"(?:[\s_](?:rank|place|choice|best))?",
    re.I,
)
_ORDINALS = {name: place for place, name in enumerate(("first", "second", "third", "fourth", "fifth"), 1)}
_ORDERED_AT_LEAST = 3
"""Two columns `first` and `second` may be the sides of a comparison, and `A > B` is a preference."""
_ORDER_WORDS = frozenset({"rank", "ranks", "ranking", "order", "ordering", "rangfolge", "reihenfolge", "classement"})
_ORDER_WORDS |= {
    "clasificacion",
    "clasificación",
    "classifica",
    "ranglijst",
    "순위",
    "순서",
    "排名",
    "排序",
    "順位",
    "順番",
}
_BEST_WORDS = frozenset({"best", "most", "beste", "bestes", "mejor", "meilleur", "meilleure", "migliore", "melhor"})
_WORST_WORDS = frozenset({"worst", "least", "schlechteste", "schlechtestes", "peor", "pire", "peggiore", "pior"})

Order = list[list[str]]
"""Systems by place, the best first; those that share a place stand together."""


def _by_ranks(path: Path, rows: TableRows) -> TableRows:
    """A table whose rows each order several systems, with a row and a rank for each system; other tables as they are.
    The order stands in a column for each place (first, second, third), in one cell (`B > A = C`), or in columns for the
    best and the worst of those in other columns."""
    for orders in (_columns_of_places, _cells_of_orders, _best_and_worst):
        if (ranking := orders(rows)) is not None:
            return _one_row_per_system(path, rows, ranking)
    return rows


class _Ranking(NamedTuple):
    """Where the order of systems stands in each row, how it is read, and what is to be said of that."""

    columns: Sequence[int]
    answers: Sequence[int]
    """Those of the columns that a judge filled in."""
    order: Callable[[Sequence[Any]], Order]
    note: str


def _one_row_per_system(path: Path, rows: TableRows, ranking: _Ranking) -> TableRows:
    others = [at for at in range(len(rows.header)) if at not in ranking.columns]

    def ranks() -> Iterator[Row]:
        for line, values, extra in rows.rows:
            before = 0
            order = ranking.order(values)
            if not order and not all(is_missing(values[at]) for at in ranking.answers):
                columns = " and ".join(repr(rows.header[at]) for at in ranking.answers)
                words = ", ".join(as_text(values[at]) for at in ranking.answers)
                step = "Correct the row, or empty these cells if it was not answered."
                textfile.failed(path, f"{columns}: {words!r} is no order of the systems.", line, step)
            for systems in order:
                rank = before + (len(systems) + 1) / 2  # those of one place share the mean of theirs
                for system in systems:
                    yield line, [*(values[other] for other in others), system, f"{rank:g}"], extra
                before += len(systems)

    return rows.turned([*(rows.header[at] for at in others), "system", "rank"], ranks(), ranking.note)


def _cells(rows: TableRows, at: int) -> list[str]:
    return [as_text(row[at]).strip() for row in rows.sample if not is_missing(row[at])]


def _columns_of_places(rows: TableRows) -> _Ranking | None:
    places: dict[int, int] = {}
    for at, name in enumerate(rows.header):
        hit = _PLACE.fullmatch(name.strip())
        if name.strip().isdecimal():
            continue  # a number alone may be a judge or an item
        if place := int(hit[1]) if hit else _ORDINALS.get(name.strip().casefold().removesuffix(" choice"), 0):
            places[place] = at
    if len(places) < _ORDERED_AT_LEAST or sorted(places) != list(range(1, len(places) + 1)):
        return None
    in_order = [at for _, at in sorted(places.items())]
    columns = [[as_text(row[at]).strip() for row in rows.sample] for at in in_order]
    names = {name for column in columns for name in column} - {""}
    in_several = all(sum(name in column for column in columns) > 1 for name in names)
    is_order = all(len(set(entry)) == len(entry) for entry in zip(*columns, strict=True))
    if not names or not is_order or not (in_several or all(map(names_engine, names))) or any(map(is_numeric, names)):
        return None
    note = f"Each of {len(places)} columns ({rows.header[places[1]]}, …) names the system that came in that place."
    return _Ranking(
        in_order, in_order, lambda row: [[as_text(row[at])] for at in in_order if not is_missing(row[at])], note
    )


def _read_order(text: str, *, has_commas: bool) -> Order:
    """`B > A = C` as its systems by place; with `has_commas`, `B, A, C` and lists too. Empty for anything else."""
    names = literal_list(text) if has_commas else None
    if names is not None:
        return [[as_text(name).strip()] for name in names]
    marks = r"[>≻→;,]+" if has_commas else r"[>≻→]+"
    order = [[name.strip() for name in re.split(r"[=~≈]+", place)] for place in re.split(marks, text)]
    names = [name for place in order for name in place]
    return order if len(names) > 1 and all(names) and len(set(names)) == len(names) else []


def _cells_of_orders(rows: TableRows) -> _Ranking | None:
    if any(role_named(name) == "system" for name in rows.header):
        return None
    for at, name in enumerate(rows.header):
        has_commas = not _ORDER_WORDS.isdisjoint(header_words(name))
        orders = [_read_order(text, has_commas=has_commas) for text in _cells(rows, at)]
        counts = Counter(system for order in orders for place in order for system in place)
        # the same few systems are ordered again and again
        come_again = orders and min(counts.values(), default=0) * 2 > len(orders) and len(orders) > 1
        if all(orders) and come_again and len(counts) >= _ORDERED_AT_LEAST and not any(map(is_numeric, counts)):

            def order(row: Sequence[Any], at: int = at, *, has_commas: bool = has_commas) -> Order:
                return [] if is_missing(row[at]) else _read_order(as_text(row[at]), has_commas=has_commas)

            return _Ranking(
                [at], [at], order, f"Each cell of {name!r} orders the systems ({', '.join(counts)}), best first."
            )
    return None


def _best_and_worst(rows: TableRows) -> _Ranking | None:
    """The columns of best–worst scaling: the best and the worst of the systems that the other columns name. Those in
    between share the places between them."""
    words = [set(header_words(name)) for name in rows.header]
    pairs = [
        (best, worst)
        for best, worst in permutations(range(len(words)), 2)
        if words[best] & _BEST_WORDS
        and words[worst] & _WORST_WORDS
        and words[best] - _BEST_WORDS == words[worst] - _WORST_WORDS
    ]
    if len(pairs) != 1 or not rows.sample:
        return None
    best, worst = pairs[0]
    answered = [row for row in rows.sample if not is_missing(row[best]) and not is_missing(row[worst])]
    pairs_chosen = [{as_text(row[best]).strip(), as_text(row[worst]).strip()} for row in answered]
    chosen = set[str]().union(*pairs_chosen)
    named = [at for at in range(len(words)) if at not in (best, worst) and chosen & set(_cells(rows, at))]
    names = {name for at in named for name in _cells(rows, at)}
    strays = sum(not pair <= names for pair in pairs_chosen)  # a row with a misspelt name is told with its line
    if len(named) < _ORDERED_AT_LEAST or strays * 10 > len(answered):
        return None
    if len(names) > max(len(named), len(rows.sample) // 2):
        return None

    def order(row: Sequence[Any]) -> Order:
        first, last = as_text(row[best]).strip(), as_text(row[worst]).strip()
        names = [name for at in named if (name := as_text(row[at]).strip())]
        between = [name for name in names if name not in (first, last)]
        return [[first], between, [last]] if first != last and {first, last} <= set(names) else []

    header = rows.header
    return _Ranking(
        [best, worst, *named],
        [best, worst],
        order,
        f"{header[best]!r} and {header[worst]!r} are the best and the worst of the {len(named)} systems in "
        f"{header[named[0]]!r} to {header[named[-1]]!r}; those in between share the places between them.",
    )


class _Part(NamedTuple):
    """What the heading of a column says its answers are about."""

    item: str
    system: str
    question: str


def _crossed(header: Sequence[str]) -> dict[int, _Part]:
    """The columns for each item and system, or item and question, as `Text 1 [DeepL]`, `Doc 2 - System A`,
    `T3_adequacy`: what each is about. Empty where that is not known of all columns about an item."""
    pieces = {
        at: [piece.strip() for piece in re.split(r"\s[-–—]\s|[:\[\]()|_]", name) if piece.strip()]
        for at, name in enumerate(header)
    }
    parts: dict[int, _Part] = {}
    for at, own in pieces.items():
        systems = [piece for piece in own if names_engine(piece) or names_language_model(piece)]
        questions = [piece for piece in own if names_criterion(piece) or names_answer(piece)]
        items = [piece for piece in own if piece not in systems and piece not in questions]
        if len(items) == 1 and _DIGITS.search(items[0]) and 0 < len(systems) + len(questions) == len(own) - 1:
            parts[at] = _Part(items[0], "".join(systems), "".join(questions))
    items_known = {part.item for part in parts.values()}
    for at in set(pieces) - set(parts):  # beside `Text 1 [DeepL]`, `Text 1 [Ours]` is about a system of an unknown name
        names = [piece for piece in pieces[at] if piece not in items_known]
        if len(names) < len(pieces[at]):
            if len(names) != 1 or not all(part.system and not part.question for part in parts.values()):
                return {}
            parts[at] = _Part(next(piece for piece in pieces[at] if piece in items_known), names[0], "")
    same_pieces = len({(bool(part.system), bool(part.question)) for part in parts.values()}) == 1
    is_new = len(set(parts.values())) == len(parts) and len(items_known) > 1
    return dict(sorted(parts.items())) if same_pieces and is_new else {}


_SLOT = re.compile(r"[1-9]\d?|[a-j]")
_SLOTS_AT_LEAST = 3
"""Two systems whose names stand in columns are compared."""


def _slots(header: Sequence[str]) -> dict[str, dict[str, int]]:
    """The columns that differ in one letter or number, by the rest of their headings and by that: `score_1`, `score_2`,
    or `system1Id`, `system2Id`."""
    columns: dict[str, dict[str, int]] = {}
    for at, name in enumerate(header):
        words = header_words(without_scale(name))
        slots = [place for place, word in enumerate(words) if _SLOT.fullmatch(word)]
        if len(slots) == 1 and len(words) > 1:
            rest = " ".join(word for place, word in enumerate(words) if place != slots[0])
            columns.setdefault(rest, {})[words[slots[0]]] = at
    return columns


def _by_slots(path: Path, rows: TableRows, told: Collection[str]) -> TableRows:
    """A table whose rows hold several outputs, each with its answers and the name of its system, which may stand in any
    place (`system_1`, `score_1`, `system_2`, …), with a row for each output; other tables as they are, and where
    somebody has told what one of these columns holds."""
    columns = _slots(rows.header)
    names = [rest for rest, places in columns.items() if _are_names_of_systems(rows, rest, list(places.values()))]
    if len(names) != 1:
        return rows
    systems = columns.pop(names[0])
    of_each = {rest: places for rest, places in columns.items() if places.keys() == systems.keys()}
    word = names[0].split(" ")[0]
    called = {rest: rest.removeprefix(f"{word} ") for rest in of_each}  # `rank` of `system1rank`
    if not any(names_answer(name) or names_criterion(name) for name in called.values()):
        return rows
    taken = {at for places in (systems, *of_each.values()) for at in places.values()}
    if any(rows.header[at] in told for at in taken):
        return rows
    others = [at for at in range(len(rows.header)) if at not in taken]
    if about_all := [
        rows.header[at] for at in others if names_answer(rows.header[at]) or asks_preference(rows.header[at])
    ]:
        raise InputError(
            f"Each row holds answers about {len(systems)} outputs, and in {', '.join(map(repr, about_all))} one about "
            "all of them.",
            code="several_kinds_of_items",
            names={"columns": ", ".join(about_all)},
            where=Where(path, rows.line),
            next_step="Put these columns into a table of their own.",
        )

    def outputs() -> Iterator[Row]:
        for line, values, extra in rows.rows:
            for slot, at in systems.items():
                if not is_missing(values[at]):
                    own = (values[places[slot]] for places in of_each.values())
                    yield line, [*(values[other] for other in others), values[at], *own], extra

    header = [*(rows.header[at] for at in others), "system", *called.values()]
    if len(set(header)) < len(header):
        return rows
    first = rows.header[next(iter(systems.values()))]
    note = f"Each row holds {len(systems)} outputs, and {first!r} and the columns like it name their systems."
    return rows.turned(header, outputs(), note)


def _are_names_of_systems(rows: TableRows, heading: str, columns: Sequence[int]) -> bool:
    """Whether columns below such a heading name the systems of several outputs: a few names that come again, each once
    in a row."""
    if len(columns) < _SLOTS_AT_LEAST or "system" not in (role_named(heading), role_of_identifier(heading)):
        return False
    cells = [[as_text(row[at]).strip() for at in columns if not is_missing(row[at])] for row in rows.sample]
    names = Counter(name for row in cells for name in row)
    are_once = all(len(set(row)) == len(row) for row in cells)
    return (
        are_once and not all(map(is_numeric, names)) and len(names) * 2 <= sum(names.values()) and len(rows.sample) > 1
    )


_ROW_OF_GRID = re.compile(r"^(.+)\[([^\[\]]++)\]\s*+$")


def _grids(header: Sequence[str]) -> dict[int, _Part]:
    """The columns of several grids of a form whose rows are the same items: `Is it fluent? [Text 1]` and `Is it
    adequate? [Text 1]`. Empty where rows are not called so, or are not the same everywhere."""
    hits = {at: hit for at, name in enumerate(header) if (hit := _ROW_OF_GRID.search(name))}
    rows: dict[str, set[str]] = {}
    for hit in hits.values():
        rows.setdefault(hit[1].strip(), set()).add(hit[2].strip())
    items = set().union(*rows.values())
    are_items = all(role_named(split_suffix(item, apart=True)[0]) in (*ITEM_ROLES, "source") for item in items)
    are_questions = not any(role_named(split_suffix(name, apart=True)[0]) in ITEM_ROLES for name in rows)
    is_crossed = len(rows) > 1 < len(items) and all(own == items for own in rows.values())
    if not (is_crossed and are_items and are_questions and len(hits) == len(rows) * len(items)):
        return {}
    return {at: _Part(hit[2].strip(), "", hit[1].strip()) for at, hit in hits.items()}


def _one_row_per_item(rows: TableRows, judge: int, parts: Mapping[int, _Part]) -> TableRows:
    """The answers of each judge with a row for each item and system, and a column for each question."""
    questions = list(dict.fromkeys(part.question or "score" for part in parts.values()))
    has_systems = any(part.system for part in parts.values())
    columns: dict[tuple[str, ...], dict[str, int]] = {}
    for at, part in parts.items():
        key = (part.item, part.system) if has_systems else (part.item,)
        columns.setdefault(key, {})[part.question or "score"] = at

    def answers() -> Iterator[Row]:
        for line, values, _ in rows.rows:
            for key, places in columns.items():
                yield line, [values[judge], *key, *(values[places[q]] if q in places else None for q in questions)], {}

    has_questions = len(questions) > 1
    about = " and ".join(
        ["an item", *(["a system"] if has_systems else []), *(["a question"] if has_questions else [])]
    )
    note = f"Each row is a judge, and each of {len(parts)} columns is about {about} ({rows.header[min(parts)]}, …)."
    if unread := [name for at, name in enumerate(rows.header) if name and at != judge and at not in parts]:
        note += f" Not read: {', '.join(unread)}."
    header = [rows.header[judge], "item", *(["system"] if has_systems else []), *questions]
    return rows.turned(header, answers(), note)


def _alike(header: Sequence[str], shape: Callable[[str], str]) -> dict[str, list[int]]:
    """The columns of each shape that several have, by their places."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(header):
        if key := shape(name):
            places.setdefault(key, []).append(at)
    return {key: same for key, same in places.items() if len(same) >= _ITEMS_AT_LEAST}


def _without_numbers(name: str) -> str:
    """`Sentence 2: how good is it?` without its numbers."""
    return _DIGITS.sub("#", name) if _DIGITS.search(name) else ""


def _before_number(name: str) -> str:
    """The beginning of `2. The dog ran.` or `Sentence 2: The dog ran.`, where the rest is the item itself."""
    hit = re.match(r"(\D{0,24})\d{1,4}[.):\]]\s", name)
    return f"{hit[1]}#" if hit else ""


def _leading_number(name: str) -> str:
    hit = _DIGITS.search(name)
    return hit[0] if hit and _before_number(name) else ""


def _before_brackets(name: str) -> str:
    """The question before an item in brackets."""
    question, bracket, rest = name.partition("[")
    return question.strip() if bracket and rest.rstrip().endswith("]") else ""


def _short_name(heading: str) -> str:
    """`Sentence 1` of `Sentence 1: how good is this translation?`; a short heading as it is."""
    if bracket := re.fullmatch(r"[^\[]*\[(.*)\]\s*", heading):
        return bracket[1].strip()
    hit = re.match(r"\D{0,24}\d+", heading)
    return heading if len(heading) <= 24 or hit is None else hit[0].strip()
