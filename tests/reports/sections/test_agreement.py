import re
from dataclasses import replace
from random import Random

import pytest
from sklearn.metrics import cohen_kappa_score

from lanner.analysis import agreements
from lanner.analysis.material import Material
from lanner.model import Role
from lanner.reports.parts import Figure, Paragraph, Table
from lanner.reports.sections.agreement import calibration, details, scenario_section, section
from lanner.reports.sections.agreement import document_sets as sets_of
from lanner.reports.view import View
from lanner.stats.resample import Resampling
from lanner.studies import simulation
from lanner.studies.study import load
from reports.comparison.worlds import answered
from reports.test_view import view


def test_every_question_has_its_table_and_heat_map() -> None:
    made = section(view())
    assert made is not None
    tables = [block.id for block in made.blocks if isinstance(block, Table)]
    figures = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert tables == ["agreement", "without-each-judge"]
    found = details(view())
    assert found is not None
    pairs = [block.id for block in found.blocks if isinstance(block, Table)]
    assert pairs == ["agreement-context", "agreement-spans", "agreement-skills", "agreement-ratings"]
    assert figures == ["questions", "pairs-context"]
    others = [block.id for block in found.blocks if isinstance(block, Figure)]
    assert others == ["pairs-spans", "pairs-skills", "pairs-ratings"]


def test_rows_carry_estimate_interval_and_n() -> None:
    made = details(view())
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table))
    row = next(row for row in table.rows if row.get("pair") == "Judge 0 – Judge 1")
    assert row["n"] == 24
    assert str(row["ci"]).startswith("[")
    assert table.data[0]["low"] < table.data[0]["value"] < table.data[0]["high"]
    assert "n" in table.signature


def test_no_empty_axis_where_judges_share_nothing() -> None:
    made = view(judges=2)
    places = {"j0": "d0", "j1": "d1"}
    apart = tuple(j for j in made.material.judgements if j.document == places[j.judge])
    found = section(replace(made, material=replace(made.material, judgements=apart)))
    assert found is not None
    assert not [block for block in found.blocks if isinstance(block, Figure | Table)]
    assert "cannot be told" in found.findings[0]


def alike() -> View:
    """Four judges who give the same answers."""
    labels = ["sentence_level", "local", "extended", "global"]
    world = answered(
        "falcon",
        ["context"],
        lambda q, judge, system, d, s, _: labels[(d + s) % 4],
        judges=("ann", "bob", "cem", "dee"),
        systems=((),),
    )
    assert world.protocol is not None
    return View(world, world.protocol)


def test_where_all_agree_no_pair_and_no_judge_is_named_as_the_best_or_the_worst() -> None:
    """It was said that "ann – bob agree most (1.00) and ann – bob least (1.00)"."""
    made, found = section(alike()), details(alike())
    assert made is not None and found is not None
    assert "closest" not in " ".join(made.findings)
    captions = {block.id: block.caption for block in (*made.blocks, *found.blocks) if isinstance(block, Figure | Table)}
    assert captions["pairs-context"].startswith("On context level, all pairs of people agree alike (1.00).")
    assert captions["without-each-judge"].endswith("No judge changes it by .01 or more.")
    assert captions["agreement-context"].endswith("Two people agree with κ 1.00.")


def test_pairs_that_agree_best_are_named_together() -> None:
    seen = alike()
    lone = [j if j.judge != "dee" else replace(j, value="local") for j in seen.material.judgements]
    made = section(replace(seen, material=replace(seen.material, judgements=tuple(lone))))
    assert made is not None
    assert "closest ann – bob, ann – cem and bob – cem, κ 1.00)" in made.findings[0]
    caption = next(block.caption for block in made.blocks if isinstance(block, Figure))
    assert "of people ann – bob, ann – cem and bob – cem agree most (1.00) and" in caption


def test_nothing_to_say_with_one_judge() -> None:
    assert section(view(judges=1)) is None


def test_the_table_shows_what_the_analysis_computes_and_the_weakest_row() -> None:
    seen = view("h_falcon")
    made = section(seen)
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table) and block.id == "agreement")
    oracle = {entry.plan.id: entry for entry in agreements(seen.counted(), seen.protocol)}
    for row in table.data:
        assert row["value"] == oracle[str(row["question"])].headline.value
    skills = next(row for row in table.data if row["question"] == "skills")
    weakest = oracle["skills"].weakest
    assert weakest is not None and skills["weakest"] == weakest.measure.row
    assert "weakest" in made.findings[0]
    in_detail = details(seen)
    assert in_detail is not None
    rows = next(block for block in in_detail.blocks if isinstance(block, Table) and block.id == "rows-skills")
    assert (
        len(rows.data) == len(rows.rows) == 10 and rows.data[-1]["value"] == skills["value"]
    )  # the mean is in the file


