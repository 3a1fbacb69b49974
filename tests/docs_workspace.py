"""A folder in which every command line of the documentation can be run: texts, campaigns with answers, and small
stand-ins for released data sets, in their layouts and with our own texts."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from lanner import campaign, formats
from lanner.analysis.material import from_campaign
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from lanner.reports.export import export_as
from lanner.store import Store

PEOPLE = {"ana": Temper(), "ben": Temper(severity=0.1, reliability=0.7)}
QUALITIES = {"oak": 0.8, "elm": 0.4, "human": 0.9, "mt": 0.3}
DOCUMENTS, SENTENCES = 4, 3
STORE = "lanner.sqlite"


def documents(*systems: str) -> list[Document]:
    """Texts with outputs of these systems and a reference."""
    made = []
    for place in range(DOCUMENTS):
        name = "reviews" if place == 0 else f"letter-{place}"
        first = 11 if place == 0 else 1
        segments = tuple(
            Segment(
                str(first + number),
                f"Sentence {number} of {name} is here.",
                {system: f"Satz {number} von {name}, {system}." for system in systems},
                {"refA": f"Der Satz {number} von {name}."},
            )
            for number in range(SENTENCES)
        )
        made.append(Document(name, segments, "en", "de", domain=("news", "social")[place % 2]))
    return made


def judged(store: Store, name: str, protocol: str, texts: list[Document]) -> None:
    """A campaign that two simulated judges have finished."""
    design, names = ("parity", [*PEOPLE, "cleo", "dan"]) if protocol == "parity" else ("full", [*PEOPLE])
    people = [Judge(person) for person in names]
    if name == "evalset":
        people.append(Judge("o3", JudgeKind.MODEL))
    made = campaign.create(store, name, texts, protocol, people, seed=1, design=design)
    campaign.open(store, made.id)
    answered(store, name)


def answered(store: Store, name: str) -> None:
    """Whoever is assigned answers everything."""
    people = [part.name for part in campaign.progress(store, name).judges]
    tempers = {judge: PEOPLE.get(judge, Temper(severity=0.02 * place)) for place, judge in enumerate(people)}
    fill(store, name, tempers, QUALITIES, seed=1)


def lay_out(folder: Path) -> None:
    """Everything that the pages name, but for `pilot`, which pages make or ask for by protocol."""
    texts = documents("oak", "elm")
    formats.write("native", folder / "texts.jsonl", texts)
    formats.write("table", folder / "texts.csv", texts)
    (folder / "my.tsv").write_text("talk\ten\tmt\tref\nferry\tLate.\t늦다.\t늦었다.\n", encoding="utf-8")
    (folder / "scores.csv").write_text("engkor01,oak,7,TGT,eng,kor,88,1700000000.0,1700000009.5\n", encoding="utf-8")
    with Store.open(folder / STORE) as store:
        for name, protocol in {
            "pilot-esa": "esa",
            "pilot-mqm": "mqm",
            "wmt": "esa",
            "survey": "context_survey",
        }.items():
            judged(store, name, protocol, texts)
    formats.write("native", folder / "wmt24", _long_corpus())
    _released(folder)
    _metrics_task(folder / "wmt23")
    _appraise_scores(folder)


def _long_corpus() -> list[Document]:
    """Enough for a sample of 800 sentences, and one translation that cannot be split as its source is."""
    source = "The ferry was late again. We waited for an hour. Nobody came. Then we went home."
    target = "Die Fähre kam wieder zu spät und wir warteten. Niemand."
    ferry = Document("ferry", (Segment("1", source, {"GPT-4": target}),), "en", "de", domain="news")
    sentences = tuple(Segment(str(n), f"Boat {n} is here.", {"GPT-4": f"Boot {n} ist hier."}) for n in range(40))
    return [ferry, *(Document(f"log-{n}", sentences, "en", "de", domain="news") for n in range(22))]


def add_pilot(folder: Path, protocol: str) -> None:
    with Store.open(folder / STORE) as store:
        judged(store, "pilot", protocol, documents("oak", "elm"))


def _released(folder: Path) -> None:
    """Folders with FALCON and H-FALCON, two sides of a comparison, parity, and two protocols of one campaign."""
    with Store.open(folder / "made.sqlite") as store:
        for name, protocol, systems in (
            ("evalset", "falcon", ("oak",)),
            ("subset", "h_falcon", ("oak",)),
            ("ratings", "parity", ("human", "mt")),
            ("240315rc5ESA", "esa", ("oak", "elm")),
            ("240315rc5MQM", "mqm", ("oak", "elm")),
        ):
            judged(store, name, protocol, documents(*systems))
            place = {"evalset": "h-falcon", "subset": "h-falcon", "ratings": "parity"}.get(name, "appraise")
            export_as(from_campaign(store, name), "native", folder / place / f"{name}.jsonl")


def _metrics_task(folder: Path) -> None:
    dice = random.Random(1)
    names = ("oak", "elm", "ash", "fir")
    texts = [
        replace(
            document, segments=tuple(replace(s, id=str(line)) for line, s in enumerate(document, SENTENCES * place))
        )
        for place, document in enumerate(documents(*names))
    ]
    judges = [Judge("XCOMET-Ensemble-refA", JudgeKind.METRIC), Judge("BLEU-refA", JudgeKind.METRIC), Judge("mqm")]
    scores = [
        Judgement(judge.id, "segment", "score", document.id, segment.id, (system,), dice.random() - names.index(system))
        for judge in judges
        for document in texts
        for segment in document
        for system in names
    ]
    formats.write("mtme", folder, texts, scores, judges)


def _appraise_scores(folder: Path) -> None:
    """Scores as WMT24 released them, and the list of their documents."""
    dice = random.Random(2)
    rows = [
        f"engzho0{judge},{system},{line},TGT,eng,zho,{dice.randint(40, 90)},doc{line // 3},False,[],1.0,9.0"
        for judge in (1, 2)
        for system in ("oak", "elm")
        for line in range(12)
    ]
    (folder / "esa.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "en-zh.docs").write_text("".join(f"news\tdoc{line // 3}\n" for line in range(12)), encoding="utf-8")
