"""The page on what each system should improve: advice, the picture, the sentences behind one cell, and every table.

The numbers are those of `lanner diagnose` and of the report; a worker computes them (`diagnosis_view`).
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from lanner.errors import StatisticError
from lanner.reports.html import downloads, spans, strong
from lanner.reports.parts import Figure, Table
from lanner.web.organising.campaigns import campaign_of
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import say


@dataclass(frozen=True, slots=True)
class SystemAdvice:
    """What one system should improve. `place` is empty where nothing is shown; `letter` is its name in the picture."""

    system: str
    letter: str
    place: str
    reason: str
    rest: str


@dataclass(frozen=True, slots=True)
class Rating:
    """What one judge gave; `steps` are those reached and those there are, where the rating is a short scale."""

    judge: str
    text: str
    steps: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A translation of the sentence with what judges gave it."""

    system: str
    text: str
    ratings: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence behind the cell that is looked at: why it was chosen, its source and its translations, the judged
    system's first."""

    why: str
    document: str
    segment: str
    source: str
    outputs: tuple[Output, ...]
    languages: tuple[str, str]

    @property
    def address(self) -> str:
        """Where its document is shown with every answer."""
        system = self.outputs[0].system if self.outputs else ""
        return "?" + urlencode({"at": self.document, "segment": self.segment, "system": system, "show": "all"})


@dataclass(frozen=True, slots=True)
class DiagnosisPage:
    """Everything the page shows. `questions` are those that systems can be diagnosed by, with their labels; `cells` can
    be chosen, those to improve first; the chosen one has its numbers in words."""

    protocol: str
    simulated: bool
    question: str
    questions: tuple[tuple[str, str], ...]
    errors: bool
    advice: tuple[SystemAdvice, ...]
    figure: Figure | None
    cells: tuple[tuple[str, str], ...]
    cell: str
    summary: str
    sentences: tuple[Sentence, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]


async def diagnosis(request: Request) -> Response:
    """The page; where nothing can be diagnosed it says so, and what would help."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    query = request.query_params
    result: DiagnosisPage | None = None
    refusal = ("", "")
    try:
        result = await site.files.ask("diagnosis", campaign.id, query.get("question", ""), query.get("cell", ""))
    except StatisticError as error:
        refusal = (error.what, error.next_step or "")
    context = {
        "campaign": campaign,
        "diagnosis": result,
        "refusal": refusal,
        "svg": Markup(result.figure.svg) if result and result.figure else "",  # drawn by us, its texts are escaped
        "rule": say(
            "Chosen by rule, not by hand: lowest and highest mean over judges, then the widest gap to the other "
            "systems; largest distance between judges."
        ),
        "strong": strong,
        "spans": spans,
        "downloads": downloads,
    }
    return page(request, "diagnosis.html", context)
