"""Write the pages that are made from the code: the command line and the formats. Run: python docs/reference.py"""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from lanner import formats, registry
from lanner.cli import lanner

DOCS = Path(__file__).resolve().parent
SAMPLES = DOCS.parent / "tests" / "formats" / "samples"
_MADE = "<!-- Made by docs/reference.py; do not edit. -->"
_LONGEST = 110  # characters of a sample's line that are shown
_LINES = 5

_SAMPLE_FILES: dict[str, tuple[str, ...]] = {
    "appraise": ("appraise/batches.json", "appraise/esa.scores.csv"),
    "appraise_batches": ("appraise/batches.json",),
    "appraise_scores": ("appraise_da.csv", "appraise_mqm.csv"),
    "dela": ("dela.txt",),
    "folder": ("table.csv", "wmt.xml"),
    "h_falcon": ("h_falcon/data/evalset.csv", "h_falcon/human/evalset/judge1.csv", "h_falcon/model/m.jsonl"),
    "label_studio": ("label_studio.json",),
    "mtme": ("mtme/documents/en-de.docs", "mtme/sources/en-de.txt", "mtme/metric-scores/en-de/chrF-refA.seg.score"),
    "native": ("native.jsonl",),
    "parallel": ("parallel/src.txt", "parallel/hyp.oak.txt", "parallel/en-de.docs"),
    "parity": ("parity/documents.csv", "parity/ratings.csv"),
    "pearmut": ("pearmut_answers.jsonl",),
    "table": ("table.tsv",),
    "tmx": ("memory.tmx",),
    "wmt24pp": ("wmt24pp.jsonl",),
    "wmt_mqm": ("mqm.en-de.tsv",),
    "wmt_xml": ("wmt.xml",),
    "xliff": ("unit20.xlf",),
}

_COMMANDS = """# Command line

{made}

`lanner` alone says what can be done next in this folder. `lanner COMMAND --help` prints what stands here.

- **A source is a file, a folder or a campaign.** Commands that take `FILE_OR_CAMPAIGN` look for a path first.
- **The store** is `lanner.sqlite` in this folder, or what `$LANNER_STORE` or `--store` names.
- **`--json`** prints one object on standard output: `command`, `version`, `signature`, `rows`, `notes`. Mistakes go to
  standard error, as an object as well. See [errors and exit codes](errors.md).

The code is in `lanner.cli`, one file for each command.
"""

_FORMATS = """# Formats one by one

{made}

What is common to all of them is on the page [formats](formats.md); the code is `lanner.formats`, one file for each.
Options are given as `--option NAME=VALUE`.
"""


def commands_page() -> str:
    """One section for each command, with its help as it is printed 80 columns wide."""
    parts = [_COMMANDS.format(made=_MADE)]
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


def formats_page() -> str:
    """One section for each format: what it is, its options, and a few lines of it."""
    readable = {name: registry.module("formats", name) for name in formats.titles()}
    writable = formats.titles(writable=True)
    parts = [_FORMATS.format(made=_MADE), "| name | what it is | read | written |\n|---|---|---|---|"]
    for name, title in formats.titles().items():
        read = "yes" if hasattr(readable[name], "read") else "no"
        parts.append(f"| [`{name}`](#{name}) | {title} | {read} | {'yes' if name in writable else 'no'} |")
    for name, module in readable.items():
        parts += [f"\n## {name}\n", inspect.cleandoc(module.__doc__ or ""), ""]
        if known := formats.options(name):
            parts += ["| option | meaning |\n|---|---|", *(f"| `{key}` | {text} |" for key, text in known.items()), ""]
        parts += ["```text", *_sample(name), "```"]
    return "\n".join(parts) + "\n"


def _sample(name: str) -> Iterator[str]:
    files = _SAMPLE_FILES[name]
    for file in files:
        text = (SAMPLES / file).read_text(encoding="utf-8-sig").rstrip("\n")
        if file.endswith(".json"):  # laid out over many lines, the first five of which would say nothing
            text = textwrap.fill(json.dumps(json.loads(text), ensure_ascii=False), _LONGEST)
        lines = text.splitlines()
        if len(files) > 1:
            yield f"{file}:"
        wanted = max(2, _LINES - len(files)) if len(files) > 1 else _LINES
        yield from (line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()} …" for line in lines[:wanted])
        if len(lines) > wanted:
            yield "…"


PAGES = {"commands.md": commands_page, "format-reference.md": formats_page}

if __name__ == "__main__":
    for page, made in PAGES.items():
        (DOCS / page).write_text(made(), encoding="utf-8")
