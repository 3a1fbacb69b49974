"""Find a protocol, format, design, provider or metric by name: a file of ours, or another package's entry point.

Built-ins and outsiders use the same door. A name is a file name, so searching the source finds it; nothing is
imported until it is asked for. Outsiders register under the entry-point group `lanner.<room>`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, metadata, resources
from pathlib import Path
from types import ModuleType

from lanner.errors import LannerError, did_you_mean


def _file_name(name: str) -> str:
    return name.replace("-", "_")


@cache
def _entry_points(room: str) -> tuple[metadata.EntryPoint, ...]:
    """What other packages bring to a room; found once, since looking goes through every installed package."""
    return tuple(metadata.entry_points(group=f"lanner.{room}"))


@cache
def names(room: str, suffix: str = ".py") -> tuple[str, ...]:
    """Names of everything in a room: our files (without the underscored ones), then entry points."""
    own = (Path(entry.name) for entry in resources.files(f"lanner.{room}").iterdir())
    found = {path.stem for path in own if path.suffix == suffix and not path.stem.startswith("_")}
    found |= {point.name for point in _entry_points(room)}
    return tuple(sorted(found))


def module(room: str, name: str, known: tuple[str, ...] = ()) -> ModuleType:
    """The module that implements `name`, imported on demand."""
    choices = known or names(room)
    wanted = _file_name(name)
    for point in _entry_points(room):
        if point.name == name:
            loaded: ModuleType = point.load()
            return loaded
    if wanted not in choices:
        raise unknown(room, name, choices)
    return import_module(f"lanner.{room}.{wanted}")


def data_file(room: str, name: str, suffix: str) -> Path | None:
    """The path of a data file of ours (for instance a protocol's TOML), or of an outsider's, if there is one."""
    own = Path(str(resources.files(f"lanner.{room}"))) / f"{_file_name(name)}{suffix}"
    if own.is_file():
        return own
    for point in _entry_points(room):
        if point.name == name:
            return Path(str(point.load()))
    return None


def unknown(room: str, name: str, choices: tuple[str, ...]) -> LannerError:
    """The error for a name nobody has."""
    return LannerError(f"There is no {room.rstrip('s')} called {name!r}.", next_step=did_you_mean(name, choices))
