from __future__ import annotations

import re

from lanner import protocols
from lanner.web.drafting.options import offers
from lanner.web.drafting.sketch import sketch


def strokes(name: str, style: str) -> int:
    """How many lines or boxes of a style the sketch of a protocol has."""
    return sum(path.count("M") for path in re.findall(f'class="{style}" d="([^"]*)"', sketch(protocols.load(name))))


def test_protocols_that_ask_or_show_other_things_look_different() -> None:
    drawn: dict[str, set[tuple[object, ...]]] = {}
    for offer in offers():
        stages = protocols.load(offer.name).stages
        asked = tuple((stage.unit, stage.object, tuple(q.kind for q in stage.questions)) for stage in stages)
        assert offer.sketch.startswith("<svg") and 'aria-hidden="true"' in offer.sketch
        drawn.setdefault(str(offer.sketch), set()).add(asked)
    assert not [asked for asked in drawn.values() if len(asked) > 1]


def test_it_shows_texts_and_controls_as_the_page_does() -> None:
    lines = {name: strokes(name, "text") for name in ("ranking_rs", "ranking_sc", "ranking_ds", "da_document")}
    assert lines["ranking_rs"] < lines["ranking_sc"] == lines["ranking_ds"], "a sentence by itself, in its document"
    assert lines["da_document"] < lines["ranking_ds"], "one translation, two side by side"
    assert [strokes(name, "now") for name in ("ranking_rs", "ranking_sc", "ranking_ds")] == [0, 1, 0]
    assert [strokes(name, "dot") for name in ("da", "esa", "sqm", "mqm")] == [1, 1, 0, 0], "sliders"
    assert [strokes(name, "mark") > 0 for name in ("da", "esa", "mqm")] == [False, True, True]


def test_a_protocol_of_ones_own_has_its_own() -> None:
    own = protocols.parse_toml('name = "own"\nversion = "1"\nextends = "esa"\nwithout = ["errors"]', "own")
    assert 'class="mark"' not in sketch(own)
    assert sketch(own) == sketch(protocols.load("da")), "what is left is direct assessment"
