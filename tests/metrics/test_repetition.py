from lanner import metrics
from lanner.metrics import Languages, Translation


def test_terms_that_an_earlier_sentence_holds():
    metric = metrics.make("repetition", Languages("de", "en"))
    lines = ("The court met.", "A court sat there.", "Something else happened.", "Nobody saw it.", "They all left.")
    part = Translation("s", "d", tuple("01234"), ("",) * 5, lines, (), (True,) * 5)
    rows = metric.counts([part])[0]
    assert rows[1].tolist() == [1, 3]  # court comes back; "a" is too short to be a term
    assert metric.score(rows.sum(axis=0), single=False) == 1 / 15
    assert metric.score(rows[0] * 0, single=True) != metric.score(rows[0] * 0, single=True)  # NaN: nothing to count


def test_other_scripts():
    metric = metrics.make("repetition", Languages("en", "zh"))
    part = Translation("s", "d", ("0", "1"), ("", ""), ("法院开会", "法院休会"), (), (True, True))
    assert metric.counts([part])[0].tolist() == [[0, 3], [1, 3]]
