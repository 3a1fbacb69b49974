"""Which column of a table holds what: given by the user, or guessed from the header in the spellings people use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lanner.errors import InputError, did_you_mean
from lanner.model import languages

# Best spelling first; letters and digits only, in lower case.
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "document": ("document", "documentid", "doc", "docid", "docname", "articleid", "article", "wmtarticleid", "talk"),
    "segment": (
        *("segment", "segmentid", "seg", "segid", "sentence", "sentenceid", "sentid", "globalsegid", "itemid"),
        *("segmentnumber", "idx", "index", "line", "linenumber", "id", "no", "nr"),
    ),
    "paragraph": ("paragraph", "paragraphid", "para", "par"),
    "domain": ("domain", "genre", "subset"),
    "title": ("title", "headline"),
    "text_type": ("texttype", "type"),
    "note": ("note", "description"),
    "media": ("media", "image", "imageurl", "video", "audio", "url"),
    "source": (
        "source",
        "src",
        "sourcetext",
        "srctext",
        "sourcesentence",
        "sourcesegment",
        "original",
        "input",
        "text",
    ),
    "source_language": ("sourcelanguage", "sourcelang", "srclang", "srclanguage", "langsrc"),
    "target_language": ("targetlanguage", "targetlang", "tgtlang", "tgtlanguage", "trglang", "langtgt"),
    "languages": ("languages", "languagepair", "langpair", "lp"),
    "system": ("system", "sys", "systemid", "systemname", "model", "engine", "mtsystem"),
    "judge": ("judge", "rater", "annotator", "annotatorid", "user", "evaluator", "raterid", "userid"),
    "score": ("score", "rating", "rawscore", "da", "quality"),
    # what our own tables have beside these
    "glossary": ("glossary",),
    "judged": ("judged",),
    "flags": ("flags",),
    "absent": ("absent",),
    "document_meta": ("documentmeta",),
    "segment_meta": ("segmentmeta",),
}
_OUTPUTS = {"target", "tgt", "trg", "mt", "hyp", "hypothesis", "translation", "output", "targettext", "tgttext"}
_OUTPUTS |= {"systemoutput", "mttext", "candidate", "prediction", "machinetranslation", "originaltarget"}
_REFERENCES = {"reference", "ref", "referencetext", "reftext", "human", "humantranslation", "gold", "postedit", "pe"}
_OUTPUT_NAMED = re.compile(
    r"^(?:outputs?|systems?|hyps?|hypothes[ie]s|mt|tgt|target|translations?)([:._ -])(.+)$", re.I
)
_REFERENCE_NAMED = re.compile(r"^(?:references?|refs?)([:._ -])(.+)$", re.I)
_REFERENCE_NUMBERED = re.compile(r"^(?:reference|ref)[A-Z0-9]$", re.I)
_NO_NAMES = {"id", "name", "lang", "language", "context", "score", "length", "len", "tokens", "words", "type"}


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Columns by role, outputs and references by name, and the columns that are kept as they are."""

    roles: Mapping[str, str]
    outputs: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    rest: tuple[str, ...] = ()
    languages: tuple[str, str] | None = None

    def __str__(self) -> str:
        parts = [f"{role}={column}" for role, column in self.roles.items()]
        parts += [f"reference:{name}={column}" for name, column in self.references.items()]
        parts += [f"system:{name}={column}" for name, column in self.outputs.items()]
        text = ", ".join(parts)
        return f"{text}; kept as they are: {', '.join(self.rest)}" if self.rest else text


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.casefold())


def parse(given: str | Mapping[str, str]) -> dict[str, str]:
    """`source=src,system:gpt=mt` as a mapping; names with commas can be given as a JSON object."""
    if isinstance(given, Mapping):
        return dict(given)
    if given.lstrip().startswith("{"):
        try:
            return {str(role): str(column) for role, column in json.loads(given).items()}
        except ValueError as error:
            raise InputError(f"The column map is not JSON: {error}.") from error
    pairs = [part.partition("=") for part in given.split(",") if part.strip()]
    if bad := [role for role, mark, column in pairs if not mark or not role.strip() or not column.strip()]:
        raise InputError(f"{bad[0]!r} is no column map.", next_step="Write role=column, for instance source=src.")
    return {role.strip(): column.strip() for role, _, column in pairs}


