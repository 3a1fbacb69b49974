"""Label Studio: exported tasks with their annotations, and tasks to import there with a labelling interface.

A task's `data` is read as a row of a table (the same guesses and the same `columns`). A control's `from_name` is the
question; `skills__idea_development` is a row of the grid `skills`, `errors__severity` the severity of spans marked with
`errors`; any other answer about a region is kept with its mark. Offsets are code points, or the UTF-16 units of older
versions where the words of a region stand there. Predictions are judgements of models.

`write` makes a folder with `tasks.json` and, for a protocol, `config.xml`; reading such a folder, or an export with
`config`, tells choices of one from choices of many. Without it, a control that nowhere has two choices is taken to
allow one. Answers about a whole document or about the judge stand in tasks of their own, whose data say so (`about`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from lanner import model
from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile, xml
from lanner.formats.parsing.columns import ColumnMap, column_map
from lanner.formats.parsing.error_rows import severities
from lanner.formats.parsing.headings import error_words, fold
from lanner.formats.parsing.readings import PAIR, DocumentDraft, Draft, Format, Reading, SegmentsByDocument, read_apart
from lanner.formats.parsing.textfile import replacing
from lanner.formats.parsing.values import IN_UTF16, counted, file_languages, in_code_points, number, problems
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from lanner.model import languages as language_codes
from lanner.model.messages import in_number

if TYPE_CHECKING:  # what a protocol is made of takes long to load, and only its configuration needs it
    from lanner.model import Option, Protocol, Question, Stage

PART = "__"
_SIDES = ("left", "tie", "right")
_RANKS = {"left": [1, 2], "tie": [1, 1], "right": [2, 1]}
_READ = ("choices", "rating", "number", "textarea", "pairwise", "taxonomy")
_REGIONS = ("labels", "hypertextlabels", "paragraphlabels")
_SENTENCES = {
    "utf16": IN_UTF16,
    "several_labels": (
        "{n} region has several labels and counts as a mark of each.",
        "{n} regions have several labels and count as a mark of each.",
    ),
    "nothing_marked": (
        "{n} annotation has no region where others have some: nothing is marked in it.",
        "{n} annotations have no region where others have some: nothing is marked in them.",
    ),
    "relation": ("{n} relation between regions is not read.", "{n} relations between regions are not read."),
}
"""What is said of this, of one and of several."""


@dataclass(slots=True)
class LabelControls:
    """What is known of the controls: which allow several choices."""

    several: dict[str, bool] = field(default_factory=dict)
    told: bool = False
    regions: dict[str, str] = field(default_factory=dict)
    """The controls that regions were marked with, and what they mark."""
    texts: set[str] = field(default_factory=set)
    """The controls that take free text."""
    worded: set[str] = field(default_factory=set)
    """The controls with other choices than the sides of a pair: `tie` beside `a` and `b` is a word like these."""
    counts: Counter[str] = field(default_factory=Counter)
    """How often something was read otherwise than it stands there."""

    @staticmethod
    def of_config(path: Path) -> LabelControls:
        """From a labelling interface."""
        controls = LabelControls(told=True)
        for element in xml.elements(path, "Choices"):
            if name := element.get("name"):
                controls.several[name] = element.get("choice", "single") == "multiple"
        controls.texts.update(element.get("name", "") for element in xml.elements(path, "TextArea"))
        return controls

    def learn(self, results: Iterable[Any]) -> None:
        """From the results themselves, for controls that no interface tells about."""
        for result in results:
            if isinstance(result, dict) and result.get("type") in _REGIONS:
                self.regions.setdefault(str(result.get("from_name")), str(result.get("to_name")))
            if isinstance(result, dict) and result.get("type") == "textarea":
                self.texts.add(str(result.get("from_name")))
            if isinstance(result, dict) and result.get("type") == "choices" and result.get("lanner") != "missing":
                name = str(result.get("from_name"))
                value = result.get("value")
                choices = value.get("choices") if isinstance(value, dict) else None
                if isinstance(choices, list) and not set(map(str, choices)) <= set(_SIDES):
                    self.worded.add(name)
                many = (isinstance(choices, list) and len(choices) > 1) or result.get("lanner") == "labels"
                if not self.told or name not in self.several:
                    self.several[name] = self.several.get(name, False) or many

    def notes(self) -> list[str]:
        """What had to be guessed, and what was read otherwise than it stands there."""
        one = [name for name, several in self.several.items() if not several and not self.told]
        guessed = [f"Taken to allow one choice: {', '.join(one)} (config=FILE tells)."] if one else []
        return guessed + [in_number(self.counts[what], *_SENTENCES[what]) for what in _SENTENCES if self.counts[what]]


def read_results(
    results: Any,
    controls: LabelControls,
    *,
    source: str,
    outputs: Mapping[str, str],
    source_field: str,
    answered_at: Any,
    systems: tuple[str, ...],
    systems_stated: bool = False,
    marks_all: bool = False,
    **common: Any,
) -> list[Judgement]:
    """One judgement for each question that an annotation answers. Answers on the source alone are about no system,
    unless the task states its systems: an error of a translation may be marked in the source. With `marks_all` a
    control without a region marks nothing, and is not unanswered."""
    values: dict[str, Any] = {}
    flags: dict[str, list[str]] = {}
    about_source: set[str] = set()
    about_outputs: set[str] = set()
    regions: dict[str, list[dict[str, Any]]] = {}
    entries = [each for each in (results if isinstance(results, list) else []) if isinstance(each, dict)]
    controls.counts["relation"] += sum(entry.get("type") == "relation" for entry in entries)
    entries = [entry for entry in entries if isinstance(entry.get("value"), dict)]
    # what is said of a region may stand before it
    for result in sorted(entries, key=lambda entry: entry.get("type") not in _REGIONS):
        name, kind, value = str(result.get("from_name", "")), str(result.get("type", "")), result["value"]
        question, _, part = name.partition(PART)
        to_source = _is_source(result.get("to_name", ""), source_field)
        marks = regions.get(str(result.get("id")))
        if marks and kind not in _REGIONS:
            _add_to_marks(marks, part or name, kind, value)
            controls.several.pop(name, None)  # it is no question of its own
            continue
        (about_source if to_source else about_outputs).add(question)
        wrong = flags.setdefault(question, [])
        if kind in _REGIONS:
            text = source if to_source else next((outputs[s] for s in systems if s in outputs), source)
            marks = _marks(result, "source" if to_source else "target", text, wrong, controls.counts)
            regions[str(result.get("id"))] = marks
            values.setdefault(question, []).extend(marks)
        elif part:
            grid = values.setdefault(question, {})
            if isinstance(grid, dict):
                grid[part] = next(iter(_choices(value)), number(value.get("rating", value.get("number"))))
        else:
            pair = len(systems) == 2 and name not in controls.worded
            values[question] = _value(kind, value, several=controls.several.get(name, False), pair=pair)
            if result.get("lanner") == "missing":
                values[question] = None
            if values[question] is None:
                wrong.append("missing" if kind in _READ else "unread_type")
    for name, to_name in controls.regions.items() if marks_all else ():
        if name not in values:
            values[name] = []
            (about_source if _is_source(to_name, source_field) else about_outputs).add(name)
            controls.counts["nothing_marked"] += 1
    moment = _moment(answered_at)
    time_flags = ["unreadable_time"] if moment is None and answered_at not in (None, "") else []
    return [
        Judgement(
            question=question,
            value=value,
            flags=tuple(dict.fromkeys([*flags.get(question, ()), *time_flags])),
            systems=() if question in about_source - about_outputs and not systems_stated else systems,
            answered_at=moment,
            **common,
        )
        for question, value in values.items()
    ]


def _choices(value: Mapping[str, Any]) -> list[str]:
    choices = value.get("choices")
    return [str(choice) for choice in choices] if isinstance(choices, list) else []


def _value(kind: str, value: Mapping[str, Any], *, several: bool, pair: bool) -> Any:
    match kind:
        case "choices":
            choices = _choices(value)
            if pair and not several and choices and choices[0] in _SIDES:
                return list(_RANKS[choices[0]])
            return choices if several else next(iter(choices), None)
        case "rating" | "number":
            return number(value.get(kind))
        case "textarea":
            text = value.get("text")
            return "\n".join(map(str, text)) if isinstance(text, list) else text
        case "pairwise":
            return _RANKS.get(str(value.get("selected")))
        case "taxonomy":
            paths = value.get("taxonomy")
            return (
                ["/".join(map(str, path)) for path in paths if isinstance(path, list)]
                if isinstance(paths, list)
                else None
            )
        case _:
            return None


def _is_source(to_name: Any, source_field: str) -> bool:
    return str(to_name) in (source_field, "source", "src")


def _marks(
    region: Mapping[str, Any], side: str, text: str, wrong: list[str], counts: Counter[str]
) -> list[dict[str, Any]]:
    """A region as a mark of each of its labels."""
    value = region["value"]
    start, end, words = value.get("start"), value.get("end"), value.get("text")
    start = int(start) if isinstance(start, str) and start.isdecimal() and len(start) < 19 else start
    end = int(end) if isinstance(end, str) and end.isdecimal() and len(end) < 19 else end
    place = in_code_points({"side": side, "start": start, "end": end, "text": words}, text)
    counts["utf16"] += (place["start"], place["end"]) != (start, end)
    start, end = place["start"], place["end"]
    flags = problems(text, start, end, words if isinstance(words, str) else None)
    wrong += flags
    if words is None and not flags:
        place = {**place, "text": text[start:end]}
    labels = value.get(region["type"]) or value.get("labels")
    categories = list(labels) if isinstance(labels, list) else []
    counts["several_labels"] += len(categories) > 1
    return [{**place, "category": category} for category in categories] or [dict(place)]


def _add_to_marks(marks: Iterable[dict[str, Any]], name: str, kind: str, value: Mapping[str, Any]) -> None:
    """What was said of a region: its severity by the word or the name of the control, else a note."""
    choices = _choices(value)
    answer = choices[0] if len(choices) == 1 else "; ".join(choices) or _value(kind, value, several=True, pair=False)
    if answer in (None, ""):
        return
    is_severity = fold(name) in map(fold, error_words("columns")["severity"]) or severities().get(fold(str(answer)))
    for mark in marks:
        if is_severity and "severity" not in mark:
            mark["severity"] = answer
        else:
            said = str(answer) if kind == "textarea" else f"{name}: {answer}"
            mark["note"] = "; ".join(filter(None, [mark.get("note"), said]))


def _moment(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


def result_objects(judgement: Judgement) -> Iterator[dict[str, Any]]:
    """The results that hold a judgement's value."""
    name, value = judgement.question, judgement.value
    common = {"from_name": name, "to_name": "shown1" if judgement.systems else "source"}
    match value:
        case None:
            yield {**common, "type": "choices", "lanner": "missing", "value": {"choices": []}}
        case str():
            yield {**common, "type": "choices", "value": {"choices": [value]}}
        case bool() | int() | float():
            yield {**common, "type": "number", "value": {"number": value}}
        case dict():
            for row, option in value.items():
                choice = {"choices": [option]} if isinstance(option, str) else {"number": option}
                kind = "choices" if isinstance(option, str) else "number"
                yield {**common, "from_name": f"{name}{PART}{row}", "type": kind, "value": choice}
        case list() if value and all(isinstance(part, Mapping) for part in value):
            yield from _region_objects(judgement)
        case list() if len(value) == 2 and all(isinstance(part, int) for part in value):
            side = _SIDES[(value[0] > value[1]) - (value[0] < value[1]) + 1]
            yield {**common, "type": "choices", "value": {"choices": [side]}}
        case _:
            labels = [str(part) for part in value] if isinstance(value, Sequence) else []
            yield {**common, "type": "choices", "lanner": "labels", "value": {"choices": labels}}


