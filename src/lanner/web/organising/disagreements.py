"""The disagreement browser, and the meeting in front of it.

One unit after another is shown with everybody's answers; what is agreed is kept beside the judges' own answers and may
become a worked example of the guidelines. For a meeting the most disputed sentences are chosen, with all reasons side
by side; they can be given to everybody again, and agreement compared before and after a day.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import TypeVar, assert_never
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from lanner import campaign as campaigns
from lanner.campaign import adjudication
from lanner.campaign.adjudication import TAKEN
from lanner.errors import AnswerError, CampaignError, StatisticError
from lanner.model import (
    Campaign,
    Choice,
    Document,
    Grid,
    Json,
    Judge,
    Labels,
    Number,
    Option,
    Question,
    Rank,
    Scale,
    Segment,
    Spans,
    Text,
)
from lanner.model import Unit as StageUnit
from lanner.model.messages import lower_first
from lanner.model.protocol import Wording
from lanner.monitor.snapshot import MODELS, PEOPLE, Disagreement, DisagreementFilter, DisagreementList, UnitAnswers
from lanner.protocols.prefilled import judged_marks
from lanner.store import Store
from lanner.web import forms
from lanner.web.organising import figures
from lanner.web.organising.campaigns import address_of, campaign_of, to_campaign
from lanner.web.organising.files import report_policy
from lanner.web.problems import error_text, parts
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import apart, comma, language, say
from lanner.web.speech import listed as in_words


def filter_of(query: QueryParams) -> DisagreementFilter:
    """What the filters ask for."""
    judges = tuple(name for name in query.get("judges", "").split("|") if name)
    labels = tuple(name for name in query.get("labels", "").split("|") if name)
    show = query.get("show", "open")
    return DisagreementFilter(
        question=query.get("question", ""),
        domain=query.get("domain", ""),
        document=query.get("document", ""),
        judges=judges if len(judges) == 2 else (),
        labels=labels if len(labels) == 2 else (),
        show=show if show in ("open", "settled", "all") else "open",
    )


async def disagreements(request: Request) -> Response:
    """The list on the left, one unit in the middle, what is agreed on the right."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    query = request.query_params
    selection = filter_of(query)
    disagreement_list: DisagreementList = await site.live.ask("disagreements", campaign.id, selection)
    unit = _unit(query) or _first(disagreement_list.entries)
    unit_answers: UnitAnswers | None = await site.live.ask("answers", campaign.id, unit) if unit else None
    if unit and unit_answers is not None and not unit_answers.given:
        raise HTTPException(404)

    def make() -> dict[str, object]:
        scene = CampaignTexts(site.store, campaign)
        item = scene.item(unit, unit_answers, models="models" in query) if unit and unit_answers else None
        about = (unit[0], unit[1], tuple(unit[2].split("|")) if unit[2] else ()) if unit else None
        seen = _digest(adjudication.settled_answers(site.store, campaign.id, about)) if about else ""
        return {**scene.context(disagreement_list, selection), "item": item, "seen": seen}

    context = await site.read(make)
    following = _following(disagreement_list.entries, unit)
    filters = {
        name: value for name, value in query.items() if name not in ("segment", "system", "at", "models", "unit")
    }
    context |= {
        "base": urlencode(filters),
        "next": _address(following, filters) if following else "",
        "address": _address,
    }
    return page(request, "disagreements.html", {**context, "kept": filters, "refused": query.get("refused", "")})


def _unit(query: QueryParams) -> Unit | None:
    """The unit named in the address: `at` is a document, and its segment and system come along."""
    document = query.get("at") or (query.get("document") if "segment" in query else None)
    return (document, query.get("segment", ""), query.get("system", "")) if document else None


def _first(entries: Sequence[Disagreement]) -> Unit | None:
    return (entries[0].document, entries[0].segment, entries[0].system) if entries else None


def _following(entries: Sequence[Disagreement], unit: Unit | None) -> Disagreement | None:
    places = [at for at, entry in enumerate(entries) if (entry.document, entry.segment, entry.system) == unit]
    after = entries[places[0] + 1 :] if places else entries
    return after[0] if after else None


def _address(entry: Disagreement, query: Mapping[str, str]) -> str:
    return "?" + urlencode({**query, "at": entry.document, "segment": entry.segment, "system": entry.system})


