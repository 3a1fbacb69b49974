"""The pages made from the code: commands, formats, protocols, statistics.

`mkdocs.yml` names this file as a hook: the pages are made when the site is built and are not part of the repository.
`python docs/reference.py FOLDER` writes them to a folder, for reading them without the site.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

sys.path.insert(0, str(Path(__file__).parent))  # a hook is loaded without its folder
import format_pages
from mkdocs.structure.files import File

from lanner import formats, protocols
from lanner.cli import lanner
from lanner.designs._allocate import scenarios
from lanner.protocols.describe import EXPECTED_AGREEMENT
from lanner.protocols.describe import lines as described
from lanner.stats.agreement import COEFFICIENTS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

DOCS = Path(__file__).resolve().parent
_TABLE = "<!-- table of formats -->"

_COMMANDS = """# Command line

`lanner` alone says what can be done next in this folder. `lanner COMMAND --help` prints what stands here.

- **A source is a file, a folder or a campaign.** Commands that take `FILE_OR_CAMPAIGN` look for a path first.
- **The store** is `lanner.sqlite` in this folder, or what `$LANNER_STORE` or `--store` names.
- **`--json`** prints one object on standard output: `command`, `version`, `signature`, `rows`, `notes`. Mistakes go to
  standard error, as an object as well. See [errors and exit codes](errors.md).

