"""How often each test cries wolf: its error rate at the 5 % level where nothing is there, which must be 3 to 7 %.

    python benchmarks/bench_type1.py [--full] [--only NAME] [--studies N]

Every simulation has documents whose sentences are alike; where a test takes items as independent its rate is printed
beside ours. Quick: 400 studies per test (± 1.1 points, twice that allowed for); --full: 3,000 (± 0.4). The sign test
with ties split errs on the safe side, the more ties there are: a tie adds to n but nothing to the spread.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many small problems: threads only get in each other's way

import numpy as np
import polars as pl
from scipy import stats

from lanner.stats.association import correlate
from lanner.stats.bradley_terry import bradley_terry
from lanner.stats.coefficients import kappa
from lanner.stats.diagnosis import difference, severity
from lanner.stats.effort import fatigue
from lanner.stats.leastsquares import Ols
from lanner.stats.mixed import curvature, fit, satterthwaite
from lanner.stats.models import _document_p, _item_p, against_people, calibration
from lanner.stats.prediction_powered import powered_mean, variance
from lanner.stats.preference import sign_test
from lanner.stats.ranking import duels
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling
from lanner.stats.scores import Items

DOCUMENTS, SENTENCES = 30, 5
UNIT = np.repeat(np.arange(DOCUMENTS), SENTENCES)
N = len(UNIT)
NAMES = [f"d{d:02d}" for d in UNIT]
RESAMPLING = Resampling(n=500)
EDGE = 0.5 * float(np.clip(np.random.default_rng(0).normal(0.6, 0.15, 10**6), 0.25, 0.95).mean()) - 0.3  # H₀'s border


def alike(rng, share=0.5, unit=UNIT):
    """Numbers with this share of their variance between documents."""
    return np.sqrt(share) * rng.normal(size=unit.max() + 1)[unit] + np.sqrt(1 - share) * rng.normal(size=len(unit))


def correlations(rng):
    x, y = alike(rng), alike(rng)
    ours = correlate(x, y, UNIT, resampling=RESAMPLING)
    return {**{r.name: r.p for r in ours}, "  Pearson r, items independent": stats.pearsonr(x, y)[1]}


def few_documents(rng):
    unit = UNIT[:60]
    x, y = alike(rng, 0.5, unit), alike(rng, 0.5, unit)
    return {f"{r.name}, 12 documents": r.p for r in correlate(x, y, unit, resampling=RESAMPLING)}


def regressions(rng):
    x = np.column_stack([np.ones(N), rng.normal(size=DOCUMENTS)[UNIT], alike(rng), alike(rng)])
    y = alike(rng)
    ours, plain = Ols(y, x, UNIT), Ols(y, x, errors="classical")
    common = Ols(y, x, UNIT, "cr1")
    return {
        "OLS coefficient, CR2": ours.coefficients()[1].p,
        "OLS three coefficients, Hotelling": ours.joint([1, 2, 3]).p,
        "  OLS coefficient, CR1": common.coefficients()[1].p,
        "  OLS coefficient, classical": plain.coefficients()[1].p,
    }


def judges_compared(rng):
    x, z = alike(rng), alike(rng)
    shared = alike(rng)
    y = np.concatenate([shared + rng.normal(size=N), shared + rng.normal(size=N)])
    both, first = np.tile(np.column_stack([np.ones(N), x, z]), (2, 1)), np.repeat([1.0, 0.0], N)[:, None]
    fit_both = Ols(y, np.hstack([both, both * first]), np.tile(UNIT, 2))
    return {"OLS, judges' coefficients equal": fit_both.joint([4, 5]).p}


def mixed_model(rng):
    judge, document = np.tile(np.arange(6), N // 6 + 1)[:N], UNIT
    x = np.column_stack([np.ones(N), (rng.permutation(DOCUMENTS) % 2).astype(float)[document]])
    y = rng.normal(size=6)[judge] + rng.normal(size=DOCUMENTS)[document] + rng.normal(size=N)
    model = fit(y, x, [judge, document])
    error = np.sqrt(model.covariance[1, 1])
    df = satterthwaite(model, curvature(model))[1]
    return {"mixed model, fixed effect": 2 * stats.t.sf(abs(model.beta[1]) / error, df)}


def preferences(rng):
    lean = rng.beta(2, 2, DOCUMENTS)[UNIT]  # documents lean one way, none on average
    label = np.where(rng.random(N) < 0.15, "tie", np.where(rng.random(N) < lean, "x", "y"))
    data = {"judge": ["j"] * N, "document": NAMES, "segment": [str(i) for i in range(N)], "label": label.tolist()}
    row = sign_test(data, per_judge=False, resampling=RESAMPLING).rows[0]
    pair = next(r for r in bradley_terry(data, resampling=RESAMPLING).rows if r["kind"] == "pair")
    return {"preference by document": row["p_documents"], "Bradley–Terry pair": pair["p"], "  sign test": row["p_drop"]}


def independent_preferences(rng):
    label = rng.choice(["x", "y", "tie"], 300, p=[0.45, 0.45, 0.1])
    data = {"judge": ["j"] * 300, "document": [str(i) for i in range(300)], "label": label.tolist()}
    row = sign_test(data, per_judge=False, resampling=Resampling(n=500, method="none")).rows[0]
    return {"sign test, items independent": row["p_drop"], "sign test with ties split": row["p_split"]}


def tiredness(rng):
    seconds = np.exp(3 + alike(rng))
    data = {"judge": ["j"] * N, "document": NAMES, "segment": [str(i) for i in range(N)], "score": [1.0] * N}
    return {"fatigue": fatigue({**data, "active": seconds.tolist()}).p}


def panels(rng):
    lean = alike(rng)
    scores = {f"p{k}": lean + rng.normal(size=N) for k in range(3)} | {"m": lean + rng.normal(size=N)}
    parts = [
        pl.DataFrame({"judge": judge, "judge_kind": "model" if judge == "m" else "person", "document": NAMES,
                      "segment": [str(i) for i in range(N)], "score": score})
        for judge, score in scores.items()
    ]  # fmt: skip
    data = pl.concat(parts)
    bias = next(row for row in calibration(data, resampling=RESAMPLING).rows if row["kind"] == "bias")
    return {"model against people": against_people(data, resampling=RESAMPLING).p, "calibration, bias": bias["p"]}


def annotators(rng):
    lean = np.clip(rng.normal(0.6, 0.15, DOCUMENTS), 0.25, 0.95)[UNIT]
    draw = rng.random(N)
    lost = np.where(draw < lean * 0.5, 1.0, np.where(draw < lean * 0.5 + 0.3, -1.0, 0.0))
    return {"alternative annotator, by document": _document_p(lost, UNIT, EDGE), "  by item": _item_p(lost, EDGE)}


def powered(rng):
    means = []
    f_shared = alike(rng)
    for _ in range(2):
        y = f_shared + alike(rng)
        means.append(powered_mean(np.where(UNIT < 12, y, np.nan), f_shared + 0.5 * rng.normal(size=N), UNIT, DOCUMENTS))
    one, two = means
    spread, df = variance(one.pull - two.pull, one.judged, 1)
    return {"prediction-powered difference": 2 * stats.t.sf(abs(one.value - two.value) / np.sqrt(spread), df)}


def two_kappas(rng):
    """Four judges who err alike, more in some documents than in others; two pairs on the same and on other texts."""
    found = {}
    for title, count in (("difference of two κ, same documents", 1), ("difference of two κ, other documents", 2)):
        plans = []
        worlds = [(rng.integers(0, 3, N), rng.beta(2, 5, DOCUMENTS)[UNIT]) for _ in range(count)]
        for side in range(2):
            true, slip = worlds[side % count]
            codes = np.where(rng.random((2, N)) < slip, rng.integers(0, 3, (2, N)), true)
            names = [f"{side % count}{name}" for name in NAMES]
            rated = Ratings.from_matrix(codes.T, documents=names, labels=["x", "y", "z"])
            plans.append(kappa.plan(rated))
        found[title] = difference(*plans, resampling=RESAMPLING).p
    return found


def strictness(rng):
    """A judge who is now stricter, now milder, document by document, and neither on the whole."""
    scores = alike(rng)[:, None] + np.column_stack([alike(rng) for _ in range(4)])
    rated = Ratings.from_matrix(np.round(scores, 2), documents=NAMES)
    return {"severity of a judge": severity(rated, resampling=RESAMPLING)[0].p}


def score_differences(rng):
    """Two systems of one quality, each better in some documents."""
    shared = alike(rng)
    sides = [
        pl.DataFrame({"system": name, "domain": "", "document": NAMES, "segment": [str(i) for i in range(N)],
                      "score": shared + alike(rng), "judges": 1})
        for name in ("oak", "elm")
    ]  # fmt: skip
    items = Items(pl.concat(sides), "score", 1)
    [ours], [plain] = (duels(items, ["oak", "elm"], test=t, swaps=1000) for t in ("permutation", "signed-rank"))
    return {"score difference, documents swapped": ours.p, "  signed-rank test of items": plain.p}


STUDIES = (correlations, few_documents, regressions, judges_compared, mixed_model, preferences, independent_preferences,
           tiredness, panels, annotators, powered, two_kappas, strictness, score_differences)  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--studies", type=int, default=0, help="how many simulated studies, instead of 400 or 3,000")
    asked = parser.parse_args()
    times = asked.studies or (3000 if asked.full else 400)
    print(f"{'test':44s} error rate at 5 %, {times} studies; indented: for comparison, not ours")
    for place, study in enumerate(STUDIES):
        if asked.only not in study.__name__:
            continue
        rng, started = np.random.default_rng(place), time.perf_counter()
        found = [study(rng) for _ in range(times)]
        for name in found[0]:
            p = np.array([one[name] for one in found if one[name] is not None], dtype=float)
            rate = (p < 0.05).mean()
            error = np.sqrt(rate * (1 - rate) / len(p))
            slack = 0.0 if asked.full else 2 * error  # few studies cannot tell 2.8 from 3.2
            verdict = "" if name.startswith(" ") else "ok" if 0.03 - slack <= rate <= 0.07 + slack else "OUTSIDE 3–7 %"
            print(f"{name:44s} {100 * rate:5.1f} % ± {100 * error:.1f}   {verdict}")
        print(f"  [{study.__name__}: {time.perf_counter() - started:.1f} s]", flush=True)


if __name__ == "__main__":
    main()