async def settle(request: Request) -> Response:
    """Keep the agreed answer as a judge of its own, with a note; a guideline note reaches the judges from now on."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    unit = (forms.text(form, "document"), forms.text(form, "segment"), forms.text(form, "system"))
    place = address_of(request, campaign, "/disagreements")
    try:
        await site.write(lambda: _store_agreed(site.store, campaign, unit, form, account.id))
    except (AnswerError, CampaignError) as refused:
        back = {"at": unit[0], "segment": unit[1], "system": unit[2], "refused": parts(refused)[0]}
        back_query = {name: value[:_LONGEST_VALUE] for name, value in back.items()}
        return RedirectResponse(f"{place}?{forms.text(form, 'base')[:_LONGEST_ADDRESS]}&{urlencode(back_query)}", 303)
    following = forms.text(form, "next")[:_LONGEST_ADDRESS]
    return RedirectResponse(place + (following if following.startswith("?") else ""), 303)


def _store_agreed(store: Store, campaign: Campaign, unit: Unit, form: FormData, account: int) -> None:
    note = forms.text(form, "note").strip()[:4000]
    now = datetime.now(UTC)
    document, segment, system = unit
    about = (document, segment, tuple(system.split("|")) if system else ())
    answers = campaigns.answers_from(store, campaign.id, about, forms.fields(form))
    settled = adjudication.settled_answers(store, campaign.id, about)
    if forms.text(form, "seen") not in ("", _digest(settled)) and any(
        settled[question] != value for question, value in answers.items() if question in settled
    ):
        raise CampaignError("Someone else has settled this meanwhile.", code="changed")
    campaigns.settle(store, campaign.id, about, answers, note=note, account=account, at=now)
    if note and forms.text(form, "guideline"):
        adjudication.add(store, campaign.id, note, account=account, at=now)


def _digest(settled: Mapping[str, Json]) -> str:
    """What was agreed when the page was shown, so that nobody overwrites what they have not seen."""
    return hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()[:16]


T = TypeVar("T")
Unit = tuple[str, str, str]
_AROUND = 2
_LONGEST_ADDRESS, _LONGEST_VALUE = 2000, 300
"""Characters of a form that go back into the address of a page: longer ones are refused by some proxies."""


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence in its context, with what was marked in it and by whom. `targets` are the translations that were
    judged: none where the source alone was, several where they were compared."""

    number: int
    source: tuple[Piece, ...]
    targets: tuple[tuple[Piece, ...], ...]
    current: bool


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """The unit that is discussed."""

    unit: Unit
    number: int
    rows_in_all: int
    document: Document
    rows: tuple[SentenceRow, ...]
    matrices: tuple[Matrix, ...]
    extras: tuple[AnswerLine, ...]
    comments: tuple[tuple[str, str], ...]
    seconds: tuple[str, ...]
    distance: float | None
    parts: str
    share: str
    settled: bool
    judges: tuple[str, ...]

    @property
    def systems(self) -> list[str]:
        """Whose translations are discussed."""
        return self.unit[2].split("|") if self.unit[2] else []

    @property
    def systems_in_words(self) -> str:
        """The systems as a sentence names them."""
        return in_words(self.systems) if self.systems else ""