Commands are declared in `lanner.cli.commands`; what they do is in the other modules of `lanner.cli`.
"""


def commands_page() -> str:
    """One section for each command, with its help as it is printed 80 columns wide."""
    parts = [_COMMANDS]
    for path, command, context in _commands(lanner, "lanner", None):
        parts.append(f"## {path}\n\n```text\n{_help(command, context)}\n```\n")
    return "\n".join(parts)


def _commands(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=80, **command.context_settings)
    if parent is not None:
        yield context.command_path, command, context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None
            yield from _commands(found, each, context)


def _help(command: click.Command, context: click.Context) -> str:
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


def formats_table() -> str:
    """The formats in a table, for the page that tells what is common to them."""
    rows = ["| name | what it is | written |", "|---|---|---|"]
    writable = formats.titles(writable=True)
    for name, title in formats.titles().items():
        rows.append(f"| [`{name}`](format/{name}.md) | {title} | {'yes' if name in writable else ''} |")
    return "\n".join(rows)


def formats_page() -> str:
    """The page on formats as it is written, with the table of all formats in its place."""
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    assert _TABLE in text, f"formats.md has no line {_TABLE}"
    return text.replace(_TABLE, formats_table())


def protocol_page(name: str) -> str:
    """A protocol as a person reads it, with what agreement to expect and how to begin."""
    expected = EXPECTED_AGREEMENT.get(name)
    title, *rest = described(protocols.load(name))
    parts = [f"{title} (`{name}`)", "", *rest, "", "## Agreement to expect", ""]
    if expected:
        parts += [expected["seen"], "", f"From: {expected['from']}.", "", expected["note"]]
    else:
        parts.append(_NOT_SEEN)
    parts += ["", "## Begin", "", "```", f"lanner protocol show {name}"]
    if not _is_questionnaire(name):
        several = len(scenarios(protocols.load(name))) > 1
        people = '"Ana, Ben, Cleo, Dan" --design latin_square' if several else '"Ana, Ben"'
        parts.append(f"lanner new pilot --texts texts.jsonl --protocol {name} --judges {people}")
    parts += [
        "```",
        "",
        "All protocols: [Protocols](../protocols.md). What agreement means: [Agreement](../agreement.md).",
    ]
    return "\n".join(parts) + "\n"


def _is_questionnaire(name: str) -> bool:
    return all(stage.unit.value == "judge" for stage in protocols.load(name).stages)


_NOT_SEEN = """Nothing is promised here: no published value for this protocol has been recomputed in this project.
Let two or three judges do the same documents first and look at `lanner agreement pilot`; `lanner plan` says from such a
pilot what the whole campaign will show."""

STATISTICS = {  # page: its title, the modules, the page on how to read them
    "agreement": ("Coefficients of agreement", ("agreement", "coefficients"), "agreement.md"),
    "diagnosis": ("What disagreement is made of", ("diagnosis",), "agreement.md"),
    "association": ("Correlation", ("association",), "association.md"),
    "regression": ("Regression and mixed models", ("regression", "mixed"), "regression.md"),
    "preference": ("Preference", ("preference",), "preference.md"),
    "ranking": ("Scores and rankings of systems", ("ranking",), "scores.md"),
    "facets": ("Judges as facets", ("facets",), "facets.md"),
    "context": ("Context", ("context",), "context.md"),
    "effort": ("Effort", ("effort",), "effort.md"),
    "metaeval": ("Meta-evaluation", ("metaeval",), "metaeval.md"),
    "models": ("People and models", ("models",), "people-and-models.md"),
    "planning": ("Planning", ("power",), "planning.md"),
    "questionnaire": ("Questionnaires", ("questionnaire",), "protocols.md"),
}


def statistic_page(family: str) -> str:
    """The statistics of one family: definition, formula and citation, as they stand at the code."""
    title, _, reading = STATISTICS[family]
    parts = [
        f"# {title}: definitions",
        "",
        f"How to read them, with examples: [{reading}](../{reading}).",
        "",
    ]
    for module, name, function in offered(family):
        parts += [f"## {module}.{name}", "", f"`lanner.stats.{module}.{name}`", "", "```text"]
        parts += [*_called(name, function), "```", "", _paragraphs(function), ""]
        parts += [*_reference_values(f"{module}.{name}"), ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def offered(family: str) -> list[tuple[str, str, Callable[..., object]]]:
    """The statistics of a page: module, name, function."""
    _, modules, _ = STATISTICS[family]
    found = [(module, _results(import_module(f"lanner.stats.{module}"))) for module in modules]
    if family == "agreement":
        found.insert(0, ("agreement", dict(COEFFICIENTS)))
    return [(module, name, function) for module, own in found for name, function in sorted(own.items())]


UNSEEN = "(quoted from memory; not checked against the print)"


def _reference_values(statistic: str) -> list[str]:
    """What others printed for a statistic and ours must give, or what is tested where nobody printed anything."""
    listed = tomllib.loads((DOCS / "published.toml").read_text(encoding="utf-8"))
    values = [row for row in listed["value"] if row["statistic"] == statistic]
    lines = [
        f"- {row['source']}: {row['value']:.10g} (to within {row['tolerance']:g})"
        if "value" in row
        else f"- {row['source']}, recomputed by `{row['test'].partition('::')[0]}`"
        for row in values
    ]
    lines = [line if row.get("seen", True) else f"{line} {UNSEEN}" for line, row in zip(lines, values, strict=True)]
    if lines:
        return ["Reference values, which a test recomputes:", "", *lines]
    why = next(row for row in listed["definition"] if row["statistic"] == statistic)
    return [f"No published number: {why['why']}. Tested in `{why['test'].partition('::')[0]}`."]


def _results(module: object) -> dict[str, Callable[..., object]]:
    """What a module offers that answers with a Result."""
    own = getattr(module, "__name__", "")
    return {
        name: each
        for name, each in vars(module).items()
        if inspect.isfunction(each) and name[0] != "_" and each.__module__ == own
        if "Result" in str(inspect.signature(each).return_annotation)
    }


def _called(name: str, function: Callable[..., object]) -> list[str]:
    """The call as one writes it: names and defaults."""
    names = []
    starred = False
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:  # all that follow are given by name
            names.append("*")
            starred = True
        simple = isinstance(each.default, str | int | float | bool | type(None))
        default = "" if each.default is each.empty else f"={each.default!r}" if simple else "=…"
        marks = "**" if each.kind is each.VAR_KEYWORD else ""
        names.append(marks + each.name + default)
    return textwrap.wrap(f"{name}({', '.join(names)})", 100, subsequent_indent="    ")


def _paragraphs(function: Callable[..., object]) -> str:
    """A docstring as Markdown: what Markdown would take for marks is kept as it is."""
    text = inspect.getdoc(function) or ""
    return text.replace("*", r"\*").replace("<", "&lt;")


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "formats.md": formats_page,
    **{f"format/{name}.md": partial(format_pages.page, name) for name in formats.titles()},
    **{f"protocol/{name}.md": partial(protocol_page, name) for name in protocols.names()},
    **{f"statistic/{family}.md": partial(statistic_page, family) for family in STATISTICS},
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the generated pages into the navigation, where it names their folder."""
    config.nav = _expand(config.nav)
    return config


def _expand(entries: list[Any]) -> list[Any]:
    expanded: list[Any] = []
    for entry in entries:
        if isinstance(entry, str) and entry.endswith("/"):
            expanded += [page for page in PAGES if page.startswith(entry)]
        elif isinstance(entry, dict):
            expanded.append({title: _expand(part) if isinstance(part, list) else part for title, part in entry.items()})
        else:
            expanded.append(entry)
    return expanded


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those that lie in the folder."""
    for page, render in PAGES.items():
        if written := files.get_file_from_path(page):
            files.remove(written)
        files.append(File.generated(config, page, content=render()))
    return files


if __name__ == "__main__":
    for page, render in PAGES.items():
        target = Path(sys.argv[1]) / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(render(), encoding="utf-8")
