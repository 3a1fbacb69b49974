"""What needs the organiser: things to do something about, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.model import Campaign
from lanner.reports.typeset import number, words
from lanner.web.forecast import Outlook
from lanner.web.told import FEWEST, Divergence, Measure
from lanner.web.verdict import Plan


@dataclass(frozen=True, slots=True)
class Need:
    """Something the organiser should look at: `tone` is warn, bad or info; the rest is a sentence and a way on."""

    tone: str
    say: str
    more: str = ""
    link: str = ""
    way: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is asked about one judge here."""

    judge: str
    name: str
    outlook: Outlook
    late: str
    missed: int = 0
    asked: int = 0


def needs(
    campaign: Campaign,
    people: Sequence[Standing],
    measured: Sequence[Measure],
    apart: Divergence | None,
    *,
    plan: Plan,
    label: Mapping[str, str],
) -> tuple[Need, ...]:
    """What an organiser can do something about, the worst first."""
    found: list[Need] = []
    if str(campaign.state) == "paused":
        found.append(Need("warn", "The campaign is paused.", "Judges see a friendly note; unsent answers are kept."))
    for swap in apart.swaps if apart else ():
        name = next((row.name for row in people if row.judge == swap.judge), swap.judge)
        pair = f"{label[swap.labels[0]]} and {label[swap.labels[1]]}"
        more = f"Their answers cross {swap.crossed} times and match {swap.straight} times. Talk before more is judged."
        found.append(Need("bad", f"{name} seems to swap {pair}.", more, "Read them", "disagreements"))
    for row in people:
        if row.missed > plan.control_limit:
            found.append(
                Need("bad", f"{row.name} missed {row.missed} of {row.asked} control items.", "That is over the limit.")
            )
        elif row.missed * 2 > plan.control_limit:
            found.append(Need("warn", f"{row.name} missed {row.missed} of {row.asked} control items."))
    for row in people:
        if row.late:
            hours = f"at {row.outlook.hours_a_day:.1f} active hours a day" if row.outlook.hours_a_day else ""
            found.append(Need("warn", f"{row.name} is {row.late}", f"{hours}."))
    idle = [row.name for row in people if not row.outlook.done]
    if idle and len(idle) < len(people):
        found.append(Need("warn", f"Not begun: {words(idle[:6])}.", "", "Their links", "judges"))
    main = next((m for m in measured if m.main and m.items >= FEWEST), None)
    if main is not None and main.needed is not None:
        say = f"The interval of {main.label.lower()} will stay wide."
        more = f"It needs about {main.needed} documents that several judge; now there are {main.documents}."
        found.append(Need("info", say, more, "Add overlap", "judges"))
    weak = [m for m in measured if m.high is not None and m.high < plan.minimum and m.items >= FEWEST]
    for measure in weak[:3]:
        span = f"{number(measure.expected_low, 2)} to {number(measure.expected_high, 2)}"
        more = f"the whole interval under {number(plan.minimum, 2)}. More judgements will not mend it ({span} expected)"
        say = f"{measure.label} is at α {number(measure.value, 2)}"
        found.append(Need("info", say, f"{more}; the definition may.", "Open its disagreements", "disagreements"))
    return tuple(found)
