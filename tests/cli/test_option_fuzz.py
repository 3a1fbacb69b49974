"""Odd values for every option and argument of every command: taken or refused in a sentence, never a traceback, never
without end. The options are those of the commands themselves, so that a new one is tried too.

The short form gives each one of the values, another for each; with LANNER_FUZZ=1 all of them. An option that
many commands share is one piece of code, and so are settings as the options they were: the short form tries every
fifth of these.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from zlib import crc32

import click
import pytest

from cli.command import Command
from lanner import campaign
from lanner.cli import lanner as program
from lanner.errors import ExitCode
from lanner.judges import plan
from lanner.store import Store
from web_clients import complete, open_campaign

EVERYTHING = bool(os.environ.get("LANNER_FUZZ"))
CPU_SECONDS = 40
TEXTS = (
    "", " ", "-", "--", "0", "-1", "1e999", "nan", "inf", "9" * 30, "9" * 5000, "²", "½", "1.5", "\udcff",
    "\ud800", "é" * 300,
    "\u202ex", "../..", "/", "/dev/null/x", "/etc/shadow/x", "missing.csv", "a folder",
    "a name with spaces.csv", "x" * 5000,
    "a=b=c", "=", "==", ",", ",,,", ";", ":", "a:b", "[", "{", "(", "*", "\\", "'", '"', "%s", "{0.__class__}",
    "\n", "\t",
    "http://[", "postgresql://", "postgresql://[", "sqlite://", "mysql://x", "file:///x", "trial", "J1",
    "holistic", "en-ko",
    "Ana Maria de la Cruz, " * 20, "empty.csv", "header.csv", "bytes.bin",
)  # fmt: skip
NUMBERS = ("0", "-1", "1", "9" * 30, "nan", "inf", "1e308", "-0.0", "", "²", "x", "1" * 5000)
ARGUMENTS = {
    "name": "trial", "source": "trial", "judge": "J1", "judges": "Cleo, Dae", "path": "table.csv",
    "paths": "table.csv",
    "as_name": "second", "leaving": "J1", "coming": "Cleo", "document": "doc0", "segment": "0", "copy": "copy.sqlite",
    "url": "https://example.org/x", "number": "1", "state": "pause", "sources": "trial", "given": "bleu",
    "text": "Note.",
    "changes": "deadline=2030-01-01", "model": "J2", "files": "replies.jsonl",
}  # fmt: skip
"""What an argument is where it is not the odd one."""
NEEDED = {
    "campaign add-overlap": ["--judges", "J1", "--documents", "doc0"],
    "campaign leave-out": ["--reason", "away"],
    "campaign delete": ["--typed", "nothing"],
    "campaign forget": ["--typed", "nothing"],
    "export": ["--out", "out.csv"],
    "judge": ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--dry-run"],
    "new": ["--texts", "table.csv", "--protocol", "da", "--judges", "2"],
    "design": ["--texts", "table.csv", "--protocol", "da", "--judges", "2"],
    "promote": ["--page", "label"],
    "regress": ["--outcome", "holistic", "--blocks", "sentence"],
    "agreement": ["--resamples", "20"],
    "associate": ["--of", "sentence,holistic", "--resamples", "20"],
    "report": ["--out", "report", "--resamples", "20", "--svg-only"],
    "compare": ["--out", "compared", "--resamples", "20", "--svg-only"],
    "plan": ["--documents", "5", "--studies", "5"],
    "prepare": ["--out", "prepared", "--describe-only"],
    "webhooks add": ["--campaign", "trial"],
    "audit": ["--texts", "trial", "--base-url", "http://127.0.0.1:9/v1", "--sentences", "3", "--samples", "2"],
    "campaign training": ["--since", "2026-11-18"],
    "tokens add": ["--scope", "judgements"],
    "prompt try": ["--protocol", "da", "--texts", "table.csv"],
}
REPLACED = {"protocol show": ["h_falcon"], "protocol check": ["h_falcon"], "formats": ["table"], "new": ["fresh"],
            "reproduce": ["--list"], "metric": ["bleu", "table.csv"], "metaeval": ["table.csv"],
            "prompt try": ["judge"], "prompt check": ["judge"], "prompt show": ["judge"],
            "accounts add": ["Olga"], "accounts change": ["Ann"]}  # fmt: skip
"""Commands whose arguments are others than the usual."""
LEFT_OUT = {"demo"}  # makes a campaign and serves it: its own tests


def commands(group: click.Command = program, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, (*path, name))
    else:
        yield " ".join(path), group


COMMANDS = {name: command for name, command in commands() if name not in LEFT_OUT}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, a backup and files of several kinds."""
    folder = tmp_path_factory.mktemp("prepared")
    with Store.open(folder / "lanner.sqlite") as store:
        open_campaign(store)
        for judge in ("J1", "J2"):
            for task in campaign.tasks(store, "trial", judge):
                for item in range(len(task.items)):
                    campaign.submit(store, task.id, item, complete(), submission=f"{task.id}-{item}", active=5.0)
    shutil.copyfile(folder / "lanner.sqlite", folder / "copy.sqlite")
    rows = "".join(f"d{n // 3},{n % 3},Source {n}.,Output {n}.,Other {n}.\n" for n in range(9))
    (folder / "table.csv").write_text(f"document,segment,source,output_a,output_b\n{rows}", encoding="utf-8")
    (folder / "empty.csv").write_text("", encoding="utf-8")
    (folder / "header.csv").write_text("document,segment,source\n", encoding="utf-8")
    (folder / "bytes.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "replies.jsonl").write_text(
        '{"document": "doc0", "segment": "0", "system": "secret-system-one", "holistic": 4}\n'
    )
    (folder / "a folder").mkdir()
    return folder


