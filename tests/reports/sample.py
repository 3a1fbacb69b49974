"""A small report with everything a report can hold, hostile text included."""

from lanner.figures.drawing import Drawing
from lanner.reports.parts import Column, Figure, Paragraph, Quotes, Report, Section, Table

HOSTILE = "<img src=x onerror=alert(1)> & \\input{secret} =1+1"


def report() -> Report:
    table = Table(
        id="agreement",
        caption="People agree **moderately**.",
        columns=[
            Column("pair", "Pair"),
            Column("kappa", "κ", span="Context"),
            Column("ci", "95 %", True, span="Context"),
        ],
        rows=[
            {"group": "People"},
            {"pair": HOSTILE, "kappa": ".500", "ci": "[.45, .55]"},
            {"pair": "All", "kappa": ".417", "ci": "[.37, .46]", "total": True},
        ],
        data=[{"pair": HOSTILE, "kappa": 0.49951}, {"pair": "=cmd", "kappa": -0.2}],
        signature="κ cohen · falcon@1.0 · n 809",
    )
    figure = Figure("heat", "The weakest pair is J1 & J3.", str(Drawing("x", 10)), data=[{"a": 1}], signature="κ")
    line = {"text": "안녕하세요", "language": "ko", "direction": "ltr", "context": True}
    quotes = Quotes("disputed", "Disputed", [{"lines": [line], "answers": [("J1", "local")]}])
    return Report(
        title=f"Report {HOSTILE}",
        kicker="Campaign report",
        byline="3 judges",
        findings=["Judges agree **moderately**.", "n is 809."],
        sections=[Section("agr", "Agreement", [Paragraph("Text with **strong** words."), table, figure, quotes])],
    )
