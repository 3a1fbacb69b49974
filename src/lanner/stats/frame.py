"""The one tidy table: a row per question per item per judge.

`frame` makes it from judgements. A grid question, and one asked `for_each` label, give one row per grid row or label,
named in `row` (otherwise ""). A judgement that a later one supersedes is left out. Columns:

========================  ======================================================================================
judge, judge_kind         who answered; person, model, metric, simulated, adjudicated ("person" if not told)
stage, question, row      what was asked
document, segment         of what; segment is "" for the whole document
system                    the outputs shown, in shown order, joined by "|"; "" for the source alone
role                      main, repeat, control, tutorial, calibration
domain                    of the document, with source_language and target_language; "" and "und" if not told
label                     the chosen option's id (choice, grid)
score                     the number (scale, number), the option's value where it has one, or how many labels were
                          given in all where a question counts them
labels                    the set of label ids, sorted, each once; [] where the empty set was given, null if missing
spans                     the marked spans as JSON, without those that were offered and not kept; "[]" where none
                          was marked, null if missing
text                      free text
ranks                     ranks in the order of the systems
elapsed, active           seconds
answered_at               UTC
flags                     rules that an imported answer breaks, and what is unsure about any
judge_<name>              the judges' attributes, one column each, as text
========================  ======================================================================================

Without a protocol the kind of each question is read from its answers: text is a label, a number a score, a list of
texts a label set, a list of integers ranks, a list of objects spans, an object a grid.

`tidy` takes a plain table as well (Polars or pandas): at least `judge`, an item (`item`, or `document` and `segment`)
and one of `label`, `score`, `labels`; it adds what is missing and says so. Without `document` every item is its own
document.

From judgements to the columns of the tidy table, a column at a time: a campaign may have a million of them.

What is known of a judgement (`described`) and what was answered (`answers`) are made apart and put together by
`laid_out`, so that scores and other things derived from the same judgements need not be described again.

Names become whole numbers (`codes`, `by_name`, …), which lets a million answers be grouped without comparing text
again and again.

`wide` makes of the tidy table one row per judge and item, one column per measure: what association and regression need.
A measure is a question ("holistic"), one row of a grid or one label of a repeated question ("skills.idea_development"),
or a summary over all rows of one ("sum(skills)", "mean(skills)", "count(skills)": how many are above zero). A question
asked in several stages is named with its stage ("rs/adequacy", "sc/adequacy"). Numbers become numbers; choices without
a number become text, which regression takes as groups. A table that has no column `question` is taken to be wide
already.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lanner.errors import StatisticError, check_known, did_you_mean
from lanner.model import Document, Grid, Json, Judge, JudgeKind, Judgement, Labels, Protocol, Question
from lanner.model.messages import in_number
from lanner.protocols.prefilled import judged_marks

VALUES: dict[str, pl.DataType] = {
    "label": pl.String(),
    "score": pl.Float64(),
    "labels": pl.List(pl.String()),
    "spans": pl.String(),
    "text": pl.String(),
    "ranks": pl.List(pl.Int64()),
}
SCHEMA: dict[str, pl.DataType] = {
    **{name: pl.String() for name in ("judge", "judge_kind", "stage", "question", "row")},
    **{name: pl.String() for name in ("document", "segment", "system", "role")},
    **{name: pl.String() for name in ("domain", "source_language", "target_language")},
    **VALUES,
    "elapsed": pl.Float64(),
    "active": pl.Float64(),
    "answered_at": pl.Datetime("us", "UTC"),
    "flags": pl.List(pl.String()),
}
DESCRIBED = tuple(name for name, dtype in SCHEMA.items() if dtype == pl.String() and name not in VALUES)
"""Columns of text that say what was asked, of what and whom: never missing, but "" or what `DEFAULTS` says."""
DEFAULTS = {"judge_kind": "person", "role": "main", "source_language": "und", "target_language": "und"}


def current(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Those that no later one supersedes."""
    all_judgements = list(judgements)
    superseded_ids = {j.supersedes for j in all_judgements if j.supersedes is not None}
    return (
        [j for j in all_judgements if j.id is None or j.id not in superseded_ids] if superseded_ids else all_judgements
    )


