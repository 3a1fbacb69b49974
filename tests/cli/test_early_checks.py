"""Mistakes in names and options are refused before statistics and readers are loaded, in the words used later."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from lanner.campaign import create, get
from lanner.cli import lanner
from lanner.cli.early_checks import (
    campaign_names,
    check_public_url,
    is_free,
    is_own,
    listen,
    refuse_missing,
    refuse_unknown_campaign,
    refuse_unknown_judges,
    refuse_unknown_question,
)
from lanner.cli.source import materials
from lanner.errors import CampaignError, InputError, LannerError
from lanner.formats import read_documents
from lanner.model import Document, Judge, Segment
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
    ("new two --texts text.csv --protocol da --judges 2", "Did you mean 'texts.csv'?"),
    ("new two --texts texts.csv --protocol falcno --judges 2", "Did you mean 'falcon'?"),
    ("new two --texts texts.csv --protocol ./mine.toml --judges 2", "mine.toml: There is no such file"),
    ("new two --texts texts.csv --protocol da --judges 2 --design fulll", "Did you mean 'full'?"),
    ("new two --texts texts.csv --protocol da --judges 2 --seed -1", "--seed"),
    ("design --texts text.csv --protocol da", "Did you mean 'texts.csv'?"),
    ("judge pilto --model m", "Did you mean 'pilot'?"),
    ("judge pilot --model m --provider opnai_compatible", "There is no provider called"),
    ("judge pilot --model m --max-cost much", "'much' is not a valid float"),
    ("audit m --texts pilto", "Did you mean 'pilot'?"),
    ("export pilto --out x.csv", "Did you mean 'pilot'?"),
    ("export pilot --out x.csv --to excle", "There is no format called 'excle'"),
    ("export pilot", "Missing option '--out'"),
    ("import nothing.csv", "nothing.csv: There is no such file or folder"),
    ("import texts.csv --from tabel", "Did you mean 'table'?"),
    ("prepare nothing", "nothing: There is no such file or folder"),
    ("prepare texts.csv --recipe sentnces", "There is no recipe called 'sentnces'. Did you mean 'sentences'?"),
    ("prepare texts.csv --recipe mine.toml", "mine.toml: There is no such file"),
    ("serve --port 0", "0 is not in the range"),
    ("serve --public-url judge.example.org", "is not the address of a server"),
    ("serve --host 192.0.2.7", "is no address of this machine"),
    ("links pilto", "There is no campaign 'pilto'. Did you mean 'pilot'?"),
    ("guidelines pilto", "Did you mean 'pilot'?"),
    ("promote pilto --page phase_two", "Did you mean 'pilot'?"),
    ("replay pilto texts.csv", "Did you mean 'pilot'?"),
    ("replay pilot outputs.jsonl", "outputs.jsonl: There is no such file"),
    ("demo --port x", "'x' is not a valid integer"),
    ("metric bleu texts.csv --sed 1", "No such option"),
    ("campaign shwo pilot", "There is no command 'campaign shwo'"),
    ("campaign show pilto", "There is no campaign 'pilto'. Did you mean 'pilot'?"),
    ("campaign show pilot --by judeg", "'judeg' is not one of"),
    ("campaign check pilto", "Did you mean 'pilot'?"),
    ("campaign decided pilto", "Did you mean 'pilot'?"),
    ("campaign training pilot", "Missing option '--since'"),
    ("campaign import pilto texts.csv", "Did you mean 'pilot'?"),
    ("campaign import pilot text.csv", "text.csv: There is no such file or folder. Did you mean 'texts.csv'?"),
    ("campaign set pilot opne", "'opne' is not one of"),
    ("campaign remove-judge pilot anna", "pilot has no judge 'anna'. Did you mean 'ana'?"),
    ("campaign replace-judge pilot anna ben", "Did you mean 'ana'?"),
    ("campaign list --store nowhere.sqlite", "nowhere.sqlite: There is no such store."),
    ("campaign show pilot --store nowhere.sqlite", "nowhere.sqlite: There is no such store."),
    ("ledger pilto", "Did you mean 'pilot'?"),
    ("ledger pilot --limit many", "'many' is not a valid integer"),
    ("accounts change Olga --off", "There is no account 'Olga'."),
    ("accounts add Olga --role boss", "'boss' is not one of"),
    ("accounts list --store nowhere.sqlite", "There is no such store."),
    ("tokens add nightly", "Missing option '--scope'"),
    ("tokens add nightly --scope write --campaign pilto", "Did you mean 'pilot'?"),
    ("tokens revoke 7", "There is no token 7 that works."),
    ("webhooks add https://example.org --campaign pilto", "Did you mean 'pilot'?"),
    ("webhooks add https://example.org --event finished", "'finished' is not one of"),
    ("webhooks remove 7", "There is no webhook 7."),
    ("protocol show falcno", "There is no protocol called 'falcno'. Did you mean 'falcon'?"),
    ("protocol check mine.toml", "mine.toml: There is no such file"),
    ("prompt show juge", "There is no prompt called 'juge'. Did you mean 'judge'?"),
    ("prompt check mine.toml", "mine.toml: There is no such file or folder."),
    ("prompt check judge --protocol falcno", "Did you mean 'falcon'?"),
    ("prompt try judge --protocol da --texts text.csv", "Did you mean 'texts.csv'?"),
    ("prompt try judge --protocol da --provider opnai_compatible", "There is no provider called"),
    ("prompt try judge --protocol da --base-url http://x", "--base-url does nothing without --model."),
    ("agreement pilot --why --gamma", "--gamma does nothing with --why"),
    ("agreement pilot --other-judges --unit item", "--unit does nothing with --other-judges"),
    ("effort pilot --rate 20 --pooled", "--pooled does nothing with --rate"),
    ("effort pilot --fatigue --by system", "--by does nothing with --fatigue"),
    ("effort pilot --assistance --rate 20", "--rate does nothing with --assistance"),
    ("associate pilot --question holistic --given seconds", "--given does nothing with --question"),
    ("regress pilot --outcome a --blocks b --mixed --fill 1", "--fill does nothing with --mixed"),
    ("prefer pilot --votes --ranking", "--ranking does nothing with --votes"),
    ("prefer pilot --ranking --favour X", "--favour does nothing with --ranking"),
    ("scores pilot --level segment --head-to-head", "--head-to-head does nothing with --level"),
    ("diagnose pilot --cell X/fluency --domain news", "--domain does nothing with --cell"),
    ("diagnose pilot --language de", "--language does nothing without --out"),
    ("compare --judges pilot --out page", "--out does nothing with --judges"),
    ("compare --judges pilot --languages en-de", "--languages does nothing with --judges"),
    ("compare pilot texts.csv --currency EUR", "--currency does nothing without --hourly"),
    ("metaeval pilot --tests spa", "--tests does nothing without --compare"),
    ("metaeval pilot --compare --table tsv", "--table does nothing with --compare"),
    ("plan --like esa --question score", "--question does nothing with --like"),
    ("prepare texts.csv --describe-only --out x.jsonl", "--out does nothing with --describe-only"),
    ("prepare texts.csv --port 8100", "--port does nothing without --verify"),
    ("prepare texts.csv --by Ana", "--by does nothing without --verify or --verified"),
    ("prepare texts.csv --criteria source", "--criteria does nothing without --difficult"),
    ("judge pilot --model m --compare-contexts none;people --context none", "--context does nothing with"),
    ("backup --out x.sqlite --keep 2", "--keep does nothing with --out"),
    ("design --judges 4", "--judges does nothing without both --texts and --protocol"),
    ("design --texts texts.csv --rate 20", "--texts does nothing without both --texts and --protocol"),
    ("design --texts texts.csv --protocol da --missing 9", "--missing does nothing with texts"),
    ("new two --texts texts.csv --protocol da --judges 2 --missing 9", "--missing does nothing with texts"),
    ("new two --texts texts.csv --protocol da --judges 2 --base-url x", "'x' is not the address of a server."),
    ("links pilot --base-url example.org", "--base-url https://judge.example.org"),
    ("scores pilot --columns judge=who", "--columns does nothing with a campaign"),
    ("agreement pilot --protocol da", "--protocol does nothing with a campaign"),
    ("export pilot --out x.csv --missing 9", "--missing does nothing with a campaign"),
    ("export pilot --out x.csv --to table --texts --counted", "--counted does nothing with --texts"),
    ("export texts.csv --out x.csv --to table --identified", "--identified does nothing with a file"),
    ("campaign duplicate pilot two --judges 3 --no-judges", "--judges does nothing with --no-judges"),
    ("campaign check pilot --question holisitc", "Did you mean 'holistic'?"),
    ("campaign disagreements pilot --question holisitc", "Did you mean 'holistic'?"),
    ("campaign disagreements pilot --labels a,b", "--labels does nothing without --question"),
    ("campaign disagreements pilot --most 0", "0 is not in the range x>=1"),
    ("campaign settle pilot d1 1 --answer score=1 --guideline", "--guideline does nothing without --note"),
    ("campaign settle pilot d1 1", "Nothing to settle."),
]
MISTAKES_IN_A_FILE = [
    ("agreement ratings.csv --question scroe", "No part of this asks 'scroe'. Did you mean 'score'?"),
    ("scores ratings.csv --question scroe", "Did you mean 'score'?"),
    ("agreement ratings.csv --judges ana,bne", "There is no judge 'bne' in ratings.csv. Did you mean 'ben'?"),
    ("report ratings.csv --columns judge=whom", "ratings.csv:1: There is no column 'whom'"),
    ("scores ratings.csv --encoding utf-99", "utf-99"),
    ("agreement ratings.csv --languages nonsense", "nonsense"),
    ("agreement noise.bin", "The content is none of the formats known."),
    ("agreement texts.csv", "There are no judgements in it, only texts."),
    ("compare ratings.csv noise.bin", "noise.bin: The content is none of the formats known."),
    ("metaeval noise.bin", "The content is none of the formats known."),
    ("export noise.bin --out x.csv", "The content is none of the formats known."),
    ("new two --texts noise.bin --protocol da --judges 2", "The content is none of the formats known."),
    ("new two --texts texts.csv --columns source=src --protocol da --judges 2", "There is no column 'src'"),
    ("design --texts texts.csv --columns source=src --protocol da", "There is no column 'src'"),
    ("prepare texts.csv --columns source=src", "There is no column 'src'"),
    ("judge noise.bin --model m --protocol da", "The content is none of the formats known."),
    ("audit m --texts noise.bin --protocol da", "The content is none of the formats known."),
    ("prompt try judge --protocol da --texts noise.bin", "The content is none of the formats known."),
]
HEAVY = {"numpy", "rich", "polars", "scipy", "sqlalchemy", "pydantic", "starlette", "lanner.stats", "lanner.store"}
SCRIPT = """
import contextlib, io, json, shlex, sys
from lanner.cli import main
answers = []
for line in LINES:
    sys.argv = ["lanner", *shlex.split(line)]
    words = io.StringIO()
    with contextlib.redirect_stderr(words), contextlib.suppress(SystemExit):
        main()
    answers.append([words.getvalue(), sorted(HEAVY & set(sys.modules))])
