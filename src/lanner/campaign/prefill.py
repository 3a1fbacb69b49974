"""Marks of a model that judges start from, and the share of the texts that is judged without them.

The marks come from a model judge's answers, in this campaign, in another one or in a file. They are stored with the
texts, so they are frozen, exported and shown with them (`lanner.protocols.prefilled`). Every system keeps the same
number of documents without help, drawn by the campaign's seed; all judges of such an output work unaided, so that they
can be compared with each other as well. The marks withheld there are stored too: by them it is seen how far people who
start from the model's marks follow it more than people who do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from lanner import formats
from lanner.campaign.states import Reference, lock
from lanner.errors import CampaignError, InputError, Where, check_known, did_you_mean
from lanner.model import (
    JUDGE_GROUPS,
    Campaign,
    CampaignState,
    Document,
    Item,
    Json,
    JudgeKind,
    Judgement,
    Object,
    Protocol,
    Role,
    Segment,
    Spans,
)
from lanner.protocols.answers import texts_of
from lanner.protocols.judgements import take_in
from lanner.protocols.kinds.spans import offered_spans
from lanner.protocols.prefilled import (
    Help,
    help_of,
    live,
    meta_with,
    of_text,
    with_prefill,
    withheld_of,
    without_source,
)
from lanner.store import Store, Transaction, fingerprint
from lanner.store.rows import now

SETTING = "prefill"
UNASSISTED = 0.2
"""The share of each system's documents that is judged without the model's marks, unless the setting says another."""
_STREAM = 25
Marks = dict[tuple[str, str, str], list[dict[str, Any]]]
"""A model's marks by document, segment ("" for the whole document) and system ("" for the source alone)."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """What was offered: the texts with the marks, how many marks, how many did not fit the question or the text and
    were left out, and the documents and systems that are judged without help."""

    documents: tuple[Document, ...]
    marks: int
    left_out: int
    unassisted: tuple[tuple[str, str], ...]

    def detail(self, setting: Mapping[str, Json]) -> dict[str, Json]:
        """The entry in the log."""
        pairs = [list(pair) for pair in self.unassisted]
        return {**setting, "marks": self.marks, "left_out": self.left_out, "unassisted_texts": pairs}


def prefill(
    store: Store,
    campaign: Reference,
    model: str,
    *,
    source: str = "",
    unassisted: float = UNASSISTED,
    account: int | None = None,
    at: datetime | None = None,
) -> Prefilled:
    """Offer a model's marks to the people of a campaign in which no person has answered yet. `source` is another
    campaign or a file; without it the model's answers in this campaign are taken."""
    setting: dict[str, Json] = {"model": model, "from": source, "unassisted": unassisted}
    with store.writing() as tx:
        entry = lock(tx, campaign)
        protocol = tx.campaigns.protocol(entry.id)
        _refuse_begun(tx, entry)
        documents = tuple(tx.documents.all(entry.id))
        result = with_marks(tx, setting, documents, protocol, seed=entry.seed, own=entry)
        definition = with_prefill(protocol)
        plan = tx.campaigns.plan(entry.id)
        tx.documents.replace_contents(entry.id, result.documents)
        tx.campaigns.redefine(
            entry.id, definition, fingerprint(result.documents), design=entry.design, seed=entry.seed, **plan
        )
        tx.campaigns.set_details(entry.id, settings={**entry.settings, SETTING: setting})
        tx.events.add("prefilled", at or now(), campaign=entry.id, account=account, **result.detail(setting))
    return result


