"""Which results a report holds, in which order, and the sentences it opens with."""

from __future__ import annotations

from collections.abc import Callable

from lanner.errors import LannerError
from lanner.material import Material
from lanner.model import Protocol
from lanner.reports.parts import Report, Section
from lanner.reports.sections import agreement, labels, method
from lanner.reports.typeset import estimate, plural
from lanner.reports.view import View
from lanner.stats.reading import band
from lanner.stats.resample import Resampling

SCALE = "landis_koch"
SECTIONS: tuple[Callable[[View], Section | None], ...] = (method.section, agreement.section, labels.section)


def build(material: Material, *, resampling: Resampling | None = None, language: str = "en") -> Report:
    """The report on one protocol's judgements."""
    if material.protocol is None:
        raise LannerError(
            f"It is not known what was asked in {material.name}.", next_step="Name the protocol with --protocol."
        )
    view = View(material, material.protocol, resampling or Resampling(), language)
    sections = [made for make in SECTIONS if (made := make(view)) is not None]
    return Report(
        title=str(material.settings.get("title") or material.name),
        kicker=f"Campaign report · {view.words.title}" + (" · simulated judges" if view.simulated else ""),
        byline=_byline(view, material.protocol),
        findings=findings(view),
        sections=sections,
        notes=material.notes,
    )


def _byline(view: View, protocol: Protocol) -> str:
    sentences = sum(len(document.segments) for document in view.material.documents)
    people = plural(len(view.people), "simulated judge" if view.simulated else "judge")
    models = f", {plural(len(view.models), 'model')}" if view.models else ""
    texts = f"{plural(sentences, 'sentence')} in {plural(len(view.material.documents), 'document')}"
    return f"{people}{models}, {texts} · {protocol.label}, hash {protocol.hash}"


def findings(view: View) -> list[str]:
    """Sentences computed from the numbers: how far people agree on each question, and how models compare."""
    said = []
    if view.simulated:
        said.append("**The judges are simulated.**")
    for found in view.agreements:
        result = found.people
        if result is None or result.value is None or result.name != "alpha":
            continue
        what = view.label(found.coefficient.question).lower()
        numbers = estimate(result.value, result.low, result.high, 2)
        said.append(f"On {what} people show **{_strength(result.value)}** (α {numbers}).")
    return (
        said
        if len(said) > view.simulated
        else [*said, "Fewer than two judges have answered the same items, so agreement cannot be told yet."]
    )


def _strength(value: float) -> str:
    """Words for a chance-corrected coefficient on a published scale; a convention, not a test."""
    return f"{band(value, SCALE).partition(':')[0]} agreement"
