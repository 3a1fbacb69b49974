"""What each system should improve: one picture, the numbers behind it, and the sentences behind its worst cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import polars as pl

from lanner.analysis.diagnosis import CellExample, Contrast, Diagnosis, DiagnosisCell, Priority, diagnose
from lanner.analysis.measures import FEWEST_ITEMS
from lanner.analysis.scores import ALL, domain_columns
from lanner.errors import StatisticError
from lanner.figures.drawing import Axis, Drawing, axis
from lanner.model import Json
from lanner.model.messages import (
    Message,
    amount,
    estimate,
    interval,
    lower_first,
    message,
    number,
    p_number,
    p_value,
    percent,
    shorten,
)
from lanner.reports.parts import Block, Column, Figure, Paragraph, Quotes, Section, Table, printed
from lanner.reports.sections.agreement import lines
from lanner.reports.view import View

_MOST_EXAMPLES, _MOST_NAMED, _MOST_FINDINGS, _MOST_CONTRASTS, _MOST_WEAKEST = 3, 3, 2, 12, 4


def section(view: View) -> Section | None:
    """For the first question of the protocol that tells skills or errors of translations apart."""
    if not any(question in view.answered for question in view.protocol.diagnostic):
        return None
    try:
        result = diagnose(view.material, resampling=view.resampling)
    except StatisticError:
        return None
    return described(view, result)


def described(view: View, result: Diagnosis) -> Section:
    """The section of a diagnosis."""
    findings, unshown = sentences(view, result)
    blocks: list[Block] = [Paragraph(" ".join((*findings, *unshown)))]
    if (drawn := figure(view, result)) is not None:
        blocks.append(drawn)
    blocks += [replace(table, folded=True) for table in tables(view, result)]
    blocks += _examples(view, result)
    blocks += [Paragraph(view.translate(note)) for note in result.notes]
    return Section("diagnosis", "What each system should improve", blocks, findings[:_MOST_FINDINGS])


def tables(view: View, result: Diagnosis) -> list[Table]:
    """The numbers behind the picture: every cell, differences, what explains the score, people and models."""
    candidates = (
        _table(view, result) if result.occurring else None,
        _contrasts(view, result),
        _explanation_table(view, result),
        _groups(view, result),
    )
    return [table for table in candidates if table is not None]


def place_label(view: View, result: Diagnosis, cell: DiagnosisCell) -> str:
    """A cell in words: the aspect, and the domain where there are several."""
    name = view.inside(view.option(result.question, cell.aspect))
    if cell.domain == ALL:
        return name
    return view.translate(message("{aspect} in {domain}", aspect=name, domain=cell.domain))


@dataclass(frozen=True, slots=True)
class Advice:
    """What a system should improve first, in words: where ("" if nothing is shown), why, and what comes after it."""

    system: str
    place: str
    reason: str
    rest: str = ""


def sentences(view: View, result: Diagnosis) -> tuple[list[str], list[str]]:
    """What to improve, a text for each system of which something is shown; and why nothing is shown of the others."""
    findings: list[str] = []
    unshown: dict[str, list[str]] = {}
    for system in result.systems:
        advice = advise(view, result, system)
        if advice.place:
            findings.append(_in_a_sentence(view, advice, errors=result.errors))
        else:
            unshown.setdefault(advice.reason, []).append(system)
    return findings, [f"**{', '.join(systems)}**: {reason}" for reason, systems in unshown.items()]


def _in_a_sentence(view: View, advice: Advice, *, errors: bool) -> str:
    text = message("Reduce errors: {place}.") if errors else message("Improve {place}.")
    verb, space, object_ = view.translate(replace(text, places=(("place", advice.place),))).partition(" ")
    first = f"{lower_first(verb, view.sentence_language)}{space}{object_}"
    return " ".join(filter(None, (f"**{advice.system}: {first}**", advice.reason, advice.rest)))


def advise(view: View, result: Diagnosis, system: str) -> Advice:
    """What a system should improve, with the numbers."""
    priorities = result.priorities.get(system, ())
    if not priorities:
        reasons = [_nothing_shown(result), *_why_unshown(view, result)]
        return Advice(system, "", " ".join(map(view.translate, reasons)))
    first, *others = priorities
    places = "; ".join(place_label(view, result, priority.cell) for priority in others[:_MOST_NAMED])
    rest = view.translate(message("Then: {places}.", places=places)) if places else ""
    reason = " ".join(map(view.translate, _reasons(result, first)))
    return Advice(system, place_label(view, result, first.cell), reason, rest)


def _nothing_shown(result: Diagnosis) -> Message:
    if len(result.systems) == 1 and result.errors:
        return message("There is no other system to compare its errors with.")
    if len(result.systems) == 1:
        return message("No skill is shown to be handled worse than its others.")
    if result.errors:
        return message("No kind of error is shown to be worse than in another system after correction.")
    return message("No skill is shown to be worse than in another system after correction.")


def _why_unshown(view: View, result: Diagnosis) -> Iterator[Message]:
    """Where nothing is shown of any system: what it would have taken, so that silence is not read as equality."""
    shortfall = result.shortfall
    if shortfall is None:
        return
    cell, contrast = shortfall.cell, shortfall.contrast
    names = {"system": cell.system, "aspect": place_label(view, result, cell)}
    place = (
        message("{system} behind {other}: {aspect}, by {gap}", other=contrast.other, gap=_gap(contrast), **names)
        if contrast.other
        else message("{system}: {aspect}", **names)
    )
    yield message(
        "On {documents} documents and with {n} comparisons, only a difference of {needed} standard errors or more "
        "would be shown; the clearest has {reached}: {place}.",
        documents=contrast.documents,
        n=f"{result.tests:,}",
        needed=number(shortfall.needed, 1, bounded=False),
        reached=number(shortfall.reached, 1, bounded=False),
        place=place,
    )
    if shortfall.documents is not None:
        yield message("At this size it would take at least {n} documents to show it.", n=shortfall.documents)


def unit_words(result: Diagnosis) -> Message:
    """What the mean of marked errors counts."""
    return message("points a judgement") if result.unit == "points" else message("errors a judgement")


def _reasons(result: Diagnosis, priority: Priority) -> Iterator[Message]:
    cell = priority.cell
    mean = estimate(cell.quality.value, cell.quality.low, cell.quality.high, 2, bounded=False)
    share = percent(cell.matters.value, 0)
    if result.errors:
        yield message(
            "It occurs in {share} of judgements: {mean} {unit}.", share=share, mean=mean, unit=unit_words(result)
        )
    else:
        yield message(
            "It matters in {share} of judgements; there {system} reaches {mean} of {best}.",
            share=share,
            system=cell.system,
            mean=mean,
            best=f"{result.bounds[1]:.12g}" if result.bounds else "–",
        )
    contrasts = [contrast for contrast in cell.contrasts if contrast.shown]
    if contrasts:
        others = tuple(
            message("{system} by {gap} ({p})", system=one.other, gap=_gap(one), p=p_value(one.p_corrected))
            for one in sorted(contrasts, key=lambda contrast: -abs(contrast.difference))
        )
        yield message("Better: {systems}.", systems=others)
    elif cell.own is not None:
        p = p_value(cell.own.p_corrected)
        yield message("That is {gap} below its other skills there ({p}).", gap=_gap(cell.own), p=p)


def _gap(contrast: Contrast) -> str:
    return number(abs(contrast.difference), 2, bounded=False)


def figure(
    view: View,
    result: Diagnosis,
    *,
    link: Callable[[DiagnosisCell], str] | None = None,
    chosen: DiagnosisCell | None = None,
) -> Figure | None:
    """The picture of all cells; none where nothing occurs in any, or there are too many systems for it. On a page every
    cell can be a link, and one of them is the one that is looked at."""
    if not result.occurring or len(result.systems) > MOST_SYSTEMS:
        return None
    domain_names = {priority.cell.domain for priorities in result.priorities.values() for priority in priorities}
    domains = result.domains if len(result.domains) == 1 or ALL in domain_names else result.domains[1:]
    names = {domain: view.translate(message("All domains")) if domain == ALL else domain for domain in domains}
    notes: dict[str, str] = {}
    for domain, name in names.items():
        rows = result.evidence if domain == ALL else result.evidence.filter(pl.col("domain") == domain)
        sentence_count, exact = result.sentences(domain)
        counts = (
            amount(sentence_count, "{n} sentence", "{n} sentences")
            if exact
            else message("at least {n} sentences", n=sentence_count),
            amount(rows["document"].n_unique(), "{n} document", "{n} documents"),
        )
        notes[name] = ", ".join(map(view.translate, counts))
    aspects = []
    for aspect in result.occurring:
        cells: dict[str, DiagnosisEntry] = {}
        for domain, name in names.items():
            own = [cell for cell in result.cells if cell.aspect == aspect.id and cell.domain == domain]
            if own:
                cells[name] = _entry(result, own, link, chosen)
        heading = view.words.group(aspect.group).label if aspect.group else ""
        aspects.append(AspectLine(view.option(result.question, aspect.id), cells, aspect.group, heading))
    heads = (
        (message("occurs in"), message("{unit} (fewer is better)", unit=unit_words(result)))
        if result.errors
        else (message("matters in"), message("how well, where it matters"))
    )
    drawing = draw(
        view.translate(message("How often each aspect matters and how well every system handles it, by domain")),
        aspects,
        result.systems,
        notes,
        Headings(*map(view.translate, (*heads, message("too few to show")))),
        ends=result.bounds,
    )
    return Figure("diagnosis", _caption(view, result), str(drawing), result.rows(), result.signature)


def _entry(
    result: Diagnosis,
    own: Sequence[DiagnosisCell],
    link: Callable[[DiagnosisCell], str] | None,
    chosen: DiagnosisCell | None,
) -> DiagnosisEntry:
    judgement_count = sum(cell.matters.n for cell in own)
    often = (
        sum((cell.matters.value or 0.0) * cell.matters.n for cell in own) / judgement_count if judgement_count else 0.0
    )
    weak = {priority.cell for priorities in result.priorities.values() for priority in priorities}
    marks = {
        cell.system: SystemMark(
            cell.quality.value or 0.0,
            cell.quality.low,
            cell.quality.high,
            tuple(contrast.other for contrast in cell.contrasts if contrast.shown),
            cell in weak or any(contrast.shown for contrast in cell.contrasts),
        )
        for cell in own
        if cell.enough
    }
    is_chosen = chosen is not None and (chosen.aspect, chosen.domain) == (own[0].aspect, own[0].domain)
    weakest = min(own, key=lambda cell: (cell not in weak, own.index(cell)))
    address = link(weakest) if link and marks else ""
    return DiagnosisEntry(often, sum(cell.quality.n for cell in own), marks, address, is_chosen)


def _caption(view: View, result: Diagnosis) -> str:
    return " ".join(map(view.translate, _caption_parts(view, result)))


def _caption_parts(view: View, result: Diagnosis) -> Iterator[Message]:
    weakest = tuple(
        message("{system} ({cell})", system=system, cell=place_label(view, result, priorities[0].cell))
        for system, priorities in result.priorities.items()
        if priorities
    )
    if weakest:
        yield message("Weakest: {cells}.", cells=weakest[:_MOST_WEAKEST])
    else:
        yield message("No system is shown to be behind in any cell.")
    significant = sum(contrast.shown for cell in result.cells for contrast in cell.contrasts)
    if len(result.systems) > 1 and result.tests:
        yield message("{shown} of {n} comparisons remain after correction.", shown=significant, n=result.tests)
    if result.errors:
        yield message("Bar: share of judgements with the error, all systems together; n: judgements behind the marks.")
        yield message(
            "Mark: {unit}, with its {level} interval over documents.", unit=unit_words(result), level=view.level
        )
    else:
        yield message(
            "Bar: share of judgements in which it matters, all systems together; n: judgements behind the marks."
        )
        yield message("Mark: mean rating where it matters, with its {level} interval over documents.", level=view.level)
    if len(result.systems) > 1 and result.tests:
        yield message(
            "Filled: worse than the systems named at the right, p < .05 after Holm over all {n}.", n=result.tests
        )
    elif not result.errors and result.tests:
        yield message("Filled: worse than its other skills, p < .05 after Holm over all {n}.", n=result.tests)
    if result.tests:
        yield message("Hollow: no difference is shown; there may be one.")


def _table(view: View, result: Diagnosis) -> Table:
    rows: list[dict[str, Json]] = []
    for domain in result.domains:
        rows.append({"group": view.translate(message("All domains")) if domain == ALL else domain})
        for aspect in result.occurring:
            line: dict[str, Json] = {"aspect": view.option(result.question, aspect.id)}
            for cell in result.cells:
                if (cell.aspect, cell.domain) == (aspect.id, domain):
                    line[f"{cell.system}-often"] = percent(cell.matters.value, 0)
                    line[f"{cell.system}-mean"] = number(cell.quality.value, 2, bounded=False) if cell.enough else "–"
                    line[f"{cell.system}-ci"] = (
                        interval(cell.quality.low, cell.quality.high, bounded=False) if cell.enough else ""
                    )
            rows.append(line)
    columns = [Column("aspect", "")]
    often = message("occurs") if result.errors else message("matters")
    mean = message("mean")
    if result.errors:
        mean = message("points") if result.unit == "points" else message("errors")
    for system in result.systems:
        columns += [
            Column(f"{system}-often", view.translate(often), quiet=True, span=system),
            Column(f"{system}-mean", view.translate(mean), span=system),
            Column(f"{system}-ci", view.level, quiet=True, span=system),
        ]
    caption = view.translate(
        message(
            "How often each aspect matters, and how well each system handles it there. – stands where fewer than "
            "{least} judgements say anything.",
            least=FEWEST_ITEMS,
        )
    )
    return Table("diagnosis-cells", caption, columns, rows, result.rows(), result.signature)


def _contrasts(view: View, result: Diagnosis) -> Table | None:
    contrasts = [(cell, contrast) for cell in result.cells for contrast in cell.contrasts]
    if not contrasts:
        return None
    contrasts.sort(key=lambda pair: (pair[1].p_corrected is None, pair[1].p_corrected, -abs(pair[1].difference)))
    data: list[dict[str, Json]] = []
    for cell, contrast in contrasts:
        numbers = asdict(contrast)
        better = numbers.pop("other")
        place = {"aspect": cell.aspect, **domain_columns(cell.domain), "system": cell.system}
        data.append({**place, "better": better, **numbers})
    columns = [
        Column("place", view.translate(message("Where")), text=True),
        Column("system", view.translate(message("System")), text=True),
        Column("better", view.translate(message("Better")), text=True),
        Column("gap", view.translate(message("Difference [{level}]", level=view.level)), cell=_difference),
        Column("p", "p", quiet=True, cell=lambda row: p_number(row["p_corrected"])),
        Column("documents", view.translate(message("Documents")), quiet=True),
    ]
    shown = [
        {"place": place_label(view, result, cell), **row}
        for (cell, _), row in zip(contrasts[:_MOST_CONTRASTS], data, strict=False)
    ]
    caption = view.translate(
        message("The clearest of {n} differences between systems; p is corrected by Holm over all tests.", n=len(data))
    )
    return Table("diagnosis-differences", caption, columns, printed(columns, shown), data, result.signature)


def _difference(row: Mapping[str, Json]) -> str:
    return estimate(row["difference"], row["low"], row["high"], 2, bounded=False)


def _explanation_table(view: View, result: Diagnosis) -> Table | None:
    if not result.explained:
        return None
    outcome = str(result.explained[0]["outcome"])
    rows: list[dict[str, Json]] = []
    for aspect in result.aspects:
        line: dict[str, Json] = {"aspect": view.option(result.question, aspect.id)}
        for row in result.explained:
            if row["aspect"] == aspect.id:
                line[f"{row['system']}-b"] = number(row["coefficient"], 2, bounded=False)
                line[f"{row['system']}-ci"] = interval(row["low"], row["high"], bounded=False)
        rows.append(line)
    columns = [Column("aspect", "")]
    strength = []
    for system in result.systems:
        own = [row for row in result.explained if row["system"] == system]
        if own:
            columns += [
                Column(f"{system}-b", view.translate(message("coefficient")), span=system),
                Column(f"{system}-ci", view.level, quiet=True, span=system),
            ]
            strength.append(f"{system} R² {number(own[0]['r2'], 2)}")
    caption = view.translate(
        message(
            "How the skills explain “{score}”, system by system ({strength}): its change with one step of a skill, the "
            "other skills held. Intervals are clustered by document.",
            score=view.short(outcome),
            strength=", ".join(strength),
        )
    )
    return Table("diagnosis-explained", caption, columns, rows, result.explained, result.signature)


def _groups(view: View, result: Diagnosis) -> Table | None:
    if not result.groups:
        return None

    def group_column(group: str, heading: Message) -> Column:
        return Column(
            group,
            view.translate(heading),
            cell=lambda row: (
                f"{percent(row[f'{group}_matters'], 0)} · {number(row[f'{group}_mean'], 2, bounded=False)}"
            ),
        )

    columns = [
        Column("aspect", "", cell=lambda row: view.option(result.question, row["aspect"])),
        Column("system", view.translate(message("System")), text=True),
        group_column("people", message("People")),
        group_column("models", message("Models")),
        Column("gap", view.translate(message("People − models [{level}]", level=view.level)), cell=_difference),
        Column("p", "p", quiet=True, cell=lambda row: p_number(row["p_corrected"])),
    ]
    caption = view.translate(
        message(
            "Where people and models differ on the same sentences: how often · mean; p is corrected over these rows."
        )
    )
    rows = printed(columns, result.groups)
    return Table("diagnosis-people-models", caption, columns, rows, result.groups, result.signature)


def _examples(view: View, result: Diagnosis) -> list[Block]:
    """The sentences behind what each system should improve first."""
    blocks: list[Block] = []
    for system, priorities in list(result.priorities.items())[:_MOST_EXAMPLES]:
        if not priorities:
            continue
        cell = priorities[0].cell
        entries = [_quote(view, result, example) for example in result.examples(cell)]
        if entries:
            caption = (
                f"{system}, {place_label(view, result, cell)}: the worst, the best and the most disputed sentence, "
                "chosen by rule (mean over judges, then the gap to other systems; distance between judges)."
            )
            blocks.append(Quotes(f"diagnosis-{system}", caption, entries, folded=True))
    return blocks


def _quote(view: View, result: Diagnosis, example: CellExample) -> dict[str, Json]:
    """A sentence with its translation and what every judge gave; other systems' ratings follow."""
    answers = [
        (
            view.names.get(judge, judge) + (f" on {system}" if system != example.system else ""),
            "not relevant" if value is None else number(value, 0 if value == round(value) else 1, bounded=False),
        )
        for system, ratings in sorted(example.ratings.items(), key=lambda entry: (entry[0] != example.system, entry[0]))
        for judge, value in ratings.items()
    ]
    place = f"{example.document}, sentence {example.segment}"
    texts = lines(result.documents.get(example.document), example.segment, example.system, around=0)
    return {"head": f"{example.why.capitalize()} · {place}", "lines": texts, "answers": answers}


