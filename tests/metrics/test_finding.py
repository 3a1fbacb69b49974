import pytest

from lanner import metrics
from lanner.errors import LannerError
from lanner.metrics import Languages


def test_metrics_are_found_by_name_and_their_options_are_checked():
    assert {"bleu", "chrf", "ter", "d-bleu", "d-chrf", "d-ter"} <= set(metrics.names())
    assert set(metrics.titles()) == set(metrics.names())
    with pytest.raises(LannerError, match="no metric 'blew'") as error:
        metrics.make("blew", Languages())
    assert "bleu" in error.value.next_step
    with pytest.raises(LannerError, match="no option 'tokenise'") as error:
        metrics.make("bleu", Languages(), tokenise="char")
    assert "tokenize" in error.value.next_step


def test_the_door_knows_its_names_only():
    with pytest.raises(AttributeError, match="no attribute 'rater'"):
        metrics.rater  # noqa: B018