def _region_objects(judgement: Judgement) -> Iterator[dict[str, Any]]:
    for at, span in enumerate(judgement.value):
        side = span.get("side", "target")
        region = f"{judgement.judge}-{judgement.question}-{at}"
        place = {key: span.get(key) for key in ("start", "end", "text")}
        common = {"id": region, "to_name": "source" if side == "source" else "shown1"}
        labels = [span["category"]] if span.get("category") else []
        yield {**common, "from_name": judgement.question, "type": "labels", "value": {**place, "labels": labels}}
        if span.get("severity"):
            value = {**place, "choices": [span["severity"]]}
            yield {**common, "from_name": f"{judgement.question}{PART}severity", "type": "choices", "value": value}


_LAST_STAR = 10


def labelling_config(protocol: Protocol, language: str = "en") -> Any:
    """The `View` of a protocol's first questions to its last, stage by stage."""
    view = etree.Element("View")
    outputs = max((_shown(stage) for stage in protocol.stages), default=0)
    _add_text(view, "before", "$before")
    _add_text(view, "source", "$source")
    for place in range(1, outputs + 1):
        _add_text(view, f"shown{place}", f"$shown{place}")
    _add_text(view, "after", "$after")
    for stage in protocol.stages:
        title = _words(protocol, language, "stages", stage.id, "title")
        etree.SubElement(view, "Header", value=title or stage.id)
        for question in stage.questions:
            _control(view, protocol, language, stage, question)
    return view


