"""Judges to look at, as plain objects: pages and reports show them, `lanner.analysis.alarms` finds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lanner.model.messages import Message, message, p_number, percent

LEVEL = 0.05
"""How often a panel of equally careful judges raises the alarm of differing."""

SWAP_LEVEL = 0.01
"""How often two labels of one judge look swapped, at most, where they are crossed and matched equally often."""

FEWEST_ITEMS = 10
"""Shared items below which nothing is said about agreement: with fewer, any number is chance."""

VERDICT_DOCUMENTS = 5
"""From so many documents that several people have judged there is a verdict on agreement. Intervals of fewer hold as
often as they say, but one in forty lies above the truth and may be narrow, and two documents stand for few others."""


class Code(StrEnum):
    """What an alarm is about."""

    DIFFERS = "differs"
    SPEED = "speed"
    STRAIGHT_LINE = "straight_line"
    CONTROLS = "controls"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One judge, what was observed (`value`), what it is held against (`reference`), over how many items. `clear` says
    whether it is beyond doubt; `low` and `high` bound a share; `label` is the answer of a straight line."""

    code: Code
    judge: str
    value: float
    reference: float
    n: int
    clear: bool = True
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class PanelTest:
    """Whether any judge of a panel differs from the others more than chance explains.

    `p` is the probability that, among judges who are all alike, somebody stands as far apart as `judge` does here.
    """

    judge: str
    z: float
    p: float
    items: int
    judges: int

    @property
    def differs(self) -> bool:
        return self.p <= LEVEL


@dataclass(frozen=True, slots=True)
class AlarmWords:
    """What an alarm says of a judge: a sentence, and one more on what it rests on."""

    code: Code
    judge: str
    title: Message
    more: Message


def alarm_words(
    panel: PanelTest | None, alarms: Sequence[Alarm], names: Mapping[str, str], options: Mapping[str, str]
) -> Iterator[AlarmWords]:
    """The alarms in words. `names` are those of judges, `options` what to call an answer."""
    if panel is not None and panel.differs:
        title = message(
            "{name} differs from the others more than chance explains.", name=names.get(panel.judge, panel.judge)
        )
        more = message(
            "p {p} over {n} judges; of twenty panels of equally careful judges one would show this.",
            p=p_number(panel.p),
            n=panel.judges,
        )
        yield AlarmWords(Code.DIFFERS, panel.judge, title, more)
    for alarm in alarms:
        yield AlarmWords(alarm.code, alarm.judge, *_words_of(alarm, names.get(alarm.judge, alarm.judge), options))


def _words_of(alarm: Alarm, name: str, options: Mapping[str, str]) -> tuple[Message, Message]:
    if alarm.code is Code.SPEED:
        times = f"{alarm.reference / alarm.value:.1f}" if alarm.value > 0 else "∞"
        own, others = f"{alarm.value:.0f}", f"{alarm.reference:.0f}"
        more = message("Median {own} s an item, the others {others} s.", own=own, others=others)
        return message("{name} is {n} times as fast as the others.", name=name, n=times), more
    share, reference = percent(alarm.value, 0), percent(alarm.reference, 0)
    if alarm.code is Code.CONTROLS:
        missed, ends = round(alarm.value * alarm.n), {"low": percent(alarm.low, 0), "high": percent(alarm.high, 0)}
        title = message("{name} missed {n} of {all} control items.", name=name, n=missed, all=alarm.n)
        return title, message("{share} [{low}, {high}], limit {limit}.", share=share, **ends, limit=reference)
    title = message("{name} gave one and the same answer to {share} of {n} items.", name=name, share=share, n=alarm.n)
    answer = options[alarm.label]
    more = message("It is “{answer}”, which the others gave to {share} of them.", answer=answer, share=reference)
    return title, more