class CampaignTexts:
    """A campaign as the browser needs it: read once for one page."""

    def __init__(self, store: Store, campaign: Campaign) -> None:
        self._store = store
        self.campaign = campaign
        self.protocol = campaigns.protocol(store, campaign.id)
        self.judges = campaigns.judges(store, campaign.id)
        self.wording = Wording(self.protocol, language())
        self.names = {judge.id: judge.name or judge.id for judge in self.judges}

    def context(self, disagreement_list: DisagreementList, selection: DisagreementFilter) -> dict[str, object]:
        """What the filters and the list show."""
        people = [judge.id for judge in self.judges if judge.kind in PEOPLE]
        match = self.protocol.find(selection.question)
        options = getattr(match[1], "options", ()) if match else ()
        labels = {option.id: self.wording.option(selection.question, option.id).label for option in options}
        questions = [
            question.id
            for stage, question in self.protocol.questions
            if not isinstance(question, Text) and stage.unit is not StageUnit.JUDGE
        ]
        return {
            "campaign": self.campaign,
            "listed": disagreement_list,
            "wanted": selection,
            "texts": self._texts(disagreement_list.entries),
            "names": self.names,
            "labels": labels,
            "tones": dict(zip(labels, figures.ramp(len(labels)), strict=True)),
            "questions": [(question, self.wording.question(question).label) for question in questions],
            "domains": sorted(
                {entry.domain for entry in disagreement_list.entries if entry.domain} | ({selection.domain} - {""})
            ),
            "documents": self._documents(disagreement_list.entries, selection.document),
            "pairs": [(f"{a}|{b}", in_words([self.names[a], self.names[b]])) for a, b in _pairs(people)],
            "label_pairs": [(f"{a}|{b}", f"{labels[a]} / {labels[b]}") for a, b in _pairs(list(labels))],
            "distance": figures.distance,
        }

    def _documents(self, entries: Sequence[Disagreement], document_id: str) -> list[tuple[str, str]]:
        """The documents of the list to choose from, by title, in the order of the campaign's names for them."""
        ids = sorted({entry.document for entry in entries} | ({document_id} - {""}))
        with self._store.reading() as tx:
            documents = {name: tx.documents.find(self.campaign.id, name) for name in ids}
        return [(name, document.title or name if document else name) for name, document in documents.items()]

    def _texts(self, entries: Sequence[Disagreement]) -> dict[tuple[str, str], tuple[str, str]]:
        """The source sentence of each entry in the list with its language."""
        names = dict.fromkeys(entry.document for entry in entries)
        with self._store.reading() as tx:
            documents = {name: tx.documents.find(self.campaign.id, name) for name in names}
        texts = {}
        for entry in entries:
            document = documents[entry.document]
            segment = document.segment(entry.segment) if document else None
            words = segment.source if segment else (document.title if document else "")
            texts[entry.document, entry.segment] = (words, document.source_language if document else "und")
        return texts

    def item(self, unit: Unit, unit_answers: UnitAnswers, *, models: bool) -> DisputedItem | None:
        """One unit in its context. Models stay out until people have decided: they must not sway anyone."""
        with self._store.reading() as tx:
            document = tx.documents.find(self.campaign.id, unit[0])
        if document is None:
            return None
        present = {judge for by_judge in unit_answers.given.values() for judge in by_judge}
        judges = [judge for judge in self.judges if judge.id in present and judge.kind in PEOPLE]
        if models and unit_answers.settled:
            judges += [judge for judge in self.judges if judge.id in present and judge.kind in MODELS]
        place = next((at for at, segment in enumerate(document) if segment.id == unit[1]), None)
        matrices = self._matrices(unit, unit_answers, judges)
        own = tuple(matrix for matrix in matrices if not matrix.lines[0].name.endswith(TAKEN))
        parts = [
            f"{lower_first(self.wording.question(q).label, language())} {apart(_short(distance))}"
            for q, distance in unit_answers.parts.items()
        ]
        seconds = [unit_answers.seconds.get(judge.id) for judge in judges]
        return DisputedItem(
            unit=unit,
            number=(place or 0) + 1,
            rows_in_all=len(document.segments),
            document=document,
            rows=tuple(self._rows(document, place, unit[2], unit_answers, judges)),
            matrices=own or matrices,
            extras=tuple(replace(entry.lines[0], label=entry.label) for entry in matrices if own and entry not in own),
            comments=tuple(self._comments(unit_answers, judges)),
            seconds=tuple("" if second is None else f"{second:.0f}" for second in seconds),
            distance=unit_answers.distance,
            parts=" · ".join(parts),
            share=_share(matrices),
            settled=bool(unit_answers.settled),
            judges=tuple(self.names[judge.id] for judge in judges),
        )

    def _matrices(self, unit: Unit, unit_answers: UnitAnswers, judges: Sequence[Judge]) -> tuple[Matrix, ...]:
        judge_ids, systems = [judge.id for judge in judges], unit[2].split("|")
        questions = [question for _, question in self.protocol.questions]
        by_question, agreed_answers = unit_answers.given, unit_answers.settled
        tables = [
            matrix(
                question,
                by_question.get(question.id, {}),
                judge_ids,
                agreed_answers.get(question.id),
                self.wording,
                names=self.names,
                systems=systems,
            )
            for question in questions
        ]
        return tuple(entry for entry in tables if entry is not None and entry.lines)

    def _comments(self, unit_answers: UnitAnswers, judges: Sequence[Judge]) -> list[tuple[str, str]]:
        texts = [question.id for _, question in self.protocol.questions if isinstance(question, Text)]
        answers = [
            (judge, unit_answers.given.get(question, {}).get(judge.id)) for question in texts for judge in judges
        ]
        remarks = [
            (judge, remark)
            for by_judge in unit_answers.given.values()
            for judge in judges
            for remark in _remarks(by_judge.get(judge.id))
        ]
        return [(self.names[judge.id], str(words)) for judge, words in [*answers, *remarks] if words]

    def _rows(
        self, document: Document, place: int | None, system: str, unit_answers: UnitAnswers, judges: Sequence[Judge]
    ) -> list[SentenceRow]:
        if place is None:
            return [_row(at, segment, system, {}, current=True) for at, segment in enumerate(document)]
        spans: dict[str, list[dict[str, Json]]] = {}
        for question, by_judge in unit_answers.given.items():
            for judge in judges:
                if _is_spans(value := by_judge.get(judge.id)):
                    spans.setdefault(self.names[judge.id], []).extend(self._with_severities(question, value))
        near = range(max(0, place - _AROUND), min(len(document.segments), place + _AROUND + 1))
        rows = [(at, document.segments[at]) for at in near]
        return [_row(at, seg, system, spans if at == place else {}, current=at == place) for at, seg in rows]

    def _with_severities(self, question: str, spans: Json) -> list[dict[str, Json]]:
        """Marks with their severity in words."""
        return [{**span, "severity": _severity(span, question, self.wording)} for span in judged_marks(spans) or ()]


