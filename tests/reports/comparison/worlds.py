"""Small worlds in which it is known what a comparison must find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import product

from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Document, Json, Judge, JudgeKind, Judgement, Segment
from lanner.reports.comparison.sides import ComparisonData, shared, sides
from lanner.stats.resample import Resampling

QUICK = Resampling(n=200)
SYSTEMS = ("oak", "elm", "ash")
START = datetime(2026, 1, 5, tzinfo=UTC)


def texts(documents: int = 8, sentences: int = 3) -> tuple[Document, ...]:
    return tuple(
        Document(
            f"d{d}",
            tuple(_segment(d, s) for s in range(sentences)),
            source_language="en",
            target_language="de",
            domain="news",
        )
        for d in range(documents)
    )


def _segment(d: int, s: int) -> Segment:
    return Segment(str(s), f"Sentence {d}.{s}.", outputs=dict.fromkeys(SYSTEMS, f"Satz {d}.{s}."))


def answered(
    name: str,
    questions: Iterable[str],
    value: Callable[[str, str, str, int, int, str], Json],
    *,
    judges: Iterable[str] = ("j0", "j1"),
    systems: Iterable[tuple[str, ...]] = tuple((s,) for s in SYSTEMS),
    models: Iterable[str] = (),
    seconds: float | None = 30.0,
    title: str = "",
    sentences: int = 3,
    count: int = 8,
) -> Material:
    """`value` gives the answer to (question, judge, system, document, sentence, stage); None is no answer."""
    protocol = protocols.load(name)
    stages = {q.id: stage.id for stage, q in protocol.questions}
    documents = texts(count, sentences)
    made: list[Judgement] = []
    places = [(d, s, segment.id) for d, document in enumerate(documents) for s, segment in enumerate(document)]
    for judge, (d, s, segment), shown in product((*judges, *models), places, list(systems)):
        for question in questions:
            given = value(question, judge, "|".join(shown), d, s, stages[question])
            at = START + timedelta(seconds=len(made) * seconds) if seconds else None
            key = (judge, stages[question], question, documents[d].id, segment, shown)
            if given is not None:
                made.append(Judgement(*key, given, active_seconds=seconds, answered_at=at))
    people = [Judge(j, JudgeKind.PERSON) for j in judges] + [Judge(m, JudgeKind.MODEL) for m in models]
    return Material(title or name, protocol, documents, tuple(people), tuple(made))


def lab(*materials: Material, hourly: float | None = None) -> ComparisonData:
    whole = sides([(material.name, material) for material in materials])
    alike, n = shared(whole)
    return ComparisonData(alike, whole, n, QUICK, hourly)


def noise(*parts: object) -> int:
    """A number from 0 to 9 that looks random and never changes."""
    return sum(map(ord, repr(parts))) * 7919 // 13 % 10


def scores(*, title: str, gap: float, seconds: float = 30.0, spread: int = 1) -> Material:
    """Direct assessment of three systems, `gap` apart, with a little noise."""
    place = {"oak": 2, "elm": 1, "ash": 0}
    return answered(
        "da", ["score"],
        lambda q, j, system, d, s, _: min(100.0, 40 + gap * place[system] + spread * noise(j, system, d, s)),
        seconds=seconds, title=title,
    )  # fmt: skip


def scenarios(*, wrong: int = 3) -> Material:
    """Everything is perfect alone; `wrong` sentences are flawed in context."""

    def value(question: str, judge: str, system: str, d: int, s: int, stage: str) -> Json:
        if (stage == "rs") != (judge in {"j0", "j1"}):
            return None
        return 2 if stage == "sc" and s == 0 and d < wrong else 4

    return answered(
        "scenarios", ["adequacy_rs", "fluency_rs", "adequacy_sc", "fluency_sc"], value,
        judges=("j0", "j1", "j2", "j3"), systems=(("oak",),),
    )  # fmt: skip


def parity() -> Material:
    """The human is preferred in documents by everybody, in sentences by one judge of two."""

    def value(question: str, judge: str, system: str, d: int, s: int, stage: str) -> Json:
        if stage == "adequacy_document":
            return [1, 2] if s == 0 else None
        return [1, 2] if judge == "j0" else [2, 1]

    return answered(
        "parity", ["adequacy_of_sentence", "adequacy_of_document"], value, systems=(("human", "mt"),), seconds=None
    )
