from lanner.reports.latex import document, escape, table
from reports.sample import report


def test_text_is_printed_never_obeyed() -> None:
    assert escape("\\input{x} 50% & a_b #1 $2") == r"\textbackslash{}input\{x\} 50\% \& a\_b \#1 \$2"


def test_a_table_has_three_rules_groups_and_a_total() -> None:
    text = table(report().tables[0])
    assert text.count("rule") == 4  # top, mid, the one above the total, bottom
    assert r"\multicolumn{3}{@{}l}{\textit{People}}" in text
    assert r"\multicolumn{2}{c}{Context}" in text
    assert r"\textbf{moderately}" in text
    assert "input{secret}" not in text.replace(r"input\{secret\}", "")


def test_the_document_holds_every_table() -> None:
    assert document(report()).count(r"\begin{table}") == 1
