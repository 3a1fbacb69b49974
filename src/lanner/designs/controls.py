"""Control items among the others: spoiled texts, repeats and items whose answer is known. Judges cannot tell.

Amounts are numbers of items for each judge and page, or shares below 1; a table gives them by unit (`sentence`,
`document`) or by page. Pages without translations, as FALCON's labels, have no spoiled items. Spoiled items take the
place of main items (`in_place`), as in Läubli, Sennrich and Volk 2018, where 5 of 55 documents and 16 of 120 sentences
were nonsense; or they are added, at least `spacing` items after the unspoiled one, as in direct assessment. A degraded
output that is rated alone is always added, since it is compared with the judge's own rating of the original. The same
items are spoiled for every judge who has them.

Sentences in context are not torn from their documents: a repeat, or a spoiled item that is added, is the whole
document again, with the spoiled sentences as controls and the others as repeats. A number of repeats is then one of
documents; a share is one of items, as near as whole documents come to it.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.random import Generator

from lanner.designs import expected
from lanner.designs._insertion import Key, by_judge, insert_items, key_of, repeat_items
from lanner.designs._layout import is_about_the_judge, is_isolated
from lanner.errors import DesignError, check_known
from lanner.model import Document, Item, Json, Object, Protocol, Role, Stage, Task, Unit, languages

Amount = float | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Controls:
    """How many control items of each kind. `shuffled`: words in chance order; `swapped`: the translation of another
    text; `degraded`: a stretch replaced by another text's; `repeats`: the same again; `gold`: items with `expected`
    rules, given to everyone who works on their page."""

    shuffled: Amount = 0
    swapped: Amount = 0
    degraded: Amount = 0
    repeats: Amount = 0
    gold: tuple[Item, ...] = ()
    in_place: bool = True
    spacing: int = 10

    @classmethod
    def from_settings(cls, settings: Mapping[str, Json]) -> Controls:
        """From a campaign's settings: `controls = {shuffled = {sentence = 16, document = 5}, repeats = 0.05}`."""
        names = [field.name for field in fields(cls)]
        for name in settings:
            check_known(name, names, f"There are no controls called {name!r}.", DesignError)
        gold = tuple(known_item(entry, Role.CONTROL) for entry in settings.get("gold", ()))
        return cls(**{**settings, "gold": gold})


def known_item(entry: Mapping[str, Json], role: Role) -> Item:
    """An item with its expected answers from settings: document, segment, systems, texts, expected."""
    return Item(
        str(entry.get("document", "")),
        str(entry.get("segment", "")),
        tuple(entry.get("systems", ())),
        role,
        dict(entry.get("texts", {})),
        dict(entry.get("expected", {})),
    )


def add(
    tasks: Sequence[Task], documents: Sequence[Document], protocol: Protocol, controls: Controls, *, rng: Generator
) -> list[Task]:
    """The tasks with their control items. The tasks of a judge stay in their order."""
    result = list(tasks)
    pages = {
        page: stages
        for page, stages in protocol.pages.items()
        if not is_about_the_judge(stages) and any(task.page == page for task in tasks)
    }
    _check_amounts(controls, pages)
    for page, stages in pages.items():
        for kind in KINDS:
            amount = _amount(getattr(controls, kind), page, stages)
            if amount <= 0 or not _shows_outputs(stages):
                continue
            spoiled = ControlSpoiler(documents, stages, kind, rng)
            in_place = controls.in_place and (kind != "degraded" or _compares(stages))
            can = _main(result, page) if in_place else _early(result, page, stages, controls.spacing)
            keys = _choose_items(result, page, can, amount=amount, kind=kind, spoiled=spoiled, rng=rng)
            if in_place:
                result = [_in_place(task, page, keys, spoiled) for task in result]
            else:
                result = _add_copies(result, page, stages, keys, spoiled, spacing=controls.spacing, rng=rng)
        repeats = _amount(controls.repeats, page, stages)
        result = _add_repeats(result, page, stages, repeats, spacing=controls.spacing, rng=rng)
        result = insert_items(result, page, stages, [item for item in controls.gold if _asks(stages, item)], rng)
    return result


