from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from sklearn.metrics import cohen_kappa_score

from cli.command import Command
from data_sets import data_dir
from lanner import library

FEW = ("--resamples", 100)


@pytest.mark.data
def test_the_published_kappas(lanner: Command) -> None:
    ran = lanner("agreement", data_dir("h-falcon"), "--from", "h-falcon", "--question", "context", *FEW, "--json")
    kappas = {
        frozenset((row["judge"], row["other"])): row
        for row in ran.envelope["rows"]
        if row["statistic"] == "kappa" and row.get("judge")
    }
    assert round(kappas[frozenset(("judge2", "judge3"))]["value"], 4) == 0.4995
    assert round(kappas[frozenset(("judge1", "judge2"))]["value"], 4) == 0.3883
    assert len(kappas) == 15
    for row in kappas.values():
        assert row["low"] < row["value"] < row["high"]
        assert (row["n"], row["unit"]) == (809, "document")
        assert row["signature"]


def test_a_coefficient_can_be_asked_for_by_name(lanner: Command, tmp_path: Path) -> None:
    """Scott's π of a table of two judges: observed 3/4, expected (5/8)² + (3/8)², by hand."""
    labels = [("yes", "yes"), ("yes", "yes"), ("no", "no"), ("yes", "no")]
    rows = ["document,segment,source,judge,answer"]
    rows += [
        f"d,{n},Text {n},{who},{label}" for n, pair in enumerate(labels) for who, label in zip("ab", pair, strict=True)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    results = lanner("agreement", path, "--coefficient", "scott", "--json").envelope["rows"]
    (pi,) = (row["value"] for row in results if row["statistic"] == "scott")
    expected = (5 / 8) ** 2 + (3 / 8) ** 2
    assert pi == pytest.approx((0.75 - expected) / (1 - expected))
    refused = lanner("agreement", path, "--coefficient", "skott")
    assert refused.code == 2 and "'scott'" in refused.err


def test_a_weighted_kappa_keeps_the_distances_of_its_scale(lanner: Command, tmp_path: Path) -> None:
    """Of the points 1 to 4 nobody gave 2; what is said of labels that prevail is not said of a scale."""
    ann, ben = [1, 3, 4, 4, 3, 4, 1, 4], [3, 3, 4, 4, 4, 4, 1, 3]
    rows = ["document,segment,system,judge,adequacy_sc"]
    rows += [
        f"d{n % 4},{n},X,{who},{score}" for who, own in (("ann", ann), ("ben", ben)) for n, score in enumerate(own)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    printed = lanner("agreement", path, "--protocol", "scenarios").out
    assert "κ linear" in printed and "What the coefficients mean" in printed
    results = lanner("agreement", path, "--protocol", "scenarios", "--json").envelope["rows"]
    (value,) = (row["value"] for row in results if row["statistic"] == "kappa")
    assert value == pytest.approx(cohen_kappa_score(ann, ben, labels=[1, 2, 3, 4], weights="linear"))


def test_preferences_have_one_kappa_wherever_it_is_printed(lanner: Command, tmp_path: Path) -> None:
    """Nine comparisons of X, Y and Z, some shown in turn; agreement is about who is preferred: κ by hand."""
    ann, ben = ["X"] * 6 + ["X", "Y", "Z"], ["X"] * 5 + ["tie", "Y", "X", "Y"]
    rows = ["document,segment,judge,system_a,system_b,better"]
    for n, (one, other) in enumerate(zip(ann, ben, strict=True)):
        pair = "Y,Z" if n == 8 else "Y,X" if n % 2 else "X,Y"
        rows += [f"d{n % 3},{n},{who},{pair},{winner}" for who, winner in (("ann", one), ("ben", other))]
    path = tmp_path / "preferences.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    chance = (7 * 6 + 1 * 1) / 8 / 9  # among X and Y by how often each prefers them; they differ on Y and Z
    kappa = (5 / 9 - chance) / (1 - chance)
    printed = lanner("agreement", path, "--json").envelope
    table = {row["statistic"]: row for row in printed["rows"]}
    assert table["kappa"]["value"] == pytest.approx(kappa)
    assert "κ is only −0.10 (AC1 0.46)" in " ".join(printed["notes"])
    why = lanner("agreement", path, "--why", "--json").envelope["rows"]
    assert not any(row["kind"] == "merger" for row in why), "two systems are never one"
    assert {row["label"] for row in why if row["kind"] == "confusion"} == {"X", "Y", "Z", "neither"}


def test_what_why_cannot_take_apart_is_said(lanner: Command, tmp_path: Path) -> None:
    """Of sets of labels it printed nothing, without a word."""
    rows = [f"d{n % 3},{n},{who},{'terms;style' if n % 2 else who}" for n in range(12) for who in ("style", "terms")]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["document,segment,judge,issues", *rows]), encoding="utf-8")
    notes = lanner("agreement", path, "--why", "--json").envelope["notes"]
    assert any(note.startswith("--why has nothing on issues") for note in notes)
    assert not any("sharper definition" in note for note in notes)


