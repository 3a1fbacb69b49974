from lanner.model import Interval, Result, Signature


def test_a_signature_is_one_line_that_can_be_followed() -> None:
    parts = (("n", "809"), ("documents", "38"), ("resamples", "2000, seed 1"))
    signature = Signature("κ cohen", "falcon@1.0", parts, "0.1.0")
    assert str(signature) == "κ cohen · falcon@1.0 · n 809 · documents 38 · resamples 2000, seed 1 · lanner 0.1.0"


def test_a_row_has_value_interval_n_and_unit() -> None:
    result = Result(
        "kappa",
        0.4995,
        Interval(0.45, 0.55, method="bca", unit="document"),
        counts={"items": 809, "documents": 38},
        labels={"pair": "J2–J3"},
        signature=Signature("κ"),
    )
    row = result.row()
    assert (row["pair"], row["value"], row["low"], row["high"], row["n"]) == ("J2–J3", 0.4995, 0.45, 0.55, 809)
    assert (row["unit"], row["n_documents"], row["signature"]) == ("document", 38, "κ")


def test_an_undefined_result_says_why() -> None:
    row = Result("kappa", None, notes=("Both judges used one label only.",)).row()
    assert row["value"] is None
    assert row["low"] is None
    assert row["notes"] == ["Both judges used one label only."]


def test_a_result_prints_as_a_sentence_and_as_html() -> None:
    result = Result(
        "kappa", 0.5, Interval(0.4, 0.6), counts={"items": 809}, labels={"pair": "<J2>"}, notes=("A note.",)
    )
    assert str(result).splitlines() == ["kappa (<J2>): 0.500 [0.400, 0.600]; 809 items", "A note."]
    assert "&lt;J2&gt;" in result._repr_html_()
    assert repr(result).startswith("<Result ")
    assert "2 rows" in repr(Result("shares", None, rows=[{"a": 1}, {"a": 2}]))
    assert "not defined" in str(Result("kappa", None))


def test_a_result_becomes_a_frame() -> None:
    table = Result("shares", None, rows=[{"label": "a", "value": 1}, {"label": "b", "value": 0.5}]).to_frame()
    assert table["value"].to_list() == [1, 0.5]
    assert Result("kappa", 0.5).to_frame().height == 1
