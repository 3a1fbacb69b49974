"""The plan before anything is created: who gets what, how many judgements, how long, how much, how well connected.

Everything is counted from the tasks a design has made. Times come from the protocol's own minutes per item. Whether the
overlap is enough is estimated roughly (see `half_width`); `lanner plan` simulates it properly.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from lanner import designs
from lanner.designs import adaptive
from lanner.designs._allocate import FAIR
from lanner.designs.counterbalancing import describe_balance
from lanner.designs.prepare import Part, prepare, with_languages
from lanner.model import Document, Item, Json, Judge, Object, Protocol, Role, Spans, Stage, Task
from lanner.model.messages import Message, from_to, message
from lanner.protocols.derived import word_count

ANYONE = "(whoever comes)"
FEW_CONTROLS = 5
UNEVEN = 1.25
_Z = 1.96
Unit = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """One judge's work. `controls` holds spoiled and gold items; `cost` is None without a rate; `calibration_hours` and
    `calibration_items` are the part of it that belongs to the calibration round."""

    judge: str
    tasks: int
    documents: int
    items: int
    controls: int
    repeats: int
    hours: float
    cost: float | None
    calibration_items: int = 0
    calibration_hours: float = 0.0

    def row(self) -> dict[str, Json]:
        row = {name: value for name, value in asdict(self).items() if not name.startswith("calibration")}
        return row | {"hours": round(self.hours, 2), "cost": None if self.cost is None else round(self.cost, 2)}


@dataclass(frozen=True, slots=True)
class PagePlan:
    """One page over all judges: how many different items it has, and how often each is judged."""

    page: str
    items: int
    judged: int
    fewest: int
    most: int
    shared: int
    hours: float
    about_texts: int = 0
    """How often its items about texts are judged, without control, repeated and tutorial items; 0 of a
    questionnaire."""

    def row(self) -> dict[str, Json]:
        return {
            "page": self.page,
            "items": self.items,
            "judged": self.judged,
            "judges_per_item": from_to(self.fewest, self.most),
            "judged_by_several": self.shared,
            "hours": round(self.hours, 2),
        }


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The calibration round, or what follows it, over all judges."""

    name: str
    items: int
    hours: float
    cost: float | None