def test_of_many_pairs_those_that_agree_least_are_listed(lanner: Command, tmp_path: Path) -> None:
    """Eight judges are 28 pairs: the terminal has everybody together first and five pairs, JSON has all of them."""
    rows = ["document,segment,source,judge,answer"]
    for n in range(24):
        for who in "abcdefgh":
            label = "no" if n % 3 == 0 else "yes"
            if who == "h" and n % 2:  # differs from everybody else
                label = "yes" if label == "no" else "no"
            rows.append(f"d{n % 4},{n},Text {n},{who},{label}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    ran = lanner("agreement", path, "--coefficient", "kappa", *FEW)
    shown = [line for line in ran.out.splitlines() if "κ" in line and " – " in line]
    assert len(shown) == 5 and all("h" in line.split(" – ")[1][:2] for line in shown)
    assert next(line for line in ran.out.splitlines() if line.startswith("answer")).split()[1:3] == ["all", "people"]
    pairs = [row for row in lanner("agreement", path, *FEW, "--json").envelope["rows"] if row["statistic"] == "kappa"]
    assert len([row for row in pairs if row.get("judge")]) == 28


@pytest.mark.data
def test_some_judges_and_each_domain(lanner: Command) -> None:
    source = data_dir("h-falcon")
    rows = lanner(
        "agreement", source, "-q", "context", "--judges", "judge1,judge2", "--by", "domain", *FEW, "--json"
    ).envelope["rows"]
    assert {row["domain"] for row in rows} == {"news", "social", "literary"}
    assert sum(row["n"] for row in rows if row["statistic"] == "kappa") == 809


@pytest.mark.data
def test_documents_and_judges_both_as_samples(lanner: Command) -> None:
    people = "judge1,judge2,judge3"
    rows = lanner(
        "agreement", data_dir("h-falcon"), "-q", "context", "--judges", people, "--unit", "two-way", *FEW, "--json"
    ).envelope["rows"]
    (alpha,) = (row for row in rows if row["sign"] == "α")
    assert alpha["unit"] == "two-way"
    assert alpha["low"] < alpha["value"] < alpha["high"]


def test_where_no_judge_answered_the_reason_is_said(lanner: Command, tmp_path: Path) -> None:
    """Scores of people in the folders of mt-metrics-eval may be means of several judges."""
    for name, text in {
        "sources/en-de.txt": "One.\nTwo.\n",
        "documents/en-de.docs": "news\td1\nnews\td2\n",
        "system-outputs/en-de/oak.txt": "Eins.\nZwei.\n",
        "human-scores/en-de.mqm.seg.score": "oak\t-1\noak\t-5\n",
    }.items():
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    envelope = lanner("agreement", tmp_path / "set", "--json").envelope
    assert envelope["rows"] == []
    assert any("scores by mqm" in note and "lanner scores --judges mqm" in note for note in envelope["notes"])


def test_metrics_agree_with_nobody_and_one_document_is_no_verdict(lanner: Command, tmp_path: Path) -> None:
    judges = {"Ana": (70, 55, 81), "Ben": (66, 60, 90), "gpt-4o": (75, 50, 80), "COMET": (0.8, 0.7, 0.9)}
    rows = [f"{judge},d1,{n},oak,{score}" for judge, scores in judges.items() for n, score in enumerate(scores)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["judge,document,segment,system,score", *rows]), encoding="utf-8")
    envelope = lanner("agreement", path, "--json").envelope
    assert not any("COMET" in (row.get("judge"), row.get("other")) for row in envelope["rows"])
    assert {row["group"] for row in envelope["rows"]} == {"", "people"}
    assert sum("Metrics have scales of their own" in note for note in envelope["notes"]) == 1
    assert any("Metrics have scales of their own" in note for note in library.agreement(path).notes)
    assert library.agreement(path).table["judges"].to_list() == ["people", "models"]
    (headline,) = (row for row in envelope["rows"] if row["headline"] and row["group"] == "people")
    assert headline["value"] is not None
    assert headline["low"] is None
    assert "whether that is high or low is not said" in headline["reading"]


