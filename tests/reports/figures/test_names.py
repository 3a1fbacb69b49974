from lanner.reports.figures.names import told_apart


def test_shared_words_go_before_anything_is_cut() -> None:
    names = ["Simulated annotator 1", "Simulated annotator 2"]
    assert told_apart(names, 400) == names
    assert told_apart(names, 90) == ["annotator 1", "annotator 2"]
    assert told_apart(names, 30) == ["1", "2"]


def test_names_that_share_nothing_are_cut() -> None:
    assert told_apart(["Anna Lindqvist-Bergman", "J2"], 80) == ["Anna Lind…", "J2"]
    assert told_apart(["Simulated annotator 1"], 90) == ["Simulated…"]
