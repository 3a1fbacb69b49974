"""Do the LaTeX tables compile? Every engine that is installed compiles every report's tables.

    apt-get install texlive-latex-recommended texlive-luatex
    python benchmarks/check_latex.py [--pdf FOLDER] REPORT_FOLDER ...

Without a folder: a report on simulated judges whose names, title and comments hold every character that LaTeX obeys,
and other scripts; and a report on a simulated campaign of every protocol. `--pdf` keeps what was compiled. Prints
engine, pages, errors, tables longer than the page and lines that are too wide; exit code 1 where anything fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from lanner import campaign
from lanner.analysis.material import Material, from_campaign
from lanner.errors import LannerError
from lanner.judges.simulated import Simulation, Temper, fill
from lanner.model import Document, Item, Judge, JudgeKind, Judgement, Segment
from lanner.protocols import load, names
from lanner.reports.build import build
from lanner.reports.rendering import write
from lanner.stats.resample import Resampling
from lanner.studies.simulation import passing_store

ENGINES = ("pdflatex", "lualatex", "xelatex")
HOSTILE = ("판정자 1 & 2", r"\input{secret} 100 % #$_^~{}", "[x] <b>κ≥½…“”", "قاضٍ")
QUICK = Resampling(n=100)
IN_SCENARIOS = {"parity": {}, "scenarios": {"set_field": "set", "rated": ["alder"]}}
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


def campaign_of(name: str) -> Material:
    """A campaign of a protocol as judges go through it, with the questionnaire after it."""
    about = [{"set": "one"}, {"set": "two"}]
    texts = [
        Document(
            f"text-{n}", tuple(Segment(str(s), TEXT, {"alder": TEXT, "birch": f"{TEXT} Or so."}) for s in range(5)),
            "en", "de", domain=("news", "social")[n % 2], meta=about[n % 2],
        )
        for n in range(4)
    ]  # fmt: skip
    judges = [Judge(f"t{n}", JudgeKind.SIMULATED, f"T{n}") for n in range(4)]
    design, options = ("latin_square", IN_SCENARIOS[name]) if name in IN_SCENARIOS else ("full", {})
    with passing_store() as store:
        made = campaign.create(store, name, texts, name, judges, design=design, options=options, seed=1)
        campaign.open(store, made.id)
        fill(store, name, {judge.id: Temper() for judge in judges}, {"alder": 0.8, "birch": 0.4}, seed=1)
        return from_campaign(store, name)


def compiled(engine: str, source: Path) -> tuple[int, str]:
    """The exit code, 1 also where a table runs off its page, and what was noticed. Long tables need further runs."""
    for _ in range(4):
        ran = subprocess.run(
            [engine, "-interaction=nonstopmode", "-halt-on-error", source.name],
            cwd=source.parent, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        if "Rerun" not in ran.stdout:
            break
    pages = re.search(r"Output written on .*?\((\d+) pages?", ran.stdout.replace("\n", ""))
    errors = re.findall(r"^! .*", ran.stdout, re.MULTILINE)
    cut = ran.stdout.count("Float too large")
    wide = [float(points) for points in re.findall(r"Overfull .hbox \(([\d.]+)pt", ran.stdout)]
    said = f"{pages[1] if pages else 0} pages, {len(errors)} errors, {cut} tables off the page, "
    said += f"widest line {max(wide, default=0):.0f} pt over"
    return ran.returncode or int(cut > 0), "; ".join([said, *errors[:3]])


def reports(place: Path) -> list[Path]:
    """The folders of the reports on simulated judges."""
    built = {"hostile": replace(build(hostile(), resampling=QUICK), title=f"Title {HOSTILE[1]}")}
    for name in names():
        try:
            built[name] = build(campaign_of(name), resampling=QUICK)
        except LannerError as error:
            print(f"{name:22} no report: {error}")
    for name, report in built.items():
        write(report, place / name, pictures=False)
    return [place / name for name in built]


def main() -> None:
    engines = [name for name in ENGINES if shutil.which(name)]
    if not engines:
        sys.exit("No LaTeX is installed: apt-get install texlive-latex-recommended texlive-luatex")
    asked = argparse.ArgumentParser()
    asked.add_argument("--pdf", type=Path)
    asked.add_argument("folders", nargs="*", type=Path)
    given = asked.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as place:
        for folder in [folder.resolve() for folder in given.folders] or reports(Path(place)):
            for engine in engines:
                source = Path(place) / f"{folder.name}-{engine}.tex"
                shutil.copy(folder / "tables.tex", source)
                code, said = compiled(engine, source)
                failed |= code != 0
                print(f"{folder.name:22} {engine:9} {'compiles' if code == 0 else 'FAILS'}: {said}", flush=True)
                if given.pdf and code == 0:
                    given.pdf.mkdir(parents=True, exist_ok=True)
                    shutil.copy(source.with_suffix(".pdf"), given.pdf)
    sys.exit(failed)


if __name__ == "__main__":
    main()