def with_marks(
    tx: Transaction,
    setting: Mapping[str, Json],
    documents: Sequence[Document],
    protocol: Protocol,
    *,
    seed: int,
    own: Campaign | None = None,
) -> Prefilled:
    """The texts with a model's marks, and without them where the seed says so. Texts that have the model's marks
    already, as in a duplicate, keep them."""
    model, share = str(setting["model"]), float(setting.get("unassisted", UNASSISTED))
    marks = _marks_in(documents, model) if own is None else {}
    if not marks:
        judgements = _judgements(tx, setting, protocol, own)
        marks = _marks_of(judgements, model, protocol)
    ids = {document.id for document in documents}
    if not ids & {document for document, _, _ in marks}:
        raise InputError(
            f"{model} has judged none of these texts, so it has no marks to offer.",
            code="no_marks",
            next_step="Give the campaign or file in which the model judged the same documents.",
        )
    usable, left_out = _usable(marks, documents, protocol)
    unassisted = _draw_unassisted(usable, documents, protocol, share, seed)
    texts = tuple(_offer(document, usable, unassisted) for document in documents)
    offered = sum(len(spans) for (document, _, name), spans in usable.items() if (document, name) not in unassisted)
    return Prefilled(texts, offered, left_out, tuple(sorted(unassisted)))


def _refuse_begun(tx: Transaction, campaign: Campaign) -> None:
    """Refuse to change what a person has started from."""
    if campaign.state is CampaignState.CLOSED:
        raise CampaignError(f"{campaign.name} is closed.", code="closed", next_step="Reopen it, or make another.")
    people = [
        participant for participant in tx.judges.all(campaign.id) if participant.judge.kind in JUDGE_GROUPS["people"]
    ]
    if any(tx.judgements.has_answered(participant.number) for participant in people):
        raise CampaignError(
            f"People have judged in {campaign.name} already; what they start from cannot be changed any more.",
            code="begun",
            next_step="Make another campaign with --set prefill=MODEL@SOURCE.",
        )


def _judgements(
    tx: Transaction, setting: Mapping[str, Json], protocol: Protocol, own: Campaign | None
) -> Sequence[Judgement]:
    """The model's answers, from this campaign, another one or a file."""
    source, model = str(setting.get("from") or ""), str(setting["model"])
    if source and tx.campaigns.find(source) is None:
        if not Path(source).exists():
            names = [campaign.name for campaign in tx.campaigns.all()]
            raise InputError(
                f"There is no campaign and no file {source!r} with marks of {model}.",
                code="unknown_campaign",
                next_step=did_you_mean(source, names),
            )
        return _from_file(Path(source), model, protocol)
    if not source and own is None:
        raise InputError(
            "The setting prefill does not say where the model's marks are.",
            code="bad_setting",
            next_step='Write it like this: prefill = {model = "gemba", from = "models"}, with a campaign or a file.',
        )
    campaign = own if not source and own is not None else tx.campaigns.get(source)
    kinds = {participant.judge.id: participant.judge.kind for participant in tx.judges.all(campaign.id)}
    if model not in kinds:
        hint = did_you_mean(model, [name for name, kind in kinds.items() if kind is not JudgeKind.PERSON])
        raise InputError(f"{campaign.name} has no judge {model!r}.", code="unknown_judge", next_step=hint)
    if kinds[model] is JudgeKind.PERSON:
        raise InputError(
            f"{model} is a person; only a model's marks are offered to others.",
            code="not_a_model",
            next_step="Name a model that has judged these texts.",
        )
    return tx.judgements.current(campaign.id)


def _from_file(path: Path, model: str, protocol: Protocol) -> Sequence[Judgement]:
    readings = formats.read(path)
    judgements = [each for reading in readings for each in reading.judgements]
    judges = list(dict.fromkeys(each.judge for each in judgements))
    check_known(model, judges, f"There is no judge {model!r}.", InputError, where=Where(path))
    span_questions = {question.id for _, question in protocol.questions if isinstance(question, Spans)}
    own = [each for each in judgements if each.judge == model and each.question in span_questions]
    documents = [document for reading in readings for document in reading.documents]
    return take_in(protocol, own, documents).judgements


