from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lanner.stats.averaging import Averaging
from lanner.stats.head_to_head import duels, holm, shares_segments
from lanner.stats.scores import Items


def found(seed: int = 0, documents: int = 6, gap: float = 1.0) -> Items:
    rng = np.random.default_rng(seed)
    rows = []
    for d, s in product(range(documents), range(3)):
        for system, shift in (("oak", gap), ("elm", 0.0)):
            rows.append((system, ("news", "talk")[d % 2], f"d{d}", str(s), float(rng.normal() + shift), 1))
    names = ["system", "domain", "document", "segment", "score", "judges"]
    return Items(pl.DataFrame(rows, schema=names, orient="row"), "score", 1)


def wide(items: Items) -> pl.DataFrame:
    return items.table.pivot("system", index=["domain", "document", "segment"], values="score")


@pytest.mark.parametrize("average", ["micro", "document", "macro", "document-macro"])
def test_the_permutation_test_is_its_definition(average: str) -> None:
    """Swap the systems' names in every subset of documents and count how often the scores differ as much."""
    items = found()

    def difference(table: pl.DataFrame) -> float:
        oak, elm = Averaging.of(Items(table, "score", 1), ["oak", "elm"], average).values()  # type: ignore[arg-type]
        return float(oak - elm)

    observed = abs(difference(items.table))
    documents = sorted(set(items.table["document"]))
    other = pl.when(pl.col("system") == "oak").then(pl.lit("elm")).otherwise(pl.lit("oak"))
    reached = []
    for swapped in product([False, True], repeat=len(documents)):
        chosen = [d for d, swap in zip(documents, swapped, strict=True) if swap]
        now = pl.when(pl.col("document").is_in(chosen)).then(other).otherwise(pl.col("system"))
        reached.append(abs(difference(items.table.with_columns(system=now))) >= observed - 1e-9)
    [duel] = duels(items, ["oak", "elm"], average=average)  # type: ignore[arg-type]
    assert duel.p == pytest.approx(np.mean(reached))


def test_random_swaps_come_near_to_all_swaps() -> None:
    items = found(3, gap=0.3)
    [exact] = duels(items, ["oak", "elm"])
    [drawn] = duels(items, ["oak", "elm"], swaps=50)
    assert exact.p is not None
    assert drawn.p is not None
    assert abs(exact.p - drawn.p) < 0.25
    assert drawn.p >= 1 / 51


@pytest.mark.parametrize("rounded", [False, True])
def test_rank_tests_are_those_of_scipy(rounded: bool) -> None:
    items = found(1)
    if rounded:  # with equal scores and equal differences
        items = Items(items.table.with_columns(pl.col("score").round()), "score", 1)
    table = wide(items)
    [signed] = duels(items, ["oak", "elm"], test="signed-rank")
    assert signed.p == pytest.approx(stats.wilcoxon(table["oak"], table["elm"]).pvalue)
    [summed] = duels(items, ["oak", "elm"], test="rank-sum")
    assert summed.p == pytest.approx(stats.mannwhitneyu(table["oak"], table["elm"]).pvalue)


def test_domains_are_combined_by_stouffer() -> None:
    items = found(2, gap=0.4)
    parts = [wide(items).filter(pl.col("domain") == domain) for domain in ("news", "talk")]
    ps = [float(stats.wilcoxon(part["oak"], part["elm"]).pvalue) for part in parts]
    [duel] = duels(items, ["oak", "elm"], test="signed-rank", combine="stouffer")
    assert duel.p == pytest.approx(stats.combine_pvalues(ps, "stouffer").pvalue)


def test_domains_that_point_opposite_ways_cancel_only_with_their_sign() -> None:
    items = found(4, documents=12, gap=0)
    shift = pl.when(pl.col("domain") == "news").then(2.0).otherwise(-2.0)
    oak = pl.when(pl.col("system") == "oak").then(pl.col("score") + shift).otherwise(pl.col("score"))
    items = Items(items.table.with_columns(score=oak), "score", 1)
    [blind] = duels(items, ["oak", "elm"], test="signed-rank", combine="stouffer")
    [signed] = duels(items, ["oak", "elm"], test="signed-rank", combine="signed-stouffer")
    assert blind.p is not None
    assert signed.p is not None
    assert blind.p < 0.001 < 0.05 < signed.p


def test_holm() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == [0.03, 0.06, None, 0.06]


def test_equal_systems_and_systems_that_share_nothing() -> None:
    items = found()
    same = Items(items.table.with_columns(score=pl.lit(1.0)), "score", 1)
    for test in ("permutation", "signed-rank", "rank-sum"):
        [duel] = duels(same, ["oak", "elm"], test=test)  # type: ignore[arg-type]
        assert duel.p == 1
    apart = pl.col("document") + pl.col("system")
    [duel] = duels(Items(items.table.with_columns(document=apart), "score", 1), ["oak", "elm"])
    assert (duel.p, duel.n) == (None, 0)


def test_documents_are_compared_where_segment_ids_do_not_match() -> None:
    items = found(documents=8)
    renamed = Items(items.table.with_columns(segment=pl.col("segment") + pl.col("system")), "score", 1)
    assert not shares_segments(renamed, ["oak", "elm"])
    [duel], [plain] = duels(renamed, ["oak", "elm"]), duels(items, ["oak", "elm"])
    assert duel.n == 8
    assert duel.p == pytest.approx(plain.p)


def test_thousands_of_documents_are_swapped_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rows = [("news", f"d{d}", "1", name, float(rng.normal())) for d in range(1100) for name in ("oak", "elm")]
    names = ["domain", "document", "segment", "system", "score"]
    items = Items(pl.DataFrame(rows, schema=names, orient="row").with_columns(weight=1.0), "score", 1)
    [whole] = duels(items, ["oak", "elm"], swaps=500)
    monkeypatch.setattr("lanner.stats.head_to_head._HELD", 50_000)
    [parts] = duels(items, ["oak", "elm"], swaps=500)
    assert whole.p is not None and 0 < whole.p < 1
    assert parts.p == whole.p
