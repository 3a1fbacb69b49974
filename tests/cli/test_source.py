from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from analysis.test_material import falcon_folder
from campaign_parts import corpus as corpus_of_outputs
from campaign_parts import fill, opened
from cli.command import Command
from data_sets import data_dir
from lanner import campaign, cli
from lanner.cli.source import materials
from lanner.errors import ExitCode
from lanner.model import Judge
from lanner.store import Store


def test_a_path_wins_over_a_campaign_of_that_name(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lanner("import", falcon_folder(folder))
    from_file = lanner("agreement", "study", "-q", "context", "--json").envelope
    assert from_file["rows"][0]["part"] == "evalset"


def test_an_unknown_campaign_names_the_nearest(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lanner("import", falcon_folder(folder), "--name", "pilot")
    ran = lanner("agreement", "pilott")
    assert ran.code == 2
    assert "Did you mean 'pilot'" in ran.err


@pytest.mark.parametrize("line", ["agreement", "effort", "scores", "associate --of holistic", "plan"])
def test_a_campaign_that_nobody_has_answered_yet_is_told_so(lanner: Command, pilot: str, line: str) -> None:
    command, *rest = line.split()
    ran = lanner(command, pilot, *rest)
    assert ran.code == ExitCode.STATE
    assert "pilot has no judgements yet" in ran.err
    assert "lanner campaign show pilot" in ran.err


@pytest.mark.data
def test_a_table_of_a_known_format_is_not_taken_for_ratings() -> None:
    """MQM marks have a rater and an item on each row, and are far more than ratings."""
    (part,) = materials(str(data_dir("mqm") / "mqm_ted_ende.tsv"), "none.sqlite", None)
    assert part.protocol is not None
    assert part.protocol.name == "mqm"
    assert "penalty" in set(part.table["question"])


LABELS = """judge,document,segment,domain,verdict,labels
ana,d1,1,news,good,"[""style"", ""terms""]"
ben,d1,1,news,good,"[""style""]"
ana,d1,2,news,bad,[]
ben,d1,2,news,good,[]
ana,d2,1,talk,bad,"[""terms""]"
ben,d2,1,talk,bad,"[""terms""]"
ana,d2,2,talk,good,NA
ben,d2,2,talk,good,[]
"""


def written(folder: Path, text: str, name: str = "mine.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_ratings_alone_are_enough(lanner: Command, tmp_path: Path) -> None:
    file = written(tmp_path, LABELS.replace("verdict", "label").replace("labels", "issues"))
    rows = lanner("agreement", file, "--json").envelope["rows"]
    kappa = next(row for row in rows if row["sign"] == "κ")
    assert kappa["value"] == pytest.approx(0.5)  # 3 of 4 the same; chance (2·3 + 2·1)/16
    assert (kappa["n"], kappa["n_documents"]) == (4, 2)
    by_domain = lanner("agreement", file, "--by", "domain", "--json").envelope["rows"]
    assert {row["domain"] for row in by_domain} == {"news", "talk"}


def test_every_column_that_is_no_place_is_an_answer(lanner: Command, tmp_path: Path) -> None:
    text = "rater;".replace(";", ",") + "item,verdict,points\na,1,x,3\nb,1,x,4\na,2,y,1\nb,2,x,1\n"
    ran = lanner("agreement", written(tmp_path, text), "--json").envelope
    assert {row["question"] for row in ran["rows"]} == {"verdict", "points"}
    assert any("every item counts as one" in note for note in ran["notes"])
    sets = lanner("agreement", written(tmp_path, LABELS, "sets.csv"), "-q", "labels", "--json").envelope["rows"]
    assert {row["sign"] for row in sets} >= {"α Jaccard", "mean Jaccard", "micro-F1"}
    assert all(row["n"] == 3 for row in sets)  # NA is missing, [] is an answer


def test_files_of_which_nothing_shows_that_they_belong_together(lanner: Command, tmp_path: Path) -> None:
    """Two judges' files without texts are read apart, and it is said what joins them."""
    head, rows = "system,segment,fluency", {"anna": ["A,1,3", "A,2,4", "B,1,5"], "ben": ["A,1,2", "A,2,4", "B,1,4"]}
    for judge, lines in rows.items():
        (tmp_path / f"{judge}.csv").write_text("\n".join([head, *lines]) + "\n")
    refused = lanner("agreement", tmp_path / "anna.csv", tmp_path / "ben.csv")
    assert refused.code == 2 and "read from a folder" in refused.err
    apart = lanner("agreement", tmp_path, "--json").envelope
    assert {row["n"] for row in apart["rows"]} == {0}
    assert any("name the judge in a column `judge` of each" in note for note in apart["notes"])
    for judge, lines in rows.items():
        (tmp_path / f"{judge}.csv").write_text("\n".join([f"judge,{head}", *(f"{judge},{line}" for line in lines)]))
    together = lanner("agreement", tmp_path, "--json").envelope
    assert {row["n"] for row in together["rows"]} == {3}
    assert not any("read by itself" in note for note in together["notes"])


def test_other_tables_go_to_other_readers_and_mistakes_are_named(lanner: Command, tmp_path: Path) -> None:
    texts = written(tmp_path, "document,segment,source,target\nd,1,A.,B.\n", "texts.csv")
    assert "only texts" in lanner("agreement", texts).err
    assert "only texts" in lanner("agreement", texts, "--from", "ratings").err
    file = written(tmp_path, LABELS)
    assert "Did you mean 'labels'" in lanner("agreement", file, "-q", "label").err


@pytest.mark.parametrize(
    ("rows", "line", "what"),
    [
        ('a,d,1,3\nb,d,1,"4\n', 3, "not well formed"),
        ('a,d,1,"two\nlines"\nb,d,1,"4\n', 4, "not well formed"),
        ("a,d,1,3,4\n", 2, "has 5 cells, the header has 4"),
    ],
)
def test_a_half_broken_table_is_told_with_its_line(
    lanner: Command, tmp_path: Path, rows: str, line: int, what: str
) -> None:
    path = written(tmp_path, "judge,document,segment,score\n" + rows)
    ran = lanner("agreement", path)
    assert (ran.code, f"mine.csv:{line}: " in ran.err) == (2, True)
    assert what in ran.err


def test_the_shell_completes_campaigns_protocols_and_formats(
    lanner: Command, pilot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def completed(*words: str) -> set[str]:
        complete = ShellComplete(cli.lanner, {}, "lanner", "_LANNER_COMPLETE")
        return {item.value for item in complete.get_completions(list(words[:-1]), words[-1])}

    monkeypatch.setenv("LANNER_STORE", "lanner.sqlite")
    assert "pilot" in completed("agreement", "pi")
    assert completed("agreement", "x.csv", "--protocol", "h_f") == {"h_falcon"}
    assert completed("agreement", "x.csv", "--from", "xl") == {"xliff"}
    assert "agreement" in completed("agr")


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [("scores", "--of", "--question"), ("associate", "--of", "--question"), ("scores", "--lp", "--languages")],
)
def test_an_old_option_works_and_says_what_it_is_called_now(
    lanner: Command, tmp_path: Path, command: str, old: str, new: str
) -> None:
    rows = [f"{judge},d{n},1,X,{(n * 7 + len(judge)) % 5}\n" for n in range(6) for judge in ("ann", "benny")]
    (tmp_path / "r.csv").write_text("judge,document,segment,system,score\n" + "".join(rows))
    value = "score" if old == "--of" else "en-ko"
    with_new = lanner(command, "r.csv", new, value, "--json").envelope
    with_old = lanner(command, "r.csv", old, value, "--json").envelope
    assert with_old["rows"] == with_new["rows"]
    assert f"{old} is called {new} now." in with_old["notes"]
    assert not any("is called" in note for note in with_new["notes"])
    assert f"{old} " not in lanner(command, "--help").out


def test_documents_without_a_domain_are_named_so_beside_others(lanner: Command, tmp_path: Path) -> None:
    """Under no name their numbers would look like those of all documents together."""
    rows = [
        f"{judge},d{d},{s},{'news' if d < 2 else ''},{'ab'[(d + s * (judge == 'ann')) % 2]}"
        for judge in ("ann", "ben")
        for d in range(4)
        for s in range(3)
    ]
    (tmp_path / "r.csv").write_text("\n".join(["judge,document,segment,domain,verdict", *rows]), encoding="utf-8")
    printed = lanner("agreement", "r.csv", "--by", "domain", "--json").envelope["rows"]
    assert {row["domain"] for row in printed} == {"news", "(no domain)"}


def test_a_comma_too_many_names_no_judge(lanner: Command, tmp_path: Path) -> None:
    rows = [f"{judge},d{d},1,{d % 3}" for judge in ("ann", "ben", "cem") for d in range(6)]
    (tmp_path / "r.csv").write_text("\n".join(["judge,document,segment,score", *rows]), encoding="utf-8")
    for options in ((), ("-q", "score")):
        assert lanner("agreement", "r.csv", *options, "--judges", "ann, ben,", "--resamples", 50).code == 0


def test_every_analysis_tells_of_judges_who_have_withdrawn(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store, "h_falcon", judges=[Judge("ana"), Judge("ben")], documents=corpus_of_outputs((3, 3, 3)))
        for judge in ("ana", "ben"):
            for task in campaign.tasks(store, "first", judge):
                fill(store, task)
        campaign.withdraw(store, "first", "ana")
    for command in ("agreement", "scores", "effort", "facets -q holistic", "associate -q holistic"):
        notes = lanner(*command.split(), "first", "--json").envelope["notes"]
        assert sum("One judge has withdrawn" in note for note in notes) == 1, command
