import csv
import io
import re
from pathlib import Path

import pytest
from lxml import html as parser

from lanner.errors import LannerError
from lanner.reports.parts import csv_text, keeping, without_marks
from lanner.reports.rendering import render, strong, write
from reports.sample import report


def test_one_file_that_loads_nothing() -> None:
    text = render(report())
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    assert "default-src 'none'" in text
    assert not re.search(r"url\((?!data:)", text)


def test_hostile_text_stays_text() -> None:
    root = parser.fromstring(render(report()))
    assert not root.xpath("//img")
    assert "onerror" in root.xpath("//tbody//th")[1].text_content()


def test_tables_and_figures_are_numbered_and_carry_their_signature() -> None:
    root = parser.fromstring(render(report()))
    assert root.xpath("string(//caption)").startswith("Table 1.")
    assert root.xpath("string(//figcaption)").startswith("Figure 1.")
    assert "κ cohen · falcon@1.0 · n 809" in root.text_content()
    assert [link.get("href") for link in root.xpath("//nav//a")] == ["#findings", "#agr"]
    assert root.xpath("//th[@scope='colgroup']")[0].get("colspan") == "2"


def test_strong_marks_nothing_else() -> None:
    assert strong("a **b** <i>") == "a <b>b</b> &lt;i&gt;"
    assert strong("A** and B** are (**on a par**).") == "A** and B** are (<b>on a par</b>)."


def test_words_read_from_the_right_are_set_apart_in_an_english_sentence() -> None:
    assert strong("They were asked for: درجة الجملة. 240 answers") == (
        "They were asked for: <bdi>درجة الجملة</bdi>. 240 answers"
    )
    assert strong("**ציון**, 점수") == "<b><bdi>ציון</bdi></b>, 점수"


def test_quoted_sentences_keep_language_and_direction() -> None:
    root = parser.fromstring(render(report()))
    [line] = root.xpath("//div[@class='quote']/p")
    assert (line.get("lang"), line.get("dir")) == ("ko", "ltr")


def test_values_do_not_break_over_a_line() -> None:
    assert strong("104 of 178, p = .029; p < .001; 95 % CI, n 178") == (
        "104 of 178, p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}.029; p\N{NO-BREAK SPACE}&lt;\N{NO-BREAK SPACE}.001; "
        "95\N{NO-BREAK SPACE}% CI, n\N{NO-BREAK SPACE}178"
    )


def test_neither_an_interval_nor_a_name_with_a_letter_before_the_hyphen_breaks() -> None:
    assert strong("κ .50 [.45, .55]") == "κ .50\N{NO-BREAK SPACE}[.45,\N{NO-BREAK SPACE}.55]"
    assert strong("under H-FALCON, well-known") == 'under <span class="nb">H-FALCON</span>, well-known'


def test_everything_is_written_beside_the_page(tmp_path: Path) -> None:
    page = write(report(), tmp_path / "out")
    names = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert page.name == "report.html"
    assert names == {
        "report.html", "tables.tex", "tables/agreement.tex", "tables/agreement.csv",
        "figures/heat.svg", "figures/heat.csv", "figures/heat.pdf", "figures/heat.png",
    }  # fmt: skip


def test_pictures_can_be_left_out(tmp_path: Path) -> None:
    write(report(), tmp_path, pictures=False)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["heat.csv", "heat.svg"]


def test_csv_keeps_full_numbers_and_defuses_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(report().tables[0].data))))
    assert rows[0]["kappa"] == "0.49951"
    assert rows[1]["pair"] == "'=cmd"
    assert rows[1]["kappa"] == "-0.2"


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where the folder should be")
    with pytest.raises(LannerError, match="Nothing can be written here"):
        write(report(), tmp_path / "out")


def test_asterisks_of_names_are_kept_in_single_sentences() -> None:
    """The page and the command of a diagnosis took them for marks."""
    kept = keeping(["gamma **bold** x", "oak"])("**gamma **bold** x: improve style**, unlike gamma **bold** x")
    assert strong(kept) == "<b>gamma **bold** x: improve style</b>, unlike gamma **bold** x"
    assert without_marks(kept) == "gamma **bold** x: improve style, unlike gamma **bold** x"
