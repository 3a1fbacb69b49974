"""People and models on the same items: who is who, and how alike two answers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.frame import tidy
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Indices
from lanner.stats.selection import ratings

Alikeness = Literal["auto", "same", "distance", "jaccard"]


@dataclass(frozen=True)
class Panel:
    """Answers of people and models to one question. `codes` is items × judges, −1 where there is no answer."""

    rated: Ratings
    people: tuple[str, ...]
    models: tuple[str, ...]
    alike: Literal["same", "distance", "jaccard"]

    @cached_property
    def codes(self) -> npt.NDArray[np.int32]:
        return self.rated.matrix()

    def of(self, judge: str) -> npt.NDArray[np.int32]:
        """One judge's answers, as codes."""
        return self.codes[:, self.rated.judges.index(judge)]

    def numbers(self, judge: str) -> Array:
        """One judge's answers as numbers, NaN where there is none."""
        code = self.of(judge)
        return np.where(code >= 0, self.rated.points[np.maximum(code, 0)], np.nan)

    @property
    def document(self) -> Indices:
        return np.asarray(self.rated.document, dtype=np.intp)

    @cached_property
    def _members(self) -> npt.NDArray[np.bool_]:
        """For label sets: which labels each code stands for."""
        names = sorted(frozenset().union(*self.rated.sets)) if self.rated.sets else []
        return np.array([[name in own for name in names] for own in self.rated.sets], bool).reshape(
            len(self.rated.sets), len(names)
        )

    def closeness(self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> Array:
        """How alike two codes are: 1 or 0, minus the squared distance, or the Jaccard index of two sets.

        Two empty sets say the same, and their index is 1.
        """
        if self.alike == "same":
            return np.asarray(a == b, dtype=float)
        if self.alike == "distance":
            return np.asarray(-((self.rated.points[a] - self.rated.points[b]) ** 2))
        first, second = self._members[a], self._members[b]
        shared, either = (first & second).sum(axis=-1), (first | second).sum(axis=-1)
        return np.asarray(np.where(either > 0, shared / np.maximum(either, 1), 1.0), dtype=float)


def panel(
    data: Any,
    question: str = "",
    *,
    models: Sequence[str] = (),
    people: Sequence[str] = (),
    alike: Alikeness = "auto",
    **chosen: Any,
) -> Panel:
    """The panel for one question; `models` and `people` are found by the judges' kind unless they are named."""
    table, _ = tidy(data)
    kinds = dict(table.select("judge", "judge_kind").unique(maintain_order=True).iter_rows())
    for name in (*models, *people):
        if name not in kinds:
            raise StatisticError(f"There is no judge {name!r}.", next_step=did_you_mean(name, kinds))
    rated = ratings(data, question, **{"value": ("label", "score", "labels"), **chosen})
    asked = tuple(models) or tuple(j for j in rated.judges if kinds.get(j) in ("model", "metric"))
    crowd = tuple(people) or tuple(
        j for j in rated.judges if kinds.get(j) not in ("model", "metric") and j not in asked
    )
    present = set(rated.judges)
    how = alike if alike != "auto" else "jaccard" if rated.sets else "distance" if rated.scored else "same"
    return Panel(rated, tuple(j for j in crowd if j in present), tuple(j for j in asked if j in present), how)