def column_map(header: Sequence[str], given: str | Mapping[str, str] = "", system: str = "") -> ColumnMap:
    """The map of a table with this header: what is given, then what can be guessed for the other columns."""
    taken: dict[str, dict[str, str]] = {"roles": {}, "outputs": {}, "references": {}}
    for role, column in parse(given).items():
        if column not in header:
            raise InputError(
                f"There is no column {column!r}.",
                code="no_column",
                names={"column": column, "columns": ", ".join(header)},
                next_step=did_you_mean(column, header),
            )
        group = _group(role)
        taken[group][role if group == "roles" else role.partition(":")[2] or column] = column
    roles, outputs, references = taken["roles"], taken["outputs"], taken["references"]
    free = [name for name in header if name not in {*roles.values(), *outputs.values(), *references.values()}]
    for role, spellings in _SPELLINGS.items():
        found = None if role in roles else _first(spellings, free)
        if found is not None:
            roles[role] = found
            free.remove(found)
    pair = None
    for name in list(free):
        if (named := _named(name)) is not None:
            (outputs if named[0] == "output" else references).setdefault(named[1], name)
            free.remove(name)
    if "source" not in roles:
        pair = _by_language(free, roles, outputs)
    if "source" not in roles:
        raise InputError(
            "No column is known to hold the source text.",
            code="no_source_column",
            names={"column": [*header, "NAME"][0], "columns": ", ".join(header)},
            next_step=f"Columns: {', '.join(header)}. Say which, for instance columns=source={[*header, 'NAME'][0]}.",
        )
    if system and len(outputs) == 1:
        outputs = {system: next(iter(outputs.values()))}
    if "system" in roles:
        outputs = _long(roles, outputs, free)
    return ColumnMap(roles, outputs, references, tuple(name for name in header if name in free), pair)


def _group(role: str) -> str:
    """Whether a role given by the user is that of an output, of a reference or another one."""
    kind, mark, _ = role.partition(":")
    if kind == "reference":
        return "references"
    if kind == "output" or (kind == "system" and mark):
        return "outputs"
    if kind in _SPELLINGS and not mark:
        return "roles"
    known = [*_SPELLINGS, "reference", "reference:NAME", "output", "system:NAME"]
    raise InputError(f"{role!r} is nothing a column can be.", next_step=did_you_mean(role, known))


def _first(spellings: Iterable[str], free: Sequence[str]) -> str | None:
    folded = {_fold(name): name for name in reversed(free)}
    return next((folded[spelling] for spelling in spellings if spelling in folded), None)


def _named(column: str) -> tuple[str, str] | None:
    """Whether a column is an output or a reference, and whose."""
    folded = _fold(column)
    if folded in _OUTPUTS:
        return "output", column
    if folded in _REFERENCES or _REFERENCE_NUMBERED.match(column):
        return "reference", column
    for kind, pattern in (("output", _OUTPUT_NAMED), ("reference", _REFERENCE_NAMED)):
        hit = pattern.match(column)
        if hit and _fold(hit[2]) not in _NO_NAMES:
            return kind, hit[2]
    return None


def _by_language(free: list[str], roles: dict[str, str], outputs: dict[str, str]) -> tuple[str, str] | None:
    """Columns named by language codes: the first is the source, the others are outputs."""
    coded = [
        name for name in free if len(name) <= 7 and re.match(r"^[a-z]{2,3}(?![a-z])", name) and languages.known(name)
    ]
    if len(coded) < 2:
        return None
    roles["source"] = coded[0]
    for name in coded[1:]:
        outputs.setdefault(name, name)
    for name in coded:
        free.remove(name)
    return languages.normal(coded[0]), languages.normal(coded[1]) if len(coded) == 2 else languages.UNDETERMINED


def _long(roles: dict[str, str], outputs: dict[str, str], free: list[str]) -> dict[str, str]:
    """With a column that names the system, one column holds the texts of all; further ones are kept as they are."""
    columns = list(outputs.values())
    if columns:
        roles["output"] = columns[0]
        free += columns[1:]
    return {}
