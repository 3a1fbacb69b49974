"""How often each test cries wolf: its error rate at the 5 % level where nothing is there, which must be 3 to 7 %.

    python benchmarks/bench_type1.py [--full] [--only NAME] [--studies N] [--documents 6,10,20,40,120] [--sparse]

Every simulation has documents whose sentences are alike; where a test takes items as independent its rate is printed
beside ours. Quick: 400 studies per test (± 1.1 points, twice that allowed for); --full: 3,000 (± 0.4). With --sparse
60 % of sentences, or of the scores of each judge and system, are missing. The sign test with ties split errs on the
safe side, the more ties there are: a tie adds to n but nothing to the spread. --markdown prints a table for the docs.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many small problems: threads only get in each other's way

import numpy as np
import polars as pl
from scipy import stats

from lanner.stats.association import correlate, partial
from lanner.stats.coefficients import kappa
from lanner.stats.diagnosis import bias, difference, severity
from lanner.stats.effort import fatigue
from lanner.stats.facets import facets
from lanner.stats.metaeval import Scorer, comparisons
from lanner.stats.mixed import Satterthwaite, _prepare, default_random
from lanner.stats.models import _document_p, _item_p, against_people, calibration, powered_mean, variance
from lanner.stats.preference import bradley_terry, side_bias, sign_test
from lanner.stats.ranking import duels, rank
from lanner.stats.ratings import Ratings
from lanner.stats.regression import Ols, blocks
from lanner.stats.resample import Resampling
from lanner.stats.scores import Items

DOCUMENTS, SENTENCES = 30, 5
UNIT = np.repeat(np.arange(DOCUMENTS), SENTENCES)
N = len(UNIT)
NAMES = [f"d{d:02d}" for d in UNIT]
SPARSE = False


def set_design(documents, sparse):
    """Studies of so many documents; sparse ones lack 60 % of the scores of systems."""
    global DOCUMENTS, UNIT, N, NAMES, SPARSE  # noqa: PLW0603
    DOCUMENTS, SPARSE = documents, sparse
    UNIT = np.repeat(np.arange(documents), SENTENCES)
    if sparse:  # whole documents are never lost
        kept = np.random.default_rng(documents).random(len(UNIT)) > 0.6
        kept[np.arange(documents) * SENTENCES] |= np.bincount(UNIT, weights=kept, minlength=documents) == 0
        UNIT = UNIT[kept]
    N, NAMES = len(UNIT), [f"d{d:03d}" for d in UNIT]


RESAMPLING = Resampling(n=500)
EDGE = 0.5 * float(np.clip(np.random.default_rng(0).normal(0.6, 0.15, 10**6), 0.25, 0.95).mean()) - 0.3  # H₀'s border


def alike(rng, share=0.5, unit=None):
    """Numbers with this share of their variance between documents."""
    unit = UNIT if unit is None else unit
    return np.sqrt(share) * rng.normal(size=unit.max() + 1)[unit] + np.sqrt(1 - share) * rng.normal(size=len(unit))


def correlations(rng):
    x, y = alike(rng), alike(rng)
    ours = correlate(x, y, UNIT, resampling=RESAMPLING)
    return {**{r.name: r.p for r in ours}, "  Pearson r, items independent": stats.pearsonr(x, y)[1]}


def partial_correlations(rng):
    x, y, z = alike(rng), alike(rng), alike(rng)
    found = partial(x + z, y + z, z[:, None], UNIT, methods=("pearson", "spearman"), resampling=RESAMPLING)
    return {r.name: r.p for r in found}


def regressions(rng):
    x = np.column_stack([np.ones(N), rng.normal(size=DOCUMENTS)[UNIT], alike(rng), alike(rng)])
    y = alike(rng)
    ours, plain = Ols(y, x, UNIT), Ols(y, x, errors="classical")
    common = Ols(y, x, UNIT, "cr1")
    together = ours.joint([1, 2, 3])
    return {
        "OLS coefficient, CR2": ours.coefficients()[1].p,
        "OLS three coefficients, Hotelling": together.p if together else None,
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


def blocks_of_predictors(rng):
    """A second block that adds nothing to the first."""
    data = pl.DataFrame({"judge": "j", "document": NAMES, "segment": [str(i) for i in range(N)], "a": alike(rng)})
    data = data.with_columns(pl.Series("b", alike(rng)), pl.Series("y", alike(rng)) + pl.col("a"))
    added = blocks(data, "y", ["a", "b"], resampling=RESAMPLING).rows[-1]
    return {"regression, block added": added["p"]}


def judged(rng, level, slope=None):
    """Rows of a mixed model: four judges, each sentence by one of them, with a predictor of documents or sentences."""
    judge = np.arange(N) % 4
    x = level[UNIT] if slope is None else alike(rng, 0.3)
    y = rng.normal(size=4)[judge] + rng.normal(size=DOCUMENTS)[UNIT] + rng.normal(size=N)
    y += 0.0 if slope is None else slope[UNIT] * x
    names = {"judge": [f"j{j}" for j in judge], "document": NAMES, "segment": [str(i) for i in range(N)]}
    return pl.DataFrame({**names, "x": x, "y": y})


def of_fixed(data, predictor, random=None):
    """p of one fixed effect as `mixed` has it, without the intervals of variances, which take most of its time."""
    y, design, terms, *_ = _prepare(data, "y", [predictor], random or default_random(data, [predictor]))
    try:
        model = terms.fit(y, design.matrix)
        df = Satterthwaite.of(model).of_contrast(np.array([0.0, 1.0]))
    except np.linalg.LinAlgError:  # `mixed` says that the factors explain everything
        return None
    return 2 * stats.t.sf(abs(model.beta[1]) / np.sqrt(model.covariance[1, 1]), df)


def mixed_model(rng):
    return {
        "mixed model, effect of documents": of_fixed(judged(rng, (rng.permutation(DOCUMENTS) % 2).astype(float)), "x")
    }


def mixed_slopes(rng):
    """A number that counts for more in some documents, and for nothing on the whole."""
    data = judged(rng, None, rng.normal(0, 0.5, DOCUMENTS))
    return {
        "mixed model, number": of_fixed(data, "x"),
        "  mixed model, number, without slopes": of_fixed(data, "x", ("judge", "document")),
    }


def preferences(rng):
    lean = rng.beta(2, 2, DOCUMENTS)[UNIT]  # documents lean one way, none on average
    label = np.where(rng.random(N) < 0.15, "tie", np.where(rng.random(N) < lean, "x", "y"))
    data = {"judge": ["j"] * N, "document": NAMES, "segment": [str(i) for i in range(N)], "label": label.tolist()}
    row = sign_test(data, per_judge=False, resampling=RESAMPLING).rows[0]
    pair = next(r for r in bradley_terry(data, resampling=RESAMPLING).rows if r["kind"] == "pair")
    shown = pl.DataFrame({**data, "system": ["x|y" if coin else "y|x" for coin in rng.random(N) < 0.5]})
    first = side_bias(shown, resampling=RESAMPLING)
    found = {
        "preference by document": row["p_documents"],
        "Bradley–Terry pair": pair["p"],
        "  sign test": row["p_drop"],
    }
    return {**found, "preference for what is shown first": first.p}


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


def calibrated(rng):
    """A model whose scores mean what people's mean: slope 1, intercept 0."""
    model = alike(rng)
    people = model + 0.5 * alike(rng)
    rows = {"document": NAMES, "segment": [str(i) for i in range(N)]}
    sides = [("m", "model", model), ("p", "person", people)]
    data = pl.concat([pl.DataFrame({"judge": j, "judge_kind": k, **rows, "score": s}) for j, k, s in sides])
    line = [row for row in calibration(data, resampling=RESAMPLING).rows if row["kind"] == "line"]
    return {f"calibration, {row['term']}": row["p"] for row in line}