def _check_amounts(controls: Controls, pages: Mapping[str, Sequence[Stage]]) -> None:
    """Refuse amounts for pages that do not exist or show nothing to spoil, and items that nobody could miss."""
    for kind in (*KINDS, "repeats"):
        amount = getattr(controls, kind)
        for name in amount if isinstance(amount, Mapping) else ():
            check_known(
                name,
                ["sentence", "document", *pages],
                f"The controls {kind!r} name {name!r}, which is no page of this protocol.",
                DesignError,
            )
            if kind in KINDS and amount[name] > 0 and name in pages and not _shows_outputs(pages[name]):
                raise DesignError(
                    f"Page {name!r} shows no translation that could be {kind}.", next_step=f"Leave out {name!r}."
                )
        wanted = [stages for page, stages in pages.items() if _amount(amount, page, stages) > 0]
        if kind not in KINDS or not wanted:
            continue
        spoilt = [stages for stages in wanted if _shows_outputs(stages)]
        if not spoilt:
            raise DesignError(
                f"No page of this protocol shows a translation that could be {kind}.",
                next_step="Leave these control items out; repeated items are possible.",
            )
        if not all(expected.of_nonsense(stages, 0) for stages in spoilt):
            raise DesignError(
                f"Nothing this protocol asks would show whether a judge noticed that a translation is {kind}.",
                next_step="Leave these control items out, or give items with the answers you expect (gold).",
            )


def _shows_outputs(stages: Sequence[Stage]) -> bool:
    return any(stage.object in (Object.OUTPUT, Object.OUTPUTS) for stage in stages)


def _amount(amount: Amount, page: str, stages: Sequence[Stage]) -> float:
    if not isinstance(amount, Mapping):
        return float(amount)
    unit = "document" if all(stage.unit is Unit.DOCUMENT for stage in stages) else "sentence"
    return float(amount.get(page, amount.get(unit, 0)))


def _compares(stages: Sequence[Stage]) -> bool:
    return any(stage.object is Object.OUTPUTS for stage in stages)


def _asks(stages: Sequence[Stage], item: Item) -> bool:
    """Whether a page asks about such an item: a sentence or a document, of so many outputs."""
    fits_unit = any((stage.unit is Unit.DOCUMENT) is not bool(item.segment) for stage in stages)
    comparing = _compares(stages)
    alone = any(stage.object is Object.OUTPUT for stage in stages)
    return fits_unit and (comparing if len(item.systems) > 1 else alone if item.systems else not (comparing or alone))


def _main(tasks: Sequence[Task], page: str) -> dict[str, list[Key]]:
    """The main items of a page by judge."""
    mine: dict[str, list[Key]] = {}
    for task in tasks:
        if task.page == page:
            mine.setdefault(task.judge, []).extend(key_of(item) for item in task.items if item.role is Role.MAIN)
    return {judge: list(dict.fromkeys(keys)) for judge, keys in mine.items()}


