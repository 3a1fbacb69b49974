"""The disagreement browser as plain data: the list, and one unit in its context with everyone's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lanner import campaign as campaigns
from lanner.model import Campaign, Document, Json, Judge, Segment, Text
from lanner.protocols.wording import Wording
from lanner.store import Store
from lanner.web.organiser.marking import Piece, marked
from lanner.web.organiser.matrix import TAKEN, Line, Matrix, matrix
from lanner.web.page.speech import apart, language, say
from lanner.web.page.speech import listed as in_words
from lanner.web.picture import figures
from lanner.web.picture.contrasts import ramp
from lanner.web.picture.told import MODELS, PEOPLE, Answers, Listing, Spot, Wanted

T = TypeVar("T")
Unit = tuple[str, str, str]
_AROUND = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence in its context, with what was marked in it and by whom."""

    number: int
    source: tuple[Piece, ...]
    target: tuple[Piece, ...]
    current: bool


@dataclass(frozen=True, slots=True)
class Item:
    """The unit that is discussed."""

    unit: Unit
    number: int
    rows_in_all: int
    document: Document
    rows: tuple[Row, ...]
    matrices: tuple[Matrix, ...]
    extras: tuple[Line, ...]
    comments: tuple[tuple[str, str], ...]
    seconds: tuple[str, ...]
    distance: float | None
    parts: str
    share: str
    settled: bool
    judges: tuple[str, ...]


