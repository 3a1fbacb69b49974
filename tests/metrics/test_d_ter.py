"""What it scores is tested in test_surface.py, beside sacrebleu."""

from lanner.metrics import Languages, d_ter


def test_it_rates_whole_documents_with_the_same_options():
    assert d_ter.make(Languages("de", "en")).whole
    assert d_ter.OPTIONS
