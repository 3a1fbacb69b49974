import numpy as np
import pytest

from lanner.errors import InputError
from lanner.stats.metaeval import Scorer
from lanner.studies import scorers
from lanner.studies.data import Data, Scores

SYSTEMS = ("a", "b", "c", "ref")


def data() -> Data:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=(4, 30)) + np.arange(4)[:, None]
    twin = Scorer("twin", SYSTEMS, gold.copy())
    noise = Scorer("noise", SYSTEMS, rng.normal(size=(4, 30)))
    documents = tuple(f"d{k // 5}" for k in range(30))
    return Data(scores=Scores(Scorer("gold", SYSTEMS, gold), (twin, noise), ("ref",), documents))


def test_a_metric_that_is_gold_agrees_with_it() -> None:
    found = data()
    assert scorers.metric(found, name="twin", give="acc_eq").value == pytest.approx(1.0)
    assert scorers.metric(found, name="twin", give="segment_pearson").value == pytest.approx(1.0)
    noise = scorers.metric(found, name="noise", give="acc_eq").value
    assert isinstance(noise, float)
    assert noise < 0.8
    assert scorers.scored(found, give="systems") == 3
    assert scorers.scored(found, give="segments") == 30


def test_unknown_metrics_and_data_without_any() -> None:
    with pytest.raises(InputError, match="no metric 'twim'"):
        scorers.metric(data(), name="twim", give="acc_eq")
    with pytest.raises(InputError, match="no metric scores"):
        scorers.metric(Data(), name="twin", give="acc_eq")