def _shown(stage: Stage) -> int:
    return {model.Object.OUTPUT: 1, model.Object.OUTPUTS: stage.outputs}.get(stage.object, 0)


def _add_text(view: Any, name: str, value: str) -> None:
    etree.SubElement(view, "Text", name=name, value=value)


def _words(protocol: Protocol, language: str, *path: str) -> str:
    for code in dict.fromkeys((language, language.partition("-")[0], "en")):
        value: Any = protocol.text.get(code)
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            return value.strip()
    return ""


def _control(view: Any, protocol: Protocol, language: str, stage: Stage, question: Question) -> None:
    to = "shown1" if _shown(stage) else "source"
    label = _words(protocol, language, "questions", question.id, "label") or question.id
    help_ = _words(protocol, language, "questions", question.id, "help")
    box = etree.SubElement(view, "View")
    etree.SubElement(box, "Header", value=f"{label} ({help_})" if help_ else label, size="5")
    if question.when is not None and question.when.is_:
        box.set("visibleWhen", "choice-selected")
        box.set("whenTagName", question.when.question)
        box.set("whenChoiceValue", ",".join(question.when.is_))
    names = [question.id]
    if question.for_each:
        parent = protocol.find(question.for_each)
        names = [f"{question.id}{PART}{option.id}" for option in (parent[1].choices if parent else ())] or names
    for name in names:
        attributes = {"required": "true"} if question.required and not question.for_each else {}
        _tag(box, protocol, language, question, {"name": name, "toName": to, **attributes})


