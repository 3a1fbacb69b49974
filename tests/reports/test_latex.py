import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lanner.reports.parts import Column, Table
from lanner.reports.rendering import _SPECIAL, latex_document, latex_table, latex_text
from reports.sample import report


def test_text_is_printed_never_obeyed() -> None:
    assert latex_text("\\input{x} 50% & a_b #1 $2") == r"\textbackslash{}input\{x\} 50\% \& a\_b \#1 \$2"


@given(st.text(st.one_of(st.sampled_from("\\{}%&#$_^~\r\n\f\0 a"), st.characters())))
def test_no_letter_of_a_text_is_a_command(text: str) -> None:
    """What is left when the escapes are taken away is ordinary text of one line."""
    left = re.sub("|".join(map(re.escape, sorted(_SPECIAL.values(), key=len, reverse=True))), "", latex_text(text))
    assert not re.search(r"[\\{}%&#$_^~\x00-\x1f\x7f]", left)


def test_a_table_has_three_rules_groups_and_a_total() -> None:
    text = latex_table(report().tables[0])
    assert text.count("rule") == 5  # top, below the span, mid, the one above the total, bottom
    assert r"\cmidrule(lr){2-3}" in text
    assert r"\multicolumn{3}{@{}l}{\textit{People}}" in text
    assert r"\multicolumn{2}{c}{Context}" in text
    assert r"\textbf{moderately}" in text
    assert "input{secret}" not in text.replace(r"input\{secret\}", "")


def test_the_document_holds_every_table() -> None:
    assert latex_document(report()).count(r"\begin{table}") == 1


def test_a_cell_in_brackets_is_no_option_of_the_line_break() -> None:
    part = Table("t", "c", [Column("a", "A"), Column("b", "B")], [{"a": "[x]", "b": 1}, {"a": "*", "b": None}])
    assert "{[x]} & 1" in latex_table(part)
    assert "{*} & " in latex_table(part)


def test_other_scripts_are_declared_for_pdflatex_and_kept_for_the_others() -> None:
    named = replace(report(), title="판정 A")
    text = latex_document(named)
    assert r"\DeclareUnicodeCharacter{D310}" in text
    assert "판정 A" in text


def test_long_words_break_and_wide_tables_are_set_smaller() -> None:
    columns = [Column(f"c{n}", "C") for n in range(8)]
    assert r"\footnotesize\setlength" in latex_table(Table("t", "c", columns, []))
    assert "p{0.36" in latex_table(
        Table("t", "c", [Column("a", "A"), Column("b", "B", text=True)], [{"b": "word " * 20}])
    )


def test_a_table_longer_than_a_page_goes_on_on_the_next() -> None:
    columns = [Column("a", "Judge"), Column("b", "n")]
    long = latex_table(Table("t", "Long.", columns, [{"a": f"j{n}", "b": n} for n in range(60)], signature="n 60"))
    assert r"\begin{longtable}" in long
    assert r"\begin{table}" not in long
    assert long.count(r"\textbf{Judge}") == 2  # on the first page and on those that follow


def test_long_cells_share_the_width() -> None:
    columns = [Column(key, key, text=True) for key in "abc"]
    widths = {
        number: latex_table(Table("t", "", columns[:number], [dict.fromkeys("abc", 60 * "x")])) for number in (1, 3)
    }
    assert r"p{0.36\linewidth}" in widths[1]
    assert widths[3].count(r"p{0.22\linewidth}") == 3
