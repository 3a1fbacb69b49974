"""A folder of plain text files, one segment a line: a source, references, outputs, and a `.docs` file if there is one.

Names tell which is which: `src` or `source` in a name is the source, `ref…` a reference, all others are outputs, as in
`src.txt`, `ref.A.txt`, `hyp.Online-B.txt` or `newstest.en-de.ref.B.de`. Options say it where names do not.

Folders `src`, `ref` and others of the same file names hold a document in each file; so do files of the same names with
endings that say which text it is, `talk1.src`, `talk1.mt`, `talk2.src`, `talk2.mt`. Of folders or endings of which one
is a language and the others are not, that one holds the source.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.aligned import (
    AlignedFiles,
    AlignedTexts,
    keep_newline,
    names_of,
    read_aligned,
    write_lines,
    write_places,
)
from lanner.formats.parsing.readings import UNKNOWN_LANGUAGES, Format, Reading, TextStream
from lanner.formats.parsing.textfile import refuse_answers, replacing
from lanner.formats.parsing.values import file_languages
from lanner.model import Document, Judge, Judgement
from lanner.model import languages as language_codes
from lanner.model.languages import UNDETERMINED

_SKIPPED = (
    ".json",
    ".jsonl",
    ".csv",
    ".tsv",
    ".xml",
    ".md",
    ".docs",
    ".docids",
    ".score",
    ".rating",
    ".parquet",
    ".xlsx",
)
_ROLES = {"src": "source", "source": "source", "sources": "source", "hyp": "", "mt": "", "sys": "", "system": ""}


def recognise(path: Path) -> bool:
    """A folder with one source file beside `.docs` or other texts."""
    if not path.is_dir():
        return False
    files = _files(path)
    sources = [file for file in files if _role(file)[0] == "source"]
    return (len(sources) == 1 and (len(files) > 1 or _docs(path, "") is not None)) or bool(_sides(path))


def accepts_options(path: Path, *, source: str = "", **_: Any) -> bool:
    """Whoever says which of several folders or endings holds the source says that they are texts."""
    return bool(source) and path.is_dir() and bool(_sides(path, source))


def explain(path: Path) -> None:
    """Say what is wrong with a folder of texts in several languages of which none is called the source."""
    if path.is_dir() and (sides := list(_same_documents(path))):
        raise InputError(
            f"Which of {', '.join(sides)} holds the source texts is not said.",
            code="no_source_file",
            where=Where(path.name),
            next_step=f"Call it src, or say it: --option source={sides[0]}.",
        )
    files = _files(path) if path.is_dir() else []
    names = [_bare(file).name.split(".") for file in files]
    if not 1 < len(files) < 10 or not all(len(_without_language(parts)) < len(parts) for parts in names):
        return
    first, second = names[0][-1], names[1][-1]
    raise InputError(
        f"Which of {', '.join(file.name for file in files)} holds the source text is not said.",
        code="no_source_file",
        where=Where(path.name),
        next_step=f"Name the files src.{first} and hyp.{second}, or the other way round. On the command line the first "
        f"file is the source: lanner import {shlex.join(file.name for file in files[:2])}.",
    )


def read(path: Path, **options: str) -> list[Reading]:
    """All documents of the folder."""
    files = texts(path, **options)
    documents = tuple(files.documents)
    return [Reading(path.name, documents, notes=tuple(files.notes))]


def texts(path: Path, **options: str) -> TextStream:
    """The documents one by one, with what is to be told of them."""
    files = _find_aligned(path, **options)
    stream = TextStream(path.name, iter(()))
    stream.notes.append(f"{_describe_files(files[0], path)}.")
    if len(files) > 1:
        stream.notes.append(f"{len(files)} documents, each a file of its own.")
    elif files[0].documents is None:
        stream.notes.append("No .docs file says which documents there are, so all lines are one.")
    if UNDETERMINED in files[0].languages:
        stream.notes.append(UNKNOWN_LANGUAGES)

    def documents() -> Iterator[Document]:
        canaries = 0
        for document in (document for each in files for document in read_aligned(each)):
            canaries += sum("canary" in segment.flags for segment in document)
            yield document
        if canaries:
            stream.notes.append(f"{canaries} canary lines are kept, flagged and not judged.")

    stream.documents = documents()
    return stream


def read_documents(path: Path, **options: str) -> Iterator[Document]:
    """The documents one by one."""
    for files in _find_aligned(path, **options):
        yield from read_aligned(files)


def read_files(paths: Sequence[Path], **options: str) -> list[Reading]:
    """Text files named one by one: the first is the source unless the names or `source` tell otherwise."""
    files = _chosen_files(paths, **options)
    documents = tuple(read_aligned(files))
    notes = [f"{_describe_files(files)}."]
    if files.documents is None:
        notes.append("No .docs file says which documents there are, so all lines are one.")
    if UNDETERMINED in files.languages:
        notes.append(UNKNOWN_LANGUAGES)
    return [Reading(files.source.name.split(".")[0], documents, notes=tuple(notes))]


def guess_files(paths: Sequence[Path]) -> str:
    """Which of several files is taken for what."""
    return f"{_describe_files(_chosen_files(paths))}."


def _describe_files(files: AlignedFiles, folder: Path | None = None) -> str:
    references, outputs = _list_names(files.references), _list_names(files.outputs)
    source = files.source.relative_to(folder) if folder else files.source.name
    return f"Source: {source}; references: {references}; outputs: {outputs}"


def _chosen_files(
    paths: Sequence[Path], *, source: str = "", docs: str = "", languages: str = "", newline: str = ""
) -> AlignedFiles:
    texts = [path for path in paths if _bare(path).suffix not in (".docs", ".docids")]
    places = Path(docs) if docs else next((path for path in paths if path not in texts), None)
    matches = [path for path in texts if source in (str(path), path.name)] if source else []
    matches = matches or [path for path in texts if _role(path)[0] == "source"]
    source_file = matches[0] if matches else texts[0]
    outputs: dict[str, Path] = {}
    references: dict[str, Path] = {}
    for path in texts:
        if path == source_file:
            continue
        role, name = _role(path)
        if role == "source" or name in ("", _role(source_file)[1]):
            role, name = "output", _language_of(path) or path.name
        group = references if role == "reference" else outputs
        while name in group:
            name = f"{name}-{len(group) + 1}"
        group[name] = path
    pair = (
        language_codes.pair(languages)
        if languages
        else _pair_of(source_file, [*outputs.values(), *references.values()])
    )
    if UNDETERMINED in pair:
        pair = next((each for each in map(file_languages, texts) if UNDETERMINED not in each), pair)
    return AlignedFiles(source_file, pair, references, outputs, places, newline)


def _pair_of(source: Path, translations: Iterable[Path]) -> tuple[str, str]:
    """The languages that the ends of the files' names say."""
    return _language_of(source) or UNDETERMINED, _target({path.name: _language_of(path) for path in translations})


