"""Label Studio: exported tasks with their annotations, and tasks to import there with a labelling interface.

A task's `data` is read as a row of a table (the same guesses and the same `columns`). A control's `from_name` is the
question; `skills__idea_development` is a row of the grid `skills`, `errors__severity` the severity of spans marked with
`errors`. Offsets are code points. Predictions are judgements of models. `write` makes a folder with `tasks.json` and,
for a protocol, `config.xml`; reading such a folder, or an export with `config`, tells choices of one from choices of
many. Without it, a control that nowhere has two choices is taken to allow one. Answers about a whole document or about
the judge stand in tasks of their own, whose data say so (`about`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from lanner.errors import InputError, Where
from lanner.formats import _textfile as textfile
from lanner.formats._columns import ColumnMap, column_map
from lanner.formats._gathering import DocumentDraft, Draft, Gathering
from lanner.formats._label_studio_config import labelling_config
from lanner.formats._label_studio_results import Controls, read_results, result_objects
from lanner.formats._naming import file_languages, number
from lanner.formats._reading import Reading
from lanner.formats._writing import replacing
from lanner.model import Document, Judge, JudgeKind, Judgement, Protocol, Segment
from lanner.model import languages as language_codes

TITLE = "Label Studio export (JSON), or tasks with a labelling interface"
SIGNS = {"json list": ("data", "annotations")}
OPTIONS = {
    "columns": "which field of a task's data holds what, for instance source=text,document=article",
    "languages": "the language pair, for instance en-de",
    "protocol": "the protocol that the controls ask (reading: its name; writing: the protocol, for config.xml)",
    "stage": "the stage that the questions belong to (rating)",
    "config": "the labelling interface (XML) of an export",
    "language": "the language of the labelling interface (writing; en)",
}
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
    chosen = Path(config) if config else beside
    controls = Controls.of_config(chosen) if chosen is not None and chosen.is_file() else Controls()
    export = _Export(tasks, columns, languages, controls, stage)
    return [export.reading(protocol)]


def read_documents(path: Path, **options: Any) -> Iterator[Document]:
    """The documents alone."""
    yield from read(path, **options)[0].documents


class _Shown(NamedTuple):
    """What the answers of a task are about: a segment, a whole document (no segment) or the judge (no document)."""

    document: str
    segment: str
    source: str
    outputs: Mapping[str, str]
    systems: tuple[str, ...]


class _Export:
    """An export on its way to documents and judgements."""

    def __init__(self, path: Path, columns: str, languages: str, controls: Controls, stage: str) -> None:
        self.path, self.stage, self.controls = path, stage, controls
        tasks = textfile.json_whole(path)
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            textfile.failed(path, "A list of tasks was expected.")
        self.tasks: list[dict[str, Any]] = tasks
        fields = dict.fromkeys(key for task in tasks for key in self._data(task))
        try:
            self.map: ColumnMap = column_map(list(fields), columns)
        except InputError as error:
            error.where = Where(path)
            raise
        self.pair = language_codes.pair(languages) if languages else file_languages(path)
        self.gathering = Gathering(path, path.name.split(".")[0], has_documents=False, has_segments=False)
        self.judges: dict[str, Judge] = {}
        self.cancelled = 0
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
        made: list[Any] = []
        for name in names:
            given = holder.get(name)
            if given is not None and not isinstance(given, list):
                textfile.failed(self.path, f"{name!r} of {holder.get('id')!r} is not a list.")
            made += given or []
        return made

    def reading(self, protocol: str) -> Reading:
        judgements: list[Judgement] = []
        for number_, task in enumerate(self.tasks, 1):
            shown = self._shown(task, str(task.get("id", number_)))
            for judge, annotation in self._annotations(task):
                judgements += read_results(
                    annotation.get("result") or [],
                    self.controls,
                    source=shown.source,
                    outputs=shown.outputs,
                    source_field=self.map.roles["source"],
                    judge=judge,
                    stage=self.stage,
                    document=shown.document,
                    segment=shown.segment,
                    systems=shown.systems,
                    elapsed_seconds=_seconds(annotation),
                    answered_at=annotation.get("updated_at") or annotation.get("created_at"),
                    origin=f"{self.path.name}:task {task.get('id', number_)}",
                )
        notes = [f"Fields: {self.map}.", *self.controls.notes(), *self.gathering.notes()]
        if self.cancelled:
            notes.append(f"{self.cancelled} annotations were cancelled by their judges.")
        for flag in dict.fromkeys(flag for judgement in judgements for flag in judgement.flags):
            notes.append(f"{sum(flag in j.flags for j in judgements)} judgements are flagged {flag!r}.")
        documents = tuple(self.gathering.documents())
        name = self.path.name.split(".")[0]
        return Reading(name, documents, tuple(self.judges.values()), tuple(judgements), protocol, tuple(notes))

    def _shown(self, task: dict[str, Any], key: str) -> _Shown:
        data = self._data(task)
        about = data.get("about") if isinstance(data.get("systems"), list) else None  # as `write` has it
        if about == "judge":
            return _Shown("", "", "", {}, ())
        if about == "document":
            shown = {name: _text(data[column]) for name, column in self.map.outputs.items() if data.get(column)}
            source, systems = _text(data.get(self.map.roles["source"])), data["systems"]
            return _Shown(_text(data.get("document")), "", source, shown, tuple(map(str, systems)))
        document, draft, asked = self._segment(data, key)
        return _Shown(document.id, draft.id, draft.source, draft.outputs, asked)

    def _segment(self, data: dict[str, Any], key: str) -> tuple[DocumentDraft, Draft, tuple[str, ...]]:
        said = {role: _text(data.get(column)) for role, column in self.map.roles.items()}

        def attributes() -> dict[str, Any]:
            source, target = self.pair
            pair = language_codes.pair(said["languages"]) if said.get("languages") else (source, target)
            return {
                "source_language": language_codes.normal(said.get("source_language", pair[0])),
                "target_language": language_codes.normal(said.get("target_language", pair[1])),
                **{name: said[name] for name in ("domain", "title", "text_type", "note", "media") if said.get(name)},
            }

        document = self.gathering.document(said.get("document", ""), 0, attributes)
        name = said.get("segment") or key
        draft = document.segments.get(name)
        if draft is None:
            draft = self.gathering.segment(document, name, 0, said["source"])
        systems = self._outputs(draft, data, said)
        for reference, column in self.map.references.items():
            if data.get(column) is not None:
                draft.references[reference] = _text(data[column])
        if number(said.get("paragraph")) is not None:
            draft.paragraph = int(number(said["paragraph"]) or 0)
        own = {"systems", "before", "after", "shown1", "shown2"} if isinstance(data.get("systems"), list) else set()
        kept = [column for column in self.map.rest if column not in own and data.get(column) is not None]
        draft.meta |= {column: data[column] for column in kept}
        return document, draft, systems

    def _outputs(self, draft: Draft, data: dict[str, Any], said: dict[str, str]) -> tuple[str, ...]:
        shown = {name: _text(data[column]) for name, column in self.map.outputs.items() if data.get(column) is not None}
        if "output" in said and data.get(self.map.roles["output"]) is not None:
            shown[said["system"]] = said["output"]
        for name, text in shown.items():
            if draft.outputs.setdefault(name, text) != text:
                draft.flags.append("output_differs")
        asked = data.get("systems")
        return tuple(map(str, asked)) if isinstance(asked, list) else tuple(shown)

    def _annotations(self, task: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for annotation in self._listed(task, *_ANNOTATIONS):
            if annotation.get("was_cancelled"):
                self.cancelled += 1
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
    given: dict[tuple[str, str], dict[tuple[str, ...], dict[str, list[Judgement]]]] = {}
    for judgement in judgements:
        about = given.setdefault((judgement.document, judgement.segment), {})
        about.setdefault(judgement.systems, {}).setdefault(judgement.judge, []).append(judgement)
    tasks: list[dict[str, Any]] = []
    for document in documents:
        for segment in document:
            answers = given.pop((document.id, segment.id), {})
            for systems in answers or _asked(segment, protocol):
                data = _task_data(document, segment, systems)
                tasks.append({"id": len(tasks) + 1, "data": data, **_answered(answers.get(systems, {}), models)})
        for systems, said in given.pop((document.id, ""), {}).items():
            tasks.append({"id": len(tasks) + 1, "data": _whole(document, systems), **_answered(said, models)})
    for systems, said in given.pop(("", ""), {}).items():
        data = {"about": "judge", "systems": list(systems)}
        tasks.append({"id": len(tasks) + 1, "data": data, **_answered(said, models)})
    if given:
        document_id, segment_id = next(iter(given))
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
    joined = {name: "\n".join(segment.outputs.get(name, "") for segment in document) for name in names}
    return {
        "about": "document",
        "document": document.id,
        "domain": document.domain,
        "title": document.title,
        "source": "\n".join(segment.source for segment in document),
        "systems": list(systems),
        **{f"output:{name}": text for name, text in joined.items()},
        **{f"shown{at}": joined.get(name, "") for at, name in enumerate(systems, 1)},
    }


def _answered(answers: dict[str, list[Judgement]], models: set[str]) -> dict[str, Any]:
    made: dict[str, Any] = {"annotations": [], "predictions": []}
    for judge, given in answers.items():
        results = [entry for judgement in given for entry in result_objects(judgement)]
        if judge in models:
            made["predictions"].append({"model_version": judge, "result": results})
            continue
        annotation: dict[str, Any] = {"completed_by": judge, "result": results, "was_cancelled": False}
        if given[0].elapsed_seconds is not None:
            annotation["lead_time"] = given[0].elapsed_seconds
        if given[0].answered_at is not None:
            annotation["updated_at"] = given[0].answered_at.isoformat()
        made["annotations"].append(annotation)
    return made