@pytest.mark.parametrize("careless", ["", "dice", "5", "hurry"])
def test_a_careless_judge_is_a_finding_wherever_agreement_is_told(
    careless: str, lanner: Command, tmp_path: Path
) -> None:
    """Ten documents, three careful judges and Dan; on the command line, in its envelope, and in a report."""
    dice, rows = Random(4), ["judge,document,segment,system,score,active"]
    given: dict[str, list[int]] = {name: [] for name in ("Ana", "Ben", "Cem", "Dan")}
    for at in range(60):
        quality = dice.randint(1, 5)
        for name, answers in given.items():
            does = careless if name == "Dan" else ""
            score = quality if dice.random() < 0.75 and does != "dice" else dice.randint(1, 5)
            answers.append(5 if does == "5" else score)
            rows.append(
                f"{name},d{at // 6},{at},oak,{answers[-1]},{3 if does == 'hurry' else dice.uniform(20, 40):.1f}"
            )
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    others = [score for name in ("Ana", "Ben", "Cem") for score in given[name]]
    says = {
        "": "",
        "dice": "Dan differs from the others more than chance explains",
        "5": f"It is “5”, which the others gave to {sum(score == 5 for score in others) / len(others):.0%}".replace(
            "%", " %"
        ),
        "hurry": "times as fast as the others",
    }[careless]
    notes = lanner("agreement", path, "--json").envelope["notes"]
    for told in (lanner("agreement", path).out.splitlines(), notes, library.report(path).findings):
        about_dan = [sentence for sentence in told if "Dan" in sentence and "–" not in sentence]
        assert bool(about_dan) == bool(careless), about_dan
        assert not careless or any(says in sentence for sentence in about_dan), about_dan


def test_neither_a_file_nor_a_campaign(lanner: Command) -> None:
    ran = lanner("agreement", "nothing")
    assert ran.code == 2
    assert "There is no file 'nothing'" in ran.err


@pytest.mark.data
def test_wrong_names_are_met_with_the_nearest(lanner: Command) -> None:
    assert "Did you mean 'context'" in lanner("agreement", data_dir("h-falcon"), "-q", "contxt").err
    assert "Did you mean 'judge" in lanner("agreement", data_dir("h-falcon"), "--judges", "judg2").err


