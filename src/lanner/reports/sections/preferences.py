"""Which of two systems is preferred: bars centred on the ties, with sign tests."""

from __future__ import annotations

from lanner.model import Rank
from lanner.reports.figures.preference import Preference, preference
from lanner.reports.parts import Block, Figure, Section
from lanner.reports.typeset import p_value, words
from lanner.reports.view import View
from lanner.stats.preference import sign_test

_MOST, _LEVEL = 12, 0.05


def section(view: View) -> Section | None:
    """For questions that compare two outputs; one figure for each pair of systems."""
    asked = [q.id for _, q in view.protocol.questions if isinstance(q, Rank) and q.id in view.answered]
    found: dict[tuple[str, str], list[tuple[str, dict[str, object]]]] = {}
    signature = ""
    for question in asked:
        result = sign_test(view.counted().table, question, resampling=view.resampling)
        signature = str(result.signature or signature)
        for row in result.rows:
            if row["judge"] == "all":
                found.setdefault((str(row["against"]), str(row["for"])), []).append((question, dict(row)))
    blocks: list[Block] = []
    findings: list[str] = []
    for (left, right), rows in list(found.items())[:_MOST]:
        bars = [
            Preference("", view.short(q), int(r["losses"]), int(r["ties"]), int(r["wins"]), r["p_drop"])  # type: ignore[call-overload, arg-type]
            for q, r in rows
        ]
        said = [f"{bar.label}: {bar.right} of {bar.left + bar.right} for {right}, {p_value(bar.p)}" for bar in bars]
        clear = [bar.label for bar in bars if bar.p is not None and bar.p < _LEVEL]
        findings.append(
            f"Between {left} and {right} there is **a preference on {words(clear)}** ({'; '.join(said)})."
            if clear
            else f"No preference between {left} and {right} is shown ({'; '.join(said)})."
        )
        caption = f"{'; '.join(said)}. Bars are centred on the ties; small numbers are counts."
        data = [{"question": q, **r} for q, r in rows]
        name = f"preference-{left}-{right}".replace(" ", "-")
        figure = Figure(name, caption, str(preference(bars, left, right)), data, f"{signature} · {view.protocol.label}")
        blocks.append(figure)
    return Section("preferences", "Preferences", blocks, findings) if blocks else None
