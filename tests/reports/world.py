"""A small simulated campaign as material, for reports."""

from __future__ import annotations

from functools import cache

from lanner import protocols
from lanner.analysis.material import Material
from lanner.judges.simulated import Simulation, Temper
from lanner.model import Document, Item, Judge, JudgeKind, Judgement, Object, Segment

TEXT = "The ferry left before the tide had turned and nobody waited for it."


@cache
def material(
    protocol_name: str, judges: int = 3, documents: int = 4, kind: JudgeKind = JudgeKind.SIMULATED
) -> Material:
    protocol = protocols.load(protocol_name)
    texts = tuple(
        Document(
            f"d{d}",
            tuple(
                Segment(str(s), f"{TEXT} {d}.{s}", outputs={"oak": f"A {TEXT}", "elm": f"B {TEXT}"}) for s in range(6)
            ),
            source_language="en",
            target_language="de",
            domain=("news", "social")[d % 2],
        )
        for d in range(documents)
    )
    world = Simulation(protocol, {"oak": 0.9, "elm": 0.3}, seed=3)
    people = tuple(Judge(f"j{n}", kind, f"Judge {n}") for n in range(judges))
    answers = []
    for judge in people:
        for document in texts:
            for segment in document:
                answers += _item(world, judge, document, segment.id)
    return Material(protocol_name, protocol, texts, people, tuple(answers))


def _item(world: Simulation, judge: Judge, document: Document, segment: str) -> list[Judgement]:
    made, earlier = [], {}
    for page, stages in world.protocol.pages.items():
        outputs = [("oak",), ("elm",)] if stages[0].object is Object.OUTPUT else [()]
        for systems in outputs:
            item = Item(document.id, segment, systems)
            given = world.answers(judge.id, Temper(), page, item, document, earlier=earlier)
            if not systems:
                earlier |= given
            for question, value in given.items():
                found = world.protocol.find(question)
                assert found is not None
                seconds = world.seconds(judge.id, Temper(), item)
                made.append(
                    Judgement(
                        judge.id, found[0].id, question, document.id, segment, systems, value, active_seconds=seconds
                    )
                )
    return made
