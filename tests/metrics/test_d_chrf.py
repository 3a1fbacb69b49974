"""What it scores is tested in test_surface.py, beside sacrebleu."""

from lanner.metrics import Languages, d_chrf


def test_it_rates_whole_documents_with_the_same_options():
    assert d_chrf.make(Languages("de", "en")).whole
    assert d_chrf.OPTIONS
