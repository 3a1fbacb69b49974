"""Campaigns of known truth to diagnose: birch is weak in one skill of social texts, or makes more major errors."""

from __future__ import annotations

from lanner import campaign, protocols
from lanner.model import Document, Item, Json, Judge, Segment
from lanner.store import Store
from lanner.studies.simulation import answer_all, dice

SYSTEMS = ("alder", "birch")
WEAK = "relational_address"
SKILLS = tuple(row.id for row in protocols.load("h_falcon").find("skills")[1].rows)  # type: ignore[index, union-attr]


def texts(documents: int = 5, sentences: int = 4) -> list[Document]:
    return [
        Document(
            f"{domain}-{place}",
            tuple(
                Segment(str(k), f"Sentence {k} <b>.", outputs={system: f"{system} says {k}" for system in SYSTEMS})
                for k in range(1, sentences + 1)
            ),
            source_language="en",
            target_language="de",
            domain=domain,
        )
        for domain in ("news", "social")
        for place in range(documents)
    ]


def judged_campaign(store: Store, protocol: str, name: str) -> int:
    """A campaign with this protocol that two judges have answered."""
    judges = [Judge(f"person-{n}") for n in (1, 2)]
    created = campaign.create(store, name, texts(), protocol, judges, seed=3)
    campaign.open(store, created.id)
    answer_all(store, name, _ANSWERS[protocol])
    return created.id


def _is_weak(item: Item) -> bool:
    return item.systems[0] == "birch" and item.document.startswith("social")


def _skills(judge: Judge, question: str, item: Item) -> Json:
    if question != "skills":
        return {"sentence": 3, "holistic": 7}.get(question)
    ratings: dict[str, Json] = dict.fromkeys(SKILLS, "not_relevant")
    for skill in (WEAK, "style_register"):
        low = skill == WEAK and _is_weak(item)
        draw = dice(7, skill, item.document, item.segment, item.systems[0], judge.id).random()
        ratings[skill] = ("low" if draw < 0.8 else "medium") if low else ("high" if draw < 0.8 else "medium")
    return ratings


def _errors(judge: Judge, question: str, item: Item) -> Json:
    """Every error is one of accuracy, where the protocol has categories: the span is checked against the protocol."""
    if question != "errors":
        return 50 if question == "score" else None
    draw = dice(7, item.document, item.segment, item.systems[0], judge.id).random()
    if draw > (0.8 if _is_weak(item) else 0.2):
        return []
    severity = "major" if _is_weak(item) else "minor"
    return [{"side": "target", "start": 0, "end": 5, "text": item.systems[0][:5], "severity": severity}]


def _categorised(judge: Judge, question: str, item: Item) -> Json:
    errors = _errors(judge, question, item)
    return [{**error, "category": "mistranslation"} for error in errors] if isinstance(errors, list) else None


_ANSWERS = {"h_falcon": _skills, "esa": _errors, "mqm": _categorised}