# The picture: aspects down, domains across, in each cell how often an aspect matters and how well every system handles
# it. A long bar with a filled mark far to the bad side is what to improve first.

_LABELS, _PANEL, _GAP, _LINE, _HEAD = 186.0, 312.0, 24.0, 15.0, 66.0
_BAR, _MARKS_FROM, _MARKS_TO = 72.0, 100.0, 240.0
_TALLEST = 1.4  # of a width: what a page of paper holds
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FEW_SYSTEMS, _LONGEST_NAME, _MOST_LETTERS = 3, 24, 4
MOST_SYSTEMS = 16
"""More systems than this do not fit into a cell."""


def letter(place: int) -> str:
    """What the system at this place is called inside the picture; "" where the picture has no room for it."""
    return _LETTERS[place] if place < MOST_SYSTEMS else ""


@dataclass(frozen=True, slots=True)
class SystemMark:
    """One system in one cell; `below` are the systems that do better after correction, `weak` that it is filled."""

    value: float
    low: float | None = None
    high: float | None = None
    below: tuple[str, ...] = ()
    weak: bool = False


@dataclass(frozen=True, slots=True)
class DiagnosisEntry:
    """One cell: how often the aspect matters, on how many judgements the marks rest, and a mark for each system that
    has enough of them. On a page `href` leads to the sentences behind it, and the `chosen` one is framed."""

    often: float
    n: int
    marks: Mapping[str, SystemMark]
    href: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class AspectLine:
    """An aspect with its cells by domain. `group` is an id for its colour, `heading` is printed where it changes."""

    label: str
    cells: Mapping[str, DiagnosisEntry]
    group: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Headings:
    """The headings over the two numbers of a cell, and what stands where too few judged."""

    often: str
    well: str
    few: str