@pytest.mark.data
def test_the_numbers_are_put_into_words(lanner: Command) -> None:
    asked = ("agreement", data_dir("h-falcon"), "-q", "context", "--judges", "judge2,judge3", *FEW)
    brief = lanner(*asked).out
    assert "α 0.50. " in brief and "--explain" in brief
    assert "beyond chance" not in brief
    text = lanner(*asked, "--explain").out
    assert "α 0.50: 1 less the ratio of the disagreement observed" in text
    assert "κ is how far judges agree beyond chance" in text
    assert "AC1 is how far judges agree" in text
    rows = lanner(*asked, "--json").envelope["rows"]
    assert all("0 being" in row["reading"] for row in rows if row["sign"] == "κ")


def test_marks_without_places_are_the_reason_why_a_person_and_a_model_have_no_agreement(
    lanner: Command, tmp_path: Path
) -> None:
    def marks(*of_gpt: dict[str, object]) -> Path:
        own = [{"start": 0, "end": 5, "severity": "minor", "category": "accuracy"}]
        rows = [
            {"judge": judge, "document": f"d{at}", "segment": "1", "system": "A", "errors": errors}
            for at, other in enumerate(of_gpt)
            for judge, errors in (("ann", own), ("gpt-4o", [{**own[0], **other}]))
        ]
        path = tmp_path / "marks.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return path

    nowhere: dict[str, object] = {"start": None, "end": None}
    asked = ("-q", "errors", *FEW, "--json")
    (row,) = lanner("agreement", marks(nowhere, {}, {}), *asked).envelope["rows"]
    assert (row["sign"], row["value"], row["n"]) == ("span F1", 1.0, 2)
    refused = lanner("agreement", marks(nowhere, nowhere, {}), *asked).envelope
    assert not refused["rows"]
    (reason,) = refused["notes"][-1:]
    assert "(2 of 6)" in reason


@pytest.mark.data
def test_gamma_of_spans_on_request(lanner: Command) -> None:
    asked = ("agreement", data_dir("esa-appraise") / "240315rc5ESA.scores.csv", "--gamma", *FEW, "--json")
    rows = {row["sign"]: row for row in lanner(*asked).envelope["rows"]}
    assert "γ" in rows


def test_every_analysis_takes_the_same_source_and_options(lanner: Command) -> None:
    for command in ("agreement", "associate", "regress", "prefer", "effort", "plan"):
        text = lanner(command, "--help").out
        by = "by:" if command == "plan" else "--by"  # there a detail, given by --set
        for option in ("FILE_OR_CAMPAIGN", "--from", "--judges", by, "--json", "--store", "--protocol"):
            assert option in text, (command, option)


@pytest.mark.data
def test_what_disagreement_on_labels_is_made_of(lanner: Command) -> None:
    asked = ("agreement", data_dir("h-falcon"), "-q", "context", "--judges", "judge1,judge2,judge3", "--why")
    rows = lanner(*asked, "--json").envelope["rows"]
    kinds = {row["kind"] for row in rows}
    assert kinds == {"merger", "confusion", "disagreement", "bias", "leave one out"}
    mergers = [row for row in rows if row["kind"] == "merger" and (row["judge"], row["other"]) == ("judge2", "judge3")]
    assert len(mergers) == 10  # every two of five labels
    assert mergers[0]["merged"] == "sentence_level + local"
    assert (round(mergers[0]["before"], 4), round(mergers[0]["value"], 2)) == (0.4995, 0.58)
    assert {row["side"] for row in rows if row["kind"] == "disagreement"} == {"both", "judge1", "judge2", "judge3"}
    text = lanner(*asked).out
    assert "judge1 – judge2: κ if two labels were one" in text
    assert "κ without each judge in turn" in text


@pytest.mark.data
def test_who_is_severe_with_scores(lanner: Command) -> None:
    ran = lanner("agreement", data_dir("h-falcon"), "-q", "holistic", "--why", "--json")
    severe = {row["judge"]: row for row in ran.envelope["rows"] if row["kind"] == "severity"}
    assert severe["judge2"]["value"] == pytest.approx(-severe["judge3"]["value"])
    assert 0 <= severe["judge2"]["p"] <= 1