def _tag(box: Any, protocol: Protocol, language: str, question: Question, attributes: dict[str, str]) -> None:
    def options(parent: Any, entries: Iterable[Option], tag: str = "Choice") -> None:
        for option in entries:
            label = _words(protocol, language, "options", option.id, "label") or option.id
            etree.SubElement(parent, tag, value=label, alias=option.id)

    match question:
        case model.Choice():
            options(etree.SubElement(box, "Choices", attributes, choice="single"), question.options)
        case model.Labels():
            options(etree.SubElement(box, "Choices", attributes, choice="multiple"), question.options)
        case model.Grid():
            for row in question.rows:
                label = _words(protocol, language, "options", row.id, "label") or row.id
                etree.SubElement(box, "Header", value=label, size="6")
                name = {**attributes, "name": f"{question.id}{PART}{row.id}"}
                options(etree.SubElement(box, "Choices", name, choice="single"), question.options)
        case model.Scale() if question.min == 1 and question.step == 1 and question.max <= _LAST_STAR:
            etree.SubElement(box, "Rating", attributes, maxRating=f"{question.max:g}")
        case model.Scale():
            limits = {"min": f"{question.min:g}", "max": f"{question.max:g}"}
            steps = {"step": f"{question.step:g}"} if question.step else {}
            etree.SubElement(box, "Number", attributes, **limits, **steps)
        case model.Number():
            etree.SubElement(box, "Number", attributes)
        case model.Spans():
            marks = question.categories or (model.Option(id="mark"),)
            options(etree.SubElement(box, "Labels", attributes), marks, "Label")
            if question.severities:
                per_region = {
                    **attributes,
                    "name": f"{question.id}{PART}severity",
                    "perRegion": "true",
                    "choice": "single",
                }
                options(etree.SubElement(box, "Choices", per_region), question.severities)
        case model.Rank():
            choices = etree.SubElement(box, "Choices", attributes, choice="single")
            for side in ("left", "tie", "right"):
                etree.SubElement(choices, "Choice", value=side, alias=side)
        case model.Text():
            etree.SubElement(box, "TextArea", attributes, rows=str(question.lines))