def _choose_items(
    tasks: Sequence[Task],
    page: str,
    can: Mapping[str, Sequence[Key]],
    *,
    amount: float,
    kind: str,
    spoiled: ControlSpoiler,
    rng: Generator,
) -> set[Key]:
    """Choose the items to spoil, as many for each judge as asked. Judges may have different items: those that most
    judges share are taken first, and none that would give someone too many. `can` are the items that may be chosen."""
    mine = _main(tasks, page)
    number_by_judge = {judge: _count(amount, len(keys)) for judge, keys in mine.items()}
    have = dict.fromkeys(mine, 0)
    holders: dict[Key, list[str]] = {}
    for judge, keys in mine.items():
        for key in keys:
            holders.setdefault(key, []).append(judge)
    able = {judge: set(keys) for judge, keys in can.items()}
    every = sorted(key for key, judges in holders.items() if all(key in able[judge] for judge in judges))
    order = [every[int(at)] for at in rng.permutation(len(every))]
    selection: set[Key] = set()
    for key in sorted(order, key=lambda key: -len(holders[key])):
        if any(have[judge] >= number_by_judge[judge] for judge in holders[key]):
            continue
        if spoiled.possible(key):
            selection.add(key)
            have |= {judge: have[judge] + 1 for judge in holders[key]}
    lacking = next((judge for judge in mine if have[judge] < number_by_judge[judge]), None)
    if lacking is not None:
        raise DesignError(
            f"{number_by_judge[lacking]} items of page {page!r} are to be {kind} for {lacking or 'everyone'}, but only "
            f"{have[lacking]} can be.",
            next_step=f"Ask for {have[lacking]}, or add texts that are long enough.",
        )
    return selection


def _count(amount: float, items: int) -> int:
    return min(items, round(amount * items) if amount < 1 else int(amount))


def _in_place(task: Task, page: str, keys: set[Key], spoiled: ControlSpoiler) -> Task:
    if task.page != page or not any(key_of(item) in keys for item in task.items):
        return task
    items = (
        spoiled.item(item) if key_of(item) in keys and item.role is Role.MAIN and item.systems else item
        for item in task.items
    )
    return replace(task, items=tuple(items))


def _add_copies(
    tasks: Sequence[Task],
    page: str,
    stages: Sequence[Stage],
    keys: set[Key],
    spoiled: ControlSpoiler,
    *,
    spacing: int,
    rng: Generator,
) -> list[Task]:
    def copy(item: Item) -> Item:
        return spoiled.item(item) if key_of(item) in keys else replace(item, role=Role.REPEAT, expected={})

    keys_by_judge = {judge: keys & set(items) for judge, items in _main(tasks, page).items()}
    _refuse_pool(keys_by_judge)
    return repeat_items(tasks, page, stages, keys_by_judge, copy, spacing=spacing, rng=rng)


def _add_repeats(
    tasks: Sequence[Task], page: str, stages: Sequence[Stage], amount: float, *, spacing: int, rng: Generator
) -> list[Task]:
    """Draw repeats for each judge among the items that come early enough to come again."""
    if amount <= 0:
        return list(tasks)
    keys_by_judge: dict[str, set[Key]] = {}
    for judge, keys in _early(tasks, page, stages, spacing).items():
        mine = [task for task in tasks if task.judge == judge and task.page == page]
        items = sum(len(task.items) for task in mine)
        early = keys if is_isolated(stages) else list({(key[0], *key[2:]): key for key in keys}.values())
        order = [early[int(at)] for at in rng.permutation(len(early))]
        if amount < 1 and early and not is_isolated(stages):
            sizes = Counter((key[0], *key[2:]) for key in keys)
            keys_by_judge[judge] = _nearest(order, [sizes[key[0], *key[2:]] for key in order], amount * items)
            continue
        count = _count(amount, items if is_isolated(stages) else len(mine))
        if count > len(early):
            raise DesignError(
                f"Too many repeats on page {page!r} for {judge!r}: {count}, but items that come early enough to be "
                f"repeated after {spacing} others: {len(early)}.",
                next_step=f"Ask for {len(early)}, or say a smaller spacing.",
            )
        keys_by_judge[judge] = set(order[:count])
    _refuse_pool(keys_by_judge)
    return repeat_items(
        tasks,
        page,
        stages,
        keys_by_judge,
        lambda item: replace(item, role=Role.REPEAT, expected={}),
        spacing=spacing,
        rng=rng,
    )


def _nearest(keys: Sequence[Key], sizes: Sequence[int], goal: float) -> set[Key]:
    """Take documents in this order while they bring the number of items nearer to the goal; one at least."""
    selection: set[Key] = set()
    total = 0
    for key, size in zip(keys, sizes, strict=True):
        if abs(total + size - goal) < abs(total - goal):
            selection.add(key)
            total += size
    return selection or {min(zip(keys, sizes, strict=True), key=lambda pair: abs(pair[1] - goal))[0]}


