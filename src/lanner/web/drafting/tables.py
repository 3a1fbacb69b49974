"""An uploaded table: what each of its columns holds is guessed, shown over a preview, and chosen there from menus."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from lanner.errors import InputError, LannerError
from lanner.formats.parsing import encodings, textfile
from lanner.formats.parsing.columns import ColumnMap, column_map
from lanner.formats.parsing.values import LanguageGuess, guess_language
from lanner.model import languages
from lanner.model.messages import shorten
from lanner.web import forms
from lanner.web.drafting.uploads import TableUpload, Upload, UploadedTexts, take_in
from lanner.web.problems import BY_CODE, parts
from lanner.web.rendering import page, redirect
from lanner.web.site import Site
from lanner.web.speech import language, say

if TYPE_CHECKING:  # tables are read in a worker, and what reads them is loaded there only
    from lanner.formats.parsing.tables import TableRows

TRANSLATION, REFERENCE, LEFT_OUT = "translation", "reference", "ignore"
ANSWERS, OTHER = "answer", "other"
"""What is offered for columns alone that were guessed to be so: judges with their answers, and what else the reader of
tables knows (a language pair, a paragraph, the two systems of a comparison)."""
PLAIN_ROLES = ("document", "segment", "source", "domain", "title", "system", "output")
LANGUAGE_ROLES = ("source_language", "target_language")
NAMED_ROLES = (TRANSLATION, REFERENCE)
_JUDGED_ROLES = ("judge", "judge_kind", "question", "role", "seconds", "active_seconds", "answered_at")
SURE = 0.9
"""Guesses that are less sure than this are shown before the texts are taken."""
_SUFFIXES = {".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".parquet"}
_TEXT_SUFFIXES = {".csv", ".tsv"}
_ROWS_SHOWN, _ROWS_SEARCHED, _LETTERS = 8, 12, 160
_SAMPLE = 64 * 1024
"""So many bytes tell a file's encoding."""
DELIMITERS = ("comma", "semicolon", "tab", "|")
ENCODINGS = (
    *("utf-8", "utf-16", "windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254"),
    *("windows-1255", "windows-1256", "windows-1257", "windows-1258", "iso-8859-15", "mac-roman", "koi8-r"),
    *("cp949", "shift_jis", "euc-jp", "gb18030", "big5", "windows-874"),
    *("iso-8859-2", "cp437", "cp850", "cp852", "cp857", "cp866"),
)
"""The encodings to choose from, by the names that programs offer when they save a table."""


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """One column: its name in the file, what it is taken for, under which name (of a system), and how sure that is.
    `guess` is what it was guessed to hold where somebody has chosen otherwise."""

    header: str
    role: str
    name: str = ""
    sure: float | None = field(default=None, compare=False)
    guess: str = field(default="", compare=False)
    known_as: str = field(default="", compare=False)
    """What a column of the role `other` was guessed to hold."""


@dataclass(frozen=True, slots=True)
class TableChoices:
    """What was chosen about a table: the row of the header, a role for each column, the languages, and for a text file
    its encoding and what stands between cells ("" for what is found)."""

    header: str = ""
    columns: tuple[ColumnChoice, ...] = ()
    source_language: str = ""
    target_language: str = ""
    encoding: str = ""
    delimiter: str = ""
    languages_sure: tuple[float, float] = field(default=(0.0, 0.0), compare=False)
    """How sure the two languages are where they were guessed, 0 where they were not."""

    def options(self) -> dict[str, str]:
        """As options of the table format. Columns of judges and their answers are left to its guess: they are read, so
        that the rows of several judges are one sentence, and the answers are left out afterwards."""
        roles: dict[str, str] = {}
        for column in self.columns:
            if column.role == ANSWERS:
                continue
            key = _key(column)
            if key in roles:
                raise ColumnError(
                    say("“{one}” and “{other}” have the same role.", one=roles[key], other=column.header),
                    headers=(roles[key], column.header),
                )
            roles[key] = column.header
        options = {
            "header": self.header,
            "columns": json.dumps(roles) if roles else "",
            "encoding": self.encoding,
            "delimiter": self.delimiter,
        }
        if self.pair:
            options["languages"] = ":".join(self.pair)
        return options

    @property
    def pair(self) -> tuple[str, str] | None:
        """The languages where one was chosen."""
        if not (self.source_language or self.target_language):
            return None
        return self.source_language or languages.UNDETERMINED, self.target_language or languages.UNDETERMINED