def test_agreement_without_each_judge_names_the_careless_one() -> None:
    seen = view("h_falcon", judges=4, documents=6)
    order = [option.id for option in seen.protocol.find("skills")[1].options]  # type: ignore[union-attr, index]
    careless = tuple(
        replace(
            j, value={row: order[n % len(order)] for n, row in enumerate(j.value)} if isinstance(j.value, dict) else 5
        )
        if j.judge == "j3" and j.question in ("skills", "holistic", "sentence")
        else j
        for j in seen.material.judgements
    )
    made = section(replace(seen, material=replace(seen.material, judgements=careless)))
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table) and block.id == "without-each-judge")
    changes = {str(row["without"]): row["change"] for row in table.data if row["question"] == "holistic"}
    assert max(changes, key=lambda judge: changes[judge]) == "j3"
    assert "without Judge 3" in table.caption


def test_a_calibration_round_stands_next_to_the_main_items_and_counts_nowhere_else() -> None:
    seen = view("h_falcon")
    assert calibration(seen) is None
    rounds = tuple(replace(j, role=Role.CALIBRATION) if j.document == "d0" else j for j in seen.material.judgements)
    other = replace(seen, material=replace(seen.material, judgements=rounds))
    made = calibration(other)
    assert made is not None
    (table,) = made.blocks
    assert isinstance(table, Table)
    n = {row["round"]: row["n"] for row in table.data if row["question"] == "holistic"}
    assert n == {"calibration": 12, "main": 36}


def test_no_sentence_is_said_of_two_items() -> None:
    seen = view("h_falcon", judges=2, documents=2)
    few = tuple(j for j in seen.material.judgements if j.segment == "0" and j.systems == ("oak",))
    made = section(replace(seen, material=replace(seen.material, judgements=few)))
    assert made is not None
    assert not [sentence for sentence in made.findings if "α" in sentence]


def test_two_documents_give_no_verdict_and_five_do() -> None:
    for documents, few in ((4, True), (5, False)):
        made = section(view("h_falcon", judges=3, documents=documents))
        assert made is not None
        [sentence] = [sentence for sentence in made.findings if "agreement of people" in sentence]
        assert (f"on {documents} documents: **too few for a verdict**" in sentence) == few


@pytest.mark.parametrize(("noise", "is_open"), [(0.02, False), (0.15, True)])
def test_a_band_that_the_interval_leaves_is_one_as_it_stands(noise: float, is_open: bool) -> None:
    """The number and both ends of its interval are looked up on the scale by hand."""
    bands = {-1.0: "", 0.0: "too low to draw conclusions from", 0.667: "enough for tentative conclusions"}
    bands[0.8] = "reliable"
    seen = view("sqm", judges=2, documents=12)
    dice = Random(3)
    texts = {(j.document, j.segment, j.systems): dice.randint(0, 6) for j in seen.material.judgements}
    answers = tuple(
        replace(j, value=dice.randint(0, 6) if dice.random() < noise else texts[j.document, j.segment, j.systems])
        for j in seen.material.judgements
        if j.question == "score"
    )
    made = section(replace(seen, material=replace(seen.material, judgements=answers)))
    assert made is not None
    [sentence] = made.findings
    found = re.search(r"α (\S+) \[(\S+), (\S+?)\]", sentence)
    assert found is not None
    here, least, most = (next(b for at, b in reversed(bands.items()) if float(x) >= at) for x in found.groups())
    assert f"is **{here}**" in sentence
    assert (least != most) == is_open
    assert (f"as it stands, anything from “{least}” to “{most}”" in sentence) == is_open


def test_perfect_agreement_on_few_documents_is_no_verdict() -> None:
    """Six documents that all say the same give no interval, and `lanner agreement` says nothing of high or low."""
    seen = view("sqm", judges=2, documents=6)
    first = {(j.question, j.document, j.segment, j.systems): j.value for j in reversed(seen.material.judgements)}
    same = tuple(
        replace(j, value=first[j.question, j.document, j.segment, j.systems]) for j in seen.material.judgements
    )
    made = section(replace(seen, material=replace(seen.material, judgements=same)))
    assert made is not None
    [sentence] = [sentence for sentence in made.findings if "agreement of people" in sentence]
    assert "is α 1.00 on 6 documents: **too few for a verdict**" in sentence


