"""What judges see differently: confusion matrices, and how much disagreement goes if two labels are taken as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lanner.analysis import FEWEST_ITEMS
from lanner.model import Choice, Result, Unit
from lanner.reports.figures.confusion import confusion
from lanner.reports.figures.merging import Merge, merging
from lanner.reports.parts import Figure, Section
from lanner.reports.typeset import count, lowered, number, percent, words
from lanner.reports.view import View
from lanner.stats import diagnosis

_MOST_MATRICES = 3


def section(view: View) -> Section | None:
    """For every question with one answer out of several, where two judges share items."""
    blocks: list[Figure] = []
    findings: list[str] = []
    for stage, question in view.protocol.questions:
        if not isinstance(question, Choice) or stage.unit is Unit.JUDGE or len(view.people_asked(question.id)) < 2:
            continue
        figures, finding = _question(view, question)
        blocks += figures
        findings += [finding] if finding else []
    return Section("disagreements", "Disagreements", blocks, findings) if blocks else None


@dataclass(frozen=True, slots=True)
class Confused:
    """How often two labels were given to one item by two people, of all disagreements."""

    labels: tuple[str, str]
    between: int
    total: int


def most_confused(matrices: Sequence[Result]) -> Confused | None:
    """The two labels between which most disagreements lie, over all pairs of people."""
    between: Counter[tuple[str, str]] = Counter()
    for matrix in matrices:
        for row in matrix.rows:
            for label, count_of in row.items():
                if label not in ("label", row["label"]):
                    first, second = sorted((str(row["label"]), str(label)))
                    between[first, second] += int(count_of or 0)
    total = sum(between.values())
    if not total:
        return None
    labels, most = between.most_common(1)[0]
    return Confused(labels, most, total)


def _finding(confused: Confused | None, names: Mapping[str, str], merge: Merged | None) -> str:
    """Between which labels most disagreement lies; what merging would do, where that pair gains most, too."""
    if confused is None or confused.total < FEWEST_ITEMS:
        return ""
    pair = words([lowered(names[label]) for label in confused.labels])
    most = "Most" if confused.between / confused.total > 0.5 else "The largest part of the"
    share = f"{percent(confused.between / confused.total, 0)} of {count(confused.total)}"
    text = f"**{most} disagreement is between {pair}** ({share})"
    if merge is not None and set(merge.labels) == set(confused.labels):
        return f"{text}; taking them as one would change κ {merge.change}."
    if merge is not None:
        other = words([lowered(names[label]) for label in merge.labels])
        return f"{text}; κ would rise most (change {merge.change}) if {other} were one label."
    return f"{text}."


@dataclass(frozen=True, slots=True)
class Merged:
    """The two labels whose merger raises κ most, and by how much, in words."""

    labels: tuple[str, str]
    change: str


def _question(view: View, question: Choice) -> tuple[list[Figure], str]:
    ids = [option.id for option in question.options]
    names = {option.id: view.words.option(question.id, option.id).label for option in question.options}
    select: dict[str, Any] = {"labels": ids, "judges": view.people_asked(question.id)}
    how = view.resampling
    matrices = diagnosis.confusion(view.answers(question.id), question.id, resampling=how, **select)
    if not matrices:
        return [], ""
    chosen = sorted(matrices, key=lambda r: -(r.counts.get("items", 0)))[:_MOST_MATRICES]
    chosen += _closest_model(view, question, ids)
    blocks = [_matrix(view, question.id, result, ids, names) for result in chosen]
    merges = diagnosis.merging(view.answers(question.id), question.id, resampling=how, **select)
    merged = None
    if merges and len(ids) > 2:
        figure, merged = _merging(view, question.id, merges, matrices, names)
        blocks.append(figure)
    return blocks, _finding(most_confused(matrices), names, merged)


def _closest_model(view: View, question: Choice, ids: Sequence[str]) -> list[Result]:
    """The matrix of the person and the model that agree best."""
    mixed = [
        result
        for agreement in view.agreements
        if agreement.question == question.id
        for result in agreement.pairs
        if view.pair_kind(result) == "people and models" and result.value is not None
    ]
    if not mixed:
        return []
    best = max(mixed, key=lambda result: result.value or 0.0)
    ordered = sorted((best.labels["judge"], best.labels["other"]), key=lambda judge: judge in view.models)
    how = view.resampling
    return diagnosis.confusion(view.answers(question.id), question.id, resampling=how, labels=ids, judges=ordered)[:1]


def _matrix(view: View, question: str, result: Result, ids: Sequence[str], names: dict[str, str]) -> Figure:
    counts = [[int(row.get(label, 0)) for label in ids] for row in result.rows]
    one, other = view.names[result.labels["judge"]], view.names[result.labels["other"]]
    cells = [(counts[r][c] + counts[c][r], ids[r], ids[c]) for r in range(len(ids)) for c in range(r)]
    most, first, second = max(cells, default=(0, "", ""))
    total = sum(map(sum, counts)) - sum(counts[place][place] for place in range(len(ids)))
    said = f"{one} and {other} differ on {total} items"
    if total:
        between = f"{lowered(names[second])} and {lowered(names[first])}"
        said += f", {most} of them ({percent(most / total, 0)}) between {between}"
    same = "" if view.pair_kind(result) == "people" else " Of all people and models these two agree best."
    return Figure(
        f"confusion-{question}-{result.labels['judge']}-{result.labels['other']}",
        f"{said}.{same} Shade: share of the row; rows with fewer than ten items are left unshaded.",
        str(confusion([names[label] for label in ids], one, other, counts)),
        [dict(row) for row in result.rows],
        view.signature(result),
    )


def _merging(
    view: View, question: str, merges: Sequence[Result], matrices: Sequence[Result], names: dict[str, str]
) -> tuple[Figure, Merged]:
    """The merge that raises κ most over all pairs of people."""
    gains: dict[str, float] = {}
    for result in merges:
        gains[result.labels["merged"]] = gains.get(result.labels["merged"], 0.0) + (result.rows[0]["gain"] or 0.0)
    best = max(gains, key=lambda name: gains[name])
    first, second = best.split(" + ")
    tables = {(m.labels["judge"], m.labels["other"]): {row["label"]: row for row in m.rows} for m in matrices}
    drawn = []
    for result in (r for r in merges if r.labels["merged"] == best):
        table = tables[result.labels["judge"], result.labels["other"]]
        between = int(table[first][second] + table[second][first])
        total = sum(int(row[label]) for name, row in table.items() for label in table if label != name)
        drawn.append(Merge(view.pair_name(result), between, total, result.rows[0]["before"], result.value))
    gained = [(m.after or 0) - (m.before or 0) for m in drawn]
    low, high = number(min(gained)), number(max(gained))
    change = f"by {low}" + (f" to {high}" if len(gained) > 1 else "")
    labels = (names[first], names[second])
    caption = (
        f"Taking {words([lowered(label) for label in labels])} as one would raise κ {change}, more than any other pair "
        "of labels. Fewer labels always agree more easily: read the sentences before merging."
    )
    data = [
        {"pair": m.pair, "between": m.between, "total": m.total, "before": m.before, "after": m.after} for m in drawn
    ]
    figure = Figure(f"merging-{question}", caption, str(merging(labels, drawn)), data, view.signature(merges[0]))
    return figure, Merged((first, second), change)
