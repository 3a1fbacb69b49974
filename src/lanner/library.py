"""One line from data to a number: `lanner.agreement(data)`, `scores`, `compare`, `metaeval`, `report` and `plot`.

`data` is a pandas or Polars frame, a file or folder in any known format, the name of a campaign in a store, an address,
or what `lanner.load` gave. Columns are guessed as everywhere, and the guess is among the notes.
"""

from __future__ import annotations

import http.client
import inspect
import math
import re
import tempfile
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from html import escape
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, Unpack, cast
from urllib.parse import unquote, urlparse

import polars as pl

from lanner import analysis, formats
from lanner.analysis import GROUPS, diagnosis
from lanner.analysis import material as materials
from lanner.analysis.diagnosis import Diagnosis
from lanner.analysis.material import Material
from lanner.analysis.measures import JUDGES_ON_ONE_SCALE, METRICS_APART, groups_in
from lanner.analysis.scores import (
    choice_bias,
    metric_columns,
    pooled_pairs,
    ranked_by,
    score_systems,
    scored_rows,
    scored_set,
)
from lanner.client import ApiError, Client, copy_whole
from lanner.errors import InputError, LannerError, StatisticError, Where, check_known, did_you_mean, unasked
from lanner.figures import drawing
from lanner.figures.charts import EstimateRow, intervals
from lanner.figures.drawing import plain, standalone
from lanner.formats.parsing.columns import parse
from lanner.formats.parsing.tables import table_kind
from lanner.formats.parsing.textfile import ReadingNote, write_whole
from lanner.model import Document, Json, Result, Signature
from lanner.model.messages import estimate, level_text, plural
from lanner.reports import rendering
from lanner.reports.build import build
from lanner.reports.comparison import compare as compare_materials
from lanner.reports.parts import without_marks
from lanner.reports.rendering import write
from lanner.stats.metaeval import metaeval as evaluate_metrics
from lanner.stats.resample import Resampling
from lanner.store import Store

Data = Any
"""A frame, a path, several paths, the name of a campaign, an address, or a `Material`."""
Unit = Literal["document", "item", "judge", "two-way"]
_SHOWN_ROWS = 20
_LARGEST = 512 * 1024 * 1024
_OPTION = re.compile(
    r"--(?:(from|columns|encoding|gold|judges|languages|metrics|missing|protocol|question)\b"
    r"(?: ('[^'\n]*'|[^\s']+))?|standardise\b|set better=(\w+))"
)
_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")


def _advises_in_python(function: Callable[_Arguments, _Value]) -> Callable[_Arguments, _Value]:
    """Errors and notes of `function` name arguments of Python, where the command line has options of these names."""
    signature = _with_source(inspect.signature(function))

    @wraps(function)
    def call(*positional: _Arguments.args, **keywords: _Arguments.kwargs) -> _Value:
        try:
            signature.bind(*positional, **keywords)
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}") from None
        try:
            return _noted_in_python(function(*positional, **keywords))
        except LannerError as error:
            error.next_step = _OPTION.sub(_as_argument, error.next_step)
            raise

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _with_source(signature: inspect.Signature) -> inspect.Signature:
    """A signature that names the arguments of `load` one by one, as help and notebooks show it."""
    *own, last = signature.parameters.values()
    if last.kind is not last.VAR_KEYWORD:
        return signature
    source = [each for each in inspect.signature(load).parameters.values() if each.kind is each.KEYWORD_ONLY]
    return signature.replace(parameters=[*own, *source])


def _noted_in_python(value: _Value) -> _Value:
    """Results, or parts that were read, with notes that name arguments of Python."""
    if isinstance(value, list):
        return cast("_Value", [_noted_in_python(part) for part in value])
    if not isinstance(value, Table | Material):
        return value
    notes = tuple(_note_in_python(note) for note in value.notes)
    return value if notes == value.notes else cast("_Value", replace(value, notes=notes))


