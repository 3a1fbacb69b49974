"""What judges see differently: labels they confuse, the sentences on which they differ most, and what they wrote."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.analysis.agreement import UNIT, distances
from lanner.figures.matrices import Merge, confusion, merging
from lanner.figures.typeset import count, number, percent, plural, shortened, words
from lanner.model import Choice, Document, Grid, Json, Question, Result, Spans, Text, Unit, languages
from lanner.reports.parts import Figure, Paragraph, Quotes, Section
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
class LabelConfusion:
    """How often two labels were given to one item by two people, of all disagreements."""

    labels: tuple[str, str]
    between: int
    total: int


def most_confused(matrices: Sequence[Result]) -> LabelConfusion | None:
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
    return LabelConfusion(labels, most, total)


def _finding(view: View, largest: LabelConfusion | None, names: Mapping[str, str], merge: LabelMerge | None) -> str:
    """Between which labels most disagreement lies; what merging would do, where that pair gains most, too."""
    if largest is None or largest.total < FEWEST_ITEMS:
        return ""
    pair = words([view.inside(names[label]) for label in largest.labels])
    most = "Most" if largest.between / largest.total > 0.5 else "The largest part of the"
    share = f"{percent(largest.between / largest.total, 0)} of {count(largest.total)}"
    text = f"**{most} disagreement is between {pair}** ({share})"
    if merge is not None and set(merge.labels) == set(largest.labels):
        return f"{text}; taking them as one would change κ {merge.change}."
    if merge is not None and merge.raises:
        other = words([view.inside(names[label]) for label in merge.labels])
        return f"{text}; κ would rise most (change {merge.change}) if {other} were one label."
    return f"{text}."


@dataclass(frozen=True, slots=True)
class LabelMerge:
    """The two labels whose merger changes κ most to the better, by how much, in words, and whether every pair of judges
    gains by it."""

    labels: tuple[str, str]
    change: str
    raises: bool


def _question(view: View, question: Choice) -> tuple[list[Figure], str]:
    names = {option.id: view.words.option(question.id, option.id).label for option in question.options}
    answers = view.answers(question.id)
    select: dict[str, Any] = {"labels": list(names), "judges": view.people_asked(question.id)}
    matrices = diagnosis.confusion(answers, question.id, resampling=view.resampling, **select)
    if not matrices:
        return [], ""
    largest = sorted(matrices, key=lambda result: -result.counts.get("items", 0))[:_MOST_MATRICES]
    largest += _closest_model(view, question, list(names))
    blocks = [_matrix(view, question.id, result, names) for result in largest]
    best_merge = None
    if len(names) > 2:
        merges = diagnosis.merging(answers, question.id, resampling=view.resampling, **select)
        figure, best_merge = _merging(view, question.id, merges, matrices, names)
        blocks += [figure] if figure else []
    return blocks, _finding(view, most_confused(matrices), names, best_merge)


def _closest_model(view: View, question: Choice, ids: Sequence[str]) -> list[Result]:
    """The matrix of the person and the model that agree best."""
    agreement = next((agreement for agreement in view.agreements if agreement.question == question.id), None)
    pairs = agreement.pairs_of("people and models", view) if agreement else []
    if not pairs:
        return []
    best = max(pairs, key=lambda result: result.value or 0.0)
    pair = sorted((best.labels["judge"], best.labels["other"]), key=lambda judge: judge in view.models)
    how = view.resampling
    return diagnosis.confusion(view.answers(question.id), question.id, resampling=how, labels=ids, judges=pair)[:1]


def _matrix(view: View, question: str, result: Result, names: Mapping[str, str]) -> Figure:
    ids = list(names)
    counts = [[int(row.get(label, 0)) for label in ids] for row in result.rows]
    one, other = view.names[result.labels["judge"]], view.names[result.labels["other"]]
    cells = [(counts[r][c] + counts[c][r], ids[r], ids[c]) for r in range(len(ids)) for c in range(r)]
    most, first, second = max(cells, default=(0, "", ""))
    total = sum(map(sum, counts)) - sum(counts[place][place] for place in range(len(ids)))
    sentence = f"{one} and {other} differ on {total} items"
    if total:
        between = f"{view.inside(names[second])} and {view.inside(names[first])}"
        sentence += f", {most} of them ({percent(most / total, 0)}) between {between}"
    same = "" if view.pair_kind(result) == "people" else " Of all people and models these two agree best."
    return Figure(
        f"confusion-{question}-{result.labels['judge']}-{result.labels['other']}",
        f"{sentence}.{same} Shade: share of the row; rows with fewer than ten items are left unshaded.",
        str(confusion(list(names.values()), one, other, counts)),
        result.rows,
        view.signature(result),
    )


def _merging(
    view: View, question: str, merges: Sequence[Result], matrices: Sequence[Result], names: Mapping[str, str]
) -> tuple[Figure | None, LabelMerge | None]:
    """The merge that raises κ most over all pairs of people; nothing where no label would be left to disagree on."""
    gains: dict[str, float] = defaultdict(float)
    for result in merges:
        gains[result.labels["merged"]] += result.rows[0]["gain"] or 0.0
    best = max(gains, key=lambda name: gains[name], default="")
    pairs = {f"{one} + {other}": (one, other) for one, other in permutations(names, 2)}
    first, second = pairs.get(best, ("", ""))
    tables = {(m.labels["judge"], m.labels["other"]): {row["label"]: row for row in m.rows} for m in matrices}
    bars = []
    for result in (r for r in merges if r.labels["merged"] == best):
        table = tables[result.labels["judge"], result.labels["other"]]
        between = int(table[first][second] + table[second][first])
        total = sum(int(row[label]) for name, row in table.items() for label in table if label != name)
        bars.append(Merge(view.pair_name(result), between, total, result.rows[0]["before"], result.value))
    changes = [m.after - m.before for m in bars if m.after is not None and m.before is not None]
    if not changes:
        return None, None
    change = f"by {number(min(changes))}" + (f" to {number(max(changes))}" if len(changes) > 1 else "")
    merge = LabelMerge((first, second), change, min(changes) > 0)
    labels = (names[first], names[second])
    gain = (
        "raise κ {}, more than any other pair of labels." if merge.raises else "change κ {}; no other pair gains more."
    )
    caption = (
        f"Taking {words([view.inside(label) for label in labels])} as one would {gain.format(change)} "
        "Fewer labels always agree more easily: read the sentences before merging."
    )
    data = [asdict(bar) for bar in bars]
    figure = Figure(f"merging-{question}", caption, str(merging(labels, bars)), data, view.signature(merges[0]))
    return figure, merge


_MOST, _AROUND, _MOST_JUDGES = 5, 1, 8
_FAR, _BEGINNING = 0.5, 220


def most_disputed(view: View) -> Section | None:
    """Nothing where no two people answered the same item. At most one sentence of each document is shown."""
    if len(view.people) < 2:
        return None
    main = view.counted(of="people").table
    apart = distances(main, view.protocol)
    if apart.is_empty():
        return None
    order = {name: place for place, name in enumerate(document.id for document in view.material.documents)}
    units = (
        apart.group_by(UNIT, maintain_order=True)
        .agg(pl.col("distance").mean(), pl.col("question"), pl.col("distance").alias("parts"))
        .with_columns(pl.col("document").replace_strict(order, default=len(order)).alias("place"))
        .sort("distance", "place", descending=[True, False], maintain_order=True)
    )
    far = units.filter(pl.col("distance") > _FAR)
    alike = units.filter(pl.col("distance") == 0)
    units_shown = units.filter(pl.col("distance") > 0).unique("document", keep="first", maintain_order=True).head(_MOST)
    summary = (
        f"People give the same answers on {count(len(alike))} of {count(len(units))} shared items "
        f"({percent(len(alike) / len(units), 0)}), and lie more than half of the way apart on {count(len(far))} "
        f"({percent(len(far) / len(units), 0)}). The distance of two answers is 0 or 1 for a choice, one less the "
        "share of labels in common for a set, the share of the scale for a number, and one less the share of marked "
        "characters in common for marks (the mean of place alone and of place, category and severity); an item's is "
        "the mean over its questions and pairs of people."
    )
    if units_shown.is_empty():
        return Section("disputed", "Most disputed sentences", [Paragraph(summary)])
    documents = {document.id: document for document in view.material.documents}
    entries = [_entry(view, main, documents.get(row["document"]), row) for row in units_shown.iter_rows(named=True)]
    caption = "The furthest apart, at most one of each document; grey: the sentences around."
    return Section("disputed", "Most disputed sentences", [Paragraph(summary), Quotes("disputed", caption, entries)])


def _entry(view: View, main: pl.DataFrame, document: Document | None, row: Mapping[str, Json]) -> dict[str, Json]:
    place = (pl.col("document") == row["document"]) & (pl.col("segment") == row["segment"])
    rows = main.filter(place & (pl.col("system") == row["system"]))
    answers = [
        (view.names[judge], " · ".join(sentences))
        for judge in view.people
        if (sentences := list(_answers(view, rows.filter(pl.col("judge") == judge))))
    ][:_MOST_JUDGES]
    parts = [
        f"{view.short(question)} {number(part, 2)}"
        for question, part in zip(row["question"], row["parts"], strict=True)
        if part
    ]
    place_words = [str(row["document"]), *([f"sentence {row['segment']}"] if row["segment"] else [])]
    head = f"{', '.join(place_words)} · distance {number(row['distance'], 2)} ({words(parts)})"
    return {"head": head, "lines": lines(document, str(row["segment"]), str(row["system"])), "answers": answers}


def lines(document: Document | None, segment: str, system: str, around: int = _AROUND) -> list[dict[str, Json]]:
    """The sentence with its translation, and its neighbours in grey; of a whole document how it begins."""
    if document is None:
        return []
    whole = not segment and bool(document.segments)
    at = 0 if whole else next((place for place, one in enumerate(document.segments) if one.id == segment), None)
    if at is None:
        return []
    around = 0 if whole else around
    near = range(max(0, at - around), min(len(document.segments), at + around + 1))
    longest = _BEGINNING if whole else None
    rows = [
        _line(document.segments[place].source, document.source_language, context=whole or place != at, longest=longest)
        for place in near
    ]
    systems = system.split("|") if system else [] if whole else list(document.systems)[:1]
    for name in systems:
        if target := document.segments[at].text(name):
            shown_name = name if "|" in system else ""
            rows.append(_line(target, document.target_language, longest=longest) | {"name": shown_name})
    return rows


def _line(text: str, language: str, *, context: bool = False, longest: int | None = None) -> dict[str, Json]:
    shown = text if longest is None else shortened(text, longest)
    return {"text": shown, "language": language, "direction": languages.direction(language), "context": context}


def _answers(view: View, answers: pl.DataFrame) -> Iterator[str]:
    """What one judge said, question by question, in the words of the protocol."""
    for _, question in view.protocol.questions:
        rows = answers.filter(pl.col("question") == question.id)
        if isinstance(question, Text | Spans) or rows.is_empty():
            continue
        sentences = list(_answers_in_words(view, question, list(rows.iter_rows(named=True))))
        if sentences:
            yield f"{view.short(question.id)}: {', '.join(sentences)}"


def _answers_in_words(view: View, question: Question, rows: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for row in rows:
        if isinstance(question, Grid) or (row["row"] and row["label"] is not None):
            lowest = question.options[0].id if isinstance(question, Grid) else ""
            if row["label"] and row["label"] != lowest:
                what = view.words.option(question.id, row["row"]).label
                yield f"{view.inside(what)} {view.inside(view.words.option(question.id, row['label']).label)}"
        elif row["labels"] is not None:
            yield from (view.inside(view.words.option(question.id, label).label) for label in row["labels"])
        elif row["ranks"] is not None:
            best = min(row["ranks"])
            first = [name for name, rank in zip(row["system"].split("|"), row["ranks"], strict=False) if rank == best]
            yield first[0] if len(first) == 1 else "tie"
        elif row["label"] is not None:
            yield view.inside(view.words.option(question.id, row["label"]).label)
        elif row["score"] is not None:
            yield f"{row['score']:.12g}"


_MOST_COMMENTS = 30


def comments(view: View) -> Section | None:
    """The first comments of each judge; how many there are in all is said."""
    question_ids = [question.id for _, question in view.protocol.questions if isinstance(question, Text)]
    answers = view.table.filter(pl.col("question").is_in(question_ids), pl.col("text").is_not_null())
    if not answers.height:
        return None
    documents = {document.id: document for document in view.material.documents}
    entries = []
    for row in answers.head(_MOST_COMMENTS).iter_rows(named=True):
        document = documents.get(row["document"])
        segment = document.segment(row["segment"]) if document and row["segment"] else None
        lines = []
        if document and segment:
            lines = [_line(segment.source, document.source_language, context=True)]
            names = filter(None, row["system"].split("|"))
            lines += [_line(segment.text(name) or "", document.target_language) for name in names]
        entries.append({"lines": lines, "answers": [(view.names.get(row["judge"], row["judge"]), row["text"])]})
    first = f", of which the first {_MOST_COMMENTS}" if answers.height > _MOST_COMMENTS else ""
    caption = f"{plural(answers.height, 'comment')}{first}."
    return Section("comments", "Comments", [Quotes("comments", caption, entries)])
