"""Prompts as files: a TOML file with a name and a version, and the words in it or in text files next to it.

    name = "mine"
    version = 1
    title = "Short instructions"
    protocols = ["h_falcon"]          # none: fits every protocol
    rationale = true                  # reasons are written before the scores
    system_file = "mine.system.txt"   # or system = '''…'''
    user_file = "mine.user.txt"

The words are Jinja templates over the variables in `VARIABLES`. A file is checked before anyone is asked: unknown
variables, a reply's form that is never described and texts that are never shown are mistakes with file and line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.sandbox import SandboxedEnvironment

from lanner import registry
from lanner.errors import InputError, LannerError, Where, check_known, did_you_mean
from lanner.protocols.reading import TomlLines

DEFAULT = "judge"
GROUP = "judges.prompts"
PARTS = ("system", "user", "sentences")
SHARED = {
    "words": 'the protocol\'s words: words.line("instructions"), words.stage(id, "instructions"), words.question(id)',
    "stages": "the stages that are asked about",
    "asked": "the questions, each with .question, .options (id and words), .chosen, .bounds, .number and .rules",
    "form": "the form of the reply, described in words; it must be somewhere",
    "rationale": "whether reasons are to be written before the scores",
    "source_language": "the name of the source language",
    "target_language": "the name of the target language",
    "many": "whether many sentences are asked about at once",
}
VARIABLES: Mapping[str, Mapping[str, str]] = {
    "system": SHARED,
    "user": SHARED
    | {
        "document": "the document as people see it: .title, .domain, .text_type, .note, .glossary",
        "texts": "the sentences shown, each with .source, .outputs, .reference and .asked; they must be somewhere",
        "answered": "the judge's own earlier answers, as pairs of label and value",
    },
    "sentences": SHARED
    | {
        "document": "the document as people see it: .title, .domain, .text_type, .note, .glossary",
        "lines": "the sentences as (line, number or none, earlier answers); they must be somewhere",
    },
}
_NEEDED = {"user": "texts", "sentences": "lines"}
_KEYS = {
    "name": str,
    "version": int,
    "title": str,
    "after": str,
    "protocols": list,
    "rationale": bool,
    "examples": list,
    **dict.fromkeys(PARTS, str),
    **{f"{part}_file": str for part in PARTS},
}
_OPTIONS: dict[str, Any] = {
    "autoescape": False,  # the result is plain text for a model, never HTML
    "trim_blocks": True,
    "lstrip_blocks": True,
    "undefined": jinja2.StrictUndefined,
    "keep_trailing_newline": False,
}
_shipped = jinja2.Environment(**_OPTIONS)
_own = SandboxedEnvironment(**_OPTIONS)


@dataclass(frozen=True)
class Template:
    """The words of a prompt. `examples` are turns shown before the question, as (question, reply) pairs."""

    name: str
    version: int
    system: str
    user: str
    sentences: str = ""
    title: str = ""
    after: str = ""
    protocols: tuple[str, ...] = ()
    rationale: bool = False
    examples: tuple[tuple[str, str], ...] = ()
    shipped: bool = False
    path: str = ""
    lines: Mapping[str, tuple[str, int]] = field(default_factory=dict, compare=False)
    """Where the words of each part stand: file and the line before their first."""

    @property
    def digest(self) -> str:
        """Changes with any word and any switch."""
        parts = (self.name, str(self.version), self.system, self.user, self.sentences, str(self.rationale))
        turns = (text for pair in self.examples for text in pair)
        return hashlib.sha256("\x00".join((*parts, *turns)).encode()).hexdigest()[:8]

    @property
    def label(self) -> str:
        """How it is stored with each judgement: name and version; of a file of one's own the digest as well, since
        nobody else can look it up."""
        switch = "+rationale" if self.rationale else ""
        return f"{self.name}-{self.version}{switch}" + ("" if self.shipped else f"@{self.digest}")

    def part(self, name: str) -> jinja2.Template:
        """One part, ready to be filled."""
        return _parse(getattr(self, name), self.shipped)

    @property
    def turns(self) -> tuple[Mapping[str, str], ...]:
        """Examples that belong to the prompt itself, as messages before the question."""
        return tuple(
            {"role": role, "content": text.strip()}
            for pair in self.examples
            for role, text in zip(("user", "assistant"), pair, strict=True)
        )

    def require(self, protocol: str) -> None:
        """Refuse a protocol that the prompt was not written for."""
        if self.protocols and protocol not in self.protocols:
            raise LannerError(
                f"The prompt {self.name} is for {', '.join(self.protocols)}, not for {protocol}.",
                next_step=f"Give --prompt {DEFAULT}, or one for {protocol}: lanner prompt show lists them.",
            )


@cache
def _parse(text: str, shipped: bool) -> jinja2.Template:
    parsed = (_shipped if shipped else _own).from_string(text)
    parsed.globals = dict(parsed.globals)  # a chain of mappings is copied for every prompt, and slowly
    return parsed


def names() -> tuple[str, ...]:
    """Prompts that are shipped or that other packages add."""
    return registry.names(GROUP, ".toml")


def default() -> Template:
    """The prompt that fits every protocol."""
    return load(DEFAULT)


def load(name: str) -> Template:
    """A prompt by its name, or from a file. The first mistake in it is raised."""
    if Path(name).suffix == ".toml":
        return _load(Path(name), shipped=False)
    path = registry.data_file(GROUP, name, ".toml")
    if path is None:
        raise LannerError(
            f"There is no prompt called {name!r}.",
            next_step=f"{did_you_mean(name, names())} A file of your own ends in .toml.".strip(),
        )
    return _load_shipped(path)


@cache
def _load_shipped(path: Path) -> Template:
    """Checked once in a process: to look for mistakes takes a fifth of a second."""
    return _load(path, shipped=True)


def _load(path: Path, *, shipped: bool) -> Template:
    template = _read(path, shipped)
    if problems := mistakes(template):
        raise problems[0]
    return template


def _read(path: Path, shipped: bool) -> Template:
    text = registry.read_text(path, "prompt")
    table = registry.toml_table(text, path)
    places = TomlLines(text)
    for key, value in table.items():
        where = Where(path, places.find((key,)))
        check_known(key, _KEYS, f"{key!r} is no part of a prompt.", InputError, where=where)
        if not isinstance(value, _KEYS[key]) or (isinstance(value, bool) and _KEYS[key] is not bool):
            raise InputError(f"{key} must be {_WORDS[_KEYS[key]]}.", where=where)
    for key in ("name", "version"):
        if not table.get(key):
            raise InputError(f"A prompt needs a {key}.", where=Where(path), next_step=f"Give {key} = … in its TOML.")
    parts: dict[str, str] = {}
    lines: dict[str, tuple[str, int]] = {}
    for part in PARTS:
        parts[part], lines[part] = _words(path, table, part, places)
    return Template(
        name=table["name"],
        version=table["version"],
        title=table.get("title", ""),
        after=table.get("after", ""),
        protocols=tuple(map(str, table.get("protocols", ()))),
        rationale=table.get("rationale", False),
        examples=tuple(_turn(entry, path) for entry in table.get("examples", ())),
        shipped=shipped,
        path=str(path),
        lines=lines,
        **parts,
    )


_WORDS: dict[type, str] = {str: "text", int: "a whole number", bool: "true or false", list: "a list"}


def _words(path: Path, table: Mapping[str, Any], part: str, places: TomlLines) -> tuple[str, tuple[str, int]]:
    """The words of a part, from the TOML or from its text file, and where they begin."""
    if part in table and f"{part}_file" in table:
        raise InputError(
            f"{part} is given twice.", where=Where(path, places.find((part,))), next_step=f"Leave out {part}_file."
        )
    if f"{part}_file" in table:
        file = path.parent / table[f"{part}_file"]
        try:
            return file.read_text(encoding="utf-8"), (str(file), 0)
        except (OSError, UnicodeDecodeError) as error:
            where = Where(path, places.find((f"{part}_file",)))
            raise InputError(f"{file.name} cannot be read: {error}.", where=where) from error
    first = places.find((part,)) or 1
    starts_below = path.read_text(encoding="utf-8").splitlines()[first - 1].rstrip().endswith(('"""', "'''"))
    return table.get(part, ""), (str(path), first if starts_below else first - 1)


