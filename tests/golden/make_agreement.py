"""Makes agreement.json: ratings, and what other people's libraries say about them.

The tests compare ours with these values, so that none of the libraries (two are GPL, one pins old versions) has to be
installed to run them. To make the file anew, run this script once in each of two environments, in any order; each run
adds the values of the libraries it finds:

    pip install krippendorff pingouin scikit-learn statsmodels nltk && python tests/golden/make_agreement.py
    pip install irrCAC && python tests/golden/make_agreement.py
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

FILE = Path(__file__).with_name("agreement.json")
GWET = [  # judges × items; Krippendorff's example C is the same data
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, None],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
SHROUT_FLEISS = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]


def simulated(seed: int, judges: int, items: int, points: int, missing: float, noise: float) -> list[list[int | None]]:
    rng = np.random.default_rng(seed)
    true = rng.integers(1, points + 1, items)
    shift = rng.integers(-1, 2, (judges, items)) * (rng.random((judges, items)) < noise)
    table = np.clip(true + shift, 1, points)
    gone = rng.random(table.shape) < missing
    return [[None if g else int(v) for v, g in zip(*row, strict=True)] for row in zip(table, gone, strict=True)]


def cases() -> dict[str, list[list[int | None]]]:
    return {
        "gwet": GWET,
        "shrout_fleiss": SHROUT_FLEISS,
        "two": simulated(1, 2, 40, 3, 0.0, 0.5),
        "three_missing": simulated(2, 3, 60, 4, 0.25, 0.6),
        "five_sparse": simulated(3, 5, 50, 5, 0.6, 0.4),
        "binary": simulated(4, 4, 30, 2, 0.1, 0.8),
        "fine": simulated(5, 3, 80, 101, 0.2, 1.0),
        "complete": simulated(6, 4, 25, 7, 0.0, 0.9),
    }


def has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def matrix(ratings: list[list[int | None]]) -> np.ndarray:
    return np.array([[np.nan if v is None else v for v in row] for row in ratings], dtype=float)


def from_krippendorff(table: np.ndarray) -> dict[str, float]:
    import krippendorff  # noqa: PLC0415

    levels = ("nominal", "ordinal", "interval", "ratio")
    return {f"alpha {level}": float(krippendorff.alpha(table, level_of_measurement=level)) for level in levels}


def from_sklearn(table: np.ndarray) -> dict[str, float]:
    from sklearn.metrics import cohen_kappa_score, f1_score  # noqa: PLC0415

    found: dict[str, float] = {}
    points = np.arange(np.nanmin(table), np.nanmax(table) + 1).astype(int)
    for a, b in itertools.combinations(range(len(table)), 2):
        both = ~np.isnan(table[[a, b]]).any(axis=0)
        if both.sum() < 2:
            continue
        x, y = table[a, both].astype(int), table[b, both].astype(int)
        for weights in (None, "linear", "quadratic"):
            value = cohen_kappa_score(x, y, labels=points, weights=weights)
            found[f"kappa {weights or 'none'} {a} {b}"] = float(value)
        found[f"micro_f1 {a} {b}"] = float(f1_score(x, y, average="micro"))
        found[f"macro_f1 {a} {b}"] = float(f1_score(x, y, average="macro"))
    return found


def from_statsmodels(table: np.ndarray) -> dict[str, float]:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa  # noqa: PLC0415

    return {} if np.isnan(table).any() else {"fleiss": float(fleiss_kappa(aggregate_raters(table.T.astype(int))[0]))}


def from_pingouin(table: np.ndarray) -> dict[str, float]:
    import pingouin  # noqa: PLC0415

    if np.isnan(table).any():
        return {}
    judges, items = table.shape
    long = pd.DataFrame(
        {"item": np.tile(range(items), judges), "judge": np.repeat(range(judges), items), "score": table.ravel()}
    )
    values = pingouin.intraclass_corr(long, targets="item", raters="judge", ratings="score")["ICC"].tolist()
    return dict(
        zip([f"icc {form}" for form in ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")], map(float, values), strict=True)
    )


def from_irrcac(table: np.ndarray) -> dict[str, float]:
    from irrCAC.raw import CAC  # noqa: PLC0415

    found = {}
    points = np.arange(np.nanmin(table), np.nanmax(table) + 1).tolist()
    if len(points) > 10:
        return {}
    for weights in ("identity", "linear", "quadratic"):
        cac = CAC(pd.DataFrame(table.T), weights=weights, categories=points)
        for ours, theirs in (("fleiss", "fleiss"), ("gwet", "gwet"), ("brennan_prediger", "bp"), ("conger", "conger")):
            found[f"{ours} {weights}"] = float(getattr(cac, theirs)()["est"]["coefficient_value"])
    return found


LIBRARIES = {
    "krippendorff": from_krippendorff,
    "sklearn": from_sklearn,
    "statsmodels": from_statsmodels,
    "pingouin": from_pingouin,
    "irrCAC": from_irrcac,
}


def main() -> None:
    warnings.simplefilter("ignore")
    old = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    made = {}
    for name, ratings in cases().items():
        values = old.get(name, {}).get("values", {})
        for library, function in LIBRARIES.items():
            if has(library):
                values[library] = function(matrix(ratings))
        made[name] = {"ratings": ratings, "values": dict(sorted(values.items()))}
    lines = [f' "{name}": {json.dumps(case)}' for name, case in made.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
