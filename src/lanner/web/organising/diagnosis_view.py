"""Computes the diagnosis page in a worker: the numbers of `analysis.diagnosis` in the words of the report."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from urllib.parse import urlencode

from lanner import campaign as campaigns
from lanner.analysis.diagnosis import Cell, Diagnosis, Example, diagnose
from lanner.analysis.material import Material, from_campaign
from lanner.errors import StatisticError
from lanner.figures import matrices as picture
from lanner.figures.typeset import estimate, number, percent
from lanner.model import Document
from lanner.reports.sections.diagnosis import advise, figure, place_label, tables, unit_words
from lanner.reports.view import View
from lanner.store import Store
from lanner.web.organising.diagnosis import DiagnosisPage, Output, Rating, Sentence, SystemAdvice
from lanner.web.speech import language, say, translate

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
    fits = len(result.systems) <= picture.MOST_SYSTEMS
    answered_ids = set(material.table["question"].unique())
    return DiagnosisPage(
        protocol=view.words.title,
        simulated=view.simulated,
        question=result.question,
        questions=tuple((q, view.label(q)) for q in material.protocol.diagnostic if q in answered_ids),
        errors=result.errors,
        advice=tuple(_advice(view, result, at, system) for at, system in enumerate(result.systems)),
        figure=figure(view, result, link=lambda target: _address(result, target), chosen=selection) if fits else None,
        cells=tuple((_key(other), f"{other.system} · {place_label(view, result, other)}") for other in choices),
        cell=_key(selection) if selection else "",
        summary=_summary(view, result, selection) if selection else "",
        sentences=tuple(_sentence(view, result, example) for example in result.examples(selection))
        if selection
        else (),
        tables=tuple(tables(view, result)),
        notes=tuple(map(translate, result.notes)),
    )


def _key(cell: Cell) -> str:
    return _BETWEEN.join((cell.system, cell.aspect, cell.domain))


def _address(result: Diagnosis, cell: Cell) -> str:
    return f"?{urlencode({'question': result.question, 'cell': _key(cell)})}#sentences"


def _cells(result: Diagnosis) -> Iterator[Cell]:
    """Every cell once, those that are to be improved first."""
    first = [priority.cell for priorities in result.priorities.values() for priority in priorities]
    yield from first
    yield from (cell for cell in result.cells if cell not in first)


def _choose_cell(result: Diagnosis, key: str) -> Cell | None:
    if key:
        match = next((cell for cell in result.cells if _key(cell) == key), None)
        if match is None:
            raise StatisticError(f"There is no cell {key!r}.", next_step="Choose one from the list.")
        return match
    return next((cell for cell in _cells(result) if cell.enough), None)


def _advice(view: View, result: Diagnosis, at: int, system: str) -> SystemAdvice:
    advice = advise(view, result, system)
    return SystemAdvice(system, picture.letter(at), advice.place, advice.reason, advice.rest)


def _summary(view: View, result: Diagnosis, cell: Cell) -> str:
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


def _sentence(view: View, result: Diagnosis, example: Example) -> Sentence:
    document = result.documents.get(example.document)
    names = sorted(example.ratings, key=lambda system: (system != example.system, system))
    outputs = tuple(
        Output(
            system,
            example.outputs.get(system, ""),
            tuple(_rating(view, result, judge, value) for judge, value in example.ratings[system].items()),
        )
        for system in names
    )
    return Sentence(example.why, example.document, example.segment, example.source, outputs, _languages(document))


def _languages(document: Document | None) -> tuple[str, str]:
    return (document.source_language, document.target_language) if document else ("und", "und")


def _rating(view: View, result: Diagnosis, judge: str, value: float | None) -> Rating:
    name = view.names.get(judge, judge)
    if value is None:
        return Rating(name, "")
    text = number(value, 0 if value == round(value) else 1, bounded=False)
    if result.bounds is None or value != round(value):
        return Rating(name, text)
    low, high = result.bounds
    steps = (round(value - low) + 1, round(high - low) + 1)
    return Rating(name, text, steps if steps[1] <= _MOST_STEPS else None)
