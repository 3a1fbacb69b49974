"""Rankings as shared tasks made them, by name: options of `lanner.stats.ranking`, kept as data in `presets.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from lanner.errors import StatisticError, did_you_mean

_WORDS = ("summary", "citation", "checked", "of", "like")


@dataclass(frozen=True, slots=True)
class Preset:
    """`of` is the question or score that is ranked, `options` go to `ranking.rank`."""

    name: str
    of: str
    options: Mapping[str, Any]
    summary: str = ""
    citation: str = ""
    checked: str = ""


def names() -> list[str]:
    """The names of all presets."""
    return list(_file())


def preset(name: str) -> Preset:
    """One of them; an unknown name is an error."""
    known = _file()
    if name not in known:
        raise StatisticError(f"There is no preset {name!r}.", next_step=did_you_mean(name, known))
    table = dict(known[name])
    while "like" in table:
        base = known[table.pop("like")]
        table = {**{key: value for key, value in base.items() if key != "checked"}, **table}
    options = {key: value for key, value in table.items() if key not in _WORDS}
    words = {key: str(table.get(key, "")) for key in ("summary", "citation", "checked")}
    return Preset(name, str(table["of"]), options, **words)


@cache
def _file() -> dict[str, dict[str, Any]]:
    return tomllib.loads((resources.files("lanner.stats") / "presets.toml").read_text(encoding="utf-8"))