@dataclass(frozen=True, slots=True)
class AssignmentPlan:
    """What a set of tasks amounts to. `main_items` are those that count in results; `cautions` say what may be wrong
    with the plan and what helps."""

    protocol: str
    documents: int
    judges: tuple[JudgePlan, ...]
    pages: tuple[PagePlan, ...]
    answers: int
    hours: float
    cost: float | None
    shared_documents: int
    pairs_in_common: int
    pairs: int
    sides: int
    systems: int
    half_width: float | None
    main_items: int
    cautions: tuple[Message, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions in English."""
        return tuple(map(str, self.cautions))

    @property
    def rounds(self) -> tuple[RoundPlan, ...]:
        """The calibration round and what follows it; empty without one."""
        items = sum(judge.calibration_items for judge in self.judges)
        hours = sum(judge.calibration_hours for judge in self.judges)
        if not items:
            return ()
        rate = None if self.cost is None or not self.hours else self.cost / self.hours
        everything = sum(judge.items for judge in self.judges)
        return tuple(
            RoundPlan(name, n, time, None if rate is None else rate * time)
            for name, n, time in (
                ("calibration", items, hours),
                ("rest", everything - items, self.hours - hours),
            )
        )

    @property
    def mean_hours(self) -> float:
        """The mean over the judges who have work."""
        loads = [judge.hours for judge in self.judges if judge.hours and judge.judge != ANYONE]
        return sum(loads) / len(loads) if loads else 0.0

    @property
    def fair_hours(self) -> float:
        """The load that no judge exceeds unless whole documents force it."""
        return FAIR * self.mean_hours

    @property
    def repeats(self) -> int:
        """How often judges meet an item once more."""
        return sum(judge.repeats for judge in self.judges)

    @property
    def repeat_share(self) -> float:
        """Repeated items as a share of those that are judged for the first time."""
        first = sum(judge.items - judge.repeats for judge in self.judges)
        return self.repeats / first if first else 0.0

    @property
    def different(self) -> int:
        """The items about texts, each counted once."""
        return sum(page.items for page in self.pages if page.about_texts)

    @property
    def judged(self) -> int:
        """How often items about texts are judged, without control, repeated and tutorial items."""
        return sum(page.about_texts for page in self.pages)

    @property
    def controls(self) -> int:
        """Control items over all judges."""
        return sum(judge.controls for judge in self.judges)

    @property
    def is_taken(self) -> bool:
        """Whether judges take what comes next, so that nobody knows yet who judges what."""
        return any(judge.judge == ANYONE for judge in self.judges)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Sentences of two halves for a short table: what, and how much."""
        money = "" if self.cost is None else f", {self.cost:,.2f} at the given rate"
        width = "" if self.half_width is None else f"; agreement to about ±{self.half_width:.2f}"
        again = f"; besides {self.controls:,} control items" if self.controls else ""
        again += f"; {self.repeats:,} once more ({self.repeat_share:.0%})" if self.repeats else ""
        overlap = f"{self.pairs_in_common} of {self.pairs} pairs of judges have items in common"
        balance = f"sides within {self.sides}, systems within {self.systems} for each judge"
        if self.is_taken:
            overlap, balance = "who shares items with whom depends on who comes", "depends on who comes"
        return [
            ("documents", f"{self.documents}, {self.shared_documents} of them judged by several"),
            ("items", f"{self.different:,} different, judged {self.judged:,} times{again}; {self.answers:,} answers"),
            ("work", f"{_time(self.hours)}{money}"),
            ("overlap", overlap + width),
            ("balance", balance),
        ]


def preview(
    design: str,
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    systems: Sequence[str],
    options: Mapping[str, Json],
    settings: Mapping[str, Json],
    seed: int,
    hourly_rate: float | None = None,
) -> AssignmentPlan:
    """The plan of a campaign that is not made yet, its calibration round included. An adaptive campaign may end before
    all of this is done."""
    parts: tuple[Part, ...] = ("first", "rest") if settings.get("calibration") else ("first",)
    judges = with_languages(judges, documents)
    about: dict[str, Any] = {"systems": systems, "options": options, "settings": settings, "seed": seed}
    tasks = [
        task
        for part in parts
        for task in prepare(design, documents, judges, protocol, rng=np.random.default_rng(seed), part=part, **about)
    ]
    if design == adaptive.NAME:
        most = {**designs.options(design), **options}
        rng = np.random.default_rng(seed)
        drawn = [document for document in documents if document.id not in settings.get("calibration", ())]
        tasks += adaptive.most_tasks(drawn, judges, protocol, systems=systems, rng=rng, **most)
    return plan(tasks, documents, judges, protocol, hourly_rate=hourly_rate, design=design)


def plan(
    tasks: Sequence[Task],
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    hourly_rate: float | None = None,
    minutes: Mapping[str, float] | None = None,
    wanted_half_width: float | None = 0.1,
    design: str = "",
) -> AssignmentPlan:
    """The plan of these tasks. `minutes` replaces the protocol's minutes per item by page; `wanted_half_width` is how
    exactly agreement is to be known (None: it does not matter); `design` is what made the tasks."""
    per_item = {page: (minutes or {}).get(page, protocol.minutes(page)) for page in protocol.pages}
    by_judge: dict[str, list[Task]] = {judge.id: [] for judge in judges}
    for task in tasks:
        by_judge.setdefault(task.judge, []).append(task)
    people = tuple(_judge_plan(judge, mine, per_item, hourly_rate) for judge, mine in by_judge.items() if judge or mine)
    judges_by_unit = _judges_by_unit(tasks)
    overlap = {unit: who for unit, who in judges_by_unit.items() if len(who) > 1}
    in_common = _in_common(overlap)
    hours = sum(person.hours for person in people)
    width = half_width(len(overlap), len({unit[1] for unit in overlap}))
    judges_with_tasks = [judge for judge in by_judge if judge]
    balance = describe_balance(tasks, documents, protocol) if design == "latin_square" else ""
    cautions = _cautions(
        by_judge, people, judges_by_unit, documents, overlap_goal=wanted_half_width, in_common=in_common
    )
    return AssignmentPlan(
        protocol=protocol.label,
        documents=len(documents),
        judges=people,
        pages=tuple(_page_plan(page, tasks, judges_by_unit, per_item[page]) for page in _pages(tasks, protocol)),
        answers=_answers(tasks, protocol),
        hours=hours,
        cost=None if hourly_rate is None else hours * hourly_rate,
        shared_documents=len({unit[1] for unit in overlap}),
        pairs_in_common=len(in_common),
        pairs=math.comb(len(judges_with_tasks), 2),
        sides=_sides(tasks),
        systems=_systems(tasks, protocol),
        half_width=width,
        main_items=sum(bool(item.document) and item.role is Role.MAIN for task in tasks for item in task.items),
        cautions=(*([Message(balance)] if balance else []), *cautions),
    )


def half_width(
    items: int, documents: int, *, agreement: float = 0.7, by_chance: float = 0.4, alike: float = 0.02
) -> float | None:
    """About how far to either side a 95 % interval of κ will reach, from the items judged by several.

    κ = (Po − Pe)/(1 − Pe), so its standard error is about √(Po(1 − Po)/n)/(1 − Pe) (Cohen 1960), enlarged by
    √(1 + (m − 1)ρ) since the m sentences of a document are alike by ρ (Kish 1965). The released FALCON labels have Po
    .63 to .70, Pe .40 to .45 and ρ below .01; a little more is assumed. None without overlap.
    """
    if not items or not documents:
        return None
    per_document = items / documents
    effect = 1 + (per_document - 1) * alike
    error = math.sqrt(agreement * (1 - agreement) / items * effect) / (1 - by_chance)
    return _Z * error


def _judge_plan(judge: str, tasks: Sequence[Task], per_item: Mapping[str, float], rate: float | None) -> JudgePlan:
    items = [item for task in tasks for item in task.items]
    roles = Counter(item.role for item in items)
    hours = sum(len(task.items) * per_item[task.page] for task in tasks) / 60
    in_calibration = [per_item[task.page] for task in tasks for item in task.items if item.role is Role.CALIBRATION]
    return JudgePlan(
        judge or ANYONE,
        len(tasks),
        len({item.document for item in items if item.document}),
        len(items),
        roles[Role.CONTROL],
        roles[Role.REPEAT],
        hours,
        None if rate is None else hours * rate,
        len(in_calibration),
        sum(in_calibration) / 60,
    )


def _unit(page: str, item: Item) -> Unit:
    return (page, item.document, item.segment, *sorted(item.systems))


def _judges_by_unit(tasks: Sequence[Task]) -> dict[Unit, list[str]]:
    """Who judges each main item; in a pool each free task is someone else's."""
    judges_by_unit: dict[Unit, list[str]] = defaultdict(list)
    for at, task in enumerate(tasks):
        for item in task.items:
            if item.document and item.role in (Role.MAIN, Role.CALIBRATION):
                judges_by_unit[_unit(task.page, item)].append(task.judge or f"{ANYONE} {at}")
    return judges_by_unit


def _in_common(overlap: Mapping[Unit, Sequence[str]]) -> Counter[tuple[str, str]]:
    """How many items each pair of judges has in common."""
    teams = Counter(tuple(sorted(set(who))) for who in overlap.values())
    counts: Counter[tuple[str, str]] = Counter()
    for team, number in teams.items():
        for one, two in combinations([judge for judge in team if not judge.startswith(ANYONE)], 2):
            counts[one, two] += number
    return counts


def _pages(tasks: Sequence[Task], protocol: Protocol) -> list[str]:
    pages = {task.page for task in tasks}
    return [page for page in protocol.pages if page in pages]


def _page_plan(
    page: str, tasks: Sequence[Task], judges_by_unit: Mapping[Unit, Sequence[str]], minutes: float
) -> PagePlan:
    every = [item for task in tasks if task.page == page for item in task.items]
    mine = [who for unit, who in judges_by_unit.items() if unit[0] == page] or [
        [task.judge] for task in tasks if task.page == page
    ]
    return PagePlan(
        page,
        len(mine),
        len(every),
        min(map(len, mine)),
        max(map(len, mine)),
        sum(len(who) > 1 for who in mine),
        len(every) * minutes / 60,
        sum(bool(item.document) and item.role in (Role.MAIN, Role.CALIBRATION) for item in every),
    )


def _answers(tasks: Sequence[Task], protocol: Protocol) -> int:
    """The number of answers to required questions that depend on no other answer. Marking nothing is an answer."""
    required = {page: _count_required(stages) for page, stages in protocol.pages.items()}
    return sum(len(task.items) * required[task.page] for task in tasks)


def _count_required(stages: Sequence[Stage]) -> int:
    return sum(
        (question.required or isinstance(question, Spans)) and not question.when and not stage.when
        for stage in stages
        for question in stage.questions
    )


def _sides(tasks: Sequence[Task]) -> int:
    """The largest difference in how often outputs of one set stand first for one judge on one page."""
    first: dict[tuple[str, str, Unit], Counter[str]] = defaultdict(Counter)
    for task in tasks:
        comparisons = [item for item in task.items if len(item.systems) > 1 and item.role is Role.MAIN]
        if len({(item.document, item.systems) for item in comparisons}) == 1:
            del comparisons[1:]  # the sentences of a document share the order of their outputs: it counts once
        for item in comparisons:
            first[task.judge, task.page, tuple(sorted(item.systems))][item.systems[0]] += 1
    return max((max(c[n] for n in key[2]) - min(c[n] for n in key[2]) for key, c in first.items()), default=0)


def _systems(tasks: Sequence[Task], protocol: Protocol) -> int:
    """The largest difference in how many documents of each system a judge rates on one page."""
    rating = {p for p, stages in protocol.pages.items() if any(stage.object is Object.OUTPUT for stage in stages)}
    pairings: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    every: set[str] = set()
    for task in tasks:
        for item in task.items:
            if task.page in rating and len(item.systems) == 1:
                pairings[task.judge, task.page][item.systems[0]].add(item.document)
                every.add(item.systems[0])
    spans = [[len(row.get(name, ())) for name in every] for row in pairings.values()]
    return max((max(counts) - min(counts) for counts in spans), default=0)


def _cautions(
    by_judge: Mapping[str, Sequence[Task]],
    people: Sequence[JudgePlan],
    judges_by_unit: Mapping[Unit, Sequence[str]],
    documents: Sequence[Document],
    *,
    overlap_goal: float | None,
    in_common: Mapping[tuple[str, str], int],
) -> list[Message]:
    cautions = []
    if "" not in by_judge and (idle := [judge for judge, mine in by_judge.items() if not mine]):
        names = f"{', '.join(idle[:5])}{' …' if len(idle) > 5 else ''}"
        cautions.append(message("Nothing is assigned to {names}.", names=names))
    document_ids = {unit[1] for unit in judges_by_unit}
    if left_over := [document.id for document in documents if document.id not in document_ids]:
        cautions.append(
            message(
                "{n} of {all} documents are judged by nobody, for instance {name}.",
                n=len(left_over),
                all=len(documents),
                name=repr(left_over[0]),
            )
        )
    cautions += _overlap_cautions(judges_by_unit, overlap_goal)
    if "" not in by_judge and in_common and (groups := _groups(list(by_judge), in_common)) > 1:
        cautions.append(
            message("The judges fall into {n} groups that share no item: they cannot be compared directly.", n=groups)
        )
    hours = [person.hours for person in people if person.judge != ANYONE and person.hours]
    if hours and max(hours) > UNEVEN * min(hours) and _time(max(hours)) != _time(min(hours)):
        cautions.append(
            message(
                "Work is uneven: from {low} to {high}. Whole documents are dealt out; shorter ones, or another number "
                "of judges, even it out.",
                low=_time(min(hours)),
                high=_time(max(hours)),
            )
        )
    few = [person.judge for person in people if 0 < person.controls < FEW_CONTROLS]
    if few:
        cautions.append(
            message(
                "With fewer than {n} control items a careless judge cannot be told from bad luck: {names}.",
                n=FEW_CONTROLS,
                names=", ".join(few[:5]),
            )
        )
    return cautions


def _overlap_cautions(judges_by_unit: Mapping[Unit, Sequence[str]], overlap_goal: float | None) -> list[Message]:
    overlap = {unit for unit, who in judges_by_unit.items() if len(who) > 1}
    width = half_width(len(overlap), len({unit[1] for unit in overlap}))
    if width is None:
        none = message("No item is judged by two judges, so agreement cannot be known.")
        return [none] if judges_by_unit else []
    if overlap_goal is None or width <= overlap_goal:
        return []
    per_document = len(overlap) / len({unit[1] for unit in overlap})
    more = math.ceil(len(overlap) * (width / overlap_goal) ** 2 / per_document)
    return [
        message(
            "Agreement will be known to about ±{width}; for ±{goal} about {n} documents would have to be judged by "
            "several.",
            width=f"{width:.2f}",
            goal=f"{overlap_goal:g}",
            n=more,
        )
    ]


def _groups(judges: Sequence[str], in_common: Iterable[tuple[str, str]]) -> int:
    """How many groups of judges there are that are joined by common items, directly or through others."""
    head = {judge: judge for judge in judges}

    def find(judge: str) -> str:
        while head[judge] != judge:
            head[judge] = judge = head[head[judge]]  # the way becomes shorter each time: two thousand judges are many
        return judge

    for one, two in in_common:
        head[find(one)] = find(two)
    return sum(judge == of for judge, of in head.items())


def _time(hours: float) -> str:
    return f"{hours:,.1f} hours" if hours >= 1 else f"{max(1, round(hours * 60))} min"


# How the work of a campaign is spread over its judges, in words to read.


@dataclass(frozen=True, slots=True)
class Loads:
    """Words that each judge has to read, each shown text once for every time it is shown."""

    words: dict[str, int]

    @property
    def mean(self) -> float:
        return sum(self.words.values()) / len(self.words) if self.words else 0.0

    @property
    def uneven(self) -> list[str]:
        """Judges with more than 1.2 times the mean, the most loaded first."""
        over = [judge for judge, words in self.words.items() if words > FAIR * self.mean]
        return sorted(over, key=lambda judge: -self.words[judge])


def loads(tasks: Iterable[Task], documents: Sequence[Document]) -> Loads:
    """The words of each judge's tasks. A document judged as a whole counts once for each output."""
    words: dict[tuple[str, str], int] = {}
    for document in documents:
        for segment in document:
            words[document.id, segment.id] = max(1, word_count(segment.source, document.source_language))
        words[document.id, ""] = sum(words[document.id, segment.id] for segment in document)
    results: dict[str, int] = {}
    for task in tasks:
        if task.judge:
            results[task.judge] = results.get(task.judge, 0) + sum(
                words.get((item.document, item.segment), 0) for item in task.items
            )
    return Loads(results)