_ANNOTATIONS = ("annotations", "completions")


def recognise(path: Path) -> bool:
    """A list of tasks with `data` and perhaps `annotations`; or a folder that `write` made."""
    if path.is_dir():
        return (path / "tasks.json").is_file() and recognise(path / "tasks.json")
    head = textfile.head(path).lstrip()
    return head.startswith("[") and '"data"' in head and ('"annotations"' in head or '"predictions"' in head)


def read(
    path: Path,
    *,
    columns: str = "",
    languages: str = "",
    protocol: str = "",
    stage: str = "rating",
    config: str | Path = "",
    language: str = "",
) -> list[Reading]:
    """Documents from the tasks' data, judgements from their annotations and predictions."""
    del language
    tasks, beside = (path / "tasks.json", path / "config.xml") if path.is_dir() else (path, None)
    config_file = Path(config) if config else beside
    controls = (
        LabelControls.of_config(config_file) if config_file is not None and config_file.is_file() else LabelControls()
    )

    def read_export(named_by: frozenset[str]) -> list[Reading]:
        return [_Export(tasks, columns, languages, controls, stage, by_pair=PAIR in named_by).reading(protocol)]

    return read_apart(read_export)


def read_documents(path: Path, **options: Any) -> Iterator[Document]:
    """The documents alone."""
    yield from read(path, **options)[0].documents


class _TaskSubject(NamedTuple):
    """What the answers of a task are about: a segment, a whole document (no segment) or the judge (no document)."""

    document: str
    segment: str
    source: str
    outputs: Mapping[str, str]
    systems: tuple[str, ...]