def test_a_little_below_nought_is_no_systematic_disagreement() -> None:
    seen = view("sqm", judges=2, documents=6)
    dice = Random(2)
    by_chance = tuple(replace(j, value=dice.randint(0, 6)) for j in seen.material.judgements if j.question == "score")
    made = section(replace(seen, material=replace(seen.material, judgements=by_chance)))
    assert made is not None
    [sentence] = made.findings
    assert "is **no agreement beyond chance** as it stands" in sentence, sentence
    assert "systematic" not in sentence


def test_judges_who_cannot_be_compared_get_a_sentence_and_no_empty_matrix() -> None:
    seen = view("sqm", judges=3)
    alike = tuple(replace(j, value=1) for j in seen.material.judgements if isinstance(j.value, int | float))
    assert alike, "answers that can be made alike"
    made = section(replace(seen, material=replace(seen.material, judgements=alike)))
    assert made is not None
    assert [block.text for block in made.blocks if isinstance(block, Paragraph) and "No two judges" in block.text]
    assert not [block for block in made.blocks if isinstance(block, Figure) and block.id.startswith("pairs-")]


@pytest.fixture(scope="module")
def scenario_view() -> View:
    reading = {**load("castilho2021").reading, "documents": 8, "sentences": 6}
    data = simulation.run_scenarios(**{name: value for name, value in reading.items() if name != "world"})
    material: Material = data.part("scenarios")
    assert material.protocol is not None
    return View(material, material.protocol, Resampling(n=50))


@pytest.fixture(scope="module")
def scenario_tables(scenario_view: View) -> dict[str, Table]:
    made = scenario_section(scenario_view)
    assert made is not None
    return {block.id: block for block in made.blocks if isinstance(block, Table)}


def test_every_scenario_and_test_set_has_its_coefficients(scenario_tables: dict[str, Table]) -> None:
    tables = scenario_tables
    assert set(tables) == {"scenarios-adequacy", "scenarios-fluency", "scenarios-errors", "scenarios-ranking"}
    adequacy = tables["scenarios-adequacy"]
    found = {(row["set"], row["coefficient"], row["scenario"]) for row in adequacy.data}
    names = ("weighted κ, mean of pairs", "Fleiss κ", "Krippendorff α", "same answer")
    assert found >= {(s, name, scenario) for s in ("set1", "set2") for name in names for scenario in ("rs", "sc", "ds")}
    assert {name for group, name, _ in found if group == "both sets"} == {"Fleiss κ", "Krippendorff α"}
    assert [column.heading for column in adequacy.columns] == ["", "RS", "SC", "DS"]
    assert [column.heading for column in tables["scenarios-errors"].columns] == ["", "RS", "SC"]


def test_weighted_kappa_is_the_mean_over_pairs_that_scikit_learn_gives(
    scenario_view: View, scenario_tables: dict[str, Table]
) -> None:
    adequacy = scenario_tables["scenarios-adequacy"]
    documents = sets_of(scenario_view)["set1"]
    table = scenario_view.material.table.to_pandas()
    own = table[(table["question"] == "adequacy_sc") & table["document"].isin(documents)]
    wide = own.pivot(index=["document", "segment"], columns="judge", values="score").dropna(axis=1, how="all")
    pairs = [(a, b) for place, a in enumerate(wide.columns) for b in wide.columns[place + 1 :]]
    kappas = [
        cohen_kappa_score(wide[a].astype(int), wide[b].astype(int), weights="linear", labels=[1, 2, 3, 4])
        for a, b in pairs
    ]
    row = next(
        row
        for row in adequacy.data
        if (row["set"], row["scenario"], row["coefficient"]) == ("set1", "sc", "weighted κ, mean of pairs")
    )
    assert row["value"] == pytest.approx(sum(kappas) / len(kappas))


def test_sets_without_a_name_are_numbered_by_who_met_them_where(scenario_view: View) -> None:
    bare = [replace(document, meta={}) for document in scenario_view.material.documents]
    unnamed = replace(scenario_view, material=replace(scenario_view.material, documents=tuple(bare)))
    assert set(sets_of(unnamed)) == {"test set 1", "test set 2"}
    assert sorted(map(len, sets_of(unnamed).values())) == [4, 4]