def annotators(rng):
    lean = np.clip(rng.normal(0.6, 0.15, DOCUMENTS), 0.25, 0.95)[UNIT]
    draw = rng.random(N)
    lost = np.where(draw < lean * 0.5, 1.0, np.where(draw < lean * 0.5 + 0.3, -1.0, 0.0))
    fails = np.where((rng.random(DOCUMENTS) < 0.2)[UNIT], 1.0, rng.choice([-1.0, 0.0, 1.0], N, p=[0.1, 0.8, 0.1]))
    means = np.bincount(UNIT, weights=fails) / np.bincount(UNIT)
    return {
        "alternative annotator, by document": _document_p(lost, UNIT, EDGE),
        "  by item": _item_p(lost, EDGE),
        "alternative annotator, one document in five fails": _document_p(fails, UNIT, 0.2),
        "  t over documents": stats.ttest_1samp(means, 0.2, alternative="less").pvalue,
        "  by item, one document in five fails": _item_p(fails, 0.2),
    }


def powered(rng):
    means = []
    f_shared = alike(rng)
    for _ in range(2):
        y = f_shared + alike(rng)
        means.append(
            powered_mean(
                np.where(UNIT < 0.5 * DOCUMENTS, y, np.nan), f_shared + 0.5 * rng.normal(size=N), UNIT, DOCUMENTS
            )
        )
    one, two = means
    if one is None or two is None:
        return {"prediction-powered difference": None}
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


