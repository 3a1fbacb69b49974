"""Items put among those a judge has: far enough from what they copy, and no document broken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner import protocols
from lanner.designs._insertion import insert_items, repeat_items
from lanner.errors import DesignError
from lanner.model import Item, Task

STAGES = protocols.load("ranking_rs").stages
IN_CONTEXT = protocols.load("da").stages


def sentences(count: int) -> list[Task]:
    cut = [Item("d", str(n)) for n in range(count)]
    return [Task(0, "", "q", (Item(""),))] + [Task(0, "", "p", tuple(cut[n : n + 5])) for n in range(0, count, 5)]


@given(seed=st.integers(0, 999), count=st.integers(6, 40), spacing=st.integers(0, 5))
def test_a_copy_comes_after_enough_others_and_tasks_stay_even(seed: int, count: int, spacing: int) -> None:
    rng = np.random.default_rng(seed)
    tasks = repeat_items(sentences(count), "p", STAGES, {"": {("d", "0")}}, lambda i: i, spacing=spacing, rng=rng)
    assert tasks[0].page == "q"
    flat = [item.segment for task in tasks[1:] for item in task.items]
    first, second = (at for at, segment in enumerate(flat) if segment == "0")
    assert second - first > spacing and len(flat) == count + 1
    lengths = [len(task.items) for task in tasks[1:]]
    assert max(lengths) - min(lengths) <= 1


def test_too_close_to_the_end() -> None:
    with pytest.raises(DesignError, match="only 0 come after it") as caught:
        rng = np.random.default_rng(0)
        repeat_items(sentences(10), "p", STAGES, {"": {("d", "9")}}, lambda i: i, spacing=3, rng=rng)
    assert "spacing=0" in caught.value.next_step


def test_documents_are_put_between_documents_and_before_questionnaires() -> None:
    tasks = [Task(0, "j", page, (Item(d, "1"),)) for d in ("a", "b", "c") for page in ("sc", "ds")]
    tasks.append(Task(0, "j", "after", (Item(""),)))
    for seed in range(10):
        rng = np.random.default_rng(seed)
        done = insert_items(tasks, "sc", IN_CONTEXT, [Item("new", "1")], rng)
        at = next(n for n, task in enumerate(done) if task.items[0].document == "new")
        assert at % 2 == 0 and done[-1].page == "after"