@contextmanager
def limited() -> Iterator[None]:
    """Ends what takes more CPU than any of these should."""

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"more than {CPU_SECONDS} s of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


COMMANDS_WITH = Counter(
    param.opts[0] for command in COMMANDS.values() for param in command.params if isinstance(param, click.Option)
)
SHARED = 5


def is_tried(param: click.Parameter, name: str) -> bool:
    is_shared = COMMANDS_WITH[param.opts[0]] > SHARED or getattr(param, "hidden", False)
    return EVERYTHING or not is_shared or crc32(name.encode()) % 5 == 0


def share(values: tuple[str, ...], name: str) -> list[str]:
    return list(values) if EVERYTHING else [values[crc32(name.encode()) % len(values)]]


def usual_arguments(name: str, command: click.Command) -> list[str]:
    return REPLACED.get(name) or [
        ARGUMENTS.get(param.name or "", "trial")
        for param in command.params
        if isinstance(param, click.Argument) and param.required
    ]


def lines(name: str, command: click.Command) -> Iterator[list[str]]:
    """Command lines, each with one odd value, or with one flag."""
    usual, needed = usual_arguments(name, command), NEEDED.get(name, [])
    for param in command.params:
        is_flag = isinstance(param, click.Option) and param.is_flag
        is_plain_flag = is_flag and not param.hidden
        if not is_plain_flag and not is_tried(param, f"{name} {param.name}"):
            continue
        if is_flag:
            yield [*name.split(), *usual, *needed, param.opts[0]]
            continue
        if isinstance(param, click.Option) and param.opts[0] == "--store":
            continue
        numeric = isinstance(param.type, click.types.IntParamType | click.types.FloatParamType)
        for value in share(NUMBERS if numeric else TEXTS, f"{name} {param.name}"):
            if isinstance(param, click.Option):
                yield [*name.split(), *usual, *needed, param.opts[0], value]
            else:
                at = [entry.name for entry in command.params if isinstance(entry, click.Argument)].index(param.name)
                yield [*name.split(), *needed, "--", *usual[:at], value, *usual[at + 1 :]]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_odd_values_end_in_a_sentence(
    name: str, prepared: Path, tmp_path: Path, lanner: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("lanner.web.server.serve", lambda *_args, **_options: None)
    monkeypatch.setenv("LANNER_STORE", "lanner.sqlite")
    monkeypatch.delenv("LANNER_DATA", raising=False)
    monkeypatch.setattr("lanner.judges.request._LINGER", 0.0)  # answers need not wait for company in one commit
    monkeypatch.setattr("lanner.cli.judge.Limits", partial(plan.Limits, tries=1, backoff=0.0))
    monkeypatch.setattr("click.prompt", lambda *_args, **_options: "a sentence nobody guesses")
    wrong = []
    usual = lanner(*name.split(), *usual_arguments(name, COMMANDS[name]), *NEEDED.get(name, []))
    assert not re.search(r"Missing (option|argument|parameter)|Usage:", usual.err), f"never reached: {usual.err}"
    for words in lines(name, COMMANDS[name]):
        try:
            with limited():
                ran = lanner(*words)
        except BaseException as error:  # whatever came through is what a user would see as a traceback
            wrong.append(f"{[word[:60] for word in words]}: {type(error).__name__}: {str(error)[:200]}")
            continue
        if ran.code not in list(ExitCode) or "Traceback" in ran.err:
            wrong.append(f"{[word[:60] for word in words]}: exit code {ran.code}: {ran.err[-200:]}")
    assert not wrong, "\n".join(wrong)
