"""The example package of `examples/plugin`, really installed: what it brings is found like what is ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CAPTIONS = """1
00:00:01,000 --> 00:00:02,500
The ferry is late.
Die Fähre ist spät.

2
00:00:03,000 --> 00:00:04,000
We waited.
Wir warteten.
"""
SCRIPT = """
from lanner import formats, protocols
assert formats.recognise("film.srt") == "subtitles", formats.recognise("film.srt")
(reading,) = formats.read("film.srt", system="oak")
assert [dict(segment.outputs) for segment in reading.documents[0]] == [
    {"oak": "Die Fähre ist spät."}, {"oak": "Wir warteten."}
]
assert "readability" in protocols.names()
assert protocols.load("readability").find("ease") is not None

import lanner
from lanner.analysis.measures import named_measure
items = enumerate(["aab", "abc", "aaa", "bba"])
rows = [(judge, f"d{n}", label) for n, labels in items for judge, label in zip("xyz", labels)]
with open("r.csv", "w") as file:
    file.write("judge,document,segment,label\\n" + "".join(f"{j},{d},1,{label}\\n" for j, d, label in rows))
table = lanner.load("r.csv")[0].table
measure = named_measure("majority", "label")
assert measure.statistic(table, "label").value == 0.75

from lanner import metrics
assert "length" in metrics.names()
assert metrics.make("length", metrics.Languages("en", "de")).name == "length"

from click.testing import CliRunner
from lanner.cli import lanner as program
for line, expected in (
    ("new film --texts film.srt --protocol readability --judges 2 --json", '"items": 2'),
    ("agreement r.csv --coefficient majority --resamples 50 --json", '"sign": "majority"'),
    ("metric length film.srt --json", '"value"'),
    ("judge film --model first --base-url http://127.0.0.1:9/v1 --provider first --json", '"items": 2'),
):
    ran = CliRunner().invoke(program, line.split(), catch_exceptions=False)
    assert ran.exit_code == 0, (line, ran.output)
    assert expected in ran.stdout, (line, ran.stdout)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [*command, "--target", str(target), str(ROOT / "examples" / "plugin")], check=True, timeout=300, cwd=target
    )
    return target


def test_an_installed_package_brings_one_of_each_kind(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "film.srt").write_text(CAPTIONS, encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "src"), str(installed)])
    environment = {**os.environ, "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, cwd=tmp_path, env=environment, timeout=240)
