"""Find a protocol, format, design, provider or metric by name: a file of ours, or another package's entry point; and
read tables, ours and people's own.

Built-ins and plug-ins are found in the same way. A name is a file name, so searching the source finds it; nothing is
imported until it is asked for. Other packages register under the entry-point group `lanner.<group>`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from lanner.errors import InputError, LannerError, Where, did_you_mean

_ROOT = Path(__file__).resolve().parent
_PACKAGES = {
    # the data sets that particular papers released are formats too, and belong to the studies that use them
    "formats": ("formats", "studies.formats"),
    "designs": (),  # beside designs, the package holds what they share
}
_ENTRIES = {
    # designs and metrics of one family share a module, as do a tool's files and a company's interfaces; they are named
    # as other packages name theirs
    "judges.providers": {
        "anthropic": "lanner.judges.providers._anthropic:Messages",
        "anthropic_batch": "lanner.judges.providers._anthropic:MessageBatches",
        "gemini": "lanner.judges.providers._gemini:Gemini",
        "gemini_batch": "lanner.judges.providers._gemini:InlineBatches",
        "openai_compatible": "lanner.judges.providers._openai:Chat",
        "openai_batch": "lanner.judges.providers._openai:FileBatches",
        "openai_responses": "lanner.judges.providers._openai:Responses",
        "openai_responses_batch": "lanner.judges.providers._openai:ResponseBatches",
    },
    "designs": {
        "adaptive": "lanner.designs.adaptive:ADAPTIVE",
        "batches": "lanner.designs.documents:BATCHES",
        "full": "lanner.designs.documents:FULL",
        "latin_square": "lanner.designs.counterbalancing:LATIN_SQUARE",
        "pairs": "lanner.designs.documents:PAIRS",
        "parity": "lanner.designs.counterbalancing:PARITY",
        "pool": "lanner.designs.documents:POOL",
        "random": "lanner.designs.documents:RANDOM",
    },
    "formats": {
        "appraise_batches": "lanner.formats.appraise:BATCHES",
        "appraise_scores": "lanner.formats.appraise:SCORES",
    },
    "metrics": {
        "bleu": "lanner.metrics._surface:BLEU",
        "chrf": "lanner.metrics._surface:CHRF",
        "ter": "lanner.metrics._surface:TER",
        "d_bleu": "lanner.metrics._surface:D_BLEU",
        "d_chrf": "lanner.metrics._surface:D_CHRF",
        "d_ter": "lanner.metrics._surface:D_TER",
        "chains": "lanner.metrics._cohesion:CHAINS",
        "cohesion": "lanner.metrics._cohesion:COHESION",
        "entity_graph": "lanner.metrics._cohesion:ENTITY_GRAPH",
        "consistency": "lanner.metrics._cohesion:CONSISTENCY",
        "repetition": "lanner.metrics._cohesion:REPETITION",
    },
}


def _file_name(name: str) -> str:
    return name.replace("-", "_")


def _packages(group: str) -> tuple[str, ...]:
    """Our own packages that hold the members of a group."""
    return _PACKAGES.get(group, (group,))


def _folder(package: str) -> Path:
    return _ROOT.joinpath(*package.split("."))


@cache
def _entry_points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """What other packages add to a group, looked up once, since that goes through every installed package; and what we
    name in the same way."""
    own = (metadata.EntryPoint(name, value, f"lanner.{group}") for name, value in _ENTRIES.get(group, {}).items())
    return (*_all_entry_points().select(group=f"lanner.{group}"), *own)


@cache
def _all_entry_points() -> metadata.EntryPoints:
    # Python 3.11 has another class for all groups, with the same `select`
    return cast(metadata.EntryPoints, metadata.entry_points())


def additions(group: str) -> dict[str, object]:
    """Everything that other packages add to a group, by name: for groups whose own members are no files."""
    return {point.name: point.load() for point in _entry_points(group)}


def added_names(group: str) -> tuple[str, ...]:
    """The names of what other packages add to a group; nothing is imported."""
    return tuple(sorted(point.name for point in _entry_points(group)))


@cache
def names(group: str, suffix: str = ".py") -> tuple[str, ...]:
    """Names of everything in a group: our files (without the underscored ones) and entry points."""
    files = (path for package in _packages(group) for path in _folder(package).iterdir() if path.suffix == suffix)
    own = {path.stem for path in files if not path.stem.startswith("_")}
    return tuple(sorted(own | {point.name for point in _entry_points(group)}))


def plugin(group: str, name: str, known: tuple[str, ...] = ()) -> object:
    """What implements `name`: what an entry point names, or our module of that name, imported on demand."""
    stem = _file_name(name)
    for point in _entry_points(group):
        if _file_name(point.name) == stem:
            return point.load()
    choices = known or names(group)
    if stem in choices:
        for package in _packages(group):
            if (_folder(package) / f"{stem}.py").is_file():
                return import_module(f"lanner.{package}.{stem}")
    raise unknown(group, name, choices)


def module(group: str, name: str, names: tuple[str, ...] = ()) -> ModuleType:
    """The module that implements `name`, imported on demand."""
    implementation = plugin(group, name, names)
    if not isinstance(implementation, ModuleType):
        raise LannerError(f"The plug-in {name!r} of the group lanner.{group} must be a module.")
    return implementation


def data_file(group: str, name: str, suffix: str) -> Path | None:
    """The path of a data file of ours (for instance a protocol's TOML), or of a plug-in's, if there is one."""
    for package in _packages(group):
        path = _folder(package) / f"{_file_name(name)}{suffix}"
        if path.is_file():
            return path
    for point in _entry_points(group):
        if _file_name(point.name) == _file_name(name):
            return Path(str(point.load()))
    return None


@cache
def table(name: str) -> dict[str, Any]:
    """What a TOML file of ours holds: `table("stats.presets")` is in `stats/presets.toml`. All who ask share it."""
    return tomllib.loads(_folder(name).with_suffix(".toml").read_text(encoding="utf-8"))


def read_text(path: Path, what: str, error_class: type[LannerError] = InputError) -> str:
    """The text of a file that should hold `what`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise error_class(f"The {what} cannot be read: {error}.", where=Where(path)) from error


def toml_table(text: str, path: Path | str | None, error_class: type[LannerError] = InputError) -> dict[str, Any]:
    """What a TOML file holds, or an error that names the place where it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise error_class("The file is nested too deeply.", where=Where(path)) from error
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+), column (\d+)", str(error))
        where = Where(path, int(place[1]), int(place[2])) if place else Where(path)
        reason = str(error).rpartition(" (at ")[0] or str(error)
        step = "Correct the file and try again."
        raise error_class(f"This is not valid TOML: {reason}.", where=where, next_step=step) from error


def unknown(group: str, name: str, choices: tuple[str, ...]) -> LannerError:
    """The error for a name nobody has."""
    return LannerError(
        f"There is no {group.rpartition('.')[2].rstrip('s')} called {name!r}.", next_step=did_you_mean(name, choices)
    )
