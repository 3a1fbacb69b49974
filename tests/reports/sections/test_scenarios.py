"""Agreement by scenario and test set: the table of Castilho (2021), on judges of known truth."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sklearn.metrics import cohen_kappa_score

from lanner.analysis.material import Material
from lanner.reports.sections.scenarios import document_sets as sets_of
from lanner.reports.sections.scenarios import section
from lanner.reports.view import View
from lanner.stats.resample import Resampling
from lanner.studies import scenario_world
from lanner.studies.study import load


@pytest.fixture(scope="module")
def view() -> View:
    reading = {**load("castilho2021").reading, "documents": 12, "sentences": 6}
    data = scenario_world.run(**{name: value for name, value in reading.items() if name != "world"})
    material: Material = data.part("scenarios")
    assert material.protocol is not None
    return View(material, material.protocol, Resampling(n=50))


def test_every_scenario_and_test_set_has_its_coefficients(view: View) -> None:
    made = section(view)
    assert made is not None
    tables = {block.id: block for block in made.blocks}
    assert set(tables) == {"scenarios-adequacy", "scenarios-fluency", "scenarios-errors", "scenarios-ranking"}
    adequacy = tables["scenarios-adequacy"]
    found = {(row["set"], row["coefficient"], row["scenario"]) for row in adequacy.data}
    names = ("weighted κ, mean of pairs", "Fleiss κ", "Krippendorff α", "same answer")
    assert found >= {(s, name, scenario) for s in ("set1", "set2") for name in names for scenario in ("rs", "sc", "ds")}
    assert {name for group, name, _ in found if group == "both sets"} == {"Fleiss κ", "Krippendorff α"}
    assert [column.heading for column in adequacy.columns] == ["", "RS", "SC", "DS"]
    assert [column.heading for column in tables["scenarios-errors"].columns] == ["", "RS", "SC"]


def test_weighted_kappa_is_the_mean_over_pairs_that_scikit_learn_gives(view: View) -> None:
    made = section(view)
    assert made is not None
    adequacy = next(block for block in made.blocks if block.id == "scenarios-adequacy")
    documents = sets_of(view)["set1"]
    table = view.material.table.to_pandas()
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


def test_sets_without_a_name_are_numbered_by_who_met_them_where(view: View) -> None:
    bare = [replace(document, meta={}) for document in view.material.documents]
    unnamed = replace(view, material=replace(view.material, documents=tuple(bare)))
    assert set(sets_of(unnamed)) == {"test set 1", "test set 2"}
    assert sorted(map(len, sets_of(unnamed).values())) == [6, 6]
