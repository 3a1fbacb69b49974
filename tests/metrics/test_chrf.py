"""What it scores is tested in test_surface.py, beside sacrebleu."""

from lanner.metrics import Languages, _surface, chrf


def test_it_rates_sentences():
    assert isinstance(made := chrf.make(Languages("de", "en")), _surface.Surface)
    assert not made.whole