def leaning(rng):
    """A judge who uses a label now more, now less often than the others, and as often on the whole."""
    lean = [rng.beta(4, 4, DOCUMENTS)[UNIT] for _ in range(3)]
    codes = np.column_stack([(rng.random(N) < share).astype(int) for share in lean])
    found = bias(Ratings.from_matrix(codes, documents=NAMES, labels=["x", "y"]), resampling=RESAMPLING)
    return {"label bias of a judge": found[0].p}


def scored(rng, names):
    """Systems of one quality, each better in some documents."""
    unit = np.repeat(np.arange(DOCUMENTS), SENTENCES)
    shared = alike(rng, unit=unit)
    sides = []
    for name in names:
        kept = rng.random(len(unit)) > 0.6 if SPARSE else np.ones(len(unit), bool)
        scores = pl.DataFrame(
            {
                "system": name,
                "domain": "",
                "document": [f"d{d:03d}" for d in unit],
                "segment": [str(i) for i in range(len(unit))],
                "score": shared + alike(rng, unit=unit),
                "judges": 1,
            }
        )
        sides.append(scores.filter(pl.Series(kept)))
    return Items(pl.concat(sides), "score", 1)


def score_differences(rng):
    names = ["oak", "elm"]
    items = scored(rng, names)
    [ours] = duels(items, names, swaps=1000)
    [plain] = duels(items, names, test="signed-rank")
    worse = items.table.with_columns(pl.col("score") - 0.2 * (pl.col("system") == "elm").cast(pl.Float64))
    [at_margin] = duels(Items(worse, "score", 1), names, swaps=1000, margin=0.2)
    return {
        "score difference, documents swapped": ours.p,
        "not worse, at the margin": at_margin.p_not_worse,
        "  signed-rank test of items": plain.p,
    }


def with_judges(rng, judges=5):
    """Two systems of one quality: judges are severe and have favourites, documents are hard and suit one of them."""
    d, s = DOCUMENTS, 2
    hard, severe = rng.normal(size=d), rng.normal(size=judges)
    own, favour = 0.5 * rng.normal(size=(d, s)), 0.5 * rng.normal(size=(judges, s))
    document, judge, system = (axis.ravel() for axis in np.indices((d, judges, s)))
    score = hard[document] + severe[judge] + own[document, system] + favour[judge, system] + rng.normal(size=len(judge))
    table = pl.DataFrame(
        {
            "document": [f"d{i:03d}" for i in document],
            "segment": "",
            "judge": [f"j{i}" for i in judge],
            "system": [("oak", "elm")[i] for i in system],
            "score": score,
        }
    )
    return table.filter(pl.Series(rng.random(len(table)) > 0.6)) if SPARSE else table


def other_judges(rng):
    """What is said of judges in general, where the judges are a sample."""
    data = with_judges(rng)
    [crossed] = rank(data, "", other_judges=True, resampling=Resampling(n=2)).duels
    [fixed] = rank(data, "", swaps=500, resampling=Resampling(n=2)).duels
    found = {"score difference, judges in general": crossed.p, "  the same, read from these judges": fixed.p}
    pairs = [row for row in facets(data, "", judges=(), documents=()).rows if row["kind"] == "pair"]
    return {**found, "facets, difference (numbers)": pairs[0]["p"] if pairs else None}


def steps(rng):
    data = with_judges(rng).with_columns(score=(pl.col("score") + 0.5).round().clip(-1, 2))
    pairs = [row for row in facets(data, "", judges=(), documents=()).rows if row["kind"] == "pair"]
    return {"facets, difference (steps)": pairs[0]["p"] if pairs else None}


def many_systems(rng):
    """Any false win among five systems, after Holm and after Shaffer."""
    names = ["oak", "elm", "fir", "ash", "yew"]
    items = scored(rng, names)
    return {
        f"any false win of five systems, {c}": min(d.p_adjusted for d in duels(items, names, correction=c, swaps=1000))
        for c in ("holm", "shaffer")
    }


