"""What needs the organiser: things to do something about, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.model import Campaign
from lanner.reports.typeset import number
from lanner.web.page.speech import listed, say
from lanner.web.picture.forecast import Outlook
from lanner.web.picture.told import FEWEST, Divergence, Measure
from lanner.web.picture.verdict import Plan


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
        found.append(
            Need("warn", say("The campaign is paused."), say("Judges see a friendly note; unsent answers are kept."))
        )
    for swap in apart.swaps if apart else ():
        name = next((row.name for row in people if row.judge == swap.judge), swap.judge)
        one, other = (label[name] for name in swap.labels)
        more = say(
            "Their answers cross {n} times and match {m} times. Talk before more is judged.",
            n=swap.crossed,
            m=swap.straight,
        )
        told = say("{name} seems to swap {one} and {other}.", name=name, one=one, other=other)
        found.append(Need("bad", told, more, say("Read them"), "disagreements"))
    for row in people:
        told = say("{name} missed {n} of {all} control items.", name=row.name, n=row.missed, all=row.asked)
        if row.missed > plan.control_limit:
            found.append(Need("bad", told, say("That is over the limit.")))
        elif row.missed * 2 > plan.control_limit:
            found.append(Need("warn", told))
    for row in people:
        if row.late:
            hours = row.outlook.hours_a_day
            more = say("At {hours} active hours a day.", hours=f"{hours:.1f}") if hours else ""
            found.append(Need("warn", say("{name} is {late}.", name=row.name, late=row.late), more))
    idle = [row.name for row in people if not row.outlook.done]
    if idle and len(idle) < len(people):
        found.append(Need("warn", say("Not begun: {names}.", names=listed(idle[:6])), "", say("Their links"), "judges"))
    main = next((m for m in measured if m.main and m.items >= FEWEST), None)
    if main is not None and main.needed is not None:
        told = say("The interval of {question} will stay wide.", question=main.label.lower())
        more = say(
            "It needs about {n} documents that several judge; now there are {m}.", n=main.needed, m=main.documents
        )
        found.append(Need("info", told, more, say("Add overlap"), "judges"))
    weak = [m for m in measured if m.high is not None and m.high < plan.minimum and m.items >= FEWEST]
    for measure in weak[:3]:
        more = say(
            "The whole interval is under {least}. More judgements will not mend it (expected: {low} to {high}); "
            "the definition may.",
            least=number(plan.minimum, 2),
            low=number(measure.expected_low, 2),
            high=number(measure.expected_high, 2),
        )
        told = say("{question} is at α {value}.", question=measure.label, value=number(measure.value, 2))
        found.append(Need("info", told, more, say("Open its disagreements"), "disagreements"))
    return tuple(found)