def _target(languages: Mapping[str, str]) -> str:
    """The language that all names of translations say, as far as they say one; of variants the first one's."""
    named = [(name, code) for name, code in languages.items() if code]
    for name, code in named:
        (first_name, first), language = named[0], language_codes.name(code)
        if code.split("-")[0] != first.split("-")[0]:
            raise InputError(
                f"{first_name} is in {language_codes.name(first)} by its name, {name} in {language}.",
                code="languages_of_files",
                names={"first": first_name, "second": name},
                where=Where(name),
                next_step="Read each language by itself, with the source. If the names mean something else, say the "
                "languages: --languages en-ko, for example.",
            )
    return named[0][1] if named else UNDETERMINED


def _language_of(path: Path) -> str:
    """The language that the end of a file's name says: `news.en`, `news.ko.txt`."""
    parts = _bare(path).name.removesuffix(".txt").split(".")
    is_code = len(parts) > 1 and re.fullmatch(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?", parts[-1])
    return _language_called(parts[-1]) if is_code else ""


def _language_called(word: str) -> str:
    """The language that a word in a name stands for: `mt` is machine translation, not Maltese."""
    return language_codes.normal(word) if word not in _ROLES and language_codes.is_known(word) else ""


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    languages: str = "",
    newline: str = "",
) -> None:
    """`src.txt`, `ref.NAME.txt`, `hyp.NAME.txt` and `SOURCE-TARGET.docs`, in a new folder."""
    all_documents = list(documents)
    refuse_answers(path, "Plain text holds no judgements.", judgements, judges)
    pair = languages or single_pair(all_documents, path)
    references, systems = names_of(all_documents)
    with replacing(path) as folder:
        folder.mkdir()
        write_lines(folder / "src.txt", all_documents, AlignedTexts("source", newline=newline))
        for name in references:
            write_lines(folder / f"ref.{name}.txt", all_documents, AlignedTexts("reference", name, newline))
        for name in systems:
            write_lines(folder / f"hyp.{name}.txt", all_documents, AlignedTexts("output", name, newline))
        write_places(folder / f"{pair}.docs", all_documents)
        keep_newline(folder, newline)