class _Export:
    """An export on its way to documents and judgements."""

    def __init__(
        self, path: Path, columns: str, languages: str, controls: LabelControls, stage: str, *, by_pair: bool
    ) -> None:
        self.path, self.stage, self.controls = path, stage, controls
        tasks = textfile.json_whole(path)
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            textfile.failed(path, "A list of tasks was expected.")
        self.tasks: list[dict[str, Any]] = tasks
        fields = dict.fromkeys(key for task in tasks for key in self._data(task))
        try:
            pair = language_codes.pair(languages) if languages else None
            self.map: ColumnMap = column_map(list(fields), columns, pair=pair)
        except InputError as error:
            error.where = Where(path)
            raise
        self.pair = language_codes.pair(languages) if languages else file_languages(path)
        name = path.name.split(".")[0]
        self.gathering = SegmentsByDocument(path, name, has_documents=False, has_segments=False, by_pair=by_pair)
        self.judges: dict[str, Judge] = {}
        self.cancelled_count = 0
        self.controls.learn(self._all_results())

    def _data(self, task: dict[str, Any]) -> dict[str, Any]:
        data = task.get("data")
        if not isinstance(data, dict):
            textfile.failed(self.path, f"The task {task.get('id')!r} has no data.")
        return data

    def _all_results(self) -> Iterator[Any]:
        for task in self.tasks:
            for annotation in self._listed(task, *_ANNOTATIONS, "predictions"):
                if not isinstance(annotation, dict):
                    textfile.failed(self.path, f"The task {task.get('id')!r} has an annotation that is none.")
                yield from self._listed(annotation, "result")

    def _listed(self, holder: dict[str, Any], *names: str) -> list[Any]:
        """What stands in lists that may be absent."""
        annotations: list[Any] = []
        for name in names:
            entries = holder.get(name)
            if entries is not None and not isinstance(entries, list):
                textfile.failed(self.path, f"{name!r} of {holder.get('id')!r} is not a list.")
            annotations += entries or []
        return annotations

    def reading(self, protocol: str) -> Reading:
        judgements: list[Judgement] = []
        for number_, task in enumerate(self.tasks, 1):
            place = self._shown(task, str(task.get("id", number_)))
            for judge, annotation in self._annotations(task):
                judgements += read_results(
                    annotation.get("result") or [],
                    self.controls,
                    source=place.source,
                    outputs=place.outputs,
                    source_field=self.map.roles["source"],
                    judge=judge,
                    stage=self.stage,
                    document=place.document,
                    segment=place.segment,
                    systems=place.systems,
                    systems_stated=isinstance(task["data"].get("systems"), list),
                    # what Label Studio itself exports has ids; what `write` wrote says where nothing is marked
                    marks_all=annotation.get("id") is not None and bool(place.segment),
                    elapsed_seconds=_seconds(annotation),
                    answered_at=annotation.get("updated_at") or annotation.get("created_at"),
                    origin=f"{self.path.name}:task {task.get('id', number_)}",
                )
        notes = [f"Fields: {self.map}.", *self.controls.notes(), *self.gathering.notes()]
        if self.cancelled_count:
            one = "{n} annotation was cancelled by its judge."
            notes.append(in_number(self.cancelled_count, one, "{n} annotations were cancelled by their judges."))
        notes += counted(Counter(flag for judgement in judgements for flag in judgement.flags), {})
        documents = tuple(self.gathering.documents())
        name = self.path.name.split(".")[0]
        return Reading(
            name,
            documents,
            tuple(self.judges.values()),
            tuple(judgements),
            protocol,
            tuple(notes),
            questions={judgement.question: judgement.question for judgement in judgements},
            remarks=frozenset(self.controls.texts),
        )

    def _shown(self, task: dict[str, Any], key: str) -> _TaskSubject:
        data = self._data(task)
        about = data.get("about") if isinstance(data.get("systems"), list) else None  # as `write` has it
        if about == "judge":
            return _TaskSubject("", "", "", {}, ())
        if about == "document":
            outputs = {name: _text(data[column]) for name, column in self.map.outputs.items() if data.get(column)}
            source, systems = _text(data.get(self.map.roles["source"])), data["systems"]
            return _TaskSubject(_text(data.get("document")), "", source, outputs, tuple(map(str, systems)))
        document, draft, systems_asked = self._segment(data, key)
        return _TaskSubject(document.id, draft.id, draft.source, draft.outputs, systems_asked)

    def _segment(self, data: dict[str, Any], key: str) -> tuple[DocumentDraft, Draft, tuple[str, ...]]:
        values = {role: _text(data.get(column)) for role, column in self.map.roles.items()}
        pair = language_codes.pair(values["languages"]) if values.get("languages") else self.pair
        source = language_codes.normal(values.get("source_language", pair[0]))
        target = language_codes.normal(values.get("target_language", pair[1]))

        def attributes() -> dict[str, Any]:
            return {
                "source_language": source,
                "target_language": target,
                **{
                    name: values[name] for name in ("domain", "title", "text_type", "note", "media") if values.get(name)
                },
            }

        document = self.gathering.document(values.get("document", ""), 0, attributes, (source, target))
        name = values.get("segment") or key
        draft = document.segments.get(name)
        if draft is None:
            draft = self.gathering.segment(document, name, 0, values["source"])
        systems = self._outputs(draft, data, values)
        for reference, column in self.map.references.items():
            if data.get(column) is not None:
                draft.references[reference] = _text(data[column])
        if number(values.get("paragraph")) is not None:
            draft.paragraph = int(number(values["paragraph"]) or 0)
        own = {"systems", "before", "after", "shown1", "shown2"} if isinstance(data.get("systems"), list) else set()
        extra = [column for column in self.map.rest if column not in own and data.get(column) is not None]
        draft.meta |= {column: data[column] for column in extra}
        return document, draft, systems

    def _outputs(self, draft: Draft, data: dict[str, Any], values: dict[str, str]) -> tuple[str, ...]:
        outputs = {
            name: _text(data[column]) for name, column in self.map.outputs.items() if data.get(column) is not None
        }
        if "output" in values and data.get(self.map.roles["output"]) is not None:
            outputs[values["system"]] = values["output"]
        for name, text in outputs.items():
            if draft.outputs.setdefault(name, text) != text:
                draft.flags.append("output_differs")
        systems = data.get("systems")
        return tuple(map(str, systems)) if isinstance(systems, list) else tuple(outputs)

    def _annotations(self, task: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for annotation in self._listed(task, *_ANNOTATIONS):
            if annotation.get("was_cancelled"):
                self.cancelled_count += 1
                continue
            by = annotation.get("completed_by", "")
            name = str(by.get("id") or by.get("email") or "") if isinstance(by, dict) else str(by)
            self.judges.setdefault(name, Judge(name))
            yield name, annotation
        for prediction in self._listed(task, "predictions"):
            name = str(prediction.get("model_version") or "prediction")
            self.judges.setdefault(name, Judge(name, JudgeKind.MODEL))
            yield name, prediction


def _seconds(annotation: dict[str, Any]) -> float | None:
    seconds = number(annotation.get("lead_time"))
    return None if seconds is None else float(seconds)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    protocol: Protocol | None = None,
    language: str = "en",
) -> None:
    """A folder with `tasks.json`, annotated where there are judgements, and `config.xml` for a protocol."""
    models = {judge.id for judge in judges if judge.kind is JudgeKind.MODEL}
    answers_at: dict[tuple[str, str], dict[tuple[str, ...], dict[str, list[Judgement]]]] = {}
    for judgement in judgements:
        about = answers_at.setdefault((judgement.document, judgement.segment), {})
        about.setdefault(judgement.systems, {}).setdefault(judgement.judge, []).append(judgement)
    tasks: list[dict[str, Any]] = []
    for document in documents:
        for segment in document:
            answers = answers_at.pop((document.id, segment.id), {})
            for systems in answers or _asked(segment, protocol):
                data = _task_data(document, segment, systems)
                tasks.append({"id": len(tasks) + 1, "data": data, **_answered(answers.get(systems, {}), models)})
        for systems, by_judge in answers_at.pop((document.id, ""), {}).items():
            tasks.append({"id": len(tasks) + 1, "data": _whole(document, systems), **_answered(by_judge, models)})
    for systems, by_judge in answers_at.pop(("", ""), {}).items():
        data = {"about": "judge", "systems": list(systems)}
        tasks.append({"id": len(tasks) + 1, "data": data, **_answered(by_judge, models)})
    if answers_at:
        document_id, segment_id = next(iter(answers_at))
        where = Where(path, item=f"{document_id}, segment {segment_id}")
        raise InputError("There is no text for a judgement.", where=where, next_step="Give its document.")
    with replacing(path) as folder:
        folder.mkdir()
        content = json.dumps(tasks, ensure_ascii=False, indent=1)
        (folder / "tasks.json").write_text(content, encoding="utf-8", newline="")
        if protocol is not None:
            config: bytes = etree.tostring(labelling_config(protocol, language), encoding="utf-8", pretty_print=True)
            (folder / "config.xml").write_bytes(config)


