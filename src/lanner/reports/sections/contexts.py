"""Context as a factor: what people miss, how often verdicts change and how long it takes, context by context."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.analysis import FEWEST_ITEMS
from lanner.analysis.context import ContextEffect, context_effects
from lanner.analysis.scores import Share
from lanner.figures.typeset import estimate, percent
from lanner.model import Json
from lanner.reports.parts import Block, Column, Paragraph, Section, Table
from lanner.reports.view import View


def section(view: View) -> Section | None:
    """For a campaign whose judges saw different amounts of context."""
    effects = context_effects(view.counted(), view.protocol, resampling=view.resampling)
    if not effects:
        return None
    blocks: list[Block] = [
        Paragraph(
            "Every text was judged in every context, by different judges. Each context is set against the fullest: "
            "**misevaluated** is the share of the sentences that look perfect here to at least four of five judges and "
            "have a fault for at least half of those who saw more (Castilho 2021); **changed** is how often two "
            "judges, one in each context, answer differently, and **within** how often two judges differ in the same "
            "context, which is what change there would be without any context."
        ),
        _table(view, effects),
    ]
    return Section("contexts", "Context as a factor", blocks, _findings(view, effects))


def _table(view: View, effects: Sequence[ContextEffect]) -> Table:
    rows: list[dict[str, Json]] = []
    for question in dict.fromkeys(effect.question for effect in effects):
        own = [effect for effect in effects if effect.question == question]
        rows.append({"group": _question_label(view, own[0])})
        for effect in own:
            share = effect.misevaluated
            known = share is not None and share.value is not None and share.counts.get("items", 0) >= FEWEST_ITEMS
            rows.append(
                {
                    "context": context_label(effect.context),
                    "missed": estimate(share.value, share.low, share.high) if share and known else "",
                    "perfect": share.counts.get("items", 0) if share else "",
                    "changed": _share(effect.changed),
                    "within": _share(effect.apart),
                    "seconds": estimate(effect.seconds.value, effect.seconds.low, effect.seconds.high, 1, bounded=False)
                    if effect.seconds.n >= FEWEST_ITEMS
                    else "",
                }
            )
    columns = [
        Column("context", ""),
        Column("missed", "Misevaluated [95 %]"),
        Column("perfect", "of", quiet=True),
        Column("changed", "Changed [95 %]"),
        Column("within", "Within [95 %]"),
        Column("seconds", "Seconds [95 %]"),
    ]
    caption = "Judgements by the context they were made in, with intervals over documents; the fullest context is last."
    return Table("contexts", caption, columns, rows, [effect.to_row() for effect in effects])


def _share(share: Share | None) -> str:
    return estimate(share.value, share.low, share.high) if share and share.n >= FEWEST_ITEMS else ""


def context_label(name: str) -> str:
    """A context as it is called in print: `own_3_0` is `own ±3,0`."""
    sides, _, window = name.partition("_")
    return f"{sides} ±{window.replace('_', ',')}" if window else sides


def _question_label(view: View, effect: ContextEffect) -> str:
    return view.label(f"{effect.question}_{effect.context}")


def _findings(view: View, effects: Sequence[ContextEffect]) -> list[str]:
    """The context that hides most, where sentences enough looked perfect in it."""
    shares = [
        (effect.misevaluated.value, effect)
        for effect in effects
        if effect.misevaluated is not None
        and effect.misevaluated.value is not None
        and effect.misevaluated.counts.get("items", 0) >= FEWEST_ITEMS
    ]
    if not shares:
        return []
    value, effect = max(shares, key=lambda entry: entry[0])
    share = effect.misevaluated
    assert share is not None
    return [
        f"**With the context {context_label(effect.context)} {percent(value, 0)} of the sentences that look perfect "
        f"are not** ({_question_label(view, effect).lower()}, {estimate(value, share.low, share.high)} of "
        f"{share.counts.get('items', 0)}), seen from the context {context_label(effect.fullest)}."
    ]