class ColumnError(InputError):
    """Something about columns cannot be; `headers` are those that it is about."""

    def __init__(self, what: str, *, headers: tuple[str, ...]) -> None:
        super().__init__(what, next_step=say("Choose something else for one of them, or leave it out."))
        self.headers = headers


@dataclass(frozen=True, slots=True)
class TablePreview:
    """The beginning of a table with what its columns are taken for. `rows` are (line, cells); those up to
    `header_line` are not texts. `texts` is what would be taken, `problem` why nothing can be."""

    name: str
    choices: TableChoices
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    header_line: int
    can_choose_header: bool
    texts: UploadedTexts | None = None
    problem: str = ""
    is_text: bool = False
    """Whether it is a text file, which has an encoding and delimiters."""
    encoding: str = ""
    """The encoding that its bytes show; "" where none does."""
    delimiter: str = ""
    """What is found between its cells."""
    problem_at: tuple[str, ...] = ()
    """The controls that the problem is about: "encoding", or "role.N" of a column."""

    @property
    def judged_columns(self) -> set[int]:
        """The places of the columns that hold translations to judge."""
        return {at for at, column in enumerate(self.choices.columns) if column.role in (TRANSLATION, "output")}

    @property
    def unsure(self) -> bool:
        """Whether someone should look before the texts are taken."""
        is_guess = any(column.sure is not None and column.sure < SURE for column in self.choices.columns)
        return bool(self.problem) or is_guess or any(self.choices.languages_sure)


def is_table(path: Path) -> bool:
    """Whether a file is a table whose columns can be pointed at; a text in an unknown encoding may be one."""
    from lanner.formats.parsing.tables import table_kind

    suffix = path.suffix.lower()
    return suffix in _SUFFIXES and ((suffix in _TEXT_SUFFIXES and _is_undecodable(path)) or bool(table_kind(path)))


def _is_undecodable(path: Path) -> bool:
    """Whether a file holds something that is neither text in a known encoding nor a workbook of another name."""
    return path.is_file() and path.stat().st_size > 0 and not _encoding(path) and not textfile.is_zip(path)


def preview_table(path: str, name: str, choices: TableChoices, folder: str) -> TablePreview:
    """Look at a table as it was chosen to be read, or as it is guessed; its texts are kept in `folder` where they can
    be read."""
    from lanner.formats.parsing.tables import guess_delimiter, table_kind

    place = Path(path)
    with textfile.decoding(choices.encoding):
        if not choices.encoding and place.suffix.lower() in _TEXT_SUFFIXES and _is_undecodable(place):
            problem = say("The encoding of this file is not known. Choose the one it was saved in.")
            return TablePreview(
                name, choices, (), 0, can_choose_header=False, problem=problem, is_text=True, problem_at=("encoding",)
            )
        preview = _preview(place, name, choices, folder)
        if table_kind(place) not in ("csv", ""):
            return preview
        return replace(preview, is_text=True, encoding=_encoding(place), delimiter=guess_delimiter(place))


def _encoding(path: Path) -> str:
    """The encoding that the bytes of a file show; "" where none does."""
    with textfile.opened(path) as stream:
        sample = stream.read(_SAMPLE)
    encoding = encodings.detect(sample, complete=len(sample) < _SAMPLE)
    return encoding.name.removesuffix("-sig") if encoding else ""


