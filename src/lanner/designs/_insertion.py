"""Putting items among those a judge already has, far enough from where they come from, without breaking documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import TypeVar

from numpy.random import Generator

from lanner.designs._layout import cut, is_isolated
from lanner.errors import DesignError
from lanner.model import Item, Stage, Task

Key = tuple[str, ...]
T = TypeVar("T")


def key_of(item: Item) -> Key:
    """What an item is about: document, segment and outputs, whichever side they stand on."""
    return (item.document, item.segment, *sorted(item.systems))


def by_judge(tasks: Sequence[Task]) -> Iterator[tuple[str, list[Task]]]:
    """The tasks of each judge; a judge's tasks stand together."""
    return ((judge, list(mine)) for judge, mine in groupby(tasks, key=lambda task: task.judge))


def repeat_items(
    tasks: Sequence[Task],
    page: str,
    stages: Sequence[Stage],
    keys_by_judge: Mapping[str, set[Key]],
    copy: Callable[[Item], Item],
    *,
    spacing: int,
    rng: Generator,
) -> list[Task]:
    """The tasks with copies of these items for these judges, each at least `spacing` items after the one it copies.
    Where a page shows documents, the whole document comes again."""
    result: list[Task] = []
    once_more = _items_again if is_isolated(stages) else _documents_again
    for judge, mine in by_judge(tasks):
        keys = keys_by_judge.get(judge)
        result += once_more(mine, page, keys, copy, spacing=spacing, rng=rng) if keys else mine
    return result


def insert_items(
    tasks: Sequence[Task], page: str, stages: Sequence[Stage], items: Sequence[Item], rng: Generator
) -> list[Task]:
    """The tasks with these items anywhere among them, for every judge who works on the page."""
    result: list[Task] = []
    for judge, own_tasks in by_judge(tasks):
        mine = own_tasks
        if items and any(task.page == page for task in mine):
            if is_isolated(stages):
                flat, rebuild = _flat(mine, page)
                for item in items:
                    flat.insert(int(rng.integers(len(flat) + 1)), item)
                mine = rebuild(flat)
            else:
                groups = groupby(items, key=lambda item: (item.document, item.systems))
                for task in [Task(0, judge, page, tuple(group)) for _, group in groups]:
                    mine.insert(_choice(_gaps(mine, page), rng), task)
        result += mine
    return result


def _flat(tasks: Sequence[Task], page: str) -> tuple[list[Item], Callable[[Sequence[Item]], list[Task]]]:
    """All items of a page, and how to cut them into tasks again where the page's tasks stood."""
    places = [at for at, task in enumerate(tasks) if task.page == page]
    most = max(len(tasks[at].items) for at in places)

    def rebuild(items: Sequence[Item]) -> list[Task]:
        count = max(len(places), -(-len(items) // (most + most // 4 + 1)))
        parts = [Task(0, tasks[places[0]].judge, page, part) for part in cut(items, -(-len(items) // count))]
        rest = [task for at, task in enumerate(tasks) if at not in places]
        return [*rest[: places[0]], *parts, *rest[places[0] :]]

    return [item for at in places for item in tasks[at].items], rebuild


def _items_again(
    tasks: Sequence[Task], page: str, keys: set[Key], copy: Callable[[Item], Item], *, spacing: int, rng: Generator
) -> list[Task]:
    flat, rebuild = _flat(tasks, page)
    where: dict[Key, int] = {}
    for at, item in enumerate(flat):
        where.setdefault(key_of(item), at)
    copies: list[tuple[int, Item]] = []
    for key in sorted(keys):
        earliest = where[key] + spacing + 1
        if earliest > len(flat):
            raise _too_close(key, len(flat) - where[key] - 1, spacing)
        copies.append((int(rng.integers(earliest, len(flat) + 1)), copy(flat[where[key]])))
    return rebuild(_insert(flat, copies))


def _documents_again(
    tasks: Sequence[Task], page: str, keys: set[Key], copy: Callable[[Item], Item], *, spacing: int, rng: Generator
) -> list[Task]:
    where: dict[Key, int] = {}
    for at, task in enumerate(tasks):
        for item in task.items if task.page == page else ():
            where.setdefault(key_of(item), at)
    before = [0, *accumulate(len(task.items) for task in tasks)]
    gaps = _gaps(tasks, page)
    copies: list[tuple[int, Task]] = []
    for key in {(key[0], *key[2:]): key for key in sorted(keys)}.values():
        first = where[key]
        far = [gap for gap in gaps if gap > first and before[gap] - before[first + 1] >= spacing]
        if not far:
            raise _too_close(key, before[max(*gaps, first + 1)] - before[first + 1], spacing)
        again_ = tuple(copy(item) for item in tasks[first].items)
        copies.append((_choice(far, rng), Task(0, tasks[first].judge, page, again_)))
    return _insert(tasks, copies)


def _insert(entries: Sequence[T], new: Sequence[tuple[int, T]]) -> list[T]:
    """The entries with new ones, each in front of what stands at its place."""
    at: dict[int, list[T]] = {}
    for place, entry in new:
        at.setdefault(place, []).append(entry)
    result: list[T] = []
    for place in range(len(entries) + 1):
        result += at.get(place, ())
        result += entries[place : place + 1]
    return result


def _gaps(tasks: Sequence[Task], page: str) -> list[int]:
    """Places where a task can be put: between two documents or at the end, among the tasks of this page's kind."""
    places = [at for at, task in enumerate(tasks) if task.page == page]
    last = places[-1]
    while last + 1 < len(tasks) and _document(tasks, last + 1) == _document(tasks, last) != "":
        last += 1
    inside = range(places[0], last + 1)
    return [at for at in inside if at == 0 or _document(tasks, at - 1) != _document(tasks, at)] + [last + 1]


def _document(tasks: Sequence[Task], at: int) -> str:
    return tasks[at].items[0].document


def _choice(places: Sequence[int], rng: Generator) -> int:
    return places[int(rng.integers(len(places)))]


def _too_close(key: Key, distance: int, spacing: int) -> DesignError:
    what = " ".join(key[:2]).strip()
    return DesignError(
        f"{what!r} cannot come again with {spacing} items between: only {max(0, distance)} come after it.",
        next_step=f"Say spacing={max(0, distance)} or ask for fewer repeats.",
    )
