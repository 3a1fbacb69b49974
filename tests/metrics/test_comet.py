"""How texts become samples; that the scores are COMET's is tested in tests/metrics/neural, beside it."""

import pytest

from lanner import metrics
from lanner.errors import InputError, LannerError
from lanner.metrics import Languages, comet, rate
from metrics.texts import documents


class Lengths:
    """Stands where a model stands, and keeps what it was given: the score is the number of texts read before."""

    kind = "regression_metric"

    def __init__(self):
        self.given = []

    def score(self, samples):
        self.given += samples
        return [float(len(sample.hypothesis) - 1) for sample in samples]


def scored(**options):
    return comet.CometMetric("COMET", Lengths(), **{"precision": "float32", **options})


def test_windows_stay_within_their_document_and_read_what_belongs_together():
    metric = scored(before=1)
    rating = rate(documents(), metric, systems=["bad"])
    windows = metric.model.given
    assert len(windows) == 6
    assert windows[0].hypothesis == ("The cat has seen a hound.",)
    assert windows[1].hypothesis == ("The cat saw the dog.", "They ran off.")  # after the reference
    assert windows[1].source == ("Die Katze sah den Hund.", "Sie lief weg.")
    assert windows[1].reference == ("The cat saw the dog.", "She ran away.")
    assert windows[3].source == ("Das Gericht tagte.",)  # a new document
    assert [j.value for j in rating.judgements if j.stage == "segment"] == [0, 1, 1, 0, 1, 0]
    assert rating.judge.attributes["signature"] == "lanner|regression_metric|before:1|context:reference|float32"


def test_the_hypothesis_can_be_read_after_itself_and_without_references():
    metric = scored(before=5, context="hypothesis")
    rate(documents(), metric, systems=["bad"])
    assert metric.model.given[2].hypothesis == ("The cat has seen a hound.", "They ran off.", "A dog remained.")
    alone = scored(before=1, context="hypothesis", reference=False)
    rating = rate(documents(), alone)
    assert rating.judge.id == "COMET-src"
    assert alone.model.given[1].reference is None
    assert len(alone.model.given) == 12  # both systems at once, so that what they share is encoded once


def test_a_model_must_be_named_and_exist(tmp_path):
    with pytest.raises(LannerError, match="needs the weights") as error:
        metrics.make("comet", Languages())
    assert "--option model=" in error.value.next_step
    with pytest.raises(LannerError, match="no context 'referense'"):
        metrics.make("comet", Languages(), model="x", context="referense")
    with pytest.raises(LannerError, match="before is a whole number from 0, not 'two'"):
        metrics.make("comet", Languages(), model="x", before="two")
    with pytest.raises(InputError, match="no checkpoint"):
        metrics.make("comet", Languages(), model=str(tmp_path))


def test_names_come_from_the_folder(tmp_path):
    (tmp_path / "wmt22-comet-da" / "checkpoints").mkdir(parents=True)
    assert comet._name(tmp_path / "wmt22-comet-da") == "wmt22-comet-da"
    assert comet._name(tmp_path / "wmt22-comet-da" / "checkpoints" / "model.ckpt") == "wmt22-comet-da"