def _preview(place: Path, name: str, choices: TableChoices, folder: str) -> TablePreview:
    from lanner.formats.parsing.tables import first_rows
    from lanner.formats.table import table_rows

    first_look = choices == TableChoices(
        source_language=choices.source_language, target_language=choices.target_language
    )
    raw: list[tuple[int, list[str]]] = []
    try:
        raw = first_rows(place, _ROWS_SEARCHED + _ROWS_SHOWN, delimiter=choices.delimiter)
        rows = table_rows(place, header=choices.header, delimiter=choices.delimiter)
    except LannerError as error:
        if first_look and not raw:
            raise
        first_lines = tuple((line, _samples(cells)) for line, cells in raw[:_ROWS_SEARCHED])
        return TablePreview(name, choices, first_lines, 0, bool(raw), problem=_problem(error))
    guess = _guess_map(rows, choices.pair)
    guesses = _guess_columns(rows, guess)
    if [column.header for column in choices.columns] != rows.header:  # a first look, or another row names the columns
        choices = replace(choices, columns=guesses)
    else:
        beside = zip(choices.columns, guesses, strict=True)
        choices = replace(choices, columns=tuple(_with_guess(column, guessed) for column, guessed in beside))
    sample_rows = _sample_rows_of(raw, rows)
    texts, problem = None, ""
    problem_at: tuple[str, ...] = ()
    try:
        pair = _guess_languages(choices, rows) if first_look else (LanguageGuess(), LanguageGuess())
        texts = take_in(str(place), name, choices.options(), folder, "table", guesses=(pair[0].code, pair[1].code))
        choices = _with_languages(choices, pair, texts.guessed)
    except LannerError as error:
        if first_look and any(column.role == "source" for column in choices.columns):
            raise  # the columns are known: something in a row is wrong, which no menu can mend
        problem = _problem(error)
        headers = error.headers if isinstance(error, ColumnError) else ()
        problem_at = tuple(f"role.{at}" for at, header in enumerate(rows.header) if header in headers)
    return TablePreview(
        name, choices, sample_rows, rows.line if raw else 0, bool(raw), texts, problem, problem_at=problem_at
    )


def _guess_languages(choices: TableChoices, rows: TableRows) -> tuple[LanguageGuess, LanguageGuess]:
    """The languages as they are guessed from the source and the translations."""

    def guess(*roles: str) -> LanguageGuess:
        places = [at for at, column in enumerate(choices.columns) if column.role in roles]
        return guess_language(str(cells[at]) for cells in rows.sample for at in places if at < len(cells) and cells[at])

    return guess("source"), guess(TRANSLATION, "output", REFERENCE)


def _with_languages(
    choices: TableChoices, guesses: tuple[LanguageGuess, LanguageGuess], taken: tuple[bool, bool]
) -> TableChoices:
    """The choices with those guesses that were taken."""
    source, target = (guess if is_taken else LanguageGuess() for guess, is_taken in zip(guesses, taken, strict=True))
    return replace(
        choices,
        source_language=choices.source_language or source.code,
        target_language=choices.target_language or target.code,
        languages_sure=(source.sure, target.sure),
    )


def _problem(error: LannerError) -> str:
    """What is wrong and on which line, and what to do about it, unless it is about columns: there the menus tell."""
    line = error.where.line if error.where is not None else None
    what, _, next_step = parts(error)
    is_told = error.code not in BY_CODE or error.code in ("no_source_column", "no_column")
    problem = say("Line {n}: {what}", n=line, what=what) if line else what
    return problem if is_told or not next_step else f"{problem} {next_step}"


def _sample_rows_of(raw: list[tuple[int, list[str]]], rows: TableRows) -> tuple[tuple[int, tuple[str, ...]], ...]:
    if raw:
        upto = next((at for at, (line, _) in enumerate(raw) if line == rows.line), 0)
        return tuple((line, _samples(cells)) for line, cells in raw[: upto + 1 + _ROWS_SHOWN])
    return tuple(enumerate(map(_samples, rows.sample[:_ROWS_SHOWN]), 1))


def _samples(cells: Sequence[Any]) -> tuple[str, ...]:
    return tuple("" if cell is None else shorten(str(cell), _LETTERS) for cell in cells)