def draw(
    label: str,
    lines: Sequence[AspectLine],
    systems: Sequence[str],
    domains: Mapping[str, str],
    headings: Headings,
    *,
    ends: tuple[float, float] | None,
) -> Drawing:
    """The picture. `domains` map a name to what is printed at its right (sentences, documents); those that would be
    too small to read beside one another stand below one another."""
    room = _LINE * max(2, len(systems)) + 14
    group_count = sum(_begins_group(lines, at) for at in range(len(lines)))
    tall = _HEAD + room * len(lines) + 20 * group_count + 26
    across = _across(len(domains), tall)
    width = _LABELS + (_PANEL + _GAP) * across
    # a few systems are named at the left of the headings, many above them
    columns = 1 if len(systems) <= _FEW_SYSTEMS else int(width // _LABELS)
    per_column = -(-len(systems) // columns)
    head = 0.0 if columns == 1 else 17.0 * per_column + 14
    drawing = Drawing(label, head + _stacked(len(domains), across, tall), width)
    for place, system in enumerate(systems):
        left, down = _LABELS * (place // per_column), 17 * (place % per_column)
        _shape(drawing, place, left + 8, 12 + down, filled=True)
        drawing.text(left + 20, 16 + down, f"{letter(place)}  {shorten(system, _LONGEST_NAME)}", "t")
    values = [
        end
        for line in lines
        for entry in line.cells.values()
        for mark in entry.marks.values()
        for end in (mark.value, mark.low, mark.high)
        if end is not None
    ]
    for place, (domain, note) in enumerate(domains.items()):
        row, column = divmod(place, across)
        left, top = _LABELS + (_PANEL + _GAP) * column, head + (tall + _GAP) * row
        scale = _scale(left, ends, values)
        _heading(drawing, left, domain, note, headings, scale, top, top + tall)
        y = top + _HEAD
        for at, line in enumerate(lines):
            if _begins_group(lines, at):
                if column == 0:
                    drawing.text(14, y + 14, line.heading.upper(), "tb")
                y += 20
            if column == 0:
                drawing.rect(0, y, 4, room - 4, f"g-{line.group}" if line.group else "h7")
                drawing.lines(14, y + room / 2, line.label, _LABELS - 24, "t")
            entry = line.cells.get(domain)
            if entry is not None:
                if entry.chosen:
                    drawing.rect(left - 6, y - 6, _PANEL + 8, room - 2, "cell-now", rx=4)
                with drawing.link(entry.href, f"{line.label}, {domain}"):
                    _draw_cell(drawing, left, y, room, entry, systems, scale, line, headings.few)
            y += room
    return drawing


def _stacked(count: int, across: int, tall: float) -> float:
    """How high so many panels are together, each so `tall`."""
    return (tall + _GAP) * -(-count // across) - _GAP


def _across(count: int, tall: float) -> int:
    """How many of `count` panels stand beside one another: as few as leave the whole on a page."""
    fitting = (n for n in range(1, count) if _stacked(count, n, tall) <= _TALLEST * (_LABELS + (_PANEL + _GAP) * n))
    return next(fitting, count)


def _begins_group(lines: Sequence[AspectLine], at: int) -> bool:
    return bool(lines[at].heading) and (at == 0 or lines[at].heading != lines[at - 1].heading)


def _scale(left: float, ends: tuple[float, float] | None, values: Sequence[float]) -> Axis:
    start, stop = left + _MARKS_FROM, left + _MARKS_TO
    if ends is not None:
        return Axis(ends[0], ends[1], start, stop, 1.0)
    return axis(values or [0.0, 1.0], start, stop, include=0.0)


def _heading(
    drawing: Drawing, left: float, domain: str, note: str, headings: Headings, scale: Axis, top: float, bottom: float
) -> None:
    drawing.text(left, top + 16, domain, "tb")
    drawing.text(left + _PANEL, top + 16, note, "tm", "end")
    drawing.line(left, top + 24, left + _PANEL, top + 24, "gr")
    drawing.text(left, top + 42, headings.often, "tm")
    drawing.text(left + _MARKS_FROM - 14, top + 42, headings.well, "tm")
    for tick in scale.ticks:
        x = scale.place(tick)
        drawing.line(x, top + _HEAD, x, bottom - 22, "gr")
        drawing.text(x, bottom - 6, f"{tick:g}", "tm", "middle")
    drawing.text(left, bottom - 6, "0", "tm")
    drawing.text(left + _BAR, bottom - 6, "100 %", "tm", "end")


def _draw_cell(
    drawing: Drawing,
    left: float,
    y: float,
    room: float,
    entry: DiagnosisEntry,
    systems: Sequence[str],
    scale: Axis,
    line: AspectLine,
    few: str,
) -> None:
    drawing.rect(left, y, _BAR, 11, "h0")
    bar = f"g-{line.group}" if line.group else "h7"
    drawing.rect(left, y, _BAR * entry.often, 11, bar, f"{line.label}: {percent(entry.often, 0)}")
    drawing.text(left, y + 25, percent(entry.often, 0), "tb")
    drawing.text(left + _BAR, y + 25, f"n {entry.n}", "tm", "end")
    if not entry.marks:
        drawing.text(left + _MARKS_FROM, y + room / 2, few, "tm")
    for place, system in enumerate(systems):
        mark = entry.marks.get(system)
        if mark is None:
            continue
        at = y + 5 + _LINE * place
        drawing.text(left + _MARKS_FROM - 14, at + 4, letter(place), "tb" if mark.weak else "tm")
        if mark.low is not None and mark.high is not None:
            drawing.line(scale.place(mark.low), at, scale.place(mark.high), at, "fi b")
        _shape(drawing, place, scale.place(mark.value), at, filled=mark.weak)
        better = [letter(systems.index(name)) for name in mark.below if name in systems]
        if len(better) > _MOST_LETTERS:
            better = [*better[: _MOST_LETTERS - 1], f"+{len(better) - _MOST_LETTERS + 1}"]
        text = number(mark.value, 2, bounded=False) + (f"  < {' '.join(better)}" if better else "")
        drawing.text(left + _MARKS_TO + 8, at + 4, text, "tb" if mark.weak else "tm")


def _shape(drawing: Drawing, place: int, x: float, y: float, *, filled: bool) -> None:
    style = "fk2" if filled else "fo"
    kind = place % 4
    if kind == 0:
        drawing.circle(x, y, 4.4, style)
    elif kind == 1:
        drawing.rect(x - 4, y - 4, 8, 8, style, rx=0)
    elif kind == 2:
        drawing.triangle(x, y - 5, 5, style)
    else:
        drawing.diamond(x, y, 5, style)