def _turn(entry: Any, path: Path) -> tuple[str, str]:
    if not isinstance(entry, Mapping) or set(entry) != {"question", "reply"}:
        raise InputError(
            "An example has a question and a reply, and nothing else.",
            where=Where(path),
            next_step='Give [[examples]] with question = "…" and reply = "…".',
        )
    return str(entry["question"]), str(entry["reply"])


def mistakes(template: Template) -> list[InputError]:
    """Everything that is wrong with the words of a prompt, in their order."""
    problems: list[InputError] = []
    used: dict[str, set[str]] = {}
    for part in PARTS:
        text = getattr(template, part)
        if not text.strip():
            if part == "user":
                where = Where(template.path or None)
                problems.append(InputError("A prompt needs the user's words.", where=where, next_step="Give user."))
            continue
        try:
            tree = _own.parse(text)
        except jinja2.TemplateSyntaxError as error:
            problems.append(InputError(f"{error.message}.", where=_place(template, part, error.lineno)))
            continue
        used[part] = set(meta.find_undeclared_variables(tree))
        problems += _unknown_variables(template, part, tree, used[part])
    for part, needed in _NEEDED.items():
        if part in used and needed not in used[part]:
            where = _place(template, part, 1)
            problems.append(InputError(f"{needed} is never used, so a model would see no texts.", where=where))
    if used and not problems and not any("form" in used.get(part, ()) for part in ("system", "user")):
        problems.append(
            InputError(
                "The form of the reply is never described.",
                where=_place(template, "user", 1),
                next_step="Use {{ form }}: not every server holds a model to a schema.",
            )
        )
    if template.rationale and not any("rationale" in names for names in used.values()):
        problems.append(
            InputError(
                "Reasons are to come before the scores, but no words ask for them.",
                where=_place(template, "user", 1),
                next_step="Use {% if rationale %} … {% endif %}.",
            )
        )
    return problems