def single_pair(documents: Sequence[Document], path: Path) -> str:
    """The language pair that all documents share."""
    pairs = sorted({(document.source_language, document.target_language) for document in documents})
    if len(pairs) != 1:
        what = f"The texts have several language pairs: {', '.join(map('-'.join, pairs))}." if pairs else "No texts."
        raise InputError(
            what,
            code="several_pairs" if pairs else "",
            where=Where(path),
            next_step="This format holds one pair: take another format, or texts of one pair.",
        )
    ((source, target),) = pairs
    return f"{source.replace('-', '_')}-{target.replace('-', '_')}"


def _list_names(files: Iterable[str]) -> str:
    return ", ".join(files) or "none"


def _files(path: Path) -> list[Path]:
    return sorted(
        file
        for file in path.iterdir()
        if file.is_file() and not file.name.startswith(".") and _bare(file).suffix.lower() not in _SKIPPED
    )


def _bare(file: Path) -> Path:
    """The name without the ending of its compression."""
    return Path(file.stem) if file.suffix in (".gz", ".zst") else Path(file.name)


def _docs(path: Path, name: str) -> Path | None:
    if name:
        return path / name
    files = [file for file in sorted(path.iterdir()) if _bare(file).suffix in (".docs", ".docids")]
    return files[0] if len(files) == 1 else None


def _role(file: Path) -> tuple[str, str]:
    """source, reference or output, and the name it goes by."""
    name = _bare(file)
    is_txt = name.suffix.lower() == ".txt"
    parts = name.stem.split(".") if is_txt else list(_without_language(name.name.split(".")))
    for position, part in enumerate(parts):
        word = part.casefold()
        rest = ".".join(parts[position + 1 :])
        if _ROLES.get(word) == "source":
            return "source", ""
        if word in ("ref", "reference"):
            return "reference", rest or "ref"
        if re.fullmatch(r"ref[a-z0-9]", word):
            return "reference", part
        if word in _ROLES and rest:
            return "output", rest
    return "output", ".".join(parts) or name.name


def _without_language(parts: Sequence[str]) -> Sequence[str]:
    last = parts[-1] if parts else ""
    return (
        parts[:-1]
        if len(last) in (2, 3) and last.islower() and language_codes.is_known(last) and len(parts) > 1
        else parts
    )


def _sides(path: Path, source: str = "") -> dict[str, dict[str, Path]]:
    """The texts of each document by what they are, the source first: in folders with the same file names, or in files
    with the same names and several endings. Empty where there are none, or where none is known to be the source."""
    sides = _same_documents(path)
    named = [side for side in sides if side == source or (not source and _ROLES.get(side.casefold()) == "source")]
    in_language = [side for side in sides if language_codes.is_known(side) and len(side) < 4 and side not in _ROLES]
    sources = named or ([] if source else in_language)
    if len(sources) != 1:
        return {}
    return {sources[0]: sides[sources[0]], **sides}


