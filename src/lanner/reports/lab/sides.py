"""What is compared: campaigns, parts of a file, or scenarios of one protocol, each seen as one side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from lanner.analysis import GROUPS, PEOPLE
from lanner.analysis.material import Material
from lanner.errors import InputError
from lanner.model import Protocol, Question, Scale, Stage, Unit
from lanner.protocols.derived import chosen_rows
from lanner.protocols.wording import Wording
from lanner.stats.scores import Direction

RANKED = "ranking.systems"
_FEWEST_SHARED, _SHORT_TITLE = 10, 12


@dataclass(frozen=True, slots=True)
class Measure:
    """The number by which a side ranks systems, and which way is better."""

    of: str
    direction: Direction = "higher_is_better"


@dataclass(frozen=True)
class Side:
    """One protocol, or one scenario of it, with the answers it got. `scenario` is empty where it is the whole."""

    name: str
    material: Material
    protocol: Protocol
    stages: tuple[Stage, ...]
    table: pl.DataFrame
    scenario: str = ""

    @cached_property
    def questions(self) -> list[Question]:
        """Those that somebody answered."""
        answered = set(self.table["question"])
        found = [question for stage in self.stages if stage.unit is not Unit.JUDGE for question in stage.questions]
        return [question for question in found if question.id in answered]

    @cached_property
    def units(self) -> set[Unit]:
        return {stage.unit for stage in self.stages for question in stage.questions if question in self.questions}

    @cached_property
    def people(self) -> list[str]:
        """People who answered; where nobody did, whoever answered."""
        kinds = dict(self.table.select("judge", "judge_kind").unique(maintain_order=True).iter_rows())
        return [judge for judge, kind in kinds.items() if kind in PEOPLE] or list(kinds)

    @cached_property
    def models(self) -> list[str]:
        return sorted(set(self.table["judge"]) - set(self.people))

    @cached_property
    def measure(self) -> Measure | None:
        """What the analysis plan ranks systems by; else the last scale that is asked."""
        answered = set(self.table["question"])
        for analysis in self.protocol.analyses:
            if analysis.statistic == RANKED and analysis.of in answered:
                return Measure(analysis.of, analysis.options.get("direction", "higher_is_better"))
        scales = [question.id for question in self.questions if isinstance(question, Scale) and not question.for_each]
        return Measure(scales[-1]) if scales else None

    @property
    def by_people(self) -> pl.DataFrame:
        return self.table.filter(pl.col("judge").is_in(self.people), pl.col("role") == "main")

    def says(self, question: str) -> str:
        """A question or score in words, short enough for a table."""
        words = Wording(self.protocol)
        label = words.question(question).label if self.protocol.find(question) else ""
        return (label if 0 < len(label) <= 28 else question.replace("_", " ")).lower()

    def only(self, items: pl.DataFrame, key: Sequence[str]) -> Side:
        """The same on some items alone."""
        return replace(self, table=self.table.join(items, on=list(key), how="semi", maintain_order="left"))


def sides(materials: Sequence[tuple[str, Material]]) -> list[Side]:
    """One side for each material; of a single one its scenarios. Control, repeated and tutorial items stay apart."""
    found = [_whole(name, material) for name, material in materials]
    if len({side.protocol.label for side in found}) == len(found) > 1:
        found = [replace(side, name=_spoken(side)) for side in found]
    if len(found) == 1:
        found = _scenarios(found[0])
    if len(found) < 2:
        raise InputError(
            "There is only one thing here: nothing to compare it with.",
            next_step="Name a second campaign or file, or one whose protocol has scenarios.",
        )
    return found


def _spoken(side: Side) -> str:
    """What was said on the command line, else a short title, else the protocol's name in words."""
    if side.name != side.material.name:
        return side.name
    title = Wording(side.protocol).title
    return title if len(title) <= _SHORT_TITLE else side.protocol.name.replace("_", " ")


def _whole(name: str, material: Material) -> Side:
    if material.protocol is None:
        raise InputError(
            f"It is not known what was asked in {material.name}.", next_step="Name the protocol with --protocol."
        )
    table = material.counted(of=tuple(GROUPS)).table
    return Side(name, material, material.protocol, material.protocol.stages, table)


def _scenarios(whole: Side) -> list[Side]:
    named: dict[str, list[Stage]] = {}
    for stage in whole.stages:
        if stage.unit is not Unit.JUDGE:
            named.setdefault(stage.scenario or stage.unit.value, []).append(stage)
    made = []
    for scenario, stages in named.items():
        asked = {question.id for stage in stages for question in stage.questions}
        asked |= {name for stage in stages for question in stage.questions if (name := chosen_rows(question))}
        asked |= {score.id for score in whole.protocol.scores if score.question in asked}
        table = whole.table.filter(pl.col("question").is_in(sorted(asked)))
        if len(table):
            words = scenario.replace("_", " ")
            made.append(Side(words, whole.material, whole.protocol, tuple(stages), table, scenario))
    return made


def item_key(found: Sequence[Side]) -> list[str]:
    """What makes two answers about the same thing: the system counts only where every side judges outputs."""
    judged = all((side.table["system"] != "").any() for side in found)
    return ["document", "segment", *(["system"] if judged else [])]


def shared(found: Sequence[Side]) -> tuple[list[Side], int]:
    """The sides on the items that all of them judged, and how many those are; as they are where too few are shared."""
    key = item_key(found)
    items = found[0].by_people.select(key).unique(maintain_order=True)
    for side in found[1:]:
        items = items.join(side.by_people.select(key).unique(), on=key, how="semi", maintain_order="left")
    if len(items) < _FEWEST_SHARED:
        return list(found), len(items)
    return [side.only(items, key) for side in found], len(items)