class Scene:
    """A campaign as the browser needs it: read once for one page."""

    def __init__(self, store: Store, campaign: Campaign) -> None:
        self._store = store
        self.campaign = campaign
        self.protocol = campaigns.protocol(store, campaign.id)
        self.judges = campaigns.judges(store, campaign.id)
        self.wording = Wording(self.protocol, language())
        self.names = {judge.id: judge.name or judge.id for judge in self.judges}

    def context(self, listed: Listing, wanted: Wanted) -> dict[str, object]:
        """What the filters and the list show."""
        people = [judge.id for judge in self.judges if judge.kind in PEOPLE]
        asked = self.protocol.find(wanted.question)
        options = getattr(asked[1], "options", ()) if asked else ()
        labels = {option.id: self.wording.option(wanted.question, option.id).label for option in options}
        questions = [q.id for _, q in self.protocol.questions if not isinstance(q, Text)]
        return {
            "campaign": self.campaign,
            "listed": listed,
            "wanted": wanted,
            "texts": self._texts(listed.spots),
            "names": self.names,
            "labels": labels,
            "tones": dict(zip(labels, ramp(len(labels)), strict=True)),
            "questions": [(question, self.wording.question(question).label) for question in questions],
            "domains": sorted({spot.domain for spot in listed.spots if spot.domain} | ({wanted.domain} - {""})),
            "documents": self._documents(listed.spots, wanted.document),
            "pairs": [(f"{a}|{b}", in_words([self.names[a], self.names[b]])) for a, b in _pairs(people)],
            "label_pairs": [(f"{a}|{b}", f"{labels[a]} / {labels[b]}") for a, b in _pairs(list(labels))],
            "distance": figures.distance,
        }

    def _documents(self, spots: Sequence[Spot], wanted: str) -> list[tuple[str, str]]:
        """The documents of the list to choose from, by title, in the order of the campaign's names for them."""
        named = sorted({spot.document for spot in spots} | ({wanted} - {""}))
        with self._store.reading() as tx:
            found = {name: tx.documents.find(self.campaign.id, name) for name in named}
        return [(name, document.title or name if document else name) for name, document in found.items()]

    def _texts(self, spots: Sequence[Spot]) -> dict[tuple[str, str], tuple[str, str]]:
        """The source sentence of each spot in the list with its language."""
        names = dict.fromkeys(spot.document for spot in spots)
        with self._store.reading() as tx:
            documents = {name: tx.documents.find(self.campaign.id, name) for name in names}
        found = {}
        for spot in spots:
            document = documents[spot.document]
            segment = document.segment(spot.segment) if document else None
            words = segment.source if segment else (document.title if document else "")
            found[spot.document, spot.segment] = (words, document.source_language if document else "und")
        return found

    def item(self, unit: Unit, said: Answers, *, models: bool) -> Item | None:
        """One unit in its context. Models stay out until people have decided: they must not sway anyone."""
        with self._store.reading() as tx:
            document = tx.documents.find(self.campaign.id, unit[0])
        if document is None:
            return None
        present = {judge for given in said.given.values() for judge in given}
        shown = [judge for judge in self.judges if judge.id in present and judge.kind in PEOPLE]
        if models and said.settled:
            shown += [judge for judge in self.judges if judge.id in present and judge.kind in MODELS]
        place = next((at for at, segment in enumerate(document) if segment.id == unit[1]), None)
        matrices = self._matrices(said, shown)
        own = tuple(made for made in matrices if not made.lines[0].name.endswith(TAKEN))
        parts = [
            f"{self.wording.question(q).label.lower()} {apart(_short(distance))}" for q, distance in said.parts.items()
        ]
        seconds = [said.seconds.get(judge.id) for judge in shown]
        return Item(
            unit=unit,
            number=(place or 0) + 1,
            rows_in_all=len(document.segments),
            document=document,
            rows=tuple(self._rows(document, place, unit[2], said, shown)),
            matrices=own or matrices,
            extras=tuple(replace(made.lines[0], label=made.label) for made in matrices if own and made not in own),
            comments=tuple(self._comments(said, shown)),
            seconds=tuple("" if second is None else f"{second:.0f}" for second in seconds),
            distance=said.distance,
            parts=" · ".join(parts),
            share=_share(matrices),
            settled=bool(said.settled),
            judges=tuple(self.names[judge.id] for judge in shown),
        )

    def _matrices(self, said: Answers, shown: Sequence[Judge]) -> tuple[Matrix, ...]:
        judges = [judge.id for judge in shown]
        asked = [question for _, question in self.protocol.questions]
        given, settled = said.given, said.settled
        made = [
            matrix(q, given.get(q.id, {}), judges, settled.get(q.id), self.wording, names=self.names) for q in asked
        ]
        return tuple(entry for entry in made if entry is not None and entry.lines)

    def _comments(self, said: Answers, shown: Sequence[Judge]) -> list[tuple[str, str]]:
        texts = [question.id for _, question in self.protocol.questions if isinstance(question, Text)]
        given = [(judge, said.given.get(question, {}).get(judge.id)) for question in texts for judge in shown]
        return [(self.names[judge.id], str(words)) for judge, words in given if words]

    def _rows(
        self, document: Document, place: int | None, system: str, said: Answers, shown: Sequence[Judge]
    ) -> list[Row]:
        if place is None:
            return [_row(at, segment, system, {}, current=True) for at, segment in enumerate(document)]
        ids = {judge.id for judge in shown}
        given = [(judge, value) for answers in said.given.values() for judge, value in answers.items() if judge in ids]
        spans = {self.names[judge]: value for judge, value in given if _is_spans(value)}
        near = range(max(0, place - _AROUND), min(len(document.segments), place + _AROUND + 1))
        rows = [(at, document.segments[at]) for at in near]
        return [_row(at, seg, system, spans if at == place else {}, current=at == place) for at, seg in rows]


def _pairs(entries: Sequence[T]) -> list[tuple[T, T]]:
    return [(a, b) for at, a in enumerate(entries) for b in entries[at + 1 :]][:60]


def _short(distance: float) -> str:
    return "1.0" if distance >= 0.995 else f"{distance:.2f}".removeprefix("0")


def _share(matrices: Sequence[Matrix]) -> str:
    """What they agree on, and what not, in words."""
    same = [made.label for made in matrices if made.agreed]
    differ = [made.label for made in matrices if not made.agreed]
    said = [say("They agree on {what}.", what=_lowered(same))] if same else []
    return " ".join([*said, *([say("They differ on {what}.", what=_lowered(differ))] if differ else [])])


def _lowered(labels: Sequence[str]) -> str:
    return in_words([label.lower() for label in labels])


def _is_spans(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _row(at: int, segment: Segment, system: str, spans: Mapping[str, Json], *, current: bool) -> Row:
    shown = system.split("|", maxsplit=1)[0]
    target = segment.text(shown) if shown else next(iter(segment.outputs.values()), "")
    return Row(at + 1, marked(segment.source, spans, "source"), marked(target or "", spans, "target"), current)