def _early(tasks: Sequence[Task], page: str, stages: Sequence[Stage], spacing: int) -> dict[str, list[Key]]:
    """The main items of a page by judge, as far as `spacing` others follow them, so that they can come again."""
    keys_by_judge: dict[str, list[Key]] = {}
    for judge, mine in by_judge(tasks):
        groups = [list(task.items) for task in mine if task.page == page]
        if is_isolated(stages):
            groups = [[item] for group in groups for item in group]
        after = sum(map(len, groups))
        keys_by_judge[judge] = []
        for group in groups:
            after -= len(group)
            if after >= spacing:
                keys_by_judge[judge] += [key_of(item) for item in group if item.role is Role.MAIN]
    return keys_by_judge


def _refuse_pool(keys_by_judge: Mapping[str, set[Key]]) -> None:
    if keys_by_judge.get(""):
        raise DesignError(
            "In a pool nobody is sure to meet the same text again.",
            next_step="Leave out repeats and put spoiled items in place of others (in_place).",
        )


# Texts made worse on purpose, for control items: shuffled words, and stretches taken from another text.
# Works on words where the script writes spaces, and on characters (with their combining marks; numbers and Latin words
# stay whole) where it does not. Spaces and line breaks keep their places, so that a spoiled document still looks like
# one.


KEPT = 0.1
"""The share of words that stays in place at either end (Läubli, Sennrich and Volk 2018)."""
_WORDS = re.compile(r"\S+")
_MARKS = (
    r"\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\u200d"
    r"\u0e30-\u0e3a\u0e47-\u0e4e"  # Thai
    r"\u0eb0-\u0ebc\u0ec8-\u0ece"  # Lao
    r"\u0f71-\u0f84\u0f8d-\u0fbc"  # Tibetan
    r"\u102b-\u103e\u1056-\u1059"  # Burmese
    r"\u17b4-\u17d3\u17dd"  # Khmer
)
_SIGNS = re.compile(rf"[A-Za-z0-9]+|\S(?:[\u1039\u17d2]\S|[{_MARKS}])*")  # the two join the letter after them
_REPLACED = ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # so many words of a text up to so long


def pieces(text: str, language: str = "") -> list[re.Match[str]]:
    """What is moved as one: words, or signs in scripts without spaces. A text in an unknown language with hardly any
    space is taken as one without."""
    words = list(_WORDS.finditer(text))
    unknown = languages.normal(language) == languages.UNDETERMINED
    if languages.is_unspaced(language) or (unknown and len(words) < len(text) / 15):
        return list(_SIGNS.finditer(text))
    return words


def shuffled_words(text: str, rng: Generator, language: str = "") -> str:
    """The text with its words in chance order, except for a tenth at either end. A text too short to be shuffled
    stays as it is: ask `can_be_shuffled` first."""
    words = pieces(text, language)
    margin = _margin(len(words))
    middle = [match.group() for match in words[margin : len(words) - margin]]
    order = middle
    while len(set(middle)) > 1 and order == middle:
        order = [middle[int(at)] for at in rng.permutation(len(middle))]
    return _put(text, words[margin : len(words) - margin], order)


def can_be_shuffled(text: str, language: str = "", least: int = 4) -> bool:
    """Whether enough different words lie between the ends for the text to become nonsense."""
    words = pieces(text, language)
    margin = _margin(len(words))
    return len({match.group() for match in words[margin : len(words) - margin]}) >= least