print(json.dumps(answers))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts and a store with a campaign."""
    texts = tmp_path / "texts.csv"
    texts.write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    rows = [f"{judge},d,{at},X,{at % 3 + 1}" for judge in ("ana", "ben") for at in range(1, 5)]
    ratings = "\n".join(["judge,document,segment,system,score", *rows])
    (tmp_path / "ratings.csv").write_text(ratings, encoding="utf-8")
    with Store.open(tmp_path / "lanner.sqlite") as store:
        create(store, "pilot", list(read_documents(texts)), "h_falcon", [Judge("ana")])
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_STORE", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("mistakes", "heavy"),
    [
        (MISTAKES, HEAVY | {"lanner.formats"}),
        (MISTAKES_IN_A_FILE, HEAVY),
    ],
    ids=["names and options", "of a file"],
)
def test_nothing_heavy_is_loaded_for_a_mistake(folder: Path, mistakes: list[tuple[str, str]], heavy: set[str]) -> None:
    """In one process: were one of them to load anything, every later one would show it, too."""
    script = f"LINES = {[line for line, _ in mistakes]!r}\nHEAVY = {heavy!r}\n{SCRIPT}"
    ran = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    answers = json.loads(ran.stdout)
    assert len(answers) == len(mistakes)
    for (line, words), (message, loaded) in zip(mistakes, answers, strict=True):
        assert words in " ".join(message.split()), (line, message)
        assert loaded == [], line


@pytest.mark.parametrize("store", ["lanner.sqlite", "nowhere.sqlite"])
def test_it_says_what_the_command_says(folder: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as early:
        refuse_missing("pilto", store)
    monkeypatch.setattr("lanner.cli.early_checks.campaign_names", lambda _place: None)
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


def test_campaigns_are_those_of_the_store(store: Store, place: str) -> None:
    document = Document("d", (Segment("1", "One.", {"mt": "Eins."}),), "en", "de")
    for name in ("pilot", "main"):
        create(store, name, [document], "da", [Judge("ana")])
    assert campaign_names(place) == ["pilot", "main"]
    with pytest.raises(CampaignError) as early:
        refuse_unknown_campaign("pilto", place)
    with pytest.raises(CampaignError) as late:
        get(store, "pilto")
    assert (str(early.value), early.value.exit_code) == (str(late.value), late.value.exit_code)
    refuse_unknown_campaign("pilot", place)
    with pytest.raises(InputError, match="Did you mean 'score'"):
        refuse_unknown_question("pilot", place, "scroe")


@pytest.mark.parametrize("command", ["report", "links", "export", "judge"])
def test_the_shell_completes_campaigns_of_the_store_that_is_named(
    store: Store, place: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(store, "pilot", [Document("d", (Segment("1", "One.", {"mt": "Eins."}),))], "da", [Judge("ana")])

    def completions(*words: str) -> set[str]:
        shell = ShellComplete(lanner, {}, "lanner", "_LANNER_COMPLETE")
        return {item.value for item in shell.get_completions([command, *words], "pi")}

    monkeypatch.setenv("LANNER_STORE", "nowhere.sqlite")
    assert completions("--store", place) >= {"pilot"}
    assert "pilot" not in completions()
    monkeypatch.setenv("LANNER_STORE", place)
    assert completions() >= {"pilot"}


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://judge.example.org/", "https://judge.example.org"),
        ("http://10.0.0.2:8080/lanner/", "http://10.0.0.2:8080/lanner"),
        ("https://[::1]:8000", "https://[::1]:8000"),
    ],
)
def test_a_public_address_has_no_slash_at_its_end(address: str, kept: str) -> None:
    assert check_public_url(address) == kept


@pytest.mark.parametrize(
    "words", ["judge.example.org", "ftp://x", "https://", "https://a:b@c", "https://x?y=1", "https://[", "https://x:y"]
)
def test_what_is_no_address_is_refused(words: str) -> None:
    with pytest.raises(LannerError) as caught:
        check_public_url(words)
    assert "--public-url https://" in caught.value.next_step


def test_a_taken_port_is_not_free_and_the_next_one_is_found() -> None:
    """Two commands that began at once found the same free port, and the link of one led to the page of the other."""
    with listen("127.0.0.1", 20_000) as first:
        port = first.getsockname()[1]
        assert not is_free("127.0.0.1", port)
        with listen("127.0.0.1", port) as second, socket.create_connection(second.getsockname()):
            assert second.getsockname()[1] > port


def test_after_the_last_port_there_is_none() -> None:
    with ExitStack() as taken:
        with suppress(OSError):  # by somebody else, which is as good
            taken.enter_context(socket.create_server(("127.0.0.1", 65535)))
        with pytest.raises(LannerError, match="No port from 65535 can be used"):
            listen("127.0.0.1", 65535)


def test_a_server_listens_only_on_addresses_of_this_machine() -> None:
    assert is_own("127.0.0.1")
    assert is_own("localhost")
    assert not is_own("192.0.2.7")
    assert not is_own("")


def test_a_judge_who_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="There is no judge 'c' in x"):
        refuse_unknown_judges(["a", "c"], ["a", "b"], "x")
    refuse_unknown_judges([], [], "x")