def _same_documents(path: Path) -> dict[str, dict[str, Path]]:
    """The files of each document, by folders or by endings that have the same documents; empty where they have not."""
    folders = sorted(folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    sides = {folder.name: {_bare(file).stem: file for file in _files(folder)} for folder in folders}
    if not folders:
        for file in _files(path):
            name, _, side = _bare(file).name.removesuffix(".txt").rpartition(".")
            sides.setdefault(side, {})[name] = file
    documents = {frozenset(names) for names in sides.values()}
    are_several = bool(folders) or all(len(names) > 1 for names in sides.values())
    is_named = len(documents) == 1 and all(all(names) and names for names in documents) and all(sides)
    return sides if len(sides) > 1 and are_several and is_named else {}


def _find_aligned(
    path: Path, *, source: str = "", docs: str = "", languages: str = "", newline: str = ""
) -> list[AlignedFiles]:
    """The files that belong together: all of a folder, or for folders that hold a document in each file, those of each
    document."""
    if sides := _sides(path, source):
        first, *others = sides
        codes = language_codes.pair(languages) if languages else _languages_of(path, first, others)
        references = [name for name in others if name.casefold().startswith("ref")]
        return [
            AlignedFiles(
                file,
                codes,
                {name: sides[name][stem] for name in references},
                {name: sides[name][stem] for name in others if name not in references},
                None,
                newline,
                stem,
            )
            for stem, file in sides[first].items()
        ]
    return [_aligned_folder(path, source, docs, languages, newline)]


def _languages_of(path: Path, source: str, others: Sequence[str]) -> tuple[str, str]:
    """The languages that the name of a folder says, or else those that its folders or endings are called after."""
    named = _language_called(source) or UNDETERMINED, _target({name: _language_called(name) for name in others})
    return named if UNDETERMINED in file_languages(path) else file_languages(path)


def _aligned_folder(path: Path, source: str, docs: str, pair: str, newline: str) -> AlignedFiles:
    files = _files(path)
    source_file = path / source if source else next((file for file in files if _role(file)[0] == "source"), None)
    if source_file is None or not source_file.is_file():
        textfile.failed(path, "No file is known to hold the source.", next_step="Say which with source=FILE.")
    files_by_role: dict[str, dict[str, Path]] = {"reference": {}, "output": {}}
    for file in files:
        role, name = _role(file)
        if file != source_file and role != "source":
            if name in files_by_role[role]:
                textfile.failed(file, f"{files_by_role[role][name].name} would have the same name, {name!r}.")
            files_by_role[role][name] = file
    documents = _docs(path, docs)
    candidates = [file_languages(each) for each in (documents or source_file, source_file, path)]
    translations = [path for group in reversed(files_by_role.values()) for path in group.values()]
    named = ("", "") if pair else _pair_of(source_file, translations)
    language_pair = next((each for each in candidates if each[0] != UNDETERMINED), named)
    return AlignedFiles(
        source_file,
        language_codes.pair(pair) if pair else language_pair,
        files_by_role["reference"],
        files_by_role["output"],
        documents,
        newline,
    )


FORMAT = Format(
    name="parallel",
    title="a folder of plain text files, one segment a line, with .docs",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    texts=texts,
    write=write,
    explain=explain,
    accepts_options=accepts_options,
    options={
        "source": "the source file, folder or ending, if its name does not say so",
        "docs": "the file with DOMAIN and DOCUMENT for each line",
        "languages": "the language pair, for instance en-de",
        "newline": "what stands for a line break inside a segment, for instance <br>",
    },
    signs={"folder": ("src*", "hyp*")},
    folder=True,
)
