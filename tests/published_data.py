"""Small data sets that others printed together with results, typed in: what the tests of published numbers compute on.

Each says where data and results stand. Numbers only; nothing here is a text of others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

# Davies & Goldsmith 1972, section 6.6, in lme4 as Penicillin: diameters on 24 plates (rows) of six samples (columns).
PENICILLIN = [
    "272326232321", "272326232321", "252125242420", "262325232320", "252226222320", "242225232219", "242023212219",
    "262226242421", "242124222220", "242124232219", "262326242421", "252226242420", "262426242522", "262326232320",
    "262325242422", "252225232320", "252124232320", "252224232319", "242123212119", "262326242421", "252124222218",
    "252225222220", "242124222419", "242124222118",
]  # fmt: skip
# Belenky et al. 2003, in lme4 as sleepstudy: reaction time in ms on the days 0 to 9 of each of 18 people.
SLEEP = """
249.56 258.7047 250.8006 321.4398 356.8519 414.6901 382.2038 290.1486 430.5853 466.3535
222.7339 205.2658 202.9778 204.707 207.7161 215.9618 213.6303 217.7272 224.2957 237.3142
199.0539 194.3322 234.32 232.8416 229.3074 220.4579 235.4208 255.7511 261.0125 247.5153
321.5426 300.4002 283.8565 285.133 285.7973 297.5855 280.2396 318.2613 305.3495 354.0487
287.6079 285 301.8206 320.1153 316.2773 293.3187 290.075 334.8177 293.7469 371.5811
234.8606 242.8118 272.9613 309.7688 317.4629 309.9976 454.1619 346.8311 330.3003 253.8644
283.8424 289.555 276.7693 299.8097 297.171 338.1665 332.0265 348.8399 333.36 362.0428
265.4731 276.2012 243.3647 254.6723 279.0244 284.1912 305.5248 331.5229 335.7469 377.299
241.6083 273.9472 254.4907 270.8021 251.4519 254.6362 245.4523 235.311 235.7541 237.2466
312.3666 313.8058 291.6112 346.1222 365.7324 391.8385 404.2601 416.6923 455.8643 458.9167
236.1032 230.3167 238.9256 254.922 250.7103 269.7744 281.5648 308.102 336.2806 351.6451
256.2968 243.4543 256.2046 255.5271 268.9165 329.7247 379.4445 362.9184 394.4872 389.0527
250.5265 300.0576 269.8939 280.5891 271.8274 304.6336 287.7466 266.5955 321.5418 347.5655
221.6771 298.1939 326.8785 346.8555 348.7402 352.8287 354.4266 360.4326 375.6406 388.5417
271.9235 268.4369 257.2424 277.6566 314.8222 317.2135 298.1353 348.1229 340.28 366.5131
225.264 234.5235 238.9008 240.473 267.5373 344.1937 281.1481 347.5855 365.163 372.2288
269.8804 272.4428 277.8989 281.7895 279.1705 284.512 259.2658 304.6306 350.7807 369.4692
269.4117 273.474 297.5968 310.6316 287.1726 329.6076 334.4818 343.2199 369.1417 364.1236
"""
# Bland & Altman 1986, Lancet i: peak flow of 17 people, l/min, with two meters (first reading of each).
LARGE_METER = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI_METER = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
# Darwin 1876, in Fisher 1935, The Design of Experiments: crossed less self-fertilised maize, eighths of an inch.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
# Efron & Tibshirani 1993, An Introduction to the Bootstrap, Table 14.1: spatial test A of 26 children.
SPATIAL = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]
# Chatterjee & Hadi, Regression Analysis by Example: bacteria that survive after 1 to 15 doses of X-rays.
BACTERIA = [355, 211, 197, 166, 142, 106, 104, 60, 56, 38, 36, 32, 21, 19, 15]
# UCLA Statistical Consulting, "How can I compare regression coefficients between two groups?": inches and pounds.
WOMEN = [(56, 117), (60, 125), (64, 133), (68, 141), (72, 149), (54, 109), (62, 128), (65, 131), (65, 131), (70, 145)]
MEN = [(64, 211), (68, 223), (72, 235), (76, 247), (80, 259), (62, 201), (69, 228), (74, 245), (75, 241), (82, 269)]
# Kim 2015, ppcor, Communications for Statistical Applications and Methods 22: the package's example.
PROTEINS = {
    "hl": [7, 15, 19, 15, 21, 22, 57, 15, 20, 18],
    "disp": [0.0, 0.964, 0.0, 0.0, 0.921, 0.0, 0.0, 1.006, 0.0, 1.011],
    "deg": [9, 2, 3, 4, 1, 3, 1, 3, 6, 1],
    "bc": [1.78e-02, 1.05e-06, 1.37e-05, 7.18e-03, 0.0, 0.0, 0.0, 4.48e-03, 2.10e-06, 0.0],
}
# Scheaffer, Mendenhall & Ott, Elementary Survey Sampling: test before and after a course, 10 of 486 students.
BEFORE = [39, 43, 21, 64, 57, 47, 28, 75, 34, 52]
AFTER = [65, 78, 52, 82, 92, 89, 73, 98, 56, 75]
# Cushny & Peebles, in Student 1908, Biometrika 6: hours of sleep gained with the second drug over the first.
SLEEP_GAINED = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
LESIONS = json.loads((Path(__file__).parent / "golden" / "lesions.json").read_text(encoding="utf-8"))


def penicillin() -> pl.DataFrame:
    """Plates as documents, samples as judges."""
    cells = [(f"p{plate:02}", "ABCDEF"[at], float(row[2 * at : 2 * at + 2]))
             for plate, row in enumerate(PENICILLIN) for at in range(6)]  # fmt: skip
    return pl.DataFrame(cells, schema=["document", "judge", "diameter"], orient="row").with_row_index("segment")


def sleepstudy() -> pl.DataFrame:
    """People as judges; every day of each is a document of its own."""
    rows = [(f"s{who:02}", f"{who}.{day}", float(day), float(ms))
            for who, line in enumerate(SLEEP.split("\n")[1:-1]) for day, ms in enumerate(line.split())]  # fmt: skip
    return pl.DataFrame(rows, schema=["judge", "document", "days", "reaction"], orient="row")


def crosstab(counts: Sequence[Sequence[int]], names: str) -> pl.DataFrame:
    """A table of counts, first judge × second judge, as answers; every item is a document of its own."""
    pairs = [(names[a], names[b]) for a, line in enumerate(counts) for b, n in enumerate(line) for _ in range(n)]
    parts = [
        pl.DataFrame({"judge": [judge] * len(pairs), "label": [pair[at] for pair in pairs]}).with_row_index("segment")
        for at, judge in enumerate(("first", "second"))
    ]
    made = pl.concat(parts).with_columns(pl.col("segment").cast(pl.String))
    return made.with_columns(document=pl.col("segment"))


def lesions(model: str) -> pl.DataFrame:
    """Six students and a model on five features of a hundred pictures."""
    given = {f"person {k}": line for k, line in enumerate(LESIONS["people"])} | {model: LESIONS["models"][model]}
    rows = [
        (judge, "model" if judge == model else "person", str(at // 5), str(at), float(digit))
        for judge, line in given.items()
        for at, digit in enumerate(line)
        if digit != "."
    ]
    return pl.DataFrame(rows, schema=["judge", "judge_kind", "document", "segment", "score"], orient="row")


def correlated(matrix: Sequence[Sequence[float]], n: int, seed: int = 0) -> np.ndarray:
    """n rows whose sample correlations are exactly those of the matrix."""
    drawn = np.random.default_rng(seed).normal(size=(n, len(matrix)))
    drawn -= drawn.mean(axis=0)
    even = np.linalg.qr(drawn)[0]
    return np.asarray(even @ np.linalg.cholesky(np.array(matrix)).T)
