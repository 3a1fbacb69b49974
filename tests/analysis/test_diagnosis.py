"""A diagnosis is right where the truth is known, and its cells are those that plain pandas computes."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import lanner
from data_sets import data_dir
from lanner import protocols
from lanner.analysis.diagnosis import Contrast, Diagnosis, _difference, diagnosable_part, diagnose
from lanner.analysis.material import Material, from_file
from lanner.analysis.scores import ALL
from lanner.cli.diagnosis import _named_cell
from lanner.errors import StatisticError
from lanner.model import Document, Grid, Item, Json, Judge, JudgeKind, Judgement, Protocol, Segment
from lanner.stats.resample import Resampling, holm
from lanner.studies.simulation import dice

SYSTEMS = ("alder", "birch", "cedar")
SKILLS = tuple(row.id for row in protocols.load("h_falcon").find("skills")[1].rows)  # type: ignore[index, union-attr]
OFTEN = {"news": 0.5, "social": 0.6}


def world(weak: dict[tuple[str, str, str], float], *, documents: int = 14, models: bool = False) -> Material:
    """Judges of known truth answer H-FALCON: every skill is handled as 2.6 of 3, the weak cells as `weak` says."""

    def answer(judge: Judge, question: str, item: Item) -> Json:
        domain = item.document.partition("-")[0]
        if question == "skills":
            ratings = {}
            for skill in SKILLS:
                about = (item.document, item.segment, skill)
                if dice(7, "matters", *about).random() >= OFTEN[domain]:
                    continue
                true = weak.get((item.systems[0], skill, domain), 2.6)
                true -= 1.0 if judge.kind is JudgeKind.MODEL and skill == "style_register" else 0.0
                draw = (
                    true
                    + 0.5 * dice(7, *about, item.systems[0]).gauss(0, 1)
                    + 0.3 * dice(7, *about, item.systems[0], judge.id).gauss(0, 1)
                )
                ratings[skill] = ("low", "medium", "high")[min(3, max(1, round(draw))) - 1]
            return {row: ratings.get(row, "not_relevant") for row in SKILLS}
        return {"sentence": 3, "holistic": 7}.get(question)

    texts = [
        Document(
            f"{domain}-{place}",
            tuple(
                Segment(str(k), f"Sentence {k}.", outputs={system: f"{system} {k}" for system in SYSTEMS})
                for k in range(1, 7)
            ),
            domain=domain,
        )
        for domain in OFTEN
        for place in range(documents)
    ]
    judges = [Judge("j1", JudgeKind.SIMULATED), Judge("j2", JudgeKind.SIMULATED)]
    judges += [Judge("m1", JudgeKind.MODEL)] if models else []
    protocol = protocols.load("h_falcon")
    judgements = [
        Judgement(judge.id, stage.id, question.id, document.id, segment.id, (system,), answer(judge, question.id, item))
        for judge in judges
        for document in texts
        for segment in document
        for system in SYSTEMS
        for item in [Item(document.id, segment.id, (system,))]
        for stage, question in protocol.questions
        if answer(judge, question.id, item) is not None
    ]
    return Material("world", protocol, tuple(texts), tuple(judges), tuple(judgements))


@pytest.fixture(scope="module")
def known() -> Material:
    return world({("birch", "relational_address", "social"): 1.3, ("cedar", "terminology_control", "news"): 1.1})


@pytest.fixture(scope="module")
def diagnosed(known: Material) -> Diagnosis:
    return diagnose(known)


def test_the_weak_skill_of_the_right_system_in_the_right_domain_is_named(diagnosed: Diagnosis) -> None:
    result = diagnosed
    first = {system: found[0].cell if found else None for system, found in result.priorities.items()}
    assert first["alder"] is None
    assert first["birch"] is not None and (first["birch"].aspect, first["birch"].domain) == (
        "relational_address",
        "social",
    )
    assert first["cedar"] is not None and (first["cedar"].aspect, first["cedar"].domain) == (
        "terminology_control",
        "news",
    )
    assert {contrast.other for contrast in first["birch"].contrasts if contrast.shown} == {"alder", "cedar"}
    assert all(contrast.difference < 0 for contrast in first["birch"].contrasts if contrast.shown)
    assert len(result.priorities["birch"]) == 1
    cells = {(cell.aspect, cell.domain, cell.system): cell for cell in result.cells}
    pairs = [  # skills × (two domains and all) × pairs of systems of which both have ten ratings
        (aspect, domain, one, other)
        for aspect, domain in {(cell.aspect, cell.domain) for cell in result.cells}
        for one, other in combinations(SYSTEMS, 2)
        if cells[aspect, domain, one].quality.n >= 10 and cells[aspect, domain, other].quality.n >= 10
    ]
    assert result.tests == len(pairs)


def test_where_systems_are_alike_nothing_is_to_be_improved() -> None:
    result = diagnose(world({}, documents=8))
    assert not any(result.priorities.values())


@pytest.mark.parametrize(("p", "shown"), [(None, False), (0.049, True), (0.05, False), (0.09, False)])
def test_a_difference_is_shown_below_five_per_cent_after_correction(p: float | None, shown: bool) -> None:
    assert Contrast("oak", -0.5, -1.0, 0.1, 0.01, p, 8).shown == shown


@pytest.mark.parametrize(("documents", "most_shown"), [(5, 0.6), (20, 1.0)])
def test_a_diagnosis_with_any_wrong_mark_is_as_rare_as_stated(documents: int, most_shown: float) -> None:
    """Five systems and six aspects; marked errors of documents and systems that differ. In the second world one system
    makes eight times as many errors of one aspect: only these four comparisons may be shown."""
    random, diagnoses, systems, sentences = np.random.default_rng(24), 60, 5, 20.0
    pairs = list(combinations(range(systems), 2))
    wrong = shown = 0
    for worse in (1.0, 8.0):
        for _ in range(diagnoses):
            rates = 0.3 * np.exp(random.normal(0, 0.5, (6, 1, documents)) + random.normal(0, 0.3, (6, 5, documents)))
            rates[0, 0] *= worse
            points = random.poisson(0.7 * sentences * rates) + 5.0 * random.poisson(0.3 * sentences * rates)
            sums = [[{str(d): (float(n), sentences) for d, n in enumerate(row)} for row in aspect] for aspect in points]
            contrasts = [
                _difference(aspect[one], aspect[two], other="", how=Resampling())
                for aspect in sums
                for one, two in pairs
            ]
            corrected = holm([contrast.p if contrast else None for contrast in contrasts])
            rejected = [p is not None and p < 0.05 for p in corrected]
            real = [worse > 1 and at < systems - 1 for at in range(len(rejected))]
            wrong += any(mark and not true for mark, true in zip(rejected, real, strict=True))
            shown += sum(mark and true for mark, true in zip(rejected, real, strict=True))
    assert wrong / (2 * diagnoses) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / (2 * diagnoses))
    assert 0 < shown / (4 * diagnoses) <= most_shown
    assert documents == 5 or shown / (4 * diagnoses) > 0.9


def test_where_nothing_is_shown_the_diagnosis_says_what_it_would_have_taken() -> None:
    result = diagnose(world({}, documents=3))
    assert not any(result.priorities.values())
    shortfall = result.shortfall
    assert shortfall is not None
    contrasts = [contrast for cell in result.cells for contrast in cell.contrasts]
    assert shortfall.contrast.p == min(contrast.p for contrast in contrasts if contrast.p is not None)
    low, n = shortfall.contrast.low, shortfall.contrast.documents
    assert low is not None
    error = (shortfall.contrast.difference - low) / t.ppf(0.975, n - 1)
    assert shortfall.reached == pytest.approx(abs(shortfall.contrast.difference) / error)
    assert shortfall.needed == pytest.approx(t.isf(0.025 / result.tests, n - 1))
    assert shortfall.needed > shortfall.reached
    enough = shortfall.documents
    assert enough is not None

    def p_with(documents: int) -> float:
        return 2 * t.sf(shortfall.reached * math.sqrt(documents / n), documents - 1) * result.tests

    assert p_with(enough) < 0.05 <= p_with(enough - 1)


def test_what_is_shown_only_over_all_domains_is_named_so() -> None:
    weak = {("birch", "relational_address", domain): 1.2 for domain in OFTEN}
    result = diagnose(world(weak, documents=4))
    shown = {
        (cell.system, cell.aspect, cell.domain)
        for cell in result.cells
        if any(contrast.shown for contrast in cell.contrasts)
    }
    assert ("birch", "relational_address", ALL) in shown, "this world is one in which only all documents show it"
    assert not any(system == "birch" and domain != ALL for system, _, domain in shown)
    [priority] = result.priorities["birch"]
    assert (priority.cell.aspect, priority.cell.domain) == ("relational_address", ALL)
    named = {system for system, priorities in result.priorities.items() if priorities}
    assert named == {system for system, *_ in shown}, "who is shown to be behind is told what to improve"


def test_where_a_difference_is_shown_nothing_falls_short(diagnosed: Diagnosis) -> None:
    assert diagnosed.shortfall is None


def test_documents_that_all_differ_by_the_same_amount_are_compared_by_their_signs() -> None:
    one = {str(document): (3.0 * (document + 1), document + 1.0) for document in range(6)}
    two = {document: (2.0 * n, n) for document, (_, n) in one.items()}
    contrast = _difference(one, two, other="two", how=Resampling())
    assert contrast is not None
    assert (contrast.difference, contrast.low, contrast.p) == (1.0, None, 2 / 2**6)
    alike = _difference(one, one, other="one", how=Resampling())
    assert alike is not None and alike.p is None, "nothing is compared where nothing differs"


def test_the_cells_are_what_pandas_computes(known: Material, diagnosed: Diagnosis) -> None:
    result = diagnosed
    table = known.table.filter(known.table["question"] == "skills").to_pandas()
    table["matters"] = table["label"] != "not_relevant"
    for cell in result.cells:
        own = table[(table["row"] == cell.aspect) & (table["system"] == cell.system)]
        own = own if cell.domain == ALL else own[own["domain"] == cell.domain]
        assert cell.matters.value == pytest.approx(own["matters"].mean())
        assert cell.quality.value == pytest.approx(own[own["matters"]]["score"].mean())
        assert cell.quality.n == int(own["matters"].sum())


def test_a_difference_is_the_jackknife_t_of_document_sums(known: Material, diagnosed: Diagnosis) -> None:
    cell = diagnosed.cell("birch", "relational_address", "social")
    contrast = next(contrast for contrast in cell.contrasts if contrast.other == "alder")
    table = known.table.filter(known.table["question"] == "skills").to_pandas()
    own = table[(table["row"] == "relational_address") & (table["domain"] == "social")]
    own = own[own["label"] != "not_relevant"]
    sums = own.groupby(["document", "system"])["score"].agg(["sum", "count"]).unstack()
    one, two = ((sums["sum"][name], sums["count"][name]) for name in ("birch", "alder"))

    def gap(keep: pd.Series) -> float:
        return one[0][keep].sum() / one[1][keep].sum() - two[0][keep].sum() / two[1][keep].sum()

    every = pd.Series(True, index=sums.index)
    left_out = [gap(every & (sums.index != name)) for name in sums.index]
    n = len(left_out)
    mean = sum(left_out) / n
    error = math.sqrt((n - 1) / n * sum((value - mean) ** 2 for value in left_out))
    assert contrast.difference == pytest.approx(gap(every))
    assert contrast.low is not None
    assert contrast.low == pytest.approx(gap(every) - t.ppf(0.975, n - 1) * error, rel=1e-6)
    assert contrast.p == pytest.approx(2 * t.sf(abs(gap(every)) / error, n - 1), rel=1e-4)
    assert contrast.p_corrected is not None and contrast.p is not None
    assert contrast.p_corrected >= contrast.p


def test_a_domain_may_be_called_all_and_a_system_have_a_slash(known: Material) -> None:
    few = {document.id for document in known.documents if document.id[-2:] in ("-0", "-1")}
    material = replace(
        known,
        documents=tuple(
            replace(document, domain="all" if document.domain == "news" else "talk")
            for document in known.documents
            if document.id in few
        ),
        judgements=tuple(
            replace(judgement, systems=(f"org/{judgement.systems[0]}",))
            for judgement in known.judgements
            if judgement.document in few
        ),
    )
    result = diagnose(material)
    assert result.domains == (ALL, "all", "talk")
    both, own = (_named_cell(result, f"org/birch/terminology_control{domain}") for domain in ("", "/all"))
    assert (both.domain, own.domain, own.matters.n < both.matters.n) == (ALL, "all", True)
    rows = [row for row in result.rows() if (row["system"], row["aspect"]) == (own.system, own.aspect)]
    assert [(row["domain"], row["pooled"]) for row in rows] == [("all", True), ("all", False), ("talk", False)]


def test_examples_are_the_worst_the_best_and_the_most_disputed(known: Material, diagnosed: Diagnosis) -> None:
    result = diagnosed
    cell = result.cell("birch", "relational_address", "social")
    worst, best, disputed = result.examples(cell)
    assert [worst.why, best.why, disputed.why] == ["worst", "best", "most disputed"]
    table = known.table.filter(known.table["question"] == "skills").to_pandas()
    own = table[(table["row"] == cell.aspect) & (table["system"] == "birch") & (table["domain"] == "social")]
    own = own[own["label"] != "not_relevant"]
    means = own.groupby(["document", "segment"])["score"].mean()
    assert means[worst.document, worst.segment] == means.min()
    assert means[best.document, best.segment] == means.max()
    spread = own.groupby(["document", "segment"])["score"].agg(lambda values: values.max() - values.min())
    assert spread[disputed.document, disputed.segment] == spread.max()
    assert worst.outputs["birch"] == f"birch {worst.segment}"
    assert set(worst.ratings) == set(SYSTEMS)


def test_people_and_models_are_never_pooled_and_their_difference_is_shown() -> None:
    result = diagnose(world({}, documents=8, models=True))
    assert set(result.evidence["judge"]) == {"j1", "j2"}
    gaps = {row["aspect"]: row for row in result.groups if row["system"] == "alder"}
    assert gaps["style_register"]["difference"] > 0.5
    assert gaps["style_register"]["p_corrected"] < 0.05
    assert abs(gaps["modality_attitude"]["difference"]) < 0.2


def test_where_all_models_are_left_out_people_are_compared_with_nobody() -> None:
    material = world({}, documents=6, models=True)
    models = {judge.id: "an old version" for judge in material.judges if judge.kind is JudgeKind.MODEL}
    assert models and diagnose(replace(material, left_out=models)).groups == ()


def test_errors_are_told_by_how_often_and_how_costly(tmp_path: Path) -> None:
    rows = []
    for document in range(6):
        for segment in range(4):
            for system, category in (("good", None), ("bad", "Terminology/Inappropriate for context")):
                severity = "major" if category else "no-error"
                text = f"a <v>b</v> {segment}" if category else f"a b {segment}"
                rows.append(
                    f"{system}\td{document}\t{segment}\tr1\tsource {segment}\t{text}\t"
                    f"{category or 'no-error'}\t{severity}"
                )
    file = tmp_path / "mqm.tsv"
    file.write_text("system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" + "\n".join(rows))
    result = diagnose(diagnosable_part(from_file(file)))
    assert result.errors
    bad, good = (result.cell(system, "terminology") for system in ("bad", "good"))
    assert (bad.matters.value, bad.quality.value) == (1.0, 5.0)
    assert (good.matters.value, good.quality.value) == (0.0, 0.0)
    assert result.cell("bad", "accuracy").quality.value == 0.0


def test_what_cannot_be_diagnosed_says_so(known: Material, diagnosed: Diagnosis) -> None:
    with pytest.raises(StatisticError, match="'skills'"):
        diagnose(known, "skils")
    with pytest.raises(StatisticError, match="asks nothing about single skills"):
        diagnose(replace(known, protocol=protocols.load("da"), judgements=()))
    with pytest.raises(StatisticError, match="protocol"):
        diagnose(replace(known, protocol=None))
    assert known.protocol is not None
    values = re.compile(r'"value":[\d.]+')
    unvalued = Protocol.model_validate_json(values.sub('"value":null', known.protocol.model_dump_json(by_alias=True)))
    with pytest.raises(StatisticError, match="have no values"):
        diagnose(replace(known, protocol=unvalued))
    with pytest.raises(StatisticError, match="'birch'"):
        diagnosed.cell("birk", "relational_address")
    assert protocols.load("falcon").diagnostic == ["ratings"]
    assert protocols.load("esa").diagnostic == ["errors"]


def test_a_skill_that_falcon_did_not_choose_does_not_matter() -> None:
    protocol = protocols.load("falcon")
    chosen = ["style_register", "idea_development", "modality_attitude"]
    judgements = [
        Judgement("j", "rating", "ratings", "d", str(k), ("s",), dict.fromkeys(chosen[: 1 + k % 3], 2 + k % 2))
        for k in range(30)
    ]
    segments = tuple(Segment(str(k), "x", outputs={"s": "y"}) for k in range(30))
    material = Material("m", protocol, (Document("d", segments),), (Judge("j"),), tuple(judgements))
    result = diagnose(material)
    assert result.cell("s", "style_register").matters.value == 1.0
    assert result.cell("s", "idea_development").matters.value == pytest.approx(20 / 30)
    assert {aspect.id: aspect.group for aspect in result.aspects}["style_register"] == "tenor"


@pytest.mark.parametrize(
    ("name", "question", "value"),
    [
        ("falcon", "ratings", {"style_register": 3}),
        ("h_falcon", "skills", {"style_register": "low"}),
        ("esa", "errors", [{"side": "target", "start": 0, "end": 1, "severity": "major"}]),
    ],
)
def test_where_all_who_judged_are_left_out_there_is_nothing_to_diagnose(name: str, question: str, value: Json) -> None:
    answer = Judgement("j", "", question, "d", "1", ("s",), value)
    texts = (Document("d", (Segment("1", "x", outputs={"s": "y"}),)),)
    material = Material("m", protocols.load(name), texts, (Judge("j"),), (answer,), left_out={"j": "by chance"})
    with pytest.raises(StatisticError, match=f"Nobody has answered {question}"):
        diagnose(material)


@pytest.mark.data
def test_the_released_h_falcon_ratings_have_one_system_compared_with_itself() -> None:
    result = lanner.diagnose(data_dir("h-falcon"))
    assert (result.systems, result.domains) == (("target",), (ALL, "literary", "news", "social"))
    [first, *_] = result.priorities["target"]
    assert (first.cell.aspect, first.cell.domain, first.against) == ("reference_consistency", "social", "")
    assert result.table.height == len(result.cells)
    grid = protocols.load("h_falcon").find("skills")
    assert grid is not None and isinstance(grid[1], Grid)
    assert [aspect.id for aspect in result.aspects] == [row.id for row in grid[1].rows]


def jackknife(points: pd.Series, count: pd.Series) -> tuple[float, float, float]:
    """The ratio of two sums over documents, with the log-symmetric 95 % interval of a jackknife over documents."""
    mean = points.sum() / count.sum()
    without = (points.sum() - points) / (count.sum() - count)
    n = len(points)
    error = math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    factor = math.exp(t.ppf(0.975, n - 1) * error / mean)
    return mean, mean / factor, mean * factor


def check_errors(result: Diagnosis, table: pd.DataFrame) -> None:
    """`table` has a row for each judgement and a column of points for each aspect that was marked, None where not."""
    aspects = [column for column in table if column not in ("system", "document")]
    assert {aspect.id for aspect in result.occurring} == set(aspects)
    for (system, aspect), cell in {(cell.system, cell.aspect): cell for cell in result.cells}.items():
        if aspect not in aspects:
            assert cell.matters.value == 0 and cell.quality.value == 0
            continue
        own = table[table["system"] == system]
        assert cell.matters.n == cell.quality.n == len(own)
        assert cell.matters.value == pytest.approx(own[aspect].notna().mean())
        by_document = own.fillna({aspect: 0.0}).groupby("document")[aspect]
        if not by_document.sum().sum():
            assert cell.quality.value == 0
            continue
        mean, low, high = jackknife(by_document.sum(), by_document.count())
        assert (cell.quality.value, cell.quality.low, cell.quality.high) == pytest.approx((mean, low, high))


def test_categories_of_released_mqm_data_are_those_of_pandas() -> None:
    path = data_dir("mqm") / "mqm_ted_ende.tsv"
    marks = pd.read_csv(path, sep="\t", quoting=3, keep_default_na=False)
    marks["aspect"] = marks["category"].str.split("/").str[0].str.lower()
    marks["points"] = marks["severity"].map({"Major": 5.0, "Minor": 1.0, "No-error": 0.0})
    marks.loc[(marks["category"] == "Fluency/Punctuation") & (marks["severity"] == "Minor"), "points"] = 0.1
    keys = ["system", "doc", "seg_id", "rater"]
    table = marks.pivot_table(index=keys, columns="aspect", values="points", aggfunc="sum").drop(columns="no-error")
    table = table.reset_index().rename(columns={"doc": "document"}).drop(columns=["seg_id", "rater"])
    check_errors(diagnose(from_file(path)[0]), table)


def test_severities_of_released_esa_data_are_those_of_pandas() -> None:
    path = data_dir("esa-appraise") / "240315rc5ESA.scores.csv"
    names = ["judge", "system", "item", "kind", "source", "target", "score", "place", "whole", "spans", "from", "to"]
    rows = pd.read_csv(path, names=names, keep_default_na=False)
    rows = rows[(rows["kind"] == "TGT") & (rows["whole"].astype(str) == "False")]
    rows = rows[~rows["system"].str.contains("tutorial") & (rows["place"].str.count("#") == 1)]  # no second showing
    rows = rows.sort_values("to", kind="stable").drop_duplicates(["judge", "system", "place", "item"], keep="last")

    def points(text: str, severity: str, weight: float) -> float | None:
        marked = sum(span["severity"] == severity for span in json.loads(text))
        return weight * marked if marked else None

    table = pd.DataFrame(
        {
            "system": rows["system"].str.removeprefix("wmt23."),
            "document": rows["place"].str.split("#").str[0],
            "minor": [points(text, "minor", 1.0) for text in rows["spans"]],
            "major": [points(text, "major", 5.0) for text in rows["spans"]],
        }
    )
    result = diagnose(from_file(path)[0])
    check_errors(result, table)
    # with its batches the campaign has 207 sentences; without them every translation has a number of its own
    assert result.sentences() == (207, False) and "at least 207 sentences" in result.signature
    example = result.examples(result.cells[0])[0]
    assert set(example.ratings) == {example.system}, "another system's number may be that of another sentence"
