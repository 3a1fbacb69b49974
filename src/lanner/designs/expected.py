"""What a control item expects as an answer, and who missed it.

An item's `expected` maps questions to rules. A rule is a table of conditions, all of which must hold:

===================  ===========================================================================================
is                   the answer is exactly this; with `within` a number may differ by so much
one_of               the answer is one of these
at_least, at_most    the number is not below, not above this
includes, excludes   the labels given hold all of these, none of these
rows                 the rows of a grid, or the labels that a question is asked about, have these answers or
                     meet these conditions; rows that are not named may have any
mean                 the mean of the rows that were rated meets these conditions
marks_at_least       so many spans are marked
worst                the output in this place (from 0) is ranked behind every other: a tie is a miss
below_original       the number is worse than the same judge's answer about the same output unspoiled
===================  ===========================================================================================

`explanation` in a rule, or in the rule of the question "", is shown to a judge in training once they have answered.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lanner.model import Json, Judgement, Question, Role, Scale, Stage, Task
from lanner.model.alarms import Alarm, Code
from lanner.protocols.kinds import kind_of

EXPLANATION = "explanation"


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """How one judge did on one rule. `met` is None where it cannot be said yet."""

    judge: str
    role: Role
    page: str
    question: str
    document: str
    segment: str
    value: Json
    met: bool | None
    tie: bool = False
    systems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ControlCounts:
    """A judge's control items: how many there are, are answered, are missed (one broken rule misses an item), and how
    many misses are ties."""

    judge: str
    page: str
    items: int
    answered: int
    missed: int
    ties: int

    @property
    def share(self) -> float | None:
        return self.missed / self.answered if self.answered else None


def of_nonsense(stages: Sequence[Stage], place: int) -> dict[str, dict[str, Json]]:
    """What to expect where the output in this place is nonsense: the lower half of every scale, a mark where errors
    are marked, some error where "no errors" could be said, the last rank."""
    rules = {
        question.id: _of_all_rows(question, kind_of(question).expected_of_nonsense(question, place))
        for stage in stages
        for question in stage.questions
        if not question.when and (not question.for_each or isinstance(question, Scale))
    }
    return {question: rule for question, rule in rules.items() if rule}


def of_worse(stages: Sequence[Stage]) -> dict[str, dict[str, Json]]:
    """What to expect of an output that was made worse: lower scores than the same judge gave it unspoiled."""
    return {
        question.id: _of_all_rows(question, {"below_original": True})
        for stage in stages
        for question in stage.questions
        if isinstance(question, Scale) and question.direction != "neutral"
    }


def _of_all_rows(question: Question, rule: dict[str, Json]) -> dict[str, Json]:
    """The rule of a question that is asked about each of several labels holds for the mean of its answers: words in
    chance order may well be the right terms."""
    return {"mean": rule} if question.for_each and rule else rule


def meets(
    rule: Mapping[str, Json], value: Json, original: Json = None, *, lower_is_better: bool = False
) -> bool | None:
    """Whether an answer meets a rule; None where there is no answer, or nothing to compare it with."""
    if value is None:
        return None
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    labels = _labels(value)
    for name, condition in rule.items():
        holds: bool | None
        match name:
            case "is":
                near = rule.get("within")
                holds = value == condition if near is None or number is None else abs(number - float(condition)) <= near
            case "one_of":
                holds = value in condition
            case "rows":
                holds = isinstance(value, Mapping) and all(
                    meets(wanted if isinstance(wanted, Mapping) else {"is": wanted}, value.get(row))
                    for row, wanted in condition.items()
                )
            case "mean":
                holds = meets(condition, _mean(value), _mean(original), lower_is_better=lower_is_better)
                if holds is None:
                    return None
            case "at_least":
                holds = number is not None and number >= condition
            case "at_most":
                holds = number is not None and number <= condition
            case "includes":
                holds = set(condition) <= labels
            case "excludes":
                holds = not set(condition) & labels
            case "marks_at_least":
                holds = isinstance(value, list) and len(value) >= condition
            case "worst":
                holds = all(rank < value[condition] for at, rank in enumerate(value) if at != condition)
            case "below_original":
                if original is None or number is None:
                    return None
                holds = number > original if lower_is_better else number < original
            case _:
                continue
        if not holds:
            return False
    return True


def _mean(value: Json) -> float | None:
    """The mean of the rows that have a number."""
    numbers = [float(number) for number in value.values() if number is not None] if isinstance(value, Mapping) else []
    return sum(numbers) / len(numbers) if numbers else None


def _labels(value: Json) -> set[Any]:
    return {entry for entry in value if isinstance(entry, str)} if isinstance(value, list | dict) else {value}


def outcomes(
    tasks: Iterable[Task], judgements: Iterable[Judgement], questions: Mapping[str, Question] | None = None
) -> list[RuleOutcome]:
    """Every rule of every item, task by task, with what was answered. `questions` tell which scales are better low."""
    latest: dict[tuple[object, ...], Judgement] = {}
    for judgement in judgements:
        latest[_key(judgement.judge, judgement, judgement.question, judgement.role)] = judgement
    results = []
    for task in tasks:
        for item in task.items:
            for question, rule in item.expected.items():
                if not question:
                    continue
                own = latest.get(_key(task.judge, item, question, item.role))
                main = latest.get(_key(task.judge, item, question, Role.MAIN))
                value = own.value if own else None
                definition = (questions or {}).get(question)
                lower = getattr(definition, "direction", "") == "lower_is_better"
                fits = meets(rule, value, main.value if main else None, lower_is_better=lower)
                tie = "worst" in rule and isinstance(value, list) and value.count(value[rule["worst"]]) > 1
                results.append(
                    RuleOutcome(
                        task.judge,
                        item.role,
                        task.page,
                        question,
                        item.document,
                        item.segment,
                        value,
                        fits,
                        tie,
                        tuple(item.systems),
                    )
                )
    return results


def misses(results: Iterable[RuleOutcome], role: Role = Role.CONTROL) -> list[ControlCounts]:
    """Misses per judge and page, in order of appearance."""
    by_item: dict[tuple[str, str], dict[tuple[str, str, tuple[str, ...]], list[RuleOutcome]]] = {}
    for outcome in results:
        if outcome.role is role:
            items = by_item.setdefault((outcome.judge, outcome.page), {})
            items.setdefault((outcome.document, outcome.segment, outcome.systems), []).append(outcome)
    rows = []
    for (judge, page), items in by_item.items():
        with_answer = [rules for rules in items.values() if any(rule.met is not None for rule in rules)]
        failures = [rules for rules in with_answer if any(rule.met is False for rule in rules)]
        ties = [rules for rules in failures if any(rule.tie and rule.met is False for rule in rules)]
        rows.append(ControlCounts(judge, page, len(items), len(with_answer), len(failures), len(ties)))
    return rows


CONTROL_LIMIT = 0.25
"""The share of control items that a judge may miss, unless the campaign says otherwise."""


def control_limit(settings: Mapping[str, Json]) -> float:
    """The share of control items that a judge of a campaign may miss; 1 or more, in campaigns of earlier versions, is a
    number of items."""
    limit = settings.get("control_limit")
    if isinstance(limit, int | float) and not isinstance(limit, bool) and limit >= 0:
        return float(limit)
    return CONTROL_LIMIT


def missed_controls(counts: Mapping[str, tuple[int, int]], limit: float) -> list[Alarm]:
    """Judges who miss a larger share of control items than `limit`, the worst first. It is `clear` where the whole
    95 % interval (Wilson) of their share lies above the limit. `counts` are items missed and answered, by judge. A
    limit of 1 or more is a number of items."""
    results = []
    for judge, (missed, answered) in counts.items():
        if not answered:
            continue
        allowed = limit if limit < 1 else min(1.0, limit / answered)
        share = missed / answered
        low, high = share_interval(missed, answered)
        if share > allowed:
            clear = low > allowed
            results.append(Alarm(Code.CONTROLS, judge, share, allowed, answered, clear=clear, low=low, high=high))
    return sorted(results, key=lambda alarm: (-alarm.value, -alarm.n))


def controls_called_by_chance(counts: Mapping[str, tuple[int, int]], limit: float) -> tuple[float, float] | None:
    """How often careful judges miss a control item, and how many of these judges `missed_controls` would name if all
    were careful. Careful are those whom it does not name; half a miss is added, so that none seen is not never. None
    where nobody of them has answered any."""
    named = {alarm.judge for alarm in missed_controls(counts, limit)}
    careful = [pair for judge, pair in counts.items() if judge not in named and pair[1]]
    if not careful:
        return None
    share = (sum(missed for missed, _ in careful) + 0.5) / (sum(answered for _, answered in careful) + 1)
    judges = Counter(answered for _, answered in counts.values())
    return share, sum(_chance_of_being_named(share, items, limit) * number for items, number in judges.items())


def _chance_of_being_named(share: float, items: int, limit: float) -> float:
    """How likely somebody who misses this share of control items is named after so many of them (binomial)."""
    chance = 0.0
    for missed in range(items + 1):
        if missed_controls({"": (missed, items)}, limit):
            ways = math.lgamma(items + 1) - math.lgamma(missed + 1) - math.lgamma(items - missed + 1)
            chance += math.exp(ways + missed * math.log(share) + (items - missed) * math.log1p(-share))
    return chance


def share_interval(count: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson)."""
    if not of:
        return 0.0, 1.0
    share, z = count / of, 1.959963984540054
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _key(judge: str, about: Any, question: str, role: Role) -> tuple[object, ...]:
    return (judge, about.document, about.segment, tuple(about.systems), question, role)