def with_stretch_of(text: str, donor: str, rng: Generator, language: str = "") -> str:
    """The text with a stretch of words replaced by words of another text: one for three words, two for five, and so on
    to a quarter of a long text, as in direct assessment's degraded items. A stretch at the end where the donor has
    fewer words."""
    words, others = pieces(text, language), [match.group() for match in pieces(donor, language)]
    if not words or not others:
        return text
    number_replaced = next((number for most, number in _REPLACED if len(words) <= most), len(words) // 4)
    length = min(number_replaced, len(words), len(others))
    start = int(rng.integers(len(words) - length + 1))
    first = int(rng.integers(len(others) - length + 1))
    return _put(text, words[start : start + length], others[first : first + length])


def _margin(count: int) -> int:
    return max(1, round(KEPT * count)) if count > 2 else 0


def _put(text: str, places: Sequence[re.Match[str]], words: Sequence[str]) -> str:
    """The text with these words in these places."""
    parts, end = [], 0
    for match, word in zip(places, words, strict=True):
        parts += [text[end : match.start()], word]
        end = match.end()
    return "".join([*parts, text[end:]])


# The texts of a page's items, and their spoiled forms: one per item, the same for every judge.

KINDS = ("shuffled", "swapped", "degraded")


class ControlSpoiler:
    """Spoils items of one page in one way. Which of several outputs is spoiled, and how, depends on the item and the
    seed alone, not on who sees it first."""

    def __init__(self, documents: Sequence[Document], stages: Sequence[Stage], kind: str, rng: Generator) -> None:
        self._documents = {document.id: document for document in documents}
        self._order = list(self._documents)
        self._whole = all(stage.unit is Unit.DOCUMENT for stage in stages)
        self._stages, self._kind = stages, kind
        self._seed = int(rng.integers(2**32))
        self._made: dict[tuple[Key, str], str] = {}

    def possible(self, key: Key) -> bool:
        """Whether the texts are long enough to become worse."""
        texts = [self._text(key, name) for name in key[2:]]
        if self._kind == "shuffled":
            return all(can_be_shuffled(text, self._language(key)) for text in texts)
        return all(text.strip() for text in texts) and self._donor(key) is not None

    def item(self, item: Item) -> Item:
        """The item as a control: one output spoiled, and what is expected of a judge who reads it."""
        key, names = key_of(item), sorted(item.systems)
        dice = np.random.default_rng([self._seed, zlib.crc32("\x1f".join(key).encode())])
        system = names[int(dice.integers(len(names)))]
        if (key, system) not in self._made:
            self._made[key, system] = self._worse(key, system, dice)
        rules = expected.of_worse(self._stages) if self._kind == "degraded" and len(names) == 1 else {}
        rules = rules or expected.of_nonsense(self._stages, item.systems.index(system))
        texts = {**item.texts, system: self._made[key, system]}
        return replace(item, role=Role.CONTROL, texts=texts, expected=rules)

    def _worse(self, key: Key, system: str, dice: Generator) -> str:
        text, language = self._text(key, system), self._language(key)
        if self._kind == "shuffled":
            return shuffled_words(text, dice, language)
        donor = self._donor(key)
        other = self._text(donor, system) if donor else ""
        return other if self._kind == "swapped" else with_stretch_of(text, other, dice, language)

    def _text(self, key: Key, system: str) -> str:
        segments = [s for s in self._documents[key[0]].segments if key[1] in ("", s.id)]
        return "\n".join(s.text(system) or "" for s in segments)

    def _language(self, key: Key) -> str:
        return self._documents[key[0]].target_language

    def _donor(self, key: Key) -> Key | None:
        """A text of the same kind from elsewhere in the corpus: it fits the corpus, but not this place."""
        here = self._documents[key[0]]
        ids = [s.id for s in here.segments if s.judged]
        if not self._whole and len(ids) > 1:
            at = ids.index(key[1]) if key[1] in ids else 0
            return key[0], ids[(at + len(ids) // 2) % len(ids)]
        other = self._documents[self._order[(self._order.index(key[0]) + 1) % len(self._order)]]
        if other is here:
            return None
        return other.id, "" if self._whole else next((s.id for s in other.segments if s.judged), "")