def _guess_map(
    rows: TableRows, pair: tuple[str, str] | None, left_out: Mapping[str, str] = MappingProxyType({})
) -> ColumnMap | None:
    """The map as the table's reader guesses it, of translations into several languages those into the first, and
    without columns of scores of which it is not clear whose they are; None where nothing is known to be the source."""
    try:
        return column_map(rows.header, left_out, sample=rows.sample, pair=pair)
    except InputError as error:
        if error.code == "judge_or_system" and not left_out:
            unclear = set(error.names["columns"].split(", "))
            return _guess_map(rows, pair, {f"ignore:{name}": name for name in rows.header if name in unclear})
        stated = languages.pair(error.names["pair"]) if error.code == "several_languages" else None
        return _guess_map(rows, stated, left_out) if stated not in (None, pair) else None


def _guess_columns(rows: TableRows, guess: ColumnMap | None) -> tuple[ColumnChoice, ...]:
    if guess is None:  # everything is still to be chosen
        return tuple(ColumnChoice(header, LEFT_OUT, sure=0.0) for header in rows.header)
    return tuple(_choice(header, guess) for header in rows.header)


def _with_guess(column: ColumnChoice, guess: ColumnChoice) -> ColumnChoice:
    """A choice beside the guess: as sure as that where they are the same, else with what was guessed."""
    same = column.role == guess.role
    if not same and column.role in (ANSWERS, OTHER):
        column = replace(column, role=LEFT_OUT)
    return replace(column, sure=guess.sure if same else None, guess="" if same else guess.role, known_as=guess.known_as)


def _judged_columns(guess: ColumnMap) -> set[str]:
    """The columns that hold answers, and those that may name judges where texts come again."""
    return {answer.column for answer in guess.answers} | set(guess.judge_candidates or ())


def _choice(header: str, guess: ColumnMap) -> ColumnChoice:
    sure = guess.confidence.get(header)
    for role, column in guess.roles.items():
        if column == header:
            if role in (*PLAIN_ROLES, *LANGUAGE_ROLES):
                return ColumnChoice(header, role, sure=sure)
            return ColumnChoice(header, ANSWERS if role in _JUDGED_ROLES else OTHER, known_as=role)
    for kind, names in ((TRANSLATION, guess.outputs), (REFERENCE, guess.references)):
        for name, column in names.items():
            if column == header:
                return ColumnChoice(header, kind, name, sure)
    return ColumnChoice(header, ANSWERS if header in _judged_columns(guess) else LEFT_OUT)


def _key(column: ColumnChoice) -> str:
    match column.role:
        case "translation":
            return f"system:{column.name or column.header}"
        case "reference":
            return f"reference:{column.name or column.header}"
        case "ignore":
            return f"ignore:{column.header}"
        case "other":
            return column.known_as
        case role:
            return role


def read_choices(form: FormData) -> TableChoices:
    """The menus over the preview, as they were sent."""
    headers = [value for value in form.getlist("column") if isinstance(value, str)]
    selection = []
    for at, header in enumerate(headers):
        role = forms.text(form, f"role.{at}")
        if role not in (*PLAIN_ROLES, *LANGUAGE_ROLES, *NAMED_ROLES, ANSWERS, OTHER):
            role = LEFT_OUT
        selection.append(
            ColumnChoice(header, role, forms.text(form, f"name.{at}").strip() if role in NAMED_ROLES else "")
        )
    number = forms.text(form, "header")
    codes = (forms.text(form, name) for name in ("from", "into"))
    source, target = (code if languages.is_known(code) else "" for code in codes)
    encoding, delimiter = forms.text(form, "encoding"), forms.text(form, "delimiter")
    return TableChoices(
        number if number.isdecimal() else "",
        tuple(selection),
        source,
        target,
        encoding if encoding in ENCODINGS else "",
        delimiter if delimiter in DELIMITERS else "",
    )


