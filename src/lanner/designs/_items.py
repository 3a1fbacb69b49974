"""What the pages of a protocol ask about: the outputs shown together, and the items of a document in its order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, JudgeKind, Object, Protocol, Segment, Stage, Unit

Shown = tuple[str, ...]
SENTENCES = (Unit.ISOLATED, Unit.IN_CONTEXT)


def pages(protocol: Protocol, judge: Judge, arm: str | None = None) -> Iterator[tuple[str, tuple[Stage, ...]]]:
    """The pages this judge works on from the start, in order: not those of other arms or roles, nor those whose units
    are promoted later by answers that do not exist yet. Someone with the attribute `judge` off does only the pages of
    their role."""
    for page, stages in protocol.pages.items():
        mine = tuple(stage for stage in stages if is_for(stage, judge, arm))
        if mine and not any(stage.promotion for stage in mine):
            yield page, mine


def is_for(stage: Stage, judge: Judge, arm: str | None) -> bool:
    """Whether a stage is for this judge, by arm and role. Questionnaires are for people."""
    if stage.unit is Unit.JUDGE and judge.kind in (JudgeKind.MODEL, JudgeKind.METRIC):
        return False
    in_arm = stage.arm is None or arm is None or stage.arm == arm
    if stage.role is None:
        return in_arm and bool(judge.attributes.get("judge", True))
    return in_arm and bool(judge.attributes.get(stage.role))


def is_about_the_judge(stages: Sequence[Stage]) -> bool:
    """Whether a page is a questionnaire: asked once, of no text."""
    return all(stage.unit is Unit.JUDGE for stage in stages)


def is_isolated(stages: Sequence[Stage]) -> bool:
    """Whether a page shows sentences out of their documents, each for itself."""
    return any(stage.apart for stage in stages)


def outputs(document: Document, stages: Sequence[Stage], systems: Sequence[str]) -> list[Shown]:
    """The sets of outputs that a page shows, one set a time, in the order of `systems`; one empty set where the
    source alone is asked about."""
    objects = {stage.object for stage in stages}
    if not objects & {Object.OUTPUT, Object.OUTPUTS}:
        return [()]
    present = [name for name in systems if any(s.is_judgeable(name) for s in document)]
    if Object.OUTPUTS not in objects:
        return [(name,) for name in present]
    size = max(stage.outputs for stage in stages if stage.object is Object.OUTPUTS)
    if len(present) < size:
        raise DesignError(
            f"{size} outputs are compared, but the document {document.id!r} has {len(present)}.",
            next_step="Add outputs to it, leave it out, or name the systems to compare.",
        )
    return list(combinations(present, size))


def sentences(document: Document, outputs: Shown) -> list[Segment]:
    """The segments that can be judged with these outputs, in order."""
    return [s for s in document if s.judged and all(map(s.is_judgeable, outputs))]


def items(document: Document, stages: Sequence[Stage], outputs: Shown) -> tuple[Item, ...]:
    """What a page asks about a document: sentence by sentence, then the document as a whole."""
    result: list[Item] = []
    if any(stage.unit in SENTENCES for stage in stages):
        for segment in sentences(document, outputs):
            result += _one(document.id, segment.id, [s for s in stages if s.unit in SENTENCES], outputs)
    whole = [stage for stage in stages if stage.unit is Unit.DOCUMENT]
    if whole and sentences(document, outputs):
        result += _one(document.id, "", whole, outputs)
    return tuple(result)


def _one(document: str, segment: str, stages: Sequence[Stage], outputs: Shown) -> list[Item]:
    """Where outputs are rated one by one and compared on the same page, each comes alone before all come together."""
    objects = {stage.object for stage in stages}
    alone = (
        [Item(document, segment, (name,)) for name in outputs] if Object.OUTPUT in objects and len(outputs) > 1 else []
    )
    together = [] if alone and Object.OUTPUTS not in objects else [Item(document, segment, outputs)]
    return alone + together
