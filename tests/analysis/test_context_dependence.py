"""Shares of sentences that depend on context, against plain counting."""

from __future__ import annotations

import pytest

from data_sets import data_dir
from lanner import protocols
from lanner.analysis.context_dependence import context_dependence, signs
from lanner.analysis.material import Material, from_file
from lanner.analysis.scores import ALL
from lanner.model import Document, Judge, Judgement, Segment
from lanner.stats.resample import Resampling


def survey() -> Material:
    documents, judgements = [], []
    for domain in ("reviews", "subtitles"):
        for place in range(4):
            name = f"{domain}-{place}"
            segments = tuple(Segment(str(k), "x") for k in range(5))
            documents.append(Document(name, segments, source_language="en", target_language="pt", domain=domain))
            for k in range(5):
                no = domain == "reviews" and k < 2
                judgements.append(Judgement("j", "phase_one", "translatable", name, str(k), (), "no" if no else "yes"))
                if no:
                    reasons = ["gender"] if k else ["gender", "ambiguity"]
                    judgements.append(Judgement("j", "phase_one", "reasons", name, str(k), (), reasons))
    return Material("s", protocols.load("context_survey"), tuple(documents), (Judge("j"),), tuple(judgements))


def test_shares_by_pair_and_domain_are_counts_over_counts() -> None:
    material = survey()
    assert material.protocol is not None
    found = context_dependence(material.counted(), material.protocol, resampling=Resampling(n=50))
    by_key = {(d.pair, d.domain, d.sign.question, d.sign.label): d.share for d in found}
    assert by_key[ALL, ALL, "translatable", "no"].value == pytest.approx(8 / 40)
    assert by_key["en–pt", "reviews", "translatable", "no"].value == pytest.approx(8 / 20)
    assert by_key["en–pt", "subtitles", "translatable", "no"].value == 0.0
    assert by_key[ALL, "reviews", "reasons", "gender"].value == 1.0
    assert by_key[ALL, "reviews", "reasons", "ambiguity"].value == 0.5
    assert by_key[ALL, ALL, "translatable", "no"].n == 40


def test_signs_are_read_from_the_protocol() -> None:
    kinds = {(sign.question, sign.kind) for sign in signs(protocols.load("falcon_labels"))}
    assert kinds == {("context", "level"), ("spans", "marked")}
    assert {sign.kind for sign in signs(protocols.load("dela"))} == {"reason"}
    assert signs(protocols.load("h_falcon")) == []


@pytest.mark.data
def test_the_released_falcon_labels_need_context_as_table_9_says() -> None:
    material = next(part for part in from_file(data_dir("h-falcon")) if part.name == "evalset").only(["judge2"])
    assert material.protocol is not None
    found = context_dependence(material.counted(), material.protocol, resampling=Resampling(n=50))
    whole = next(d for d in found if (d.pair, d.domain, d.sign.kind) == (ALL, ALL, "level"))
    assert whole.share.value == pytest.approx(1 - 0.6057, abs=5e-5)