def _note_in_python(note: str) -> str:
    if isinstance(note, ReadingNote):
        return ReadingNote(note.fact, _OPTION.sub(_as_argument, note.advice), about=note.about)
    return _OPTION.sub(_as_argument, note)


def _as_argument(option: re.Match[str]) -> str:
    if option[3]:
        return f'scores(…, better="{option[3]}")'
    if not option[1]:
        return f"{option[0].removeprefix('--')}=True"
    name = "format" if option[1] == "from" else option[1]
    written = option[2] or ""
    value = written.rstrip(".,;:)…")
    end = written[len(value) :]
    bare_value = value.strip("'")
    if bare_value.startswith("{"):
        return f"{name}={bare_value}{end}"  # a JSON object of names is a dictionary
    return f'{name}="{bare_value}"{end}' if value else f"{name}={end}"


@dataclass(frozen=True, slots=True)
class Table:
    """Results as a table. `table` is a Polars frame; `notes` say what was guessed and noticed, `signature` how the
    numbers were made. In a notebook it shows itself with a small figure."""

    title: str
    table: pl.DataFrame
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    signature: str = ""
    results: tuple[Result, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        rows = [" ".join(f"{_text(row[name])}" for name in self.columns) for row in self.table.head(6).to_dicts()]
        more = [f"… {self.table.height - 6} more rows: .table"] if self.table.height > 6 else []
        height = plural(self.table.height, "row")
        return "\n".join([f"{self.title} ({height})", *rows, *more])

    def _repr_html_(self) -> str:
        rows = self.table.head(_SHOWN_ROWS).to_dicts()
        head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_text(row[name]))}</td>" for name in self.columns) + "</tr>" for row in rows
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        figure = self.plot()._repr_html_() if self._has_intervals() else ""
        return (
            f"<div><b>{escape(self.title)}</b><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"{figure}"
            f"<details><summary>Notes</summary><ul>{notes}</ul><p>{escape(self.signature)}</p></details></div>"
        )

    def _has_intervals(self) -> bool:
        return {"value", "low", "high"} <= set(self.table.columns) and self.table["low"].is_not_null().any()

    def plot(self) -> Plot:
        """The estimates with their intervals."""
        return plot(self)


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure. It shows itself in a notebook; `save` writes SVG, PDF or PNG as the name says; `table` has its data."""

    svg: str
    table: pl.DataFrame

    def __repr__(self) -> str:
        rows = plural(self.table.height, "row")
        return f"Plot of {rows}; .save('figure.svg') writes it"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="max-width:44em">{self.svg}</div>'

    def save(self, path: str | Path) -> Path:
        """Write the figure; PDF and PNG need the extra `figures`."""
        target = Path(path)
        match target.suffix.lower():
            case ".svg":
                content = self.svg.encode()
            case ".pdf":
                content = drawing.pdf(self.svg)
            case ".png":
                content = drawing.png(self.svg)
            case _:
                raise InputError("The name must end in .svg, .pdf or .png.", where=Where(target))
        write_whole(target, content)
        return target


@dataclass(frozen=True, slots=True)
class Report:
    """A written report: where it lies, and what it found in a few sentences."""

    path: Path
    findings: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join([f"Report in {self.path}", *self.findings])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.findings)
        return f'<div><ul>{items}</ul><a href="{escape(str(self.path))}">{escape(str(self.path))}</a></div>'


class Source(TypedDict, total=False):
    """Where data is and how it is read: the arguments of `load`, which every analysis takes as well."""

    columns: str | Mapping[str, str]
    protocol: str | None
    languages: str
    encoding: str
    missing: str
    format: str | None
    store: str | Path | None
    token: str


@_advises_in_python
def load(
    data: Data,
    *,
    columns: str | Mapping[str, str] = "",
    protocol: str | None = None,
    languages: str = "",
    encoding: str = "",
    missing: str = "",
    format: str | None = None,  # noqa: A002 - the word the command line uses
    store: str | Path | None = None,
    token: str = "",
) -> list[Material]:
    """Judgements from anywhere, part by part.

    Args:
        data: a pandas or Polars frame, a path or several, the name of a campaign in `store`, an address (of a file, or
            of a campaign on a Lanner server, with a `token`), or Material.
        columns: which column holds what, such as `{"source": "src", "judge": "who", "answer:fluency": "F"}`.
        protocol: the protocol that the judgements answer; guessed where neither this nor the file says it.
        languages: the language pair, such as `en-ko`.
        encoding: the encoding of a text file, where the one detected is wrong.
        missing: numbers that stand for a missing answer, such as `999,-1`; `none` where all numbers are answers.
        format: the file's format, where its content does not tell.
        store: the database of a campaign: a SQLite file or a `postgresql://` URL.
        token: for a campaign on a server.
    """
    if isinstance(data, Material):
        return [_in_pair(data, languages)]
    if isinstance(data, list | tuple) and data and all(isinstance(part, Material) for part in data):
        return [_in_pair(part, languages) for part in data]
    options = _reading_options(columns, languages, encoding) | ({"missing": missing} if missing else {})
    if isinstance(data, str) and data.startswith(("http://", "https://")):
        return _from_address(data, token, format, protocol, options)
    if isinstance(data, str) and not Path(data).exists():
        return [_in_pair(_from_store(data, store), languages)]
    with _readable(data) as source:
        return materials.from_file(source, format, protocol, **options)


def _in_pair(part: Material, pair: str) -> Material:
    return part.in_pair(pair) if pair else part


def documents(
    data: Data,
    *,
    columns: str | Mapping[str, str] = "",
    languages: str = "",
    encoding: str = "",
    format: str | None = None,  # noqa: A002
) -> list[Document]:
    """Texts to be judged, from a frame, a path or several paths, or as Documents. The arguments are those of `load`."""
    if isinstance(data, Document):
        return [data]
    if isinstance(data, list | tuple) and data and all(isinstance(part, Document) for part in data):
        return list(data)
    options = _reading_options(columns, languages, encoding)
    with _readable(data) as source:
        return [document for part in formats.read_texts(source, format, **options) for document in part.documents]


def _reading_options(columns: str | Mapping[str, str], languages: str, encoding: str) -> dict[str, Any]:
    options = {"columns": columns, "languages": languages, "encoding": encoding}
    return {name: value for name, value in options.items() if value}


@contextmanager
def _readable(data: Any) -> Iterator[Any]:
    """Paths as they are, a frame as a file, so that frames and files have one reader."""
    several = data if isinstance(data, list | tuple) else [data]
    if several and all(isinstance(part, str | Path) for part in several):
        yield data
        return
    if not _is_frame(data):
        kind = type(data).__name__
        kind += f" of {type(several[0]).__name__}" if several and isinstance(data, list | tuple) else ""
        step = "Give a frame, a path or a name. Rows and columns become a frame by pandas.DataFrame(…)."
        raise InputError(f"Data of type {kind} cannot be read.", next_step=step)
    with tempfile.TemporaryDirectory(prefix="lanner-") as folder:
        path = Path(folder) / "data.parquet"
        table = _as_polars(data)
        if table.is_empty():
            raise InputError("The frame has no rows.", code="no_rows")
        table.write_parquet(path)
        try:
            yield path
        except InputError as error:
            raise _about_frame(error, path, table.columns) from None


def _about_frame(error: InputError, path: Path, columns: Sequence[str]) -> InputError:
    """An error of the reader as it is about a frame, which has no file."""
    file, _, row = str(error.where.file or "").rpartition(":")  # an answer has its file and line as one text
    is_answer = file == path.name and row.isdecimal()
    if error.code == "unrecognised" or error.where.file == path or is_answer:
        line = int(row) if is_answer else error.where.line
        where = Where("the frame", line, item=error.where.item) if error.code != "unrecognised" else Where("the frame")
        what, step = error.what, error.next_step
        if error.code == "unrecognised":
            what = f"It is not clear what its columns hold: {', '.join(columns[:12])}."
            step = 'Say it: columns={"document": …, "segment": …, "system": …, "judge": …, "answer:score": …}.'
        return InputError(what, code=error.code, names=error.names, where=where, next_step=step)
    return error


def _is_frame(data: Any) -> bool:
    if isinstance(data, pl.DataFrame | pl.LazyFrame):
        return True
    return (hasattr(data, "columns") or hasattr(data, "index")) and hasattr(data, "to_dict")


def _as_polars(data: Any) -> pl.DataFrame:
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if not hasattr(data, "columns"):  # a series, with what it is about in its index
        data = data.to_frame("score" if data.name is None else data.name)
    if data.columns.nlevels > 1:
        data = _with_one_row_of_names(data)
    # an index with a name is a column that was set aside, as after a pivot
    if set_aside := [name for name in data.index.names if name is not None and name not in data.columns]:
        data = data.reset_index(level=set_aside)
    names = [str(name) for name in data.columns]
    if len(set(names)) < len(names):
        raise InputError("Two columns of the frame have the same name.", next_step="Rename one of them.")
    pairs = zip(names, data.columns, strict=True)
    values = {name: [_cell(value) for value in data[column].tolist()] for name, column in pairs}
    try:
        return pl.DataFrame({name: pl.Series(name, cells, strict=False) for name, cells in values.items()})
    except UnicodeEncodeError as error:
        half = f"A text of the frame holds half of a surrogate pair: {error.object[:40]!r}."
        raise InputError(half, code="half_character", next_step="Write the character whole.") from None


def _with_one_row_of_names(data: Any) -> Any:
    """A pandas frame whose columns have several levels, as a pivot by system and judge makes them: a row for each of
    its numbers, with what the levels are called. Where they have no names, those of a column become one."""
    levels = list(data.columns.names)
    if all(name is None for name in levels):
        return data.set_axis(["_".join(str(part) for part in column if str(part)) for column in data.columns], axis=1)
    index = [name for name in data.index.names if name is not None]
    data = data.reset_index(level=index) if index else data
    # the level without a name is that of what was asked: pivots of several values have one
    data.columns = data.columns.set_names(["question" if name is None else name for name in levels])
    ids = [column for column in data.columns if column[0] in index and not any(column[1:])]
    value = "answer" if None in levels else "score"
    rows = data.melt(id_vars=ids, value_name=value).dropna(subset=[value])
    return rows.rename(columns={column: column[0] for column in ids})


def _cell(value: Any) -> Any:
    """A cell of a pandas frame: its several kinds of nothing are None."""
    is_nothing = value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("<NA>", "NaT")
    return None if is_nothing else value


def _from_store(name: str, store: str | Path | None) -> Material:
    place = str(store or "lanner.sqlite")
    if "://" not in place and not Path(place).exists():
        raise InputError(
            f"There is no file {name!r}, and no campaigns here ({place} does not exist).",
            next_step="Give the path of a file, or store= the database of the campaign.",
        )
    with Store.open(place, create=False) as database:
        with database.reading() as transaction:
            names = [campaign.name for campaign in transaction.campaigns.all()]
        check_known(name, names, f"There is no file and no campaign called {name!r}.", InputError)
        return materials.from_campaign(database, name)


def _from_address(
    address: str,
    token: str,
    format: str | None,  # noqa: A002
    protocol: str | None,
    options: Mapping[str, Any],
) -> list[Material]:
    """A file from the web, or with a token a campaign from a Lanner server (`https://host/…/NAME`)."""
    with tempfile.TemporaryDirectory(prefix="lanner-") as folder:
        name = Path(urlparse(address).path).name or "data"
        path = Path(folder) / name
        if token:
            path = _export(address, token, Path(folder))
        else:
            try:
                with urllib.request.urlopen(address, timeout=60) as answer, path.open("wb") as out:
                    copy_whole(answer, out, _LARGEST)
                    is_page = answer.headers.get_content_type() == "text/html"
            except (OSError, http.client.HTTPException) as error:
                raise LannerError(
                    f"{address} cannot be fetched: {error}.",
                    next_step="Give the address of a file; for a campaign on a Lanner server, a token= as well.",
                ) from error
            if is_page and table_kind(path) != "html":
                raise InputError(
                    "This is a web page and no file.",
                    where=Where(address),
                    next_step="Give the address of a file; for a campaign on a Lanner server, a token= as well.",
                )
        try:
            return materials.from_file(path, format, protocol, **options)
        except InputError as error:
            if error.where.file == path:
                error.where = replace(error.where, file=address)
            raise


def _export(address: str, token: str, folder: Path) -> Path:
    """The judgements of the campaign at an address of a Lanner server: of any of its pages, or of the API."""
    parts = urlparse(address)
    before, _, after = parts.path.partition("/campaigns/")
    if after:
        prefix, name = before.removesuffix("/api/v1"), after.split("/")[0]
    else:
        prefix, name = "", parts.path.rstrip("/").rpartition("/")[2]
    name = unquote(name)
    if not name:
        raise InputError("The address names no campaign.", where=Where(address), next_step="Write https://host/NAME.")
    server = Client(f"{parts.scheme}://{parts.netloc}{prefix}", token)
    file_name = re.sub(r"[^\w.-]", "_", name)
    path = folder / f"{file_name}.jsonl"
    try:
        return server.export(name, "native", path)
    except ApiError as error:
        if error.status == 404:
            names = [str(campaign["name"]) for campaign in server.campaigns()]
            hint = did_you_mean(name, names) if names else "The token sees no campaign."
            raise InputError(f"There is no campaign {name!r} on this server.", next_step=hint) from error
        if error.status == 403 and not error.next_step:
            error.next_step = "Create one that has it: lanner tokens add NAME --scope campaigns --scope judgements."
        raise


@_advises_in_python
def agreement(
    data: Data,
    question: str | None = None,
    *,
    judges: Iterable[str] | None = None,
    unit: Unit = "document",
    resamples: int = 2000,
    seed: int = 0,
    **source: Unpack[Source],
) -> Table:
    """How far judges agree: the headline number of every question, for each group of judges, with its interval.

    Args:
        data: see `lanner.load`; so are the arguments from `columns` on.
        question: only this question.
        judges: only these judges.
        unit: what intervals take as independent.
        resamples: how many bootstrap resamples.
        seed: same seed, same numbers.
    """
    parts = _judged_parts(data, judges, **source)
    resampling = Resampling(unit=unit, n=resamples, seed=seed)
    rows: list[dict[str, Json]] = []
    results: list[Result] = []
    question_ids: list[str] = []
    for part in parts:
        for group in groups_in(part.counted(of=JUDGES_ON_ONE_SCALE).table) or ["people"]:
            counted_rows = part.counted(of=group)
            question_plans = (
                analysis.plan(part.protocol) if part.protocol else analysis.plan_table(counted_rows.table, question)
            )
            plans = list(question_plans)
            question_ids += [entry.id for entry in plans]
            for entry in plans:
                if question not in (None, entry.id) or entry.id not in set(counted_rows.table["question"]):
                    continue
                result = analysis.question_agreement(counted_rows, entry, resampling=resampling).headline
                results.append(result)
                rows.append(
                    {
                        "part": part.name,
                        "question": entry.id,
                        "judges": group,
                        "measure": entry.headline.sign,
                        **_numbers(result),
                    }
                )
    if question and not rows:
        if question in question_ids:
            raise StatisticError(f"There are no answers to {question!r}.")
        raise unasked(question, question_ids, [column for part in parts for column in part.unread])
    table = _table("Agreement", rows, ("question", "judges", "measure", "estimate", "n"), parts, results)
    if any("metrics" in groups_in(part.counted(of=tuple(GROUPS)).table) for part in parts):
        table = replace(table, notes=(*table.notes, METRICS_APART))
    pooled = dict.fromkeys(filter(None, (pooled_pairs(part.counted(of=JUDGES_ON_ONE_SCALE).table) for part in parts)))
    return replace(table, notes=(*table.notes, *pooled))


@_advises_in_python
def diagnose(
    data: Data,
    question: str = "",
    *,
    judges: Iterable[str] | None = None,
    seed: int = 0,
    **source: Unpack[Source],
) -> Diagnosis:
    """What each system should improve: how often every skill matters and how well it is handled there, by domain.

    Args:
        data: see `lanner.load`; so are the arguments from `columns` on.
        question: the question that tells skills or errors apart; by default the first of the protocol.
        judges: only these judges.
        seed: same seed, same numbers.

    Returns:
        the cells (`.table`), what to improve (`.priorities`) and the sentences behind a cell (`.examples(cell)`).
    """
    parts = _judged_parts(data, judges, **source)
    return diagnosis.diagnose(diagnosis.diagnosable_part(parts, question), question, resampling=Resampling(seed=seed))


@_advises_in_python
def scores(
    data: Data,
    question: str | None = None,
    *,
    judges: Iterable[str] | None = None,
    standardise: bool = False,
    better: Literal["higher", "lower"] | None = None,
    other_judges: bool = False,
    seed: int = 0,
    **source: Unpack[Source],
) -> Table:
    """What systems score, with intervals, ranks and clusters.

    Args:
        data: see `lanner.load`; so are the arguments from `columns` on.
        question: the question or score; by default what the protocol ranks systems by.
        judges: only these judges.
        standardise: z per judge.
        better: which scores are better; by default as the protocol or the name of the question says.
        other_judges: intervals and tests hold for judges in general, not for these only.
        seed: same seed, same numbers.
    """
    parts = _judged_parts(data, judges, **source)
    if better not in (None, "higher", "lower"):
        raise InputError(f"better={better!r} is not known.", next_step='Pass "higher" or "lower".')
    rows: list[dict[str, Json]] = []
    results = []
    are_z_scores = False
    for part in parts:
        counted_rows = scored_rows(part, judges_named=judges is not None)
        for entry in ranked_by(part.protocol, counted_rows.table, question):
            options: dict[str, Any] = {"judges": None, **entry.options}
            if standardise:
                options["standardise"] = True
            if better:
                options["direction"] = f"{better}_is_better"
            are_z_scores |= bool(options.get("standardise"))
            if judges is not None:
                options["judges"] = [judge.id for judge in part.judges]
            if options.get("per_words"):
                options["words"] = part.words
            if other_judges:
                options["other_judges"] = True
            result = score_systems(counted_rows, entry.of, part.protocol, resampling=Resampling(seed=seed), **options)
            if (bias := choice_bias(part.documents, part.settings)) is not None:
                result = replace(result, notes=(*result.notes, str(bias)))
            if pooled := pooled_pairs(counted_rows.table):
                result = replace(result, notes=(*result.notes, pooled))
            results.append(result)
            for row in result.rows:
                text = estimate(row["score"], row["low"], row["high"], 2, bounded=False)
                rows.append({"part": part.name, "question": entry.of, **row, "value": row["score"], "estimate": text})
    return _table(
        "Scores, z per judge" if are_z_scores else "Scores",
        rows,
        ("rank", "system", "estimate", "cluster", "n"),
        parts,
        results,
    )


@_advises_in_python
def compare(
    *data: Data,
    names: Sequence[str] = (),
    resamples: int = 2000,
    seed: int = 0,
    **source: Unpack[Source],
) -> Table:
    """Compare protocols, campaigns or groups of judges: agreement, effort and how alike they rank systems.

    Args:
        data: two or more, each as in `lanner.load`; the arguments from `columns` on hold for all of them.
        names: what they are called; by default by their own names.
        resamples: how many bootstrap resamples.
        seed: same seed, same numbers.
    """
    if isinstance(names, str):
        raise InputError("`names` is one text, not one name for each.", next_step='Give names=("first", "second").')
    sides: list[tuple[str, Material]] = []
    for at, each in enumerate(data):
        parts = load(each, **source)
        name = names[at] if at < len(names) else ""
        for part in parts:
            side = f"{name} {part.name}" if name and len(parts) > 1 else name or part.name
            same_name = sum(other == side or other.startswith(f"{side} (") for other, _ in sides)
            sides.append((f"{side} ({same_name + 1})" if same_name else side, part))
    page, _ = compare_materials(sides, resampling=Resampling(n=resamples, seed=seed))
    [table] = page.tables
    rows = []
    for row in table.data:
        if not row["measure"]:
            continue
        numbers = {name: row.get(name) for name in ("value", "low", "high", "n")}
        difference = {name: row.get(name) for name in ("difference", "difference_low", "difference_high", "p")}
        value, low, high = (row.get(name) for name in ("value", "low", "high"))
        is_count = low is None and value is not None and float(value).is_integer()
        text = f"{value:.0f}" if is_count else estimate(value, low, high, bounded=False)
        rows.append({"measure": row["measure"], "side": row["side"], **numbers, **difference, "estimate": text})
    notes = [without_marks(sentence) for sentence in page.findings]
    notes += [f"{row['question']} {row['reason']}" for row in table.data if row.get("reason")]
    shown_columns = ("measure", "side", "estimate", "difference", "p")
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Table(page.title, frame, shown_columns, tuple(notes), str(table.signature or ""))


@_advises_in_python
def metaeval(
    data: Data,
    gold: str | None = None,
    question: str | None = None,
    *,
    metrics: str | Sequence[str] = (),
    seed: int = 0,
    **source: Unpack[Source],
) -> Table:
    """How well scorers (metrics, models, people) agree with gold scores.

    Args:
        data: see `lanner.load`; so are the arguments from `columns` on. The scorers are its judges, and columns that
            no judge disputes, such as a metric's.
        gold: the judge whose scores are the gold ones; `people`, the default, is the mean of all people.
        question: the question that gold answers; by default `score`, or what the protocol ranks systems by.
        metrics: only these judges or columns, as a list or comma-separated.
        seed: same seed, same numbers.
    """
    if isinstance(metrics, str):
        metrics = [name.strip() for name in metrics.split(",")]
    parts = load(data, **source)
    names = {judge.id for judge in parts[0].judges} | set(parts[0].table["question"])
    if more := [name for name in metrics if name not in names] if metrics else metric_columns(parts[0]):
        columns = source.get("columns", "")
        roles = parse(columns) if isinstance(columns, str) else dict(columns)
        source["columns"] = roles | {f"measure:{name}": name for name in more}
        parts = load(data, **source)
    scorer_set = scored_set(parts[0], question, gold, metrics)
    result = evaluate_metrics(scorer_set.gold, scorer_set.scorers, documents=scorer_set.documents, seed=seed)
    only = [f"Of {len(parts)} parts only {parts[0].name} is evaluated."] if len(parts) > 1 else []
    result = replace(result, notes=(*only, *scorer_set.notes, *result.notes))
    rows = [
        {**row, "value": row["acc_eq"], "low": row.get("acc_eq_low"), "high": row.get("acc_eq_high")}
        for row in result.rows
    ]
    return _table("Meta-evaluation", rows, tuple(rows[0])[:6] if rows else (), parts, [result])


@_advises_in_python
def report(
    data: Data,
    out: str | Path | None = None,
    *,
    judges: Iterable[str] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    figures: Literal["svg", "all"] = "svg",
    **source: Unpack[Source],
) -> Report:
    """Write a report: HTML with every table as CSV and LaTeX and every figure beside it.

    Args:
        data: see `lanner.load`; so are the arguments from `columns` on.
        out: the folder to write into (default: NAME-report).
        judges: only these judges.
        resamples: how many bootstrap resamples.
        seed: same seed, same numbers.
        figures: `all` writes PDF and PNG too.
    """
    parts = _judged_parts(data, judges, **source)
    folder = Path(out) if out is not None else Path(f"{parts[0].name}-report")
    findings: list[str] = []
    page = folder
    for part in parts:
        path = build(part, resampling=Resampling(n=resamples, seed=seed))
        page = write(path, folder / part.name if len(parts) > 1 else folder, pictures=figures == "all")
        findings += [without_marks(sentence) for sentence in path.findings]
    return Report(page if len(parts) == 1 else folder, tuple(findings))


@_advises_in_python
def plot(
    results: Table | Sequence[Result] | Result | Data,
    question: str | None = None,
    **source: Unpack[Source],
) -> Plot:
    """Estimates with their intervals as a figure.

    Args:
        results: what `agreement`, `scores`, `compare` or `metaeval` (there the pairwise accuracy with ties) gave, or
            Results; or data as `lanner.load` reads it, of which the systems' scores are drawn. The other arguments are
            those of `scores`.
        question: with data, only this question.
    """
    if not _is_results(results):
        results = scores(cast("Data", results), question, **source)
    levels = {Resampling().level}
    if isinstance(results, Table):
        frame = results.table
        dimensions = ("part", "question", "system", "judges", "metric", "measure", "side")
        names = [name for name in dimensions if name in frame.columns]
        names = [name for name in names if frame[name].n_unique() > 1] or names[:1]
    else:
        value = [results] if isinstance(results, Result) else list(cast("Sequence[Result]", results))
        frame = pl.DataFrame([{"question": each.labels.get("question", each.name), **_numbers(each)} for each in value])
        names = ["question"]
        levels = {each.interval.level for each in value if each.interval}
    rows = [
        EstimateRow(" · ".join(str(row[name]) for name in names), row["value"], row["low"], row["high"])
        for row in frame.to_dicts()
        if row["value"] is not None and (row["low"] is not None or frame["low"].is_null().all())
    ]
    within = all(-1 <= value <= 1 for row in rows for value in (row.low, row.value, row.high) if value is not None)
    at_level = f"{level_text(levels.pop())} " if len(levels) == 1 else ""
    drawing = intervals(f"Estimates with {at_level}intervals", rows, bounded=within)
    return Plot(standalone(str(drawing), plain(rendering.style())), frame)


def _is_results(value: Any) -> bool:
    if isinstance(value, Table | Result):
        return True
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Result) for each in value)


def _judged_parts(data: Data, judges: Iterable[str] | None, **source: Unpack[Source]) -> list[Material]:
    """The parts with the chosen judges only, or with all of them."""
    parts = load(data, **source)
    if judges is None:
        return parts
    judge_ids = [judges] if isinstance(judges, str) else list(judges)
    known_ids = {judge.id for part in parts for judge in part.judges}
    for judge_id in judge_ids:
        check_known(judge_id, sorted(known_ids), f"There is no judge {judge_id!r}.", InputError)
    own = [(part, [judge.id for judge in part.judges if judge.id in judge_ids]) for part in parts]
    return [part.only(names) for part, names in own if names]


def _numbers(result: Result) -> dict[str, Json]:
    return {
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "n": result.counts.get("items"),
        "documents": result.counts.get("documents"),
        "estimate": estimate(result.value, result.low, result.high),
    }


def _table(
    title: str,
    rows: Sequence[Mapping[str, Json]],
    columns: tuple[str, ...],
    parts: Sequence[Material],
    results: Sequence[Result],
) -> Table:
    notes = [f"{part.name}: {note}" for part in parts for note in part.notes]
    notes += [note for result in results for note in result.notes]
    frame = pl.DataFrame([dict(row) for row in rows], infer_schema_length=None, strict=False)
    signature = str(Signature.together([result.signature for result in results if result.signature]))
    visible_columns = tuple(name for name in columns if name in frame.columns)
    return Table(title, frame, visible_columns, tuple(dict.fromkeys(notes)), signature, tuple(results))


def _text(value: Any) -> str:
    if value is None:
        return "—"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