def equal_scorers(rng):
    """Two metrics of one quality, their errors shared within documents: one-sided tests, both directions."""
    systems = tuple("abcdef")
    quality = np.linspace(-0.5, 0.5, 6)[:, None] + rng.normal(size=(6, N))
    metrics = [
        Scorer(name, systems, quality + rng.normal(size=(6, N)) + 0.6 * rng.normal(size=(6, DOCUMENTS))[:, UNIT]
               + 0.7 * rng.normal(size=N))
        for name in ("one", "two")
    ]  # fmt: skip
    gold = Scorer("gold", systems, np.round(2 * quality))
    tests = ("acc_eq", "sys_pairwise_accuracy", "sys_pearson", "segment_pearson", "item_kendall", "williams")
    rows = {
        how: comparisons(gold, metrics, documents=NAMES, tests=tests, k=200, as_wmt24=cells).rows[0]
        for how, cells in (("by document", False), ("cell by cell", True))
    }
    found = {f"scorers, {name}": rows["by document"][f"p_{name}"] for name in tests}
    return found | {f"  scorers, {name}, cell by cell": rows["cell by cell"][f"p_{name}"] for name in tests}


def mixed_systems(rng):
    """Two systems that change places from document to document and from judge to judge."""
    data = with_judges(rng).rename({"score": "y"})
    return {
        "mixed model, systems": of_fixed(data, "system"),
        "  mixed model, without document:system": of_fixed(data, "system", ("judge", "document")),
    }


STUDIES = (
    correlations,
    partial_correlations,
    regressions,
    judges_compared,
    blocks_of_predictors,
    mixed_model,
    mixed_slopes,
    preferences,
    independent_preferences,
    tiredness,
    panels,
    calibrated,
    annotators,
    powered,
    two_kappas,
    strictness,
    leaning,
    score_differences,
    other_judges,
    steps,
    many_systems,
    equal_scorers,
    mixed_systems,
)


SLOW = {"steps": 4, "equal_scorers": 2, "other_judges": 2}
"""Studies that take long are simulated so many times fewer."""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--studies", type=int, default=0, help="how many simulated studies, instead of 400 or 3,000")
    parser.add_argument("--documents", default="30", help="how many documents a study has, several with commas between")
    parser.add_argument("--sparse", action="store_true", help="60 %% of the scores are missing")
    parser.add_argument("--markdown", action="store_true", help="one table for the documentation, at the end")
    options = parser.parse_args()
    times = options.studies or (3000 if options.full else 400)
    sizes = [int(size) for size in options.documents.split(",")]
    table: dict[str, dict[int, str]] = {}
    for documents in sizes:
        set_design(documents, options.sparse)
        print(f"{'test':44s} error rate at 5 %, {times} studies of {documents} documents; indented: not ours")
        for place, study in enumerate(STUDIES):
            if options.only in study.__name__:
                count = max(20, times // SLOW.get(study.__name__, 1))
                rng = np.random.default_rng([place, documents])
                for name, text in show(study, rng, count, options.full).items():
                    table.setdefault(name, {})[documents] = text
    if options.markdown:
        print("\n| test |", " | ".join(f"{size} documents" for size in sizes), "|\n|---|" + "---|" * len(sizes))
        for name, cells in table.items():
            print("|", name, "|", " | ".join(cells.get(size, "") for size in sizes), "|")


def show(study, rng, times, full):
    """Print the rates of one study; what stands in the table: the rate, n where it is not `times`, * if outside."""
    started = time.perf_counter()
    studies = [study(rng) for _ in range(times)]
    cells = {}
    for name in studies[0]:
        p = np.array([one[name] for one in studies if one[name] is not None], dtype=float)
        if not len(p):
            print(f"{name:44s}   says why there is none")
            cells[name] = "–"
            continue
        rate = (p < 0.05).mean()
        error = np.sqrt(rate * (1 - rate) / len(p))
        slack = 0.0 if full else 2 * max(error, np.sqrt(0.05 * 0.95 / len(p)))  # few studies cannot tell 2.8 from 3.2
        outside = not name.startswith(" ") and not 0.03 - slack <= rate <= 0.07 + slack
        verdict = "" if name.startswith(" ") else "OUTSIDE 3–7 %" if outside else "ok"
        print(f"{name:44s} {100 * rate:5.1f} % ± {100 * error:.1f}   {verdict}")
        cells[name] = f"{100 * rate:.1f}" + ("*" if outside else "")
    print(f"  [{study.__name__}: {time.perf_counter() - started:.1f} s, {times} studies]", flush=True)
    return cells


if __name__ == "__main__":
    main()
