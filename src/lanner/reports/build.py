"""Which results a report holds, in which order, and the sentences it opens with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lanner.analysis.material import Material
from lanner.analysis.scores import choice_bias
from lanner.errors import LannerError
from lanner.model import JudgeKind, Protocol, all_systems
from lanner.model.messages import plural
from lanner.reports.parts import Block, Paragraph, Report, Section, used_references, with_names_kept
from lanner.reports.sections import agreement, diagnosis, method, systems, texts
from lanner.reports.view import View
from lanner.stats.resample import Resampling

_MOST_FINDINGS = 6
Make = Callable[[View], Section | None]
BODY: tuple[Make, ...] = (
    agreement.section,
    agreement.scenario_section,
    texts.context_section,
    agreement.calibration,
    agreement.disagreements,
    systems.section,
    diagnosis.section,
    systems.preferences,
    texts.label_section,
    texts.marked_passages,
    texts.context_needs,
    systems.explained,
    method.effort_section,
    method.assistance_section,
    method.check_section,
    method.section,  # written last, from the signatures of what was printed, and read first
)
APPENDIX: tuple[Make, ...] = (
    method.details,
    agreement.details,
    agreement.most_disputed,
    texts.linked_marks,
    systems.correlated_judges,
    systems.coefficients,
    texts.document_section,
    method.questionnaire,
    agreement.comments,
)


def build(material: Material, *, resampling: Resampling | None = None, language: str = "en") -> Report:
    """The report on one protocol's judgements."""
    if material.protocol is None:
        raise LannerError(
            f"It is not known what was asked in {material.name}.", next_step="Name the protocol with --protocol."
        )
    view = View(material, material.protocol, resampling or Resampling(), language)
    appendix = [replace(section, appendix=True) for make in APPENDIX if (section := make(view)) is not None]
    *body, first = [part for make in BODY if (part := make(view)) is not None]
    sections = [first, *map(_without_folded, body), *_fold_into_appendix(body), *appendix]
    report = Report(
        title=str(material.settings.get("title") or material.name),
        kicker=f"Campaign report · {view.words.title}" + (" · simulated judges" if view.simulated else ""),
        byline=_byline(view, material.protocol),
        findings=findings(view, sections),
        sections=sections,
        notes=material.notes,
        caveats=[caveat for section in sections for caveat in section.caveats],
        references=used_references(view.signed, view.protocol.name, view.protocol.citation or "", view.methods),
    )
    documents = material.documents
    return with_names_kept(report, [*all_systems(documents), *(text.id for text in documents), *view.names.values()])


def _without_folded(section: Section) -> Section:
    return replace(section, blocks=[block for block in section.blocks if not _is_folded(block)])


def _fold_into_appendix(body: Sequence[Section]) -> list[Section]:
    """For the appendix: numbers of figures in the body, and sentences behind them."""
    blocks = [block for section in body for block in section.blocks if _is_folded(block)]
    return [Section("numbers", "Behind the figures", blocks, appendix=True)] if blocks else []


def _is_folded(block: Block) -> bool:
    return not isinstance(block, Paragraph) and block.folded


def _byline(view: View, protocol: Protocol) -> str:
    sentences = sum(len(document.segments) for document in view.material.documents)
    people = plural(len(view.people), "simulated judge" if view.simulated else "judge")
    metrics = sum(judge.kind is JudgeKind.METRIC for judge in view.judges)
    models = f", {plural(len(view.models) - metrics, 'model')}" if len(view.models) > metrics else ""
    models += f", {plural(metrics, 'metric')}" if metrics else ""
    texts = (
        f", {plural(sentences, view.unit)} in {plural(len(view.material.documents), 'document')}" if sentences else ""
    )
    return f"{people}{models}{texts} · {protocol.label}, hash {protocol.hash}"


def findings(view: View, sections: Sequence[Section]) -> list[str]:
    """The sentences a report opens with, computed from the numbers by its sections; six at most."""
    sentences = ["**The judges are simulated.**"] if view.simulated else []
    bias = choice_bias(view.material.documents, view.material.settings)
    if bias is not None and any(section.id == "systems" for section in sections):
        sentences.append(str(bias))
    findings = _choose_findings([section.findings for section in sections])
    if len(view.judges_on_one_scale) < 2:
        sentences.append("Fewer than two judges have answered, so agreement cannot be computed yet.")
    elif not findings:
        sentences.append("Too few items are shared by judges to draw conclusions. The tables show what there is.")
    return [*sentences, *findings]


def _choose_findings(findings_by_section: Sequence[Sequence[str]]) -> list[str]:
    """Every section has its first say before any has a second one; what is chosen stands in the report's order."""
    turns = sorted((turn, at) for at, sentences in enumerate(findings_by_section) for turn in range(len(sentences)))
    chosen_places = set(turns[:_MOST_FINDINGS])
    return [
        sentence
        for at, section_findings in enumerate(findings_by_section)
        for turn, sentence in enumerate(section_findings)
        if (turn, at) in chosen_places
    ]
