from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.test_context import material  # noqa: F401 (a fixture)
from lanner import protocols
from lanner.analysis.context import context_effects
from lanner.analysis.material import Material
from lanner.reports.parts import Table
from lanner.reports.sections.contexts import context_label, section
from lanner.reports.view import View
from lanner.stats.resample import Resampling


def test_the_section_shows_the_numbers_of_the_analysis(material: Material) -> None:  # noqa: F811
    assert material.protocol is not None
    view = View(material, material.protocol, Resampling(n=200))
    made = section(view)
    assert made is not None
    [table] = [block for block in made.blocks if isinstance(block, Table)]
    effects = context_effects(material.counted(), material.protocol, resampling=Resampling(n=200))
    assert [row["misevaluated"] for row in table.data] == [
        effect.misevaluated.value if effect.misevaluated else None for effect in effects
    ]
    assert [row["context"] for row in table.rows if "context" in row][:3] == ["none", "source ±1", "whole"]
    [finding] = made.findings
    assert finding.startswith("**With the context none")


def test_other_campaigns_have_no_such_section(material: Material) -> None:  # noqa: F811
    plain = protocols.load("esa")
    assert section(View(replace(material, protocol=plain, judgements=()), plain)) is None


@pytest.mark.parametrize(("name", "label"), [("none", "none"), ("own_3_0", "own ±3,0"), ("source_all", "source ±all")])
def test_a_context_as_it_is_printed(name: str, label: str) -> None:
    assert context_label(name) == label