def _asked(segment: Segment, protocol: Protocol | None) -> list[tuple[str, ...]]:
    objects = {stage.object.value for stage in protocol.stages} if protocol else {"output"}
    if objects & {"outputs"}:
        return [tuple(segment.outputs)]
    return [(name,) for name in segment.outputs] if objects & {"output"} and segment.outputs else [()]


def _task_data(document: Document, segment: Segment, systems: tuple[str, ...]) -> dict[str, Any]:
    position = next((at for at, other in enumerate(document.segments) if other.id == segment.id), 0)
    data: dict[str, Any] = {
        "document": document.id,
        "segment": segment.id,
        "domain": document.domain,
        "title": document.title,
        "source_language": document.source_language,
        "target_language": document.target_language,
        "before": "\n".join(other.source for other in document.segments[:position]),
        "source": segment.source,
        "after": "\n".join(other.source for other in document.segments[position + 1 :]),
        "systems": list(systems),
        **{f"output:{name}": text for name, text in segment.outputs.items()},
        **{f"reference:{name}": text for name, text in segment.references.items()},
    }
    if segment.paragraph is not None:
        data["paragraph"] = segment.paragraph
    for at, name in enumerate(systems, 1):
        data[f"shown{at}"] = segment.text(name) or ""
    return {**segment.meta, **data}