def role_titles() -> Mapping[str, str]:
    """What the menus call each role."""
    return {
        "source": say("Source"),
        TRANSLATION: say("Translation by …"),
        "document": say("Document"),
        "segment": say("Segment"),
        "domain": say("Domain"),
        "title": say("Title"),
        REFERENCE: say("Reference …"),
        "system": say("Name of the system"),
        "output": say("Translation by that system"),
        "source_language": say("Source language"),
        "target_language": say("Target language"),
        ANSWERS: say("Judge or answer"),
        OTHER: say("As recognised"),
        LEFT_OUT: say("Leave out"),
    }


def delimiter_titles() -> Mapping[str, str]:
    """What the menu calls each delimiter."""
    names = say("Comma"), say("Semicolon"), say("Tab"), say("Vertical bar")
    return dict(zip(DELIMITERS, names, strict=True))


def language_titles() -> list[tuple[str, str]]:
    """Every language that can be chosen, by its name."""
    return sorted(((code, languages.name(code)) for code in languages.table()), key=lambda entry: entry[1])


# The page on which an organiser says what each column holds, with the table in sight


async def take_table(request: Request, upload: Path) -> Response:
    """Keep a table that was sent. What is certain is taken at once; else its columns are asked about."""
    site: Site = request.app.state.site
    account = request.state.visitor.account.id
    form = await forms.form_of(request)
    folder = site.uploads.place()
    folder.mkdir()
    path = folder / upload.name  # under its own name, which mistakes are told with
    shutil.copyfile(upload, path)
    first = TableChoices(source_language=forms.text(form, "source"), target_language=forms.text(form, "target"))
    texts_path = site.uploads.place()
    preview: TablePreview = await site.files.ask("preview_table", str(path), upload.name, first, str(texts_path))
    table = TableUpload(account, path, texts_path, preview, language())
    token = site.uploads.keep(table)
    if preview.unsure or preview.texts is None:
        return redirect(request, f"/new/{token}/table")
    return _texts_taken(request, table, token)


async def table_page(request: Request) -> Response:
    """The preview with a menu over every column."""
    upload = _upload(request)
    return _shown(request, await _look_at(request, upload, upload.preview.choices), 200)


async def choose_columns(request: Request) -> Response:
    """Look at the table as chosen, or take its texts. What was chosen is kept in either case."""
    upload = _upload(request)
    form = await forms.form_of(request)
    choices = read_choices(form)
    preview = await _look_at(request, upload, choices)
    if forms.text(form, "do") != "take":
        return _shown(request, preview, 200)
    if preview.texts is None or preview.choices != choices:
        return _shown(request, preview, 422 if preview.problem else 200)
    return _texts_taken(request, upload, request.path_params["upload"])


def _upload(request: Request) -> TableUpload:
    site: Site = request.app.state.site
    return site.uploads.find(TableUpload, request.path_params["upload"], request.state.visitor.account.id)


async def _look_at(request: Request, upload: TableUpload, choices: TableChoices) -> TablePreview:
    """The table as chosen, which is read unless that is how it was read last: a large one takes its time."""
    site: Site = request.app.state.site
    if (choices, language()) != (upload.preview.choices, upload.language):
        texts_path = site.uploads.place()
        preview = await site.files.ask("preview_table", str(upload.path), upload.path.name, choices, str(texts_path))
        upload.texts_path.unlink(missing_ok=True)
        upload.preview, upload.language, upload.texts_path = preview, language(), texts_path
    last: TablePreview = upload.preview
    return last


def _texts_taken(request: Request, upload: TableUpload, token: str) -> Response:
    """A copy of the texts, as the table was read last, is what a campaign is made of."""
    site: Site = request.app.state.site
    path = site.uploads.place()
    shutil.copyfile(upload.texts_path, path)
    texts = Upload(upload.account, path, upload.preview.texts, token)
    return redirect(request, f"/new/{site.uploads.keep(texts)}")


def _shown(request: Request, preview: TablePreview, status: int) -> Response:
    context = {
        "preview": preview,
        "upload": request.path_params["upload"],
        "roles": role_titles(),
        "languages": language_titles(),
        "encodings": ENCODINGS,
        "delimiters": delimiter_titles(),
    }
    return page(request, "table.html", context, status)