def _severity(span: Mapping[str, Json], question: str, wording: Wording) -> str:
    return wording.option(question, str(span["severity"])).label if span.get("severity") else ""


def _pairs(entries: Sequence[T]) -> list[tuple[T, T]]:
    return [(a, b) for at, a in enumerate(entries) for b in entries[at + 1 :]][:60]


def _short(distance: float) -> str:
    return "1.0" if distance >= 0.995 else f"{distance:.2f}".removeprefix("0")


def _share(matrices: Sequence[Matrix]) -> str:
    """What they agree on, and what not, in words."""
    same = [matrix.label for matrix in matrices if matrix.agreed]
    differ = [entry.label for entry in matrices if entry.agreed is False]
    sentence = [say("They agree on {what}.", what=_list_lowered(same))] if same else []
    return " ".join([*sentence, *([say("They differ on {what}.", what=_list_lowered(differ))] if differ else [])])


def _list_lowered(labels: Sequence[str]) -> str:
    return in_words([lower_first(label, language()) for label in labels])


def _remarks(value: Json) -> list[str]:
    """What a judge wrote at marks: the marked words, the note, the suggested correction."""
    marks = [mark for mark in value if mark.get("note") or mark.get("correction")] if _is_spans(value) else []
    return [
        f"“{mark.get('text', '')}” {' → '.join(str(mark[name]) for name in ('note', 'correction') if mark.get(name))}"
        for mark in marks
    ]