def _whole(document: Document, systems: tuple[str, ...]) -> dict[str, Any]:
    """A document as one task: its texts line by line."""
    names = dict.fromkeys(name for segment in document for name in segment.outputs)
    texts = {name: "\n".join(segment.outputs.get(name, "") for segment in document) for name in names}
    return {
        "about": "document",
        "document": document.id,
        "domain": document.domain,
        "title": document.title,
        "source": "\n".join(segment.source for segment in document),
        "systems": list(systems),
        **{f"output:{name}": text for name, text in texts.items()},
        **{f"shown{at}": texts.get(name, "") for at, name in enumerate(systems, 1)},
    }


def _answered(answers: dict[str, list[Judgement]], models: set[str]) -> dict[str, Any]:
    lists: dict[str, Any] = {"annotations": [], "predictions": []}
    for judge, judgements in answers.items():
        results = [entry for judgement in judgements for entry in result_objects(judgement)]
        if judge in models:
            lists["predictions"].append({"model_version": judge, "result": results})
            continue
        annotation: dict[str, Any] = {"completed_by": judge, "result": results, "was_cancelled": False}
        if judgements[0].elapsed_seconds is not None:
            annotation["lead_time"] = judgements[0].elapsed_seconds
        if judgements[0].answered_at is not None:
            annotation["updated_at"] = judgements[0].answered_at.isoformat(timespec="microseconds")
        lists["annotations"].append(annotation)
    return lists


FORMAT = Format(
    name="label_studio",
    title="Label Studio export (JSON), or tasks with a labelling interface",
    description=__doc__ or "",
    recognise=recognise,
    markers=('"data"',),
    read=read,
    read_documents=read_documents,
    write=write,
    options={
        "columns": "which field of a task's data holds what, for instance source=text,document=article",
        "languages": "the language pair, for instance en-de",
        "protocol": "the protocol that the controls ask (reading: its name; writing: the protocol, for config.xml)",
        "stage": "the stage that the questions belong to (rating)",
        "config": "the labelling interface (XML) of an export",
        "language": "the language of the labelling interface (writing; en)",
    },
    signs={"json list": ("data", "annotations")},
)
