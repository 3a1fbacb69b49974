"""The numbers of the pages on what is decided and on what to improve, in words. Loaded by workers only: it brings
statistics along."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

from markupsafe import Markup

from lanner import campaign as campaigns
from lanner.analysis.diagnosis import CellExample, Diagnosis, DiagnosisCell, diagnose
from lanner.analysis.economy import (
    NOTABLE,
    Economy,
    PairStanding,
    SystemStanding,
    economy,
    look_if_due,
    score_interval,
    score_text,
)
from lanner.analysis.material import Material, from_campaign
from lanner.campaign.settings import local_time
from lanner.errors import StatisticError
from lanner.model import Document
from lanner.model.messages import estimate, number, percent
from lanner.monitor.live import decisions
from lanner.reports.sections.diagnosis import advise, figure, letter, place_label, tables, unit_words
from lanner.reports.view import View
from lanner.stats.goals import Goal, GoalKind, State
from lanner.store import Store
from lanner.web.organising.figures import course
from lanner.web.organising.results import (
    DecidedPage,
    DiagnosisPage,
    JudgeRating,
    PairRow,
    RatedOutput,
    Sentence,
    SystemAdvice,
    SystemRow,
    decided_panel,
    state_words,
)
from lanner.web.speech import language, say, translate


def decided_page(store: Store, campaign: int) -> DecidedPage:
    """Where an adaptive campaign stands. A look that is due is taken first."""
    look_if_due(store, campaign)
    now = economy(store, campaign)
    at = local_time(campaigns.get(store, campaign).settings, datetime.now(UTC))
    return DecidedPage(
        panel=decided_panel(decisions(now, at)),
        goal=str(now.goal),
        score=now.score,
        enough=now.enough,
        unused=now.unused,
        look=now.look,
        looks=now.looks,
        these_documents=now.goal.of_complete,
        is_about_agreement=now.goal.kind is GoalKind.AGREEMENT,
        skewness=score_text(now.skewness) if now.is_skewed else "",
        systems=tuple(_system(system) for system in now.systems),
        pairs=tuple(_pair(pair, now) for pair in now.pairs),
        agreement=_agreement(now),
        enough_when=_enough_when(now.goal),
        unused_hours=f"{now.hours(now.unused):.1f}",
        course=_course(now),
        tells_given_up=_tells_given_up(now),
    )


def _enough_when(goal: Goal) -> str:
    """The goal in words."""
    match goal.kind:
        case GoalKind.RANK if goal.margin:
            return say("every pair of systems is decided, or within ±{x}", x=f"{goal.margin:.12g}")
        case GoalKind.RANK:
            return say("every pair of systems is decided")
        case GoalKind.BEST:
            return say("every system but the best is beaten by another")
        case GoalKind.BETTER:
            return say("it is decided which of {a} and {b} is better", a=goal.first, b=goal.second)
        case GoalKind.NOT_WORSE:
            return say(
                "{a} is shown to be at most {x} worse than {b}", a=goal.first, b=goal.second, x=f"{goal.margin:.12g}"
            )
        case GoalKind.PRECISION:
            return say("every mean is known to ±{x}", x=f"{goal.half_width:.12g}")
        case GoalKind.AGREEMENT:
            return say("the interval of agreement lies above {x}", x=f"{goal.minimum:.12g}")


def _course(now: Economy) -> Markup:
    """How many open pairs more judging is expected to decide; nothing where that cannot be said."""
    if now.enough or now.forecast is None or len(now.forecast.course) < 2:
        return Markup("")
    return course([(0.0, 0.0, 0.0), *now.forecast.course], len(now.open), tells_given_up=_tells_given_up(now))


def _tells_given_up(now: Economy) -> bool:
    """Whether so many pairs are expected to be given up that the drawing shows them apart."""
    return now.forecast is not None and bool(now.forecast.course) and now.forecast.course[-1][2] >= NOTABLE


def _system(system: SystemStanding) -> SystemRow:
    return SystemRow(
        system.system,
        score_text(system.value),
        score_interval(system.low, system.high),
        score_text(system.plain),
        system.documents,
        system.shown,
    )


def _pair(pair: PairStanding, now: Economy) -> PairRow:
    savings = None if pair.spared is None else (f"{pair.spared:,.0f}", f"{now.hours(pair.spared):.1f}")
    return PairRow(
        pair.first,
        pair.second,
        pair.state is State.OPEN,
        state_words(str(pair.state)),
        pair.is_decided_across_0,
        pair.better,
        score_text(pair.value),
        score_interval(pair.low, pair.high),
        pair.chance_text,
        savings,
    )


def _agreement(now: Economy) -> tuple[str, str, str, str] | None:
    if now.agreement is None:
        return None
    value, low, high = now.agreement
    return number(value), number(low), number(high), f"{now.goal.minimum:.12g}"


_BETWEEN = "/"
_MOST_STEPS = 7


class Diagnoses:
    """The last diagnosis, kept while nothing new is saved: choosing another cell computes nothing again."""

    def __init__(self) -> None:
        self._key: Hashable = None
        self._result: tuple[Material, Diagnosis] | None = None

    def page(self, store: Store, campaign: int, question: str, cell: str) -> DiagnosisPage:
        """The page of a campaign as it is now."""
        key = (campaign, question, campaigns.chain_head(store, campaign), len(campaigns.events(store, campaign)))
        if self._result is None or key != self._key:
            material = from_campaign(store, campaign).under_code_names()
            self._key, self._result = key, (material, diagnose(material, question))
        return diagnosis_page(*self._result, cell)


def diagnosis_page(material: Material, result: Diagnosis, cell: str = "") -> DiagnosisPage:
    """The page of a diagnosis with the sentences behind one cell: the named one, else the first to be improved."""
    assert material.protocol is not None
    view = View(material, material.protocol, language=language(), translate=translate)
    selection = _choose_cell(result, cell)
    choices = [other for other in _cells(result) if other.enough]
    answered_ids = set(material.table["question"].unique())
    return DiagnosisPage(
        protocol=view.words.title,
        simulated=view.simulated,
        question=result.question,
        questions=tuple((q, view.label(q)) for q in material.protocol.diagnostic if q in answered_ids),
        errors=result.errors,
        advice=tuple(_advice(view, result, at, system) for at, system in enumerate(result.systems)),
        figure=figure(view, result, link=lambda target: _address(result, target), chosen=selection),
        cells=tuple((_key(other), f"{other.system} · {place_label(view, result, other)}") for other in choices),
        cell=_key(selection) if selection else "",
        summary=_summary(view, result, selection) if selection else "",
        sentences=tuple(_sentence(view, result, example) for example in result.examples(selection))
        if selection
        else (),
        tables=tuple(tables(view, result)),
        notes=tuple(map(translate, result.notes)),
    )


def _key(cell: DiagnosisCell) -> str:
    return _BETWEEN.join((cell.system, cell.aspect, cell.domain))


def _address(result: Diagnosis, cell: DiagnosisCell) -> str:
    return f"?{urlencode({'question': result.question, 'cell': _key(cell)})}#sentences"


def _cells(result: Diagnosis) -> Iterator[DiagnosisCell]:
    """Every cell once, those that are to be improved first."""
    first = [priority.cell for priorities in result.priorities.values() for priority in priorities]
    yield from first
    yield from (cell for cell in result.cells if cell not in first)


def _choose_cell(result: Diagnosis, key: str) -> DiagnosisCell | None:
    if key:
        match = next((cell for cell in result.cells if _key(cell) == key), None)
        if match is None:
            raise StatisticError(f"There is no cell {key!r}.", next_step="Choose one from the list.")
        return match
    return next((cell for cell in _cells(result) if cell.enough), None)


def _advice(view: View, result: Diagnosis, at: int, system: str) -> SystemAdvice:
    advice = advise(view, result, system)
    return SystemAdvice(system, letter(at), advice.place, advice.reason, advice.rest)


def _summary(view: View, result: Diagnosis, cell: DiagnosisCell) -> str:
    numbers = {
        "cell": place_label(view, result, cell),
        "share": percent(cell.matters.value, 0),
        "n": cell.matters.n,
        "system": cell.system,
        "mean": estimate(cell.quality.value, cell.quality.low, cell.quality.high, 2, bounded=False),
    }
    if result.errors:
        unit = translate(unit_words(result))
        return say("{system}, {cell}: in {share} of {n} judgements, {mean} {unit}.", unit=unit, **numbers)
    return say("{system}, {cell}: matters in {share} of {n} judgements, mean {mean} there.", **numbers)


def _sentence(view: View, result: Diagnosis, example: CellExample) -> Sentence:
    document = result.documents.get(example.document)
    names = sorted(example.ratings, key=lambda system: (system != example.system, system))
    outputs = tuple(
        RatedOutput(
            system,
            example.outputs.get(system, ""),
            tuple(_rating(view, result, judge, value) for judge, value in example.ratings[system].items()),
        )
        for system in names
    )
    return Sentence(example.why, example.document, example.segment, example.source, outputs, _languages(document))


def _languages(document: Document | None) -> tuple[str, str]:
    return (document.source_language, document.target_language) if document else ("und", "und")


def _rating(view: View, result: Diagnosis, judge: str, value: float | None) -> JudgeRating:
    name = view.names.get(judge, judge)
    if value is None:
        return JudgeRating(name, "")
    text = number(value, 0 if value == round(value) else 1, bounded=False)
    if result.bounds is None or value != round(value):
        return JudgeRating(name, text)
    low, high = result.bounds
    steps = (round(value - low) + 1, round(high - low) + 1)
    return JudgeRating(name, text, steps if steps[1] <= _MOST_STEPS else None)