def _is_spans(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _row(at: int, segment: Segment, system: str, spans: Mapping[str, Json], *, current: bool) -> SentenceRow:
    names = system.split("|") if system else []
    targets = tuple(mark_spans(segment.text(name) or "", spans, "target", output) for output, name in enumerate(names))
    return SentenceRow(at + 1, mark_spans(segment.source, spans, "source"), targets, current)


_MOST_POINTS = 12
Bounds = tuple[float | None, float | None, float | None]
"""Least, most and step of a number."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One row. `cells` are the judges' answers in words, "" for none; `picked` says who chose it where that is the
    question. `control` is what the agreed answer is given with: radio, checkbox, select, number or nothing."""

    label: str
    cells: tuple[str, ...]
    split: bool
    control: str
    name: str
    value: str
    chosen: bool
    count: str = ""
    picked: tuple[bool, ...] | None = None
    options: tuple[tuple[str, str], ...] = ()
    group: str = ""
    bounds: Bounds = (None, None, None)


@dataclass(frozen=True, slots=True)
class Matrix:
    """One question."""

    question: str
    label: str
    lines: tuple[AnswerLine, ...]
    agreed: bool | None
    """Whether all who answered said the same; None where fewer than two did."""
    wide: bool


def matrix(
    question: Question,
    answers_by_judge: Mapping[str, Json],
    judges: Sequence[str],
    agreed_answer: Json,
    wording: Wording,
    *,
    names: Mapping[str, str] | None = None,
    systems: Sequence[str] = (),
) -> Matrix | None:
    """The table of one question; None where there is nothing to compare (free text stands elsewhere). `names` are
    what judges are called, `systems` whose outputs were judged."""
    if isinstance(question, Text) or not any(judge in answers_by_judge for judge in judges):
        return None
    answers = [answers_by_judge.get(judge) for judge in judges]
    label = wording.question(question.id).label
    if isinstance(question, Spans | Rank) and not question.for_each:
        pairs = list(zip(judges, answers, strict=True))
        lines: tuple[AnswerLine, ...] = (_whole(question, pairs, agreed_answer, names or {}, wording, systems=systems),)
    else:
        lines = tuple(_lines(question, answers, agreed_answer, wording))
    sentences = [_plain(answer) for answer in answers if answer is not None]
    wide = isinstance(question, Grid | Labels) or bool(question.for_each)
    agreed = len(set(sentences)) == 1 if len(sentences) > 1 else None
    return Matrix(question.id, label, lines, agreed, wide)


def _plain(value: Json) -> str:
    return repr(sorted(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else value)


def _lines(question: Question, answers: Sequence[Json], agreed_answer: Json, wording: Wording) -> list[AnswerLine]:
    if question.for_each:
        labels = list(dict.fromkeys(label for answer in answers if isinstance(answer, dict) for label in answer))
        return [_part(question, label, answers, agreed_answer, wording) for label in labels]
    match question:
        case Choice():
            return [_option(question, option, answers, agreed_answer, wording) for option in question.options]
        case Labels():
            line = _count_line if question.counts else _option
            return [line(question, option, answers, agreed_answer, wording) for option in question.options]
        case Grid():
            rows = [(row, _part(question, row.id, answers, agreed_answer, wording)) for row in question.rows]
            return [replace(line, group=row.group or "") for row, line in rows]
        case Scale() | Number():
            return [_value_line(question, question.id, say("Given"), (answers, agreed_answer), wording)]
        case Spans() | Rank() | Text():
            return []
        case _:
            assert_never(question)


def _whole(
    question: Spans | Rank,
    pairs: Sequence[tuple[str, Json]],
    agreed_answer: Json,
    names: Mapping[str, str],
    wording: Wording,
    *,
    systems: Sequence[str],
) -> AnswerLine:
    """Marked passages and ranks: what is agreed is one judge's answer, as it stands. `pairs` are judges with theirs."""
    answers = [answer for _, answer in pairs]
    if isinstance(question, Spans):
        label, cells = (
            say("Marked"),
            tuple(_marks_in_words(answer, question.id, wording, systems) for answer in answers),
        )
    else:
        label, cells = say("Ranks"), tuple(_best_first(answer, systems) if answer else "" for answer in answers)
    same = next((judge for judge, answer in pairs if agreed_answer is not None and answer == agreed_answer), "")
    return AnswerLine(
        label=label,
        cells=cells,
        split=len({cell for cell in cells if cell}) > 1,
        control="select",
        name=f"{question.id}{TAKEN}",
        value=same,
        chosen=agreed_answer is not None,
        options=tuple((judge, say("as {name}", name=names.get(judge, judge))) for judge, a in pairs if a is not None),
    )


def _best_first(ranks: Sequence[int], systems: Sequence[str]) -> str:
    """An order by the names of the systems: oak > elm = fir."""
    by_rank = {
        rank: [apart(name) for name, own in zip(systems, ranks, strict=False) if own == rank] for rank in sorted(ranks)
    }
    return " > ".join(" = ".join(names) for names in by_rank.values())


def _marks_in_words(answer: Json, question: str, wording: Wording, systems: Sequence[str]) -> str:
    """What was marked, each with its category and severity in brackets, and of several outputs with whose it is."""
    spans = judged_marks(answer) if isinstance(answer, list) else None
    if spans is None:
        return ""
    marks = []
    for span in spans:
        category = wording.option(question, str(span["category"])).label if span.get("category") else ""
        traits = [lower_first(trait, language()) for trait in (category, _severity(span, question, wording)) if trait]
        if len(systems) > 1 and "output" in span:
            traits.append(apart(systems[span["output"]]))
        words = apart(span.get("text") or say("something missing"))
        marks.append(f"{words} ({comma().join(traits)})" if traits else words)
    return comma().join(marks) or say("nothing")


def _count_line(
    question: Choice | Labels, option: Option, answers: Sequence[Json], agreed_answer: Json, wording: Wording
) -> AnswerLine:
    """A label that is given with how often it applies."""
    numbers = [answer.get(option.id, 0) if isinstance(answer, dict) else None for answer in answers]
    counts = [number for number in numbers if number is not None]
    agreed_count = agreed_answer.get(option.id) if isinstance(agreed_answer, dict) else None
    exclusive = isinstance(question, Labels) and option.id == question.exclusive
    return AnswerLine(
        label=wording.option(question.id, option.id).label,
        cells=tuple(_number(number) if number else "" for number in numbers),
        count=str(sum(bool(number) for number in counts) or ""),
        split=len(set(counts)) > 1,
        control="checkbox" if exclusive else "number",
        name=f"{question.id}.{option.id}",
        value=option.id if exclusive else _number(agreed_count) if agreed_count else "",
        chosen=bool(agreed_count),
        group=option.group or "",
        bounds=(0.0, None, 1.0),
    )


def _option(
    question: Choice | Labels, option: Option, answers: Sequence[Json], agreed_answer: Json, wording: Wording
) -> AnswerLine:
    def holds(answer: Json) -> bool:
        return option.id in answer if isinstance(answer, list | dict) else answer == option.id

    picks = tuple(answer is not None and holds(answer) for answer in answers)
    count, answer_count = sum(picks), sum(answer is not None for answer in answers)
    return AnswerLine(
        label=wording.option(question.id, option.id).label,
        cells=("",) * len(answers),
        picked=picks,
        count=str(count) if count else "",
        split=0 < count < answer_count,
        control="radio" if isinstance(question, Choice) else "checkbox",
        name=question.id,
        value=option.id,
        chosen=agreed_answer is not None and holds(agreed_answer),
        group=option.group or "",
    )


def _part(question: Question, part: str, answers: Sequence[Json], agreed_answer: Json, wording: Wording) -> AnswerLine:
    """A row of a grid, or one of the labels a question is repeated for."""
    own = [answer.get(part) if isinstance(answer, dict) else None for answer in answers]
    agreed_value = agreed_answer.get(part) if isinstance(agreed_answer, dict) else None
    label = wording.option(question.for_each or question.id, part).label
    return _value_line(question, f"{question.id}.{part}", label, (own, agreed_value), wording)


def _value_line(
    question: Question, name: str, label: str, answers: tuple[Sequence[Json], Json], wording: Wording
) -> AnswerLine:
    own, agreed_value = answers
    words = {option.id: wording.option(question.id, option.id) for option in getattr(question, "options", ())}
    cells = tuple("" if v is None else (words[v].short or words[v].label) if v in words else _number(v) for v in own)
    commonest = Counter(cell for cell in cells if cell).most_common(1)
    options: tuple[tuple[str, str], ...] = tuple((id_, word.label) for id_, word in words.items())
    bounds: Bounds = (None, None, None)
    if isinstance(question, Scale):
        bounds = (question.min, question.max, question.step or None)
        points = (question.max - question.min) / question.step + 1 if question.step else 0
        if 2 <= points <= _MOST_POINTS:
            values = [question.min + at * question.step for at in range(round(points))]
            options = tuple((_number(v), _number(v)) for v in values)
    elif isinstance(question, Number):
        bounds = (question.min, question.max, 1.0 if question.integer else None)
    return AnswerLine(
        label=label,
        cells=cells,
        count=str(commonest[0][1]) if commonest else "",
        split=len({cell for cell in cells if cell}) > 1,
        control="select" if options else "number",
        name=name,
        value="" if agreed_value is None else _number(agreed_value) if agreed_value not in words else str(agreed_value),
        chosen=agreed_value is not None,
        options=options,
        bounds=bounds,
    )


def _number(value: Json) -> str:
    """A number with all its digits: what is agreed is sent back as it stands in the form."""
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, the names of those who marked it, and for each of them how severe they found it."""

    text: str
    who: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()


def mark_spans(text: str, spans: Mapping[str, Json], side: str, output: int = 0) -> tuple[Piece, ...]:
    """The text in pieces. `spans` are lists of spans by name; those of the other side, or of another of several
    outputs, are left out."""
    places: list[tuple[int, int, str, str]] = []
    for name, marks in spans.items():
        for span in marks:
            start, end = span.get("start"), span.get("end")
            here = span.get("side", "target") == side and span.get("output", 0) == output
            if here and isinstance(start, int) and isinstance(end, int):
                places.append((max(0, start), min(len(text), end), name, str(span.get("severity") or "")))
    cuts = sorted({0, len(text), *(place[0] for place in places), *(place[1] for place in places)})
    pieces: list[Piece] = []
    for start, end in pairwise(cuts):
        marks_here: dict[str, list[str]] = {}
        for first, last, name, severity in places:
            if first <= start and end <= last:
                marks_here.setdefault(name, []).append(severity)
        severities = tuple(comma().join(dict.fromkeys(filter(None, own))) for own in marks_here.values())
        piece = Piece(text[start:end], tuple(marks_here), severities if any(severities) else ())
        if pieces and (pieces[-1].who, pieces[-1].severities) == (piece.who, piece.severities):
            pieces[-1] = replace(piece, text=pieces[-1].text + piece.text)
        else:
            pieces.append(piece)
    return tuple(pieces)


# Judges who agree: a meeting about the most disputed sentences, and whether agreement was higher afterwards

_USUAL, _MOST = 12, 60


@dataclass(frozen=True, slots=True)
class AgreementChange:
    """Agreement before and after a day, in words: the question or its part, both coefficients, their difference. Where
    there are too few sentences the difference is empty."""

    label: str
    part: bool
    before: str
    after: str
    difference: str


@dataclass(frozen=True, slots=True)
class Training:
    """What a training achieved: rows, how many sentences lie on both sides of its day and count on neither, the numbers
    of documents before and after where these are few, and how the numbers were made."""

    comparisons: tuple[AgreementChange, ...]
    mixed: int
    few_documents: tuple[int, int] | None
    method: str


@dataclass(frozen=True, slots=True)
class Case:
    """A disputed sentence with everybody's answers and reasons; `reasons` are by judge, in the order of the columns."""

    item: DisputedItem
    reasons: tuple[tuple[str, ...], ...]

    @property
    def address(self) -> str:
        """Where it is decided."""
        document, segment, system = self.item.unit
        return "?" + urlencode({"at": document, "segment": segment, "system": system, "show": "all"})


def _how_many(text: str) -> int:
    number = forms.whole_number(text)
    return _USUAL if number is None else min(_MOST, max(1, number))


async def meeting(request: Request) -> Response:
    """The most disputed sentences with the reasons side by side, and agreement before and after a day."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    number, since = _how_many(request.query_params.get("n", "")), request.query_params.get("since", "")
    units: list[Unit] = await site.files.ask("disputed", campaign.id, number)
    answers: list[UnitAnswers] = [await site.live.ask("answers", campaign.id, unit) for unit in units]
    training, problem = await _training(site, campaign.id, since)

    def build() -> list[Case]:
        scene = CampaignTexts(site.store, campaign)
        items = [
            scene.item(unit, unit_answers, models=False) for unit, unit_answers in zip(units, answers, strict=True)
        ]
        return [_case(item) for item in items if item is not None]

    context = {
        "campaign": campaign,
        "cases": await site.read(build),
        "number": number,
        "since": since,
        "training": training,
        "problem": problem,
        "given": request.query_params.get("given", ""),
    }
    return page(request, "meeting.html", context)


async def _training(site: Site, campaign: int, since: str) -> tuple[Training | None, str]:
    if not since:
        return None, ""
    try:
        day = date.fromisoformat(since)
    except ValueError:
        raise HTTPException(422) from None
    try:
        return await site.files.ask("training", campaign, day.isoformat()), ""
    except StatisticError as error:
        return None, error_text(error)


def _case(item: DisputedItem) -> Case:
    by_judge = {judge: tuple(words for name, words in item.comments if name == judge) for judge in item.judges}
    return Case(item, tuple(by_judge.values()))


async def calibrate(request: Request) -> Response:
    """Give the most disputed sentences to every person again, as a calibration round."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    number = _how_many(forms.text(form, "n"))
    item_count: int = await site.files.ask("calibrate", campaign.id, number, request.state.visitor.account.id)
    site.saves += 1
    query: dict[str, Json] = {"n": number, "given": item_count}
    return to_campaign(request, campaign, f"/meeting?{urlencode(query)}")


async def guidelines(request: Request) -> Response:
    """The guidelines as they stand, for print: every decision is a worked example."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    html: str = await site.files.ask("guidelines", campaign.id)
    return HTMLResponse(html, headers={"content-security-policy": report_policy()})
