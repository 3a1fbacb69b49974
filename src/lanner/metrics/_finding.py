"""Metrics by name: a file of this folder, or another package's entry point."""

from __future__ import annotations

from typing import Any

from lanner import registry
from lanner.errors import LannerError, did_you_mean
from lanner.metrics._rating import Languages, Metric

GROUP = "metrics"


def names() -> tuple[str, ...]:
    """Every metric there is, as it is written on the command line."""
    return tuple(name.replace("_", "-") for name in registry.names(GROUP))


def titles() -> dict[str, str]:
    """What each metric is, in a sentence."""
    return {name: str(registry.module(GROUP, name).TITLE) for name in names()}


def make(name: str, languages: Languages, **options: Any) -> Metric:
    """The metric of that name for a language pair; an option it does not have is an error."""
    if name.replace("-", "_") not in (choice.replace("-", "_") for choice in names()):
        raise LannerError(f"There is no metric {name!r}.", next_step=did_you_mean(name, names()))
    module = registry.module(GROUP, name)
    for option in options:
        if option not in module.OPTIONS:
            known = ", ".join(module.OPTIONS) or "none"
            hint = did_you_mean(option, module.OPTIONS) or f"It has: {known}."
            raise LannerError(f"{name} has no option {option!r}.", next_step=hint)
    metric: Metric = module.make(languages, **options)
    return metric
