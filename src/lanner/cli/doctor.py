"""`lanner doctor`: what this machine has, what is missing, and how to get it; and what `lanner` alone suggests."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click

from lanner import __version__, campaign
from lanner.cli.early_checks import DEFAULT_STORE
from lanner.cli.output import Output
from lanner.errors import LannerError
from lanner.formats import native
from lanner.model import CampaignState
from lanner.store import Store
from lanner.store.store import (
    NETWORK_FILE_SYSTEMS,
    connect,
    explain,
    file_system_of,
    inspect_file,
    locate,
    postgresql_warnings,
    read_mounts,
)

# What `lanner doctor` looks at: each check says what it found, whether that is enough, and how to get the rest.


FINE, MISSING, WRONG = "fine", "not here", "wrong"
LEAST_PYTHON = (3, 11)
LEAST_DISK, GIGABYTE = 1.0, 1e9

EXTRAS = {  # extra: a package it brings, and what one gets by it
    "postgres": ("psycopg", "a PostgreSQL database for large campaigns"),
    "judges": ("aiohttp", "models as judges"),
    "keyring": ("keyring", "keys of model servers kept by the system"),
    "ko": ("kiwipiepy", "Korean sentences split by morphology"),
    "figures": ("vl_convert", "figures as PDF and PNG beside SVG"),
    "metrics": ("sacrebleu", "BLEU, chrF and TER"),
    "comet": ("torch", "COMET and its kind"),
    "ray": ("ray", "model judges on many machines"),
    "pandas": ("pandas", "tables for pandas"),
    "notebook": ("anywidget", "pages of Lanner in a notebook"),
    "docs": ("mkdocs", "the documentation built as a site"),
}

SCRIPTS = {  # language: what its script is called, the Debian package of a font that has it
    "ko": ("Korean", "fonts-noto-cjk"),
    "ja": ("Japanese", "fonts-noto-cjk"),
    "zh": ("Chinese", "fonts-noto-cjk"),
    "ar": ("Arabic", "fonts-noto-core"),
    "hi": ("Devanagari", "fonts-noto-core"),
}


@dataclass(frozen=True, slots=True)
class InstallationCheck:
    """One line of the doctor's: what was looked at, what was found, and what to do about it."""

    about: str
    found: str
    state: str = FINE
    next_step: str = ""


def look(place: str, folder: Path) -> Iterator[InstallationCheck]:
    """Everything that a campaign on this machine may need. Changes nothing."""
    yield from _versions()
    yield _database(place)
    yield from _disk(folder)
    yield _browser()
    yield from _fonts()
    yield from _extras()


def _versions() -> Iterator[InstallationCheck]:
    yield InstallationCheck("Lanner", f"{__version__}, in {Path(__file__).resolve().parent.parent}")
    version = platform.python_version()
    if sys.version_info >= LEAST_PYTHON:
        yield InstallationCheck("Python", f"{version}, {sys.prefix}")
    else:
        yield InstallationCheck("Python", version, WRONG, "Install Python 3.11 or newer, then Lanner with it.")
    yield InstallationCheck("System", f"{platform.system()} {platform.release()}, {os.cpu_count()} processors")


def _database(place: str) -> InstallationCheck:
    """Whether the store could be opened; one that is not there yet is made by `lanner new`."""
    try:
        url = locate(place)
        if url.get_backend_name() != "sqlite":
            return _server(place)
        path = Path(str(url.database))
        if not path.exists():
            return InstallationCheck("Database", f"SQLite {sqlite3.sqlite_version}; no store yet at {path.name}", FINE)
        inspect_file(path, create=False)
    except LannerError as error:
        return InstallationCheck("Database", error.what, WRONG, error.next_step)
    size = path.stat().st_size / 1e6
    words = f"SQLite {sqlite3.sqlite_version}; {path.name}, {size:.1f} MB"
    if (kind := file_system_of(path, read_mounts())) in NETWORK_FILE_SYSTEMS:
        return InstallationCheck(
            "Database", f"{words}, on {kind}", WRONG, "Keep the store on a local disk, or use PostgreSQL."
        )
    return InstallationCheck("Database", words)


def _server(place: str) -> InstallationCheck:
    engine = connect(locate(place))
    try:
        with engine.connect() as connection:
            version = str(connection.exec_driver_sql("SHOW server_version").scalar_one())
            warnings = postgresql_warnings(connection)
    except Exception as problem:  # whatever a driver throws, the doctor goes on to the next check
        error = explain(problem, place)
        return InstallationCheck(
            "Database", error.what, WRONG, error.next_step or "Is the server running, and the URL right?"
        )
    finally:
        engine.dispose()
    if warnings:
        return InstallationCheck("Database", f"PostgreSQL {version}", WRONG, " ".join(warnings))
    return InstallationCheck("Database", f"PostgreSQL {version}")


def _disk(folder: Path) -> Iterator[InstallationCheck]:
    free = shutil.disk_usage(folder).free / GIGABYTE
    words = f"{free:.1f} GB free in this folder"
    if free < LEAST_DISK:
        yield InstallationCheck("Disk", words, WRONG, "Make room: a full disk stops saving.")
    else:
        yield InstallationCheck("Disk", words)
    for name, place in (("this folder", folder), ("the folder for temporary files", Path(tempfile.gettempdir()))):
        if not os.access(place, os.W_OK):
            yield InstallationCheck(
                "Disk", f"cannot write in {name}", WRONG, "Go to a folder of your own, or change its rights."
            )


_BROWSERS = ("firefox", "chromium", "chromium-browser", "google-chrome", "microsoft-edge")