def _marks_of(judgements: Iterable[Judgement], model: str, protocol: Protocol) -> Marks:
    """A model's answers to the questions about marks. An answer without any mark counts: nothing was wrong."""
    questions = {question.id for _, question in protocol.questions if isinstance(question, Spans)}
    marks: Marks = {}
    for judgement in judgements:
        if judgement.judge != model or judgement.role is not Role.MAIN or judgement.question not in questions:
            continue
        if not isinstance(judgement.value, list):
            continue
        names = judgement.systems or ("",)
        for name in names:
            marks.setdefault((judgement.document, judgement.segment, name), [])
        for span in live(judgement.value):
            place = int(span.get("output", 0)) if span.get("side") == "target" else 0
            plain = {key: value for key, value in without_source(span).items() if key != "output"}
            entry = {**plain, "model": model, "question": judgement.question}
            marks[judgement.document, judgement.segment, names[min(place, len(names) - 1)]].append(entry)
    return marks


def _marks_in(documents: Iterable[Document], model: str) -> Marks:
    """The marks of a model that texts carry already, offered or withheld; none where they carry another's."""
    marks: Marks = {}
    for document in documents:
        texts: tuple[Document | Segment, ...] = (document, *document.segments)
        for text in texts:
            segment = text.id if isinstance(text, Segment) else ""
            for name in ("", *document.systems):
                if help_of(text, name) is not Help.NONE:
                    marks[document.id, segment, name] = of_text(text, name) + withheld_of(text, name)
    is_this_model = any(span.get("model") == model for spans in marks.values() for span in spans)
    return marks if is_this_model else {}


def _usable(marks: Marks, documents: Iterable[Document], protocol: Protocol) -> tuple[Marks, int]:
    """The marks that fit their question and the text, and how many do not."""
    questions = [q for _, q in with_prefill(protocol).questions if isinstance(q, Spans)]
    usable: Marks = {}
    left_out = 0
    for document in documents:
        ids = {"", *(segment.id for segment in document)}
        for key, spans in marks.items():
            if key[0] != document.id or key[1] not in ids:
                continue
            item = Item(document.id, key[1], (key[2],) if key[2] else ())
            texts = replace(texts_of(document, item), prefilled=tuple(spans))
            fitting = [
                {**span, "question": question.id} for question in questions for span in offered_spans(question, texts)
            ]
            usable[key] = fitting
            left_out += len(spans) - len(fitting)
    return usable, left_out


def _draw_unassisted(
    marks: Marks, documents: Sequence[Document], protocol: Protocol, share: float, seed: int
) -> set[tuple[str, str]]:
    """The documents that each system is judged on without help: equally many for every system, by chance. Where
    outputs are compared side by side, the same for all."""
    documents_with_marks = {document for document, _, _ in marks}
    names = sorted({name for _, _, name in marks})  # in whichever order the model answered
    ids = [document.id for document in documents if document.id in documents_with_marks]
    number = min(round(share * len(ids)), len(ids) - 1)
    if share > 0 and len(ids) > 1:
        number = max(1, number)
    order = np.random.default_rng([seed, _STREAM]).permutation(len(ids))
    compared = any(
        stage.object is Object.OUTPUTS and any(isinstance(question, Spans) for question in stage.questions)
        for stage in protocol.stages
    )
    drawn = set()
    for at, name in enumerate(names):
        start = 0 if compared else at * number
        drawn |= {(ids[order[(start + step) % len(ids)]], name) for step in range(number)}
    return drawn


def _offer(document: Document, marks: Marks, unassisted: set[tuple[str, str]]) -> Document:
    """A document with its marks, offered or withheld."""

    def meta(text: Document | Segment) -> dict[str, Json]:
        segment = text.id if isinstance(text, Segment) else ""
        own = {name: marks[document.id, segment, name] for name in names if (document.id, segment, name) in marks}
        offered = {name: spans for name, spans in own.items() if (document.id, name) not in unassisted}
        withheld = {name: spans for name, spans in own.items() if (document.id, name) in unassisted}
        return meta_with(text, offered, withheld)

    names = list(dict.fromkeys(name for key, _, name in marks if key == document.id))
    segments = tuple(replace(segment, meta=meta(segment)) for segment in document.segments)
    return replace(document, segments=segments, meta=meta(document))
