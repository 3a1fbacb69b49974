"""Choices that light modules spell out are those of the statistics, and every analysis command imports little."""

from __future__ import annotations

from typing import get_args

import pytest

from lanner.cli import _options, compare, facets, regress, scores, serve
from lanner.cli._options import names
from lanner.stats import ranking
from lanner.stats import scores as statistics
from lanner.stats.facets import Scale
from lanner.stats.regression import Clustering
from lanner.web.serving import logs


@pytest.mark.parametrize(
    ("choices", "kinds"),
    [
        (serve.LOG_LEVELS, tuple(logs.LEVELS)),
        (facets.SCALES, get_args(Scale)),
        (regress.ERRORS, get_args(Clustering)),
        (scores.LEVELS, get_args(statistics.Level)),
        (scores.PRESETS, tuple(statistics.preset_names())),
        (scores.AVERAGES, get_args(statistics.Average)),
        (scores.TESTS, get_args(ranking.Test)),
        (scores.COMBINATIONS, get_args(ranking.Combine)),
        (scores.CORRECTIONS, get_args(ranking.Correction)),
        (scores.ADJUSTMENTS, get_args(ranking.Adjust)),
    ],
)
def test_choices_are_those_of_the_statistics(choices: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    assert choices == kinds


def test_names_are_given_with_commas_between() -> None:
    assert names(" a, b ,,c ") == ["a", "b", "c"]
    assert names(None) == []


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("pilot", ("", "pilot", "", "")),
        ("ESA=data/x.csv:part@people", ("ESA", "data/x.csv", "part", "people")),
        ("x.csv@ana,bo", ("", "x.csv", "", "ana,bo")),
        ("A=postgresql://u@host/db", ("A", "postgresql://u@host/db", "", "")),
    ],
)
def test_a_source_has_a_name_a_part_and_judges(source: str, parts: tuple[str, ...]) -> None:
    assert compare.split_source(source) == parts


def test_the_module_that_does_the_work_is_found() -> None:
    assert _options.implementation("_source").Source.__name__ == "Source"
