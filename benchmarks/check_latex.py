"""Do the LaTeX tables compile? Every engine that is installed compiles every report's tables.

    apt-get install texlive-latex-recommended texlive-luatex
    python benchmarks/check_latex.py REPORT_FOLDER ...

Without a folder: a report on simulated judges whose names, title and comments hold every character that LaTeX obeys,
and other scripts. Prints engine, pages, errors and lines that are too wide; exit code 1 where anything fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from lanner.judges.simulated import Simulation, Temper
from lanner.material import Material
from lanner.model import Document, Item, Judge, Judgement, Segment
from lanner.protocols import load
from lanner.reports.build import build
from lanner.reports.files import write
from lanner.stats.resample import Resampling

ENGINES = ("pdflatex", "lualatex", "xelatex")
HOSTILE = ("판정자 1 & 2", r"\input{secret} 100 % #$_^~{}", "[x] <b>κ≥½…“”", "قاضٍ")
TEXT = "The ferry left before the tide had turned."


def hostile() -> Material:
    protocol = load("h_falcon")
    texts = tuple(
        Document(
            f"d_{n}%", tuple(Segment(str(s), TEXT, {"A_B&C": TEXT, "oak": TEXT}) for s in range(5)), "en", "de",
            domain=("news_&", "social #1")[n % 2],
        )
        for n in range(6)
    )  # fmt: skip
    world = Simulation(protocol, {"A_B&C": 0.9, "oak": 0.4}, seed=3)
    judges = tuple(Judge(f"j{n}", name=name) for n, name in enumerate(HOSTILE))
    made = []
    for judge in judges:
        for document in texts:
            for segment in document:
                for system in document.systems:
                    item = Item(document.id, segment.id, (system,))
                    [page] = world.protocol.pages
                    given = world.answers(judge.id, Temper(), page, item, document, earlier={})
                    for question, value in given.items():
                        stage = protocol.find(question)[0].id  # type: ignore[index]
                        made.append(
                            Judgement(
                                judge.id,
                                stage,
                                question,
                                document.id,
                                segment.id,
                                (system,),
                                value,
                                active_seconds=20.0,
                            )
                        )
    return Material(" ".join(HOSTILE), protocol, texts, judges, tuple(made))


def compiled(engine: str, source: Path) -> tuple[int, str]:
    ran = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", source.name],
        cwd=source.parent, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    pages = re.search(r"Output written on .*?\((\d+) pages?", ran.stdout.replace("\n", ""))
    errors = re.findall(r"^! .*", ran.stdout, re.MULTILINE)
    wide = [float(points) for points in re.findall(r"Overfull .hbox \(([\d.]+)pt", ran.stdout)]
    said = f"{pages[1] if pages else 0} pages, {len(errors)} errors, widest line {max(wide, default=0):.0f} pt over"
    return ran.returncode, "; ".join([said, *errors[:3]])


def main() -> None:
    engines = [name for name in ENGINES if shutil.which(name)]
    if not engines:
        sys.exit("No LaTeX is installed: apt-get install texlive-latex-recommended texlive-luatex")
    failed = False
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(given).resolve() for given in sys.argv[1:]]
        if not folders:
            report = build(hostile(), resampling=Resampling(n=100))
            write(replace(report, title=f"Title {HOSTILE[1]}"), Path(place) / "hostile", pictures=False)
            folders = [Path(place) / "hostile"]
        for folder in folders:
            for engine in engines:
                source = Path(place) / f"{engine}.tex"
                shutil.copy(folder / "tables.tex", source)
                code, said = compiled(engine, source)
                failed |= code != 0
                print(f"{folder.name:12} {engine:9} {'compiles' if code == 0 else 'FAILS'}: {said}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