def _browser() -> InstallationCheck:
    """The one that `webbrowser` would open; judges bring their own."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        if program := next(filter(shutil.which, _BROWSERS), ""):
            words = f"{program}, but there is no screen here to open it on; judges may use any on theirs"
            return InstallationCheck("Browser", words, MISSING, "Open the printed links on another machine.")
        words = "none found on this machine; judges may use any on theirs"
        step = "Open the printed links on another machine, or install Firefox or Chromium."
        return InstallationCheck("Browser", words, MISSING, step)
    return InstallationCheck("Browser", str(getattr(browser, "name", "") or type(browser).__name__))


def _fonts() -> Iterator[InstallationCheck]:
    """Scripts that system fonts often lack. Only where fontconfig can be asked; other systems bring them."""
    program = shutil.which("fc-list")
    if program is None:
        if platform.system() == "Linux":
            yield InstallationCheck("Fonts", "cannot be asked (no fontconfig)", MISSING, "Install fontconfig to know.")
        return
    lacking = [language for language in SCRIPTS if not _families(program, language)]
    scripts = [SCRIPTS[language][0] for language in SCRIPTS if language not in lacking]
    if scripts:
        yield InstallationCheck("Fonts", f"for {', '.join(scripts)}")
    if lacking:
        names = ", ".join(SCRIPTS[language][0] for language in lacking)
        packages = " ".join(dict.fromkeys(SCRIPTS[language][1] for language in lacking))
        yield InstallationCheck("Fonts", f"none for {names}", MISSING, f"Debian and Ubuntu: apt install {packages}")


def _families(program: str, language: str) -> bool:
    answer = subprocess.run([program, f":lang={language}", "family"], capture_output=True, check=False, timeout=20)
    return bool(answer.stdout.strip())


def _extras() -> Iterator[InstallationCheck]:
    """Found by looking, not by importing: some of them take seconds to load."""
    for extra, (package, use) in EXTRAS.items():
        if importlib.util.find_spec(package) is None:
            step = f'pip install "lanner[{extra}]"'
            yield InstallationCheck(f"Extra {extra}", f"{use}: {package} is not installed", MISSING, step)
        else:
            yield InstallationCheck(f"Extra {extra}", f"{use}: {package} {_version_of(package)}".rstrip())


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


_MARKS = {FINE: "✓", WRONG: "✗"}


def run(output: Output, store_place: str) -> None:
    """Check versions, database, disk, browser, fonts and optional packages."""
    checks = list(look(store_place, Path.cwd()))
    output.rows.extend(
        {"check": each.about, "state": each.state, "found": each.found, "next": each.next_step} for each in checks
    )
    width = max(len(each.about) for each in checks)
    for each in checks:
        output.say(f"{_MARKS.get(each.state, '·')} {each.about:<{width}}  {each.found}", indent=width + 4)
        if each.next_step:
            output.say(f"  {'':<{width}}  {each.next_step}", style="dim")
    wrong = [each for each in checks if each.state == WRONG]
    if not wrong:
        output.say()
        output.say("Nothing is wrong. Lines with a dot (·) name optional things that are missing.")
    if wrong:
        output.end()
        names = ", ".join(dict.fromkeys(each.about for each in wrong))
        raise LannerError(f"Something is wrong: {names}.", next_step=wrong[0].next_step)


# `lanner` without a command: the campaigns here, and what to do next.


@click.command("next")
def next_steps() -> None:
    """Suggest what to do next."""
    output = Output("next")
    output.say(f"Lanner {__version__}: document-level evaluation of machine translation", style="bold")
    place = os.environ.get("LANNER_STORE", DEFAULT_STORE)
    steps = _steps(place, output) if "://" in place or Path(place).exists() else _first()
    output.say()
    output.say("What you can do next:")
    width = max(len(line) for line, _ in steps)
    for line, words in steps:
        output.say(f"  {line:<{width}}  {words}")
    output.say()
    output.say("lanner --help lists every command; each has --help with an example.", style="dim")


_FIRST = [
    ("lanner demo", "try a judging page, a live campaign and a report"),
    ("lanner import FILE", "import texts or judgements; the format is detected"),
    ("lanner agreement FILE", "agreement between judges, from a file"),
    ("lanner protocols", "list the protocols"),
    ("lanner new", "create a campaign, step by step"),
    ("lanner doctor", "check the installation"),
]


def _first() -> list[tuple[str, str]]:
    """The first steps; where texts lie here already, a campaign with them comes first."""
    texts = [path.name for path in sorted(Path().glob("*.jsonl")) if native.recognise(path)][:1]
    ready = [
        (f"lanner new --texts {shlex.quote(name)}", "create a campaign with these texts, step by step")
        for name in texts
    ]
    return [*ready, *_FIRST]


def _steps(place: str, output: Output) -> list[tuple[str, str]]:
    with Store.open(place, create=False) as store:
        rows = []
        for entry in campaign.campaigns(store)[:12]:
            progress = campaign.progress(store, entry.id)
            rows.append(
                {
                    "campaign": entry.name,
                    "protocol": entry.protocol_name,
                    "state": entry.state.value,
                    "done": progress.done_of_all if progress.items else "imported",
                }
            )
    if not rows:
        return _first()
    output.say()
    output.table(rows)
    name, file = (shlex.quote(rows[0]["campaign"] + ending) for ending in ("", ".csv"))
    steps = [
        (f"lanner agreement {name}", "agreement between its judges"),
        (f"lanner report {name}", "a report as one HTML file"),
        (f"lanner export {name} --out {file}", "its judgements with a codebook"),
        ("lanner new", "create another campaign"),
    ]
    if any(row["state"] == CampaignState.OPEN.value for row in rows):
        steps.insert(0, ("lanner serve", "serve the judging and organiser's pages"))
    return steps
