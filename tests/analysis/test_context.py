"""Shares of sentences that depend on context, against plain counting."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pytest

from data_sets import released
from lanner import campaign, protocols
from lanner.analysis.context import ContextEffect, context_dependence, context_effects, signs
from lanner.analysis.material import Material, from_campaign
from lanner.analysis.scores import ALL
from lanner.model import Document, Item, Json, Judge, JudgeKind, Judgement, Segment
from lanner.stats.resample import Resampling
from lanner.studies.simulation import answer_all, dice, passing_store


def survey(other: str = "subtitles") -> Material:
    documents, judgements = [], []
    for domain in ("reviews", other):
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


@pytest.mark.parametrize("other", ["subtitles", "all"])
def test_shares_by_pair_and_domain_are_counts_over_counts(other: str) -> None:
    material = survey(other)
    assert material.protocol is not None
    found = context_dependence(material.counted(), material.protocol, resampling=Resampling(n=50))
    by_key = {(d.pair, d.domain, d.sign.question, d.sign.label): d.share for d in found}
    assert by_key[ALL, ALL, "translatable", "no"].value == pytest.approx(8 / 40)
    assert by_key["en–pt", "reviews", "translatable", "no"].value == pytest.approx(8 / 20)
    assert by_key["en–pt", other, "translatable", "no"].value == 0.0
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
    material = released("h-falcon")["evalset"].only(["judge2"])
    assert material.protocol is not None
    found = context_dependence(material.counted(), material.protocol, resampling=Resampling(n=50))
    whole = next(d for d in found if (d.pair, d.domain, d.sign.kind) == (ALL, ALL, "level"))
    assert whole.share.value == pytest.approx(1 - 0.6057, abs=5e-5)


CONTEXTS = ["none", "source±1", "whole"]
HIDDEN = 0.4
"""The share of sentences whose fault shows in the whole document only."""


def answer(judge: Judge, question: str, item: Item) -> Json:
    """Nobody sees a hidden fault without the document; with the sources alone half of them are seen."""
    stem, _, context = question.partition("_")
    if stem == "errors":
        fault = dice(1, item.document, item.segment).random()
        seen = {"none": 0.0, "source": HIDDEN / 2, "whole": HIDDEN}[context.split("_")[0]]
        return [{"side": "target", "start": 0, "end": 3, "text": "Out", "severity": "major"}] if fault < seen else []
    return 50 if stem == "score" else None


@pytest.fixture(scope="module")
def material() -> Material:
    texts = [
        Document(
            f"d{place}",
            tuple(Segment(str(k), f"Source {k}.", outputs={"sys": f"Output {k}."}) for k in range(6)),
        )
        for place in range(6)
    ]
    judges = [Judge(f"j{n}", JudgeKind.SIMULATED) for n in range(6)]
    with passing_store() as store:
        created = campaign.create(
            store, "trial", texts, "esa", judges, design="latin_square", seed=2, settings={"contexts": CONTEXTS}
        )
        campaign.open(store, created.id)
        answer_all(store, "trial", answer)
        return from_campaign(store, "trial")


@pytest.fixture(scope="module")
def effects(material: Material) -> dict[str, ContextEffect]:
    assert material.protocol is not None
    every = context_effects(material.counted(), material.protocol, resampling=Resampling(n=200))
    return {effect.context: effect for effect in every if effect.question == "errors"}


def test_every_text_is_judged_in_every_context_and_by_nobody_in_two(material: Material) -> None:
    table = material.table.filter(material.table["stage"] != "score").to_pandas()
    met = table[["judge", "document", "stage"]].drop_duplicates()
    assert not met.duplicated(["judge", "document"]).any()
    assert (met.groupby("document")["stage"].nunique() == len(CONTEXTS)).all()
    assert (met.groupby(["judge", "stage"])["document"].nunique() == 2).all(), "every judge, every context alike"


def test_hidden_faults_are_misevaluated_as_often_as_simulated(effects: dict[str, ContextEffect]) -> None:
    faults = [dice(1, f"d{place}", str(k)).random() for place in range(6) for k in range(6)]
    missed = sum(value < HIDDEN for value in faults) / len(faults)
    assert effects["none"].misevaluated is not None
    assert effects["none"].misevaluated.value == pytest.approx(missed)
    left = [value for value in faults if value >= HIDDEN / 2]
    assert effects["source_1"].misevaluated is not None
    assert effects["source_1"].misevaluated.value == pytest.approx(sum(v < HIDDEN for v in left) / len(left))
    assert effects["whole"].misevaluated is None and effects["whole"].changed is None


def test_changed_verdicts_are_what_pandas_counts(material: Material, effects: dict[str, ContextEffect]) -> None:
    table = material.table.to_pandas()
    own = table[table["question"].str.startswith("errors_")].copy()
    own["context"] = own["question"].str.removeprefix("errors_")
    own["marked"] = own["spans"] != "[]"
    for context, effect in effects.items():
        across: list[bool] = []
        within: list[bool] = []
        for _, group in own.groupby(["document", "segment", "system"]):
            for (_, one), (_, two) in combinations(group.iterrows(), 2):
                if {one["context"], two["context"]} == {context, "whole"} and context != "whole":
                    across.append(one["marked"] != two["marked"])
                if one["context"] == two["context"] == context:
                    within.append(one["marked"] != two["marked"])
        assert effect.apart.value == pytest.approx(pd.Series(within).mean())
        assert effect.apart.n == len(within)
        if effect.changed is not None:
            assert effect.changed.value == pytest.approx(pd.Series(across).mean())
            assert effect.changed.n == len(across)


def test_scales_are_perfect_at_their_best_end(material: Material) -> None:
    assert material.protocol is not None
    scores = [e for e in context_effects(material.counted(), material.protocol) if e.question == "score"]
    assert [e.misevaluated.value for e in scores if e.misevaluated is not None] == [None, None], "nothing is perfect"


def test_without_the_factor_there_is_nothing_to_say() -> None:
    protocol = protocols.load("esa")
    assert context_effects(Material("m", protocol, (), (), ()).counted(), protocol) == []
