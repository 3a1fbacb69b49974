from __future__ import annotations

from datetime import UTC, datetime

import pytest
from jinja2 import UndefinedError

from lanner.web.page.assets import Assets
from lanner.web.page.rendering import environment, fraction, hours, moment


def test_numbers_as_a_person_says_them() -> None:
    assert fraction(0.4567) == ".46"
    assert hours(12600) == "3.5 h"
    assert hours(660) == "11 min"
    assert moment(datetime(2026, 11, 9, 14, 2, tzinfo=UTC)) == "2026-11-09T14:02:00+00:00"


def test_everything_is_escaped_and_nothing_is_silently_empty() -> None:
    made = environment(Assets())
    assert made.from_string("{{ a }}").render(a="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        made.from_string("{{ b }}").render()


def test_a_kept_piece_is_made_once_for_each_key_and_stays_escaped() -> None:
    made = environment(Assets())
    page = made.from_string("{% macro piece(a) %}<i>{{ a }}</i>{% endmacro %}{{ kept(key, piece, given) }}")
    assert page.render(key=("k", 1), given="<b>") == "<i>&lt;b&gt;</i>"
    assert page.render(key=("k", 1), given="never asked") == "<i>&lt;b&gt;</i>"
    assert page.render(key=("k", 2), given="other") == "<i>other</i>"


def test_templates_that_are_being_changed_are_made_anew() -> None:
    made = environment(Assets(), watched=True)
    page = made.from_string("{% macro piece(a) %}{{ a }}{% endmacro %}{{ kept('k', piece, given) }}")
    assert [page.render(given=given) for given in ("one", "two")] == ["one", "two"]
