"""Pearmut: a campaign (JSON) with tasks of documents of items, or what its judges answered (JSON lines).

An `item_id` such as `cs-de_DE_#_news_#_DOC_#_3` names pair, domain, document and segment; other items are named by
their place. Offsets count the UTF-16 units shown, line breaks not among them, and ends are inclusive; a span on the
mark behind the text stands for something missing. Spans given to the judges are kept in the segments' `meta`.

Answers to an item that was reset count no more. Sliders of a campaign's own are questions of their own, and what judges
said in forms is kept among their attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import PAIR, DocumentDraft, Draft, Format, Reading, SegmentsByDocument, read_apart
from lanner.formats.parsing.textfile import refuse_answers, text_file
from lanner.formats.parsing.values import number, slug
from lanner.model import Document, Judge, Judgement, Role, languages
from lanner.model.messages import in_number


class ShownText:
    """Ways between the places of a shown text and the code points of the text itself."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._points = [
            position
            for position, char in enumerate(text)
            if char != "\n"
            for _ in range(2 if ord(char) > 0xFFFF else 1)
        ]

    def place(self, start: Any, end: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
        """A span with inclusive end as start, end and text, or as missing; flags where it marks nothing."""
        if any(isinstance(value, bool) or not isinstance(value, int) for value in (start, end)):
            return {"start": start, "end": end, "text": None}, ("bad_offsets",)
        if start >= len(self._points):
            if start == end:
                return {"missing": True}, ()
            return {"start": start, "end": end, "text": None}, ("bad_offsets",)
        if start < 0 or end < start or end >= len(self._points):
            return {"start": start, "end": end, "text": None}, ("bad_offsets",)
        first, last = self._points[start], self._points[end] + 1
        return {"start": first, "end": last, "text": self.text[first:last]}, ()

    def shown(self, span: dict[str, Any]) -> tuple[int, int]:
        """The places that show a span, first and last."""
        if span.get("missing"):
            return len(self._points), len(self._points)
        start, end = span.get("start"), span.get("end")
        places = [at for at, point in enumerate(self._points) if _within(point, start, end)]
        return (places[0], places[-1]) if places else (start or 0, end or 0)


def _within(point: int, start: Any, end: Any) -> bool:
    return isinstance(start, int) and isinstance(end, int) and start <= point < end


_PROTOCOLS = {"DA": "da", "ESA": "esa", "CESA": "esa", "MQM": "mqm"}
_STAGES = {"mqm": "marking"}
_MARK = "_#_"
_ITEM = ("src", "ref", "tgt", "item_id", "error_spans")


def recognise(path: Path) -> bool:
    """An object with `campaign_id` and `data`, or lines with `annotation` and `item`."""
    head = textfile.head(path).lstrip()
    if not head.startswith("{"):
        return False
    first = head.partition("\n")[0]
    answers = all(f'"{name}"' in first for name in ("annotation", "item_i", "user_id"))
    return answers or all(f'"{name}"' in head for name in ("campaign_id", "data", "info"))


def read(path: Path, *, protocol: str = "", campaign: str = "") -> list[Reading]:
    """The documents of a campaign, or the documents and judgements of answers."""
    del campaign
    first = textfile.head(path).lstrip().partition("\n")[0]
    if '"annotation"' in first and '"user_id"' in first:
        return read_apart(lambda named_by: [_Answers(path, protocol, by_pair=PAIR in named_by).reading()])
    return read_apart(lambda named_by: [_campaign(path, by_pair=PAIR in named_by)])


def read_documents(path: Path, *, protocol: str = "", campaign: str = "") -> Iterator[Document]:
    """The documents alone."""
    for reading in read(path, protocol=protocol, campaign=campaign):
        yield from reading.documents


class _Items:
    """Documents put together from items, which may come several times with outputs of different systems."""

    def __init__(self, path: Path, *, by_pair: bool) -> None:
        self.path = path
        self.gathering = SegmentsByDocument(path, path.stem, has_documents=True, has_segments=True, by_pair=by_pair)
        self.notes: list[str] = []

    def add(self, item: Any, line: int, place: tuple[str, str], role: str = "") -> tuple[DocumentDraft, Draft]:
        if not isinstance(item, dict) or not isinstance(item.get("tgt"), dict):
            textfile.failed(self.path, "An item has no translations by system.", line, item=" ".join(place))
        parts = str(item.get("item_id", "")).split(_MARK)
        stated_pair = languages.pair(parts[0]) if len(parts) > 1 else None
        pair = stated_pair or (languages.UNDETERMINED, languages.UNDETERMINED)
        domain = parts[1] if len(parts) == 4 else ""
        name, segment = (parts[2], parts[3]) if len(parts) == 4 else (place[0], str(item.get("item_id") or place[1]))

        def attributes() -> dict[str, Any]:
            meta = {"role": role} if role else {}
            return {"source_language": pair[0], "target_language": pair[1], "domain": domain, "meta": meta}

        document = self.gathering.document(name, line, attributes, stated_pair)
        source = item.get("src")
        source = source if isinstance(source, str) else ""
        draft = document.segments.get(segment)
        if draft is None:
            draft = self.gathering.segment(document, segment, line, source)
        elif draft.source != source:
            draft.flags.append("source_differs")
        self._fill(draft, item)
        return document, draft

    def _fill(self, draft: Draft, item: dict[str, Any]) -> None:
        if isinstance(item.get("ref"), str):
            draft.references.setdefault("ref", item["ref"])
        for system, text in item["tgt"].items():
            if draft.outputs.setdefault(system, str(text)) != str(text):
                draft.flags.append("output_differs")
        entries = item.get("error_spans")
        entries = dict(zip(item["tgt"], entries, strict=False)) if isinstance(entries, list) else entries
        if isinstance(entries, dict) and entries:
            spans_by_system = draft.meta.setdefault("spans", {})
            for system, spans in entries.items():
                if system in item["tgt"] and isinstance(spans, list):
                    spans_by_system[system] = _spans(spans, item["tgt"][system])[0]
        draft.meta |= {key: value for key, value in item.items() if key not in _ITEM}


def _spans(spans: list[Any], text: Any) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    text_index = ShownText(str(text))
    entries: list[dict[str, Any]] = []
    flags: list[str] = []
    for span in spans:
        if not isinstance(span, dict):
            flags.append("bad_offsets")
            continue
        place, wrong = text_index.place(span.get("start_i"), span.get("end_i"))
        flags += wrong
        about = {key: span[key] for key in ("category", "severity") if span.get(key) is not None}
        entries.append({"side": "target", **place, **about})
    return entries, tuple(dict.fromkeys(flags))


def _campaign(path: Path, *, by_pair: bool) -> Reading:
    content = textfile.json_whole(path)
    if not isinstance(content, dict) or not isinstance(content.get("data"), list):
        textfile.failed(path, "A campaign has `data`, a list of tasks.")
    items = _Items(path, by_pair=by_pair)
    for role in ("welcome", "random"):
        more = content.get(f"data_{role}")
        for position, document in enumerate(more if isinstance(more, list) else [], 1):
            _add_document(items, document, f"{role}-{position}", "tutorial" if role == "welcome" else "control")
    for task_number, task in enumerate(content["data"], 1):
        if not isinstance(task, list):
            textfile.failed(path, f"Task {task_number} is not a list of documents.")
        # in a shared pool there are no tasks: `data` is the list of documents itself
        documents = [task] if task and isinstance(task[0], dict) else task
        for position, document in enumerate(documents, 1):
            _add_document(items, document, f"{task_number}-{position}", "")
    name = str(content.get("campaign_id") or path.stem)
    return Reading(name, tuple(items.gathering.documents()), notes=(*items.notes, *items.gathering.notes()))


def _add_document(items: _Items, document: Any, name: str, role: str) -> None:
    if not isinstance(document, list):
        textfile.failed(items.path, f"The document {name} is not a list of items.")
    for position, item in enumerate(document, 1):
        if isinstance(item, dict) and "form" in item:
            items.notes.append(f"A form in {name} is left out.")
            return
        items.add(item, 0, (name, str(position)), role)


class _Answers:
    """The judgements of a file of answers."""

    def __init__(self, path: Path, protocol: str, *, by_pair: bool) -> None:
        self.path = path
        self.items = _Items(path, by_pair=by_pair)
        self.judgements: list[Judgement] = []
        self.unreadable_times = self.skipped = self.comments = 0
        self.forms: dict[str, dict[str, Any]] = {}
        self.sliders: dict[str, str] = {}
        all_rows = list(textfile.json_lines(path))
        kept_rows = _without_reset(all_rows)
        self.reset = len(all_rows) - len(kept_rows)
        rows = []
        for line, row in kept_rows:
            self._check(line, row)
            if any("form" in item for item in row["item"] if isinstance(item, dict)):
                self._add_form(row)
            else:
                rows.append((line, row))
        answers = [answer for _, row in rows for each in row["annotation"] if each for answer in each.values()]
        for name in (name for answer in answers for name in answer.get("sliders") or {}):
            self.sliders.setdefault(name, slug(name) or f"question_{len(self.sliders) + 1}")
        self.has_scores = any(number(answer.get("score")) is not None for answer in answers)
        self.has_spans = any(answer.get("error_spans") for answer in answers)
        guess = "" if self.sliders else self._guess_protocol(answers)
        self.protocol = _PROTOCOLS.get(protocol.upper(), protocol) or guess
        for line, row in rows:
            self._row(line, row)

    def _check(self, line: int, row: Any) -> None:
        """Each line has one annotation for each item, with answers by system."""
        items, annotation = (row.get(key) for key in ("item", "annotation")) if isinstance(row, dict) else (None, None)
        if not isinstance(items, list) or not isinstance(annotation, list) or len(items) != len(annotation):
            textfile.failed(self.path, "This line has not one annotation for each item.", line)
        for item, answers in zip(items, annotation, strict=True):
            if answers is None or (isinstance(item, dict) and "form" in item):
                continue  # skipped, or about the judge
            sound = isinstance(answers, dict) and all(
                isinstance(answer, dict)
                and isinstance(answer.get("error_spans") or [], list)
                and isinstance(answer.get("sliders") or {}, dict)
                for answer in answers.values()
            )
            if not sound:
                textfile.failed(self.path, "An annotation has no answers by system.", line)

    def _add_form(self, row: dict[str, Any]) -> None:
        about = self.forms.setdefault(str(row.get("user_id", "")), {})
        about |= {
            str(item.get("text", "")): value
            for item, value in zip(row["item"], row["annotation"], strict=True)
            if value is not None
        }

    def _guess_protocol(self, answers: Sequence[dict[str, Any]]) -> str:
        """MQM where errors have categories; beside them it knows no scores, so that both are told by their values."""
        spans = [span for answer in answers for span in answer.get("error_spans") or [] if isinstance(span, dict)]
        if any(span.get("category") for span in spans):
            return "" if self.has_scores else "mqm"
        return "esa" if spans else "da"

    def _row(self, line: int, row: Any) -> None:
        items, annotation = row["item"], row["annotation"]
        place = str(row.get("item_i", line))
        seconds, moment, unreadable = self._times(row.get("actions"), len(items))
        self.unreadable_times += unreadable
        role = (
            Role.TUTORIAL if place.startswith("welcome") else Role.CONTROL if place.startswith("random") else Role.MAIN
        )
        self.comments += bool(row.get("comment"))
        for position, (item, answers) in enumerate(zip(items, annotation, strict=True), 1):
            mark = {Role.TUTORIAL: "tutorial", Role.CONTROL: "control"}.get(role, "")
            document, draft = self.items.add(item, line, (place, str(position)), mark)
            if answers is None:
                self.skipped += 1
                continue
            for system, answer in answers.items():
                self._answer(
                    answer,
                    item["tgt"].get(system),
                    judge=str(row.get("user_id", "")),
                    document=document.id,
                    segment=draft.id,
                    systems=(system,),
                    role=role,
                    elapsed_seconds=seconds,
                    answered_at=moment,
                    origin=f"{self.path.name}:{line}",
                )

    def _answer(self, answer: dict[str, Any], text: Any, **common: Any) -> None:
        stage = _STAGES.get(self.protocol, "rating")
        is_asked = self.has_spans if not self.protocol else self.protocol != "da"
        if is_asked and text is not None:
            spans, flags = _spans(answer.get("error_spans") or [], text)
            self.judgements.append(Judgement(stage=stage, question="errors", value=spans, flags=flags, **common))
        values = {key: (answer.get("sliders") or {}).get(name) for name, key in self.sliders.items()}
        if self.protocol != "mqm" and (self.has_scores or not self.sliders):
            values["score"] = answer.get("score")
        for question, value in values.items():
            score = number(value)
            flags = ("missing",) if score is None else ()
            self.judgements.append(Judgement(stage=stage, question=question, value=score, flags=flags, **common))
        if isinstance(answer.get("textfield"), str) and answer["textfield"]:
            value = answer["textfield"]
            self.judgements.append(Judgement(stage=stage, question="comment", value=value, **common))

    @staticmethod
    def _times(actions: Any, items: int) -> tuple[float | None, datetime | None, int]:
        """Seconds for each item, of the time between the first and the last action, when it was sent, and how many
        times cannot be read."""
        events = actions if isinstance(actions, list) else []
        times = [number(action.get("time")) for action in events if isinstance(action, dict)]
        valid_times = [time for time in times if time is not None and 0 < time < 1e11]
        unreadable = len(times) - len(valid_times)
        if not valid_times or not items:
            return None, None, unreadable
        seconds = round((valid_times[-1] - valid_times[0]) / items, 3)
        return seconds, datetime.fromtimestamp(valid_times[-1], UTC), unreadable

    def reading(self) -> Reading:
        names = dict.fromkeys([*(judgement.judge for judgement in self.judgements), *self.forms])
        judges = tuple(Judge(name, attributes=self.forms.get(name, {})) for name in names)
        notes = [*self.items.notes, *self.items.gathering.notes()]
        if missing := sum("missing" in judgement.flags for judgement in self.judgements):
            notes.append(in_number(missing, "{n} score is missing.", "{n} scores are missing."))
        sentences = {
            "{n} line was reset, or resets others, and does not count.|"
            "{n} lines were reset, or reset others, and do not count.": self.reset,
            "{n} item was skipped.|{n} items were skipped.": self.skipped,
            "{n} comment on a whole page is left out.|{n} comments on whole pages are left out.": self.comments,
        }
        for sentence, n in sentences.items():
            if n:
                notes.append(in_number(n, *sentence.split("|")))
        if self.unreadable_times:
            notes.append(
                in_number(
                    self.unreadable_times,
                    "{n} time cannot be read and is left out.",
                    "{n} times cannot be read and are left out.",
                )
            )
        notes.append("The time of a document is shared out evenly among its items.")
        documents = tuple(self.items.gathering.documents())
        questions = {key: name for name, key in self.sliders.items()}
        questions |= {name: name for name in ("errors", "score", "comment")} if not self.protocol else {}
        return Reading(
            self.path.name.split(".")[0],
            documents,
            judges,
            tuple(self.judgements),
            self.protocol,
            tuple(notes),
            questions=questions if not self.protocol else {},
        )


_RESET = "__RESET__"


def _without_reset(rows: Sequence[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """The lines that count: not those that reset an item, of one judge or of all, nor earlier answers to it."""
    kept: list[tuple[int, Any]] = []
    for line, row in rows:
        if not isinstance(row, dict) or row.get("annotation") != _RESET:
            kept.append((line, row))
            continue
        judge, item = row.get("user_id"), row.get("item_i")
        kept = [
            (at, each)
            for at, each in kept
            if not isinstance(each, dict) or each.get("item_i") != item or judge not in (None, each.get("user_id"))
        ]
    return kept


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    protocol: str = "ESA",
    campaign: str = "lanner",
) -> None:
    """A campaign in which all judges draw documents from one pool; `meta` of segments goes along as extra fields."""
    refuse_answers(path, "A campaign holds no judgements.", judgements, judges)
    pool: dict[str, list[list[dict[str, Any]]]] = {"data": [], "data_welcome": [], "data_random": []}
    for document in documents:
        if not all(segment.outputs for segment in document):
            raise InputError("Every item needs an output.", where=Where(path, item=document.id))
        role = {"tutorial": "data_welcome", "control": "data_random"}.get(str(document.meta.get("role")), "data")
        pool[role].append([_item(document, segment) for segment in document])
    answer = {
        "campaign_id": campaign,
        "info": {"assignment": "single-stream", "protocol": protocol, "users": 1},
        **{key: value for key, value in pool.items() if value or key == "data"},
    }
    with text_file(path) as out:
        json.dump(answer, out, ensure_ascii=False, indent=1)


def _item(document: Document, segment: Any) -> dict[str, Any]:
    pair = "-".join(code.replace("-", "_") for code in (document.source_language, document.target_language))
    item: dict[str, Any] = {
        "item_id": _MARK.join((pair, document.domain, document.id, segment.id)),
        "src": segment.source,
        "tgt": dict(segment.outputs),
    }
    if "ref" in segment.references or len(segment.references) == 1:
        item["ref"] = segment.references.get("ref", next(iter(segment.references.values())))
    item |= {key: value for key, value in segment.meta.items() if key != "spans"}
    if spans := segment.meta.get("spans"):
        item["error_spans"] = {
            system: [_span_as_shown(span, segment.outputs[system]) for span in entries]
            for system, entries in spans.items()
            if system in segment.outputs
        }
    return item


def _span_as_shown(span: dict[str, Any], text: str) -> dict[str, Any]:
    start, end = ShownText(text).shown(span)
    return {
        "start_i": start,
        "end_i": end,
        **{key: span.get(key) for key in ("category", "severity")},
    }


FORMAT = Format(
    name="pearmut",
    title="Pearmut campaign (JSON) or answers (JSON lines)",
    description=__doc__ or "",
    recognise=recognise,
    markers=("{",),
    read=read,
    read_documents=read_documents,
    write=write,
    options={
        "protocol": "the protocol of answers: DA, ESA or MQM (told by what was answered); of a campaign (writing; ESA)",
        "campaign": "the campaign's id (writing)",
    },
    signs={"json": ("campaign_id", "info", "data"), "json lines": ("user_id", "item", "annotation")},
)
