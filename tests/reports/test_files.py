import csv
import io
from pathlib import Path

import pytest

from lanner.errors import LannerError
from lanner.reports.files import write
from lanner.reports.parts import csv_text
from reports.sample import report


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