def _unknown_variables(template: Template, part: str, tree: nodes.Template, used: set[str]) -> list[InputError]:
    lines = {node.name: node.lineno for node in reversed(list(tree.find_all(nodes.Name)))}
    return [
        InputError(
            f"There is no variable {name!r} in {part}.",
            where=_place(template, part, lines.get(name, 1)),
            next_step=did_you_mean(name, VARIABLES[part]),
        )
        for name in sorted(used - set(VARIABLES[part]), key=lambda name: lines.get(name, 0))
    ]


def render(template: Template, part: str, view: Mapping[str, Any]) -> str:
    """A part with its variables filled in; what the words ask for and is not there is an error with its line."""
    try:
        return template.part(part).render(view).strip()
    except jinja2.TemplateError as error:
        raise InputError(f"{error}.", where=_place(template, part, _line_of(error))) from error


def _line_of(error: Exception) -> int:
    """The line of the template that an error came from: its frame is the last one without a file."""
    line, trace = 1, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _place(template: Template, part: str, line: int) -> Where:
    file, before = template.lines.get(part, (template.path, 0))
    return Where(file or template.name, before + line, item=part)


def shown_variables(parts: Sequence[str] = PARTS) -> list[dict[str, str]]:
    """The variables as rows, for a table."""
    return [
        {"part": part, "variable": name, "what it holds": words}
        for part in parts
        for name, words in VARIABLES[part].items()
    ]
