"""Mistakes in names and options are refused before statistics and readers are loaded, in the words used later."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lanner.campaign import create
from lanner.cli._early_checks import campaign_names, refuse_missing, refuse_unknown_question
from lanner.cli._source import materials
from lanner.errors import InputError
from lanner.formats import read_documents
from lanner.model import Judge
from lanner.store import Store

MISTAKES = [
    ("agreement ratigns.csv", "There is no file and no campaign called 'ratigns.csv'"),
    ("scores pilto", "Did you mean 'pilot'?"),
    ("report pilto", "Did you mean 'pilot'?"),
    ("compare pilot pilto", "Did you mean 'pilot'?"),
    ("compare A=pilto@people pilot", "Did you mean 'pilot'?"),
    ("metaeval pilto", "Did you mean 'pilot'?"),
    ("agreement pilot --question holistik", "Did you mean 'holistic'?"),
    ("agreement pilot --unit sentence", "'sentence' is not one of"),
    ("agreement pilot --sed 1", "No such option"),
    ("scores pilot --set test=t", "'t' is not one of"),
    ("regress pilot --blocks a", "--outcome"),
    ("report texts.csv --from excle", "There is no format called 'excle'"),
    ("facets texts.csv --protocol falcno", "Did you mean 'falcon'?"),
    ("agreement pilot --store nowhere.sqlite", "nowhere.sqlite does not exist"),
]
SCRIPT = f"""
import contextlib, io, json, shlex, sys
from lanner.cli import main
answers = []
for line in {[line for line, _ in MISTAKES]!r}:
    sys.argv = ["lanner", *shlex.split(line)]
    words = io.StringIO()
    with contextlib.redirect_stderr(words), contextlib.suppress(SystemExit):
        main()
    heavy = {{"numpy", "polars", "scipy", "sqlalchemy", "pydantic", "lanner.analysis", "lanner.store"}}
    answers.append([words.getvalue(), sorted(heavy & set(sys.modules))])
print(json.dumps(answers))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts and a store with a campaign."""
    texts = tmp_path / "texts.csv"
    texts.write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    with Store.open(tmp_path / "lanner.sqlite") as store:
        create(store, "pilot", list(read_documents(texts)), "h_falcon", [Judge("ana")])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_STORE", raising=False)
    return tmp_path


def test_nothing_heavy_is_loaded_for_a_mistake(folder: Path) -> None:
    """In one process: were one of them to load anything, every later one would show it, too."""
    ran = subprocess.run([sys.executable, "-c", SCRIPT], cwd=folder, capture_output=True, text=True, check=True)
    answers = json.loads(ran.stdout)
    assert len(answers) == len(MISTAKES)
    for (line, words), (message, loaded) in zip(MISTAKES, answers, strict=True):
        assert words in " ".join(message.split()), (line, message)
        assert loaded == [], line


@pytest.mark.parametrize("store", ["lanner.sqlite", "nowhere.sqlite"])
def test_it_says_what_the_command_says(folder: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as early:
        refuse_missing("pilto", store)
    monkeypatch.setattr("lanner.cli._early_checks.campaign_names", lambda _place: None)
    with pytest.raises(InputError) as late:
        materials("pilto", store, None)
    assert str(early.value) == str(late.value)


def test_what_may_be_right_is_left_to_the_command(folder: Path) -> None:
    refuse_missing("pilot", "lanner.sqlite")
    refuse_missing("texts.csv", "nowhere.sqlite")
    refuse_missing("pilot", "postgresql://localhost/lanner")
    refuse_unknown_question("pilot", "lanner.sqlite", "holistic")
    refuse_unknown_question("texts.csv", "lanner.sqlite", "anything")
    (folder / "no.sqlite").write_text("this is no database, but long enough to look like one", encoding="utf-8")
    assert campaign_names("no.sqlite") is None
    refuse_missing("pilot", "no.sqlite")


def test_campaigns_are_those_of_the_store(folder: Path) -> None:
    with Store.open("lanner.sqlite") as store, store.reading() as tx:
        assert campaign_names("lanner.sqlite") == [campaign.name for campaign in tx.campaigns.all()] == ["pilot"]
