"""What the process beside tells must reach the server whole, and the server must not load what makes it."""

from __future__ import annotations

import pickle
import subprocess
import sys

from lanner.monitor.snapshot import (
    FEWEST,
    Disagreement,
    DisagreementList,
    Divergence,
    Measure,
    OddOnes,
    Pace,
    Swap,
    UnitAnswers,
)


def test_everything_travels_between_processes() -> None:
    odd = OddOnes(12, 9, (("a", 2),), 0, 1, (("low", "high", 2),))
    swap = Swap("a", ("low", "high"), 9, 1)
    apart = Divergence("q", ("a", "b"), "κ", {}, FEWEST, ("low", "high"), {"a": (0.5, 0.5)}, odd, 0.4, (), (swap,))
    entry = Disagreement("d", "1", "", "news", 0.5, {"q": 0.5}, (("a", "low"),), False)
    for told in (
        apart,
        Measure("q", value=0.4),
        Pace(active=9.0),
        DisagreementList((entry,), 1, 0, 3),
        UnitAnswers(),
    ):
        assert pickle.loads(pickle.dumps(told)) == told


def test_the_distance_of_a_unit_is_the_mean_of_its_parts() -> None:
    assert UnitAnswers(parts={"a": 1.0, "b": 0.5}).distance == 0.75
    assert UnitAnswers().distance is None


def test_the_server_stays_light() -> None:
    """Tables and statistics are loaded in the process beside, not in the one that saves answers."""
    code = "import lanner.web.app, sys; print('\\n'.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not loaded & {"polars", "scipy", "scipy.stats", "pandas", "pyarrow", "lxml", "lanner.stats.frame"}