def laid_out(facts: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """The tidy table: each answer with the facts of the judgement it belongs to, found by its place `_at`. Facts that
    the answers bring along (their question) stand in for those of the judgement."""
    own = values.drop("_at")
    table = facts.drop(own.columns, strict=False)[values["_at"]].hstack(own)
    return table.select(*SCHEMA, *(name for name in table.columns if name not in SCHEMA))


def described(
    judgements: Sequence[Judgement], documents: Iterable[Document] = (), judges: Iterable[Judge] = ()
) -> pl.DataFrame:
    """One row for each judgement with all that is known of it but the answer."""

    def column(name: str, of: Callable[[Judgement], Any], dtype: pl.DataType) -> pl.Series:
        return pl.Series(name, list(map(of, judgements)), dtype=dtype)

    text = pl.String()
    system_names = {systems: "|".join(systems) for systems in {j.systems for j in judgements}}
    table = pl.DataFrame(
        [
            *(column(name, attrgetter(name), text) for name in ("judge", "stage", "question", "document", "segment")),
            column("system", lambda j: system_names[j.systems], text),
            column("role", lambda j: str(j.role), text),
            column("elapsed", attrgetter("elapsed_seconds"), pl.Float64()),
            column("active", attrgetter("active_seconds"), pl.Float64()),
            _moments("answered_at", [j.answered_at for j in judgements]),
            lists("flags", [j.flags for j in judgements], SCHEMA["flags"]),
        ]
    )
    return _with_judges(_with_documents(table, documents), judges)


def _moments(name: str, moments: Iterable[datetime | None]) -> pl.Series:
    """Points in time as numbers first: a million datetimes one by one take five times as long."""
    ticks = [None if moment is None else round(_utc(moment).timestamp() * 1e6) for moment in moments]
    return pl.Series(name, ticks, dtype=pl.Int64).cast(SCHEMA["answered_at"])


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def lists(
    name: str,
    values: Iterable[Iterable[Any] | None],
    dtype: pl.DataType,
    read: Callable[[list[Any]], list[Any]] = list,
) -> pl.Series:
    """A column of lists. Few of them differ, so each distinct one is read once and then looked up: far faster."""
    distinct: dict[Any, int] = {}
    places = [distinct.setdefault(None if v is None else tuple(v), len(distinct)) for v in values]
    table = pl.Series(name, [None if v is None else read(list(v)) for v in distinct], dtype=dtype)
    return table.gather(places) if places else table


def answers(judgements: Sequence[Judgement], protocol: Protocol | None, *, every_mark: bool = False) -> pl.DataFrame:
    """The answers in the order of the judgements, each in the column of its kind; `_at` is the judgement's place. With
    `every_mark`, as files hold them, the marks that a judge was offered and did not keep are among the spans, and a
    label that was given twice stands there twice."""
    by_question: dict[tuple[str, str], list[int]] = {}
    for at, judgement in enumerate(judgements):
        by_question.setdefault((judgement.stage, judgement.question), []).append(at)
    schema: dict[str, pl.DataType] = {"_at": pl.UInt32(), "row": pl.String(), **VALUES}
    parts = [pl.DataFrame(schema=schema)]
    for (stage, question_id), places in by_question.items():
        question = _question(protocol, stage, question_id)
        part = _answers(places, [judgements[at].value for at in places], question, every_mark)
        parts.append(part.with_columns(pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in part))
    return pl.concat([part.select(*schema) for part in parts]).sort("_at", maintain_order=True)


def _answers(
    places: Sequence[int], values: Sequence[Json], question: Question | None, every_mark: bool
) -> pl.DataFrame:
    """The answers to one question."""
    ats, rows, cells = _rows(places, values, question)
    column, convert = _reader(question, cells)
    if every_mark:
        convert = {"spans": _as_json, "labels": _as_often}.get(column, convert)
    data = [ats, rows, _read(column, cells, convert)]
    points = _points(question)
    if column == "label" and points:
        numbers = pl.Series("score", list(map(points.get, cells)), dtype=pl.Float64)
        data.append(numbers)
    if isinstance(question, Labels) and question.counts:
        sums = [float(sum(v.values())) if isinstance(v, dict) else _count(v) for v in cells]
        data.append(pl.Series("score", sums, dtype=pl.Float64))
    return pl.DataFrame(data)


def _read(column: str, cells: Sequence[Json], convert: Callable[[Json], Any]) -> pl.Series:
    """The cells as a column. Most often they are what the column holds, and need no reading one by one."""
    if column in ("label", "score"):
        try:
            return pl.Series(column, cells, dtype=VALUES[column], strict=True)
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            pass  # some are numbers in words, or words that should be numbers
    read = (None if v is None else convert(v) for v in cells)
    if isinstance(VALUES[column], pl.List):
        return lists(column, read, VALUES[column])
    return pl.Series(column, list(read), dtype=VALUES[column], strict=False)


def _count(value: Json) -> float | None:
    return None if value is None else float(len(value))


def _question(protocol: Protocol | None, stage: str, question_id: str) -> Question | None:
    if protocol is None:
        return None
    hits = [q for s, q in protocol.questions if q.id == question_id and s.id == stage]
    match = protocol.find(question_id)
    return hits[0] if hits else match[1] if match else None


def _points(question: Question | None) -> dict[str, float]:
    options = getattr(question, "options", ())
    return {option.id: option.value for option in options if option.value is not None}


def _rows(
    places: Sequence[int], values: Sequence[Json], question: Question | None
) -> tuple[pl.Series, pl.Series, list[Json]]:
    """Objects from row (or label) to answer become one row each; everything else stays as it is."""
    if question is not None:
        spread = isinstance(question, Grid) or question.for_each is not None
    else:
        spread = any(isinstance(v, dict) for v in values)
    at = pl.Series("_at", places, dtype=pl.UInt32)
    if not spread:
        return at, pl.repeat("", len(places), dtype=pl.String, eager=True).alias("row"), list(values)
    objects = [value if isinstance(value, dict) else {"": value} for value in values]
    sizes = np.fromiter(map(len, objects), dtype=np.int64, count=len(objects))
    rows = pl.Series("row", [str(row) for value in objects for row in value], dtype=pl.String)
    cells = [cell for entry in objects for cell in entry.values()]
    return at.gather(np.repeat(np.arange(len(places)), sizes)), rows, cells


_BY_KIND = {"scale": "score", "number": "score", "choice": "label", "grid": "label", "rank": "ranks", "text": "text"}


def _reader(question: Question | None, cells: Sequence[Json]) -> tuple[str, Callable[[Json], Any]]:
    """Which column the answers of a question go to, and how one answer is read."""
    column = _guess(cells) if question is None else _BY_KIND.get(question.kind, question.kind)
    return column, _READ[column]


def _guess(cells: Sequence[Json]) -> str:
    first = next((v for v in cells if v is not None and v != []), None)
    if isinstance(first, list):
        inner = first[0]
        return "spans" if isinstance(inner, dict) else "labels" if isinstance(inner, str) else "ranks"
    if isinstance(first, int | float) and not isinstance(first, bool):
        return "score"
    return "labels" if first is None and any(v == [] for v in cells) else "label"


def _number(value: Json) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _set(value: Json) -> list[str]:
    if isinstance(value, dict):
        return sorted(str(k) for k, count in value.items() if count)
    return sorted({str(v) for v in (value if isinstance(value, list | tuple) else [value])})


def _as_often(value: Json) -> list[str]:
    """Labels as often as they were given, so that a file keeps what was counted."""
    counts = value if isinstance(value, dict) else dict.fromkeys(_set(value), 1)
    return sorted(str(label) for label, count in counts.items() for _ in range(int(count)))


def _as_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


_READ: dict[str, Callable[[Json], Any]] = {
    "score": _number,
    "label": lambda v: v if isinstance(v, str) else json.dumps(v),
    "labels": _set,
    "spans": lambda v: None if (marks := judged_marks(v)) is None else _as_json(marks),
    "text": str,
    "ranks": lambda v: [int(r) for r in v],
}


def _with_documents(table: pl.DataFrame, documents: Iterable[Document]) -> pl.DataFrame:
    fields = ("id", "domain", "source_language", "target_language")
    read = attrgetter(*fields)
    by_id = {row[0]: row for row in map(read, documents)}
    names = dict(zip(fields, ("document", *fields[1:]), strict=True))
    facts = pl.DataFrame(list(by_id.values()), schema={names[f]: pl.String() for f in fields}, orient="row")
    result = table.join(facts, on="document", how="left", maintain_order="left")
    return result.with_columns(pl.col(name).fill_null(DEFAULTS.get(name, "")) for name in fields[1:])


def _with_judges(table: pl.DataFrame, judges: Iterable[Judge]) -> pl.DataFrame:
    by_id = {judge.id: judge for judge in judges}
    attributes = sorted({name for judge in by_id.values() for name in judge.attributes})
    facts: dict[str, list[Any]] = {
        "judge": list(by_id),
        "judge_kind": [str(judge.kind) for judge in by_id.values()],
    }
    for name in attributes:
        facts[f"judge_{name}"] = [_plain(judge.attributes.get(name)) for judge in by_id.values()]
    columns = pl.DataFrame(facts, schema=dict.fromkeys(facts, pl.String()))
    result = table.join(columns, on="judge", how="left", maintain_order="left")
    return result.with_columns(pl.col("judge_kind").fill_null(str(JudgeKind.PERSON)))


def _plain(value: Json) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


__all__ = ["SCHEMA", "VALUES", "frame", "tidy", "to_polars"]


def frame(
    judgements: Iterable[Judgement],
    protocol: Protocol | None = None,
    documents: Iterable[Document] = (),
    judges: Iterable[Judge] = (),
) -> pl.DataFrame:
    """The tidy table of these judgements, in their order. See the module for its columns."""
    latest = current(judgements)
    return laid_out(described(latest, documents, judges), answers(latest, protocol))


def tidy(data: Any) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Any table of ratings as a tidy frame with every column of the contract, and notes on what had to be assumed."""
    table = to_polars(data)
    if "judge" not in table.columns:
        raise StatisticError(
            "The table has no column `judge`.",
            next_step=f"Rename the column that names the judges. {did_you_mean('judge', table.columns)}",
        )
    if not {"item", "document", "segment"} & set(table.columns):
        raise StatisticError(
            "The table does not say what was judged.",
            next_step="Name the items in a column `item`, or in `document` and `segment`.",
        )
    if not set(VALUES) & set(table.columns):
        raise StatisticError("The table has no answers.", next_step="Name them `label`, `score` or `labels`.")
    notes: list[str] = []
    if "segment" not in table.columns and "item" in table.columns:
        table = table.with_columns(pl.col("item").alias("segment"))
    if "segment" not in table.columns and "answered_at" not in table.columns:
        _refuse_unnamed_sentences(table)
    if "document" not in table.columns:
        table = table.with_columns(pl.col("segment").alias("document"))
        notes.append(
            "No document is named: every item counts as a document of its own, which makes intervals too "
            "narrow if items come from shared texts."
        )
    missing = [name for name in SCHEMA if name not in table.columns]
    table = table.with_columns(_default(name) for name in missing) if missing else table
    schema = table.schema
    cast = [pl.col(name).cast(dtype) for name, dtype in SCHEMA.items() if schema[name] != dtype]
    table = table.with_columns(cast) if cast else table
    endless = np.isinf(table["score"].to_numpy())
    if endless.any():
        notes.append(
            in_number(
                int(endless.sum()),
                "{n} score is infinite: it counts as missing.",
                "{n} scores are infinite: they count as missing.",
            )
        )
        table = table.with_columns(score=pl.when(~pl.Series(endless)).then(pl.col("score")))
    blank = [name for name in DESCRIBED if table[name].null_count()]
    if blank:
        table = table.with_columns(pl.col(name).fill_null(DEFAULTS.get(name, "")) for name in blank)
    return table, tuple(notes)


def _refuse_unnamed_sentences(table: pl.DataFrame) -> None:
    """The error where a judge answers differently about one document and nothing tells its sentences apart: all but
    the last answer would be lost."""
    values = [name for name in VALUES if name in table.columns]
    answers = table.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in values))
    key = [name for name in ("judge", "question", "role", *ITEM) if name in table.columns]
    again = answers.select(*key, *values).unique(maintain_order=True).filter(~pl.struct(key).is_first_distinct())
    if not len(again):
        return
    row = again.row(0, named=True)
    raise StatisticError(
        f"{row['judge']} gives different answers about {row['document']}, and no column says which sentence each is "
        "about.",
        code="unnamed_sentences",
        next_step="Name or number the sentences in a column `segment`; answers that replace earlier ones need a time "
        "in `answered_at`.",
    )


ITEM = ("stage", "document", "segment", "system", "row")
"""The columns that say what an answer to a question is about."""
SYSTEMS = pl.col("system").str.split("|").list.sort().list.join("|").alias("system")
"""The outputs an answer is about. Those that are compared stand in chance order, and are one item in whichever."""


def answered() -> pl.Expr:
    """Whether a row holds an answer of any kind."""
    return pl.any_horizontal(pl.col(name).is_not_null() for name in VALUES)


def latest(table: pl.DataFrame, key: Sequence[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The last of all answers with the same `key` (a judge, a question and an item), each where the first of them is,
    and a note where there were several. Answers without a time come before others, and one after the other."""
    answer, first = in_order(of_rows(table, key))
    if len(first) == len(table):
        return table, ()
    order = np.arange(len(table))
    if table["answered_at"].null_count() < len(table):
        moments = table["answered_at"].to_physical().fill_null(-(2**63)).to_numpy()
        order = np.argsort(moments, kind="stable")
    last = np.empty(len(first), dtype=np.int64)
    last[answer[order]] = order  # later ones replace earlier ones
    return table[last], given_again(len(table) - len(last))


def given_again(n: int) -> tuple[str, ...]:
    """The note that of several answers only the latest counts."""
    one = "{n} answer was given again by the same judge to the same item; the latest counts."
    many = "{n} answers were given again by the same judge to the same item; the latest counts."
    return (in_number(n, one, many),) if n else ()


@cache
def _default(name: str) -> pl.Expr:
    if name in DESCRIBED:
        return pl.lit(DEFAULTS.get(name, ""), dtype=pl.String()).alias(name)
    return pl.lit(None, dtype=SCHEMA[name]).alias(name)


def to_polars(data: Any) -> pl.DataFrame:
    """A Polars or pandas table, or a mapping of columns, as a Polars frame."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, Mapping):
        return pl.DataFrame(dict(data), strict=False)
    if hasattr(data, "columns") and hasattr(data, "to_dict"):  # a pandas frame, without needing pandas or pyarrow
        columns = {str(name): [None if _missing(v) else v for v in data[name].tolist()] for name in data.columns}
        return pl.DataFrame(columns, strict=False)
    raise StatisticError(
        f"A table of ratings is a Polars or pandas data frame, not {type(data).__name__}.",
        next_step="For judgements, make one with lanner.stats.frame(...).",
    )


def _missing(value: Any) -> bool:
    return (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")


# Names as whole numbers


Numbers = npt.NDArray[np.int64]
_ROOM = 2**62  # numbers that fit
_TABLE = 1 << 22  # places of a table that stands in for sorting
_SHORT = (
    1000  # texts up to which a dictionary is faster than asking Polars, which takes a quarter of a millisecond a time
)


def codes(column: pl.Series) -> Numbers:
    """A number for each distinct text, in no particular order and with gaps; missing text counts as one of them."""
    if len(column) < _SHORT:
        known: dict[str | None, int] = {}
        return np.array([known.setdefault(text, len(known)) for text in column.to_list()], dtype=np.int64)
    short, run = _runs(column)
    numbers = short.cast(pl.Categorical).to_physical().cast(pl.Int64).fill_null(-1).to_numpy() + 1
    return numbers if run is None else numbers[run]


def positions(column: pl.Series, names: Sequence[str] | pl.Series) -> npt.NDArray[np.int32]:
    """The place of each text among these names."""
    if len(column) < _SHORT:
        known = {name: place for place, name in enumerate(names)}
        with suppress(KeyError):  # Polars says which text is none of the names
            return np.array([known[text] for text in column.to_list()], dtype=np.int32)
    short, run = _runs(column)
    places = short.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
    return places if run is None else places[run]


def texts(column: pl.Series) -> list[str]:
    """The distinct texts of a column, in order."""
    if len(column) < _SHORT and not column.null_count():
        return sorted(set(column.to_list()))
    return _runs(column)[0].unique().sort().to_list()


def _runs(column: pl.Series) -> tuple[pl.Series, npt.NDArray[np.uint32] | None]:
    """The text that each run of equal ones repeats, and the run of each place: tables are mostly in some order, and
    then few texts need looking at. None where runs are short."""
    if len(column) < _SHORT:
        return column, None
    run = column.rle_id().to_numpy()
    if 3 * int(run[-1]) > len(run):
        return column, None
    return column.gather(np.flatnonzero(np.diff(run, prepend=run[0] + 1))), run


def joined(columns: Sequence[Numbers]) -> Numbers:
    """One number for each distinct combination; renumbered only where the numbers would grow too large."""
    row, room = columns[0], int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        if room > _ROOM // width:
            row = np.unique(row, return_inverse=True)[1].astype(np.int64).reshape(-1)
            room = int(row.max(initial=0)) + 1
        row, room = row * width + column, room * width
    return row


def of_rows(table: pl.DataFrame, names: Sequence[str]) -> Numbers:
    """One number for each distinct combination of these columns, in no particular order."""
    return joined([codes(table[name]) for name in names])


def in_order(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Renumbered from 0 in the order in which they first appear, and where that is."""
    first, index = _number_distinct(numbers)
    if len(first) < 2 or bool((np.diff(first) > 0).all()):
        return index, first
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[index], first[order]


def _number_distinct(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Where each distinct number is first, from the smallest on, and the place of each number among them."""
    step = np.diff(numbers)
    if bool((step >= 0).all()):  # in order already
        new = np.concatenate([np.ones(min(1, len(numbers)), bool), step > 0])
        return np.flatnonzero(new), np.cumsum(new) - 1
    _, first, index = np.unique(numbers, return_index=True, return_inverse=True)
    return first, index.reshape(-1)


def by_name(table: pl.DataFrame, names: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Rows equal in these columns to equal numbers from 0, in the order of their names; where each is first."""
    total = np.zeros(len(table), np.int64)
    room = 1
    for name in names:
        names_here = texts(table[name])
        if len(names_here) > 1:
            if room > _ROOM // len(names_here):
                total = np.unique(total, return_inverse=True)[1].reshape(-1).astype(np.int64)
                room = int(total.max()) + 1
            total = total * len(names_here) + positions(table[name], names_here)
            room *= len(names_here)
    first, index = _number_distinct(total)
    return index, first


def distinct(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """The distinct values in order, and the place of each value among them: `np.unique`, without sorting where the
    values are whole numbers of a small range, as scores and codes are."""
    if len(values) > 1000:
        low, high = values.min(), values.max()
        if np.isfinite(low) and np.isfinite(high) and high - low < min(_TABLE, 8 * len(values)):
            whole = values.astype(np.int64)
            if values.dtype.kind in "iu" or np.array_equal(whole, values):
                whole -= int(low)
                present = np.flatnonzero(np.bincount(whole))
                place = np.zeros(int(high - low) + 1, np.intp)
                place[present] = np.arange(len(present))
                return (present + int(low)).astype(values.dtype), place[whole]
    values_here, index = np.unique(values, return_inverse=True)
    return values_here, index.reshape(-1)


def shared_ranks(values: Sequence[float]) -> list[int]:
    """The rank of each of these scores, which come best first: equal scores share the first rank they span."""
    smallest_gap = 1e-9 * max(map(abs, values), default=0.0)
    ranks: list[int] = []
    for at, value in enumerate(values):
        equal = at > 0 and abs(value - values[at - 1]) <= smallest_gap
        ranks.append(ranks[-1] if equal else at + 1)
    return ranks


# One row per judge and item


KEYS = ("judge", "judge_kind", "document", "segment", "system", "domain")
_SUMMARY = re.compile(r"^(sum|mean|count)\((.+)\)$")


@dataclass(frozen=True)
class Wide:
    """One row per judge and item. `notes` say what had to be assumed."""

    table: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """Names that are not keys: what can be correlated or regressed."""
        reserved_names = {*SCHEMA, *KEYS} - {"score", "label"}  # which a question may be called, too
        return [name for name in self.table.columns if name not in reserved_names and not name.startswith("judge_")]

    @property
    def _names(self) -> list[str]:
        return [*self.measures, *(name for name in KEYS if name in self.table.columns)]

    def rows_of(self, question: str) -> list[str]:
        """The measures that are rows of one grid question."""
        return [name for name in self.measures if name.startswith(f"{question}.")]

    def expand(self, names: Sequence[str]) -> list[str]:
        """Measures by name, a grid question standing for all its rows; an unknown name is an error that helps."""
        measures: list[str] = []
        for name in names:
            if name in self.table.columns or _SUMMARY.match(name):
                measures.append(name)
            elif rows := self.rows_of(name):
                measures += rows
            else:
                raise StatisticError(f"There is no measure {name!r}.", next_step=did_you_mean(name, self._names))
        return measures

    def with_measures(self, names: Sequence[str]) -> Wide:
        """The same with summaries such as "sum(skills)" among `names` added as columns."""
        return Wide(self.table.with_columns(self._summary(name) for name in names if self._is_new(name)), self.notes)

    def _is_new(self, name: str) -> bool:
        if name in self.table.columns:
            return False
        if _SUMMARY.match(name):
            return True
        raise StatisticError(f"There is no measure {name!r}.", next_step=did_you_mean(name, self._names))

    def _summary(self, name: str) -> pl.Expr:
        match = _SUMMARY.match(name)
        kind, question = match.groups() if match else ("", "")
        rows = self.rows_of(question)
        if not rows:
            raise StatisticError(
                f"{question!r} has no rows to take a {kind} of.", next_step=f"Use {question!r} itself."
            )
        complete = ~pl.any_horizontal(pl.col(row).is_null() for row in rows)
        values = {
            "sum": pl.sum_horizontal(rows),
            "mean": pl.mean_horizontal(rows),
            "count": pl.sum_horizontal((pl.col(row) > 0).cast(pl.Float64) for row in rows),
        }
        return pl.when(complete).then(values[kind]).alias(name)


def wide(data: Any, *, role: str = "main") -> Wide:
    """The wide table of any ratings: a tidy frame, or a table that is wide already."""
    if isinstance(data, Wide):
        return data
    table = to_polars(data)
    if "question" not in table.columns:
        return _already_wide(table)
    full, notes = tidy(table)
    full = full.filter(pl.col("role") == role)
    stages = full.group_by("question").agg(pl.col("stage").n_unique().alias("stages"))
    several = stages.filter(pl.col("stages") > 1)["question"].to_list()
    stage_name = pl.when(pl.col("question").is_in(several)).then(pl.col("stage") + "/" + pl.col("question"))
    name = stage_name.otherwise(pl.col("question"))
    full = full.with_columns(pl.when(pl.col("row") == "").then(name).otherwise(name + "." + pl.col("row")).alias("_of"))
    answers = full.filter(pl.col("score").is_not_null() | pl.col("label").is_not_null())
    answers, again = latest(answers, ("judge", "document", "segment", "system", "_of"))
    table = _spread(answers)
    silent = sorted(set(full["_of"].unique()) - set(table.columns))  # never answered: without values
    return Wide(table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in silent), notes + again)


def _spread(answers: pl.DataFrame) -> pl.DataFrame:
    """One row per judge and item."""
    keys = [*KEYS, *(name for name in answers.columns if name.startswith("judge_") and name not in KEYS)]
    row, first = in_order(of_rows(answers, ("judge", "document", "segment", "system")))
    column, columns = in_order(codes(answers["_of"]))
    places = np.full((len(columns), len(first)), -1, dtype=np.int64)
    places[column, row] = np.arange(len(answers))
    keys_table: pl.DataFrame = answers[first.tolist()].select(keys)
    names = answers["_of"].gather(columns).to_list()
    return keys_table.with_columns(_take(answers, own).alias(n) for n, own in zip(names, places, strict=True))


def _take(answers: pl.DataFrame, places: Numbers) -> pl.Series:
    """The answers at these places, null where it is −1: numbers where the measure has any, else labels."""
    indices = pl.Series(np.where(places >= 0, places, 0))
    present = pl.Series(places >= 0)
    score = answers["score"].gather(indices)
    values = score if (score.is_not_null() & present).any() else answers["label"].gather(indices)
    return values.zip_with(present, pl.Series([None], dtype=values.dtype).new_from_index(0, len(values)))


def _already_wide(table: pl.DataFrame) -> Wide:
    notes: tuple[str, ...] = ()
    for name in (name for name, dtype in table.schema.items() if dtype.is_float()):
        endless = table[name].is_infinite().fill_null(False)
        if endless.any():
            notes += (f"{endless.sum():,} values of {name} are infinite: they count as missing.",)
            table = table.with_columns(pl.when(~endless).then(pl.col(name)).alias(name))
    if "segment" not in table.columns and "item" in table.columns:
        table = table.rename({"item": "segment"})
    if "segment" not in table.columns:
        table = table.with_row_index("segment")
    table = table.with_columns(pl.col("segment").cast(pl.String))
    if "document" not in table.columns:
        table = table.with_columns(pl.col("segment").alias("document"))
        notes += ("No document is named: every item counts as a document of its own.",)
    absent = [
        pl.lit("person" if name == "judge_kind" else "").alias(name) for name in KEYS if name not in table.columns
    ]
    return Wide(table.with_columns(absent).with_columns(pl.col("document").cast(pl.String)), notes)


def groups(table: pl.DataFrame, by: Sequence[str]) -> list[tuple[dict[str, str], pl.DataFrame]]:
    """The table split by some columns, in the order of their names; one group without names if there are none."""
    if not by:
        return [({}, table)]
    check_columns(table, by)
    parts = table.partition_by(list(by), as_dict=True, maintain_order=True)
    sorted_parts = sorted(parts.items(), key=lambda entry: tuple(str(key) for key in entry[0]))
    return [(dict(zip(by, map(str, key), strict=True)), part) for key, part in sorted_parts]


def check_columns(table: pl.DataFrame, names: Sequence[str]) -> None:
    """An error that helps for a column that is not there."""
    for name in names:
        check_known(name, table.columns, f"There is no column {name!r}.", StatisticError)


def units(table: pl.DataFrame, unit: str) -> tuple[npt.NDArray[np.intp], int]:
    """Which resampling unit each row belongs to, numbered from 0: documents, items (segments) or judges."""
    if unit == "item":
        key: list[str] = ["document", "segment"]
    elif unit == "judge":
        key = ["judge"]
    else:
        key = ["document"]
    index, first = by_name(table.select(pl.col(name).cast(pl.String).fill_null("") for name in key), key)
    return index.astype(np.intp), len(first)


def numbers(table: pl.DataFrame, name: str) -> npt.NDArray[np.float64]:
    """A column as floats, NaN where missing; a column of text is an error that says so."""
    column = table[name]
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        raise StatisticError(f"{name!r} is not a number.", next_step="Name a question whose answers are numbers.")
    return column.cast(pl.Float64).to_numpy().astype(float)
