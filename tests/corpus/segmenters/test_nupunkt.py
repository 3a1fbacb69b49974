from __future__ import annotations

import itertools

import pytest

from lanner.corpus.segmenters import nupunkt


@pytest.mark.parametrize(
    "marked",
    [
        "He served in the U.S. Army for years.‖Then he went home.",
        "They met in Washington, D.C., on Monday.‖It rained.",
        "I am quite lazy.‖Hire me now.",  # nupunkt alone takes "lazy." for an abbreviation
        "The raft is gone. 🤦‍♀️‖Make that four times.",
        "New glasses, finally 😂‖@user7 They look good.",
        "It works as fast as I can.‖@user16 Thanks!",
    ],
)
def test_what_one_part_misses_the_other_finds(marked):
    pieces = marked.split("‖")
    text = " ".join(pieces)
    edges = [0, *nupunkt.cuts(text, "en"), len(text)]
    assert [text[a:b].strip() for a, b in itertools.pairwise(edges)] == pieces
