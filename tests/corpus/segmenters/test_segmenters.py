from __future__ import annotations

import re
from importlib import metadata

import pytest

from lanner.corpus import segmenters, split
from lanner.errors import LannerError


@pytest.fixture
def plugged(monkeypatch):
    """Another package's segmenter under `lanner.segmenters`, as an installed distribution would register it."""

    def plug(function):
        class Point:
            name = "theirs"

            def load(self):
                return function

        real = metadata.entry_points

        def points(**chosen):
            if chosen.get("group") == segmenters.GROUP:
                return [Point()] if chosen.get("name", "theirs") == "theirs" else []
            return real(**chosen)

        monkeypatch.setattr(metadata, "entry_points", points)
        segmenters.find.cache_clear()

    yield plug
    segmenters.find.cache_clear()


def test_english_and_other_languages_have_their_default():
    assert segmenters.default("en-GB") == "nupunkt"
    assert segmenters.default("ko") == segmenters.default("und") == "rules"
    assert {"kiwi", "nupunkt", "rules"} <= set(segmenters.names())


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(LannerError, match="Did you mean 'nupunkt'"):
        segmenters.find("nupnukt")


def test_any_callable_that_gives_sentences_can_be_plugged_in(plugged):
    plugged(lambda text: re.split(r"(?<=\|)", text))
    assert split.sentences("one  two| three\nfour", "en", {"en": "theirs"}) == ["one  two|", "three", "four"]


@pytest.mark.parametrize("broken", [lambda text: [text.upper()], lambda text: [text[:3]], lambda text: []])
def test_a_segmenter_that_loses_text_is_refused(plugged, broken):
    plugged(broken)
    with pytest.raises(LannerError, match="must give back every character"):
        split.sentences("some words here", "en", {"en": "theirs"})


def test_a_choice_for_a_language_holds_for_its_regions(plugged):
    plugged(lambda text: text.split("|"))
    with pytest.raises(LannerError, match="changed the text"):
        split.sentences("a|b", "en-GB", {"en": "theirs"})
    assert segmenters.base("por") == segmenters.base("pt_BR") == "pt"
