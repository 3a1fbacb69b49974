from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from analysis.plain_oracle import raw
from lanner.analysis.material import from_file
from lanner.model import JudgeKind
from lanner.model.protocol import Option
from lanner.reports.parts import Figure, Paragraph, Quotes
from lanner.reports.sections.agreement import (
    _answers_in_words,
    comments,
    disagreements,
    lines,
    most_confused,
    most_disputed,
)
from lanner.reports.view import View
from lanner.stats import diagnosis
from reports.test_view import view


def test_matrices_of_people_and_the_merge_that_gains_most() -> None:
    made = disagreements(view())
    assert made is not None
    ids = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert ids[0].startswith("confusion-context-")
    assert ids[-1] == "merging-context"
    assert "disagreement is between" in made.findings[0]
    rows = next(block for block in made.blocks if isinstance(block, Figure)).data
    assert sum(int(count) for row in rows for label, count in row.items() if label != "label") == 24


def test_the_closest_pair_of_a_person_and_a_model_has_a_matrix_too() -> None:
    seen = view()
    machine = tuple(
        replace(judge, kind=JudgeKind.MODEL) if judge.id == "j2" else judge for judge in seen.material.judges
    )
    made = disagreements(replace(seen, material=replace(seen.material, judges=machine)))
    assert made is not None
    matrices = [block for block in made.blocks if isinstance(block, Figure) and block.id.startswith("confusion-")]
    assert matrices[0].id == "confusion-context-j0-j1"
    assert len(matrices) == 2 and matrices[1].id.endswith("-j2")


def test_nothing_where_nobody_chooses_one_of_several() -> None:
    assert disagreements(view("h_falcon")) is None
    assert disagreements(view(judges=1)) is None


def test_a_rating_of_a_chosen_skill_is_quoted_with_the_skill() -> None:
    seen = view()
    ratings = next(question for _, question in seen.protocol.questions if question.id == "ratings")
    row = {"row": "style_register", "label": None, "labels": None, "ranks": None, "score": 4.0}
    assert list(_answers_in_words(seen, ratings, [row])) == ["style and register 4"]


def test_the_largest_part_is_the_pair_with_most_disagreements_not_the_one_whose_merger_gains_most() -> None:
    seen = view("falcon", documents=6)
    rows = raw(seen.material.judgements)
    wide = rows[rows["question"] == "context"].pivot(index=["document", "segment"], columns="judge", values="value")
    between = Counter(
        tuple(sorted((a, b)))
        for one, other in combinations(wide.columns, 2)
        for a, b in zip(wide[one], wide[other], strict=True)
        if a != b
    )
    labels = [option.id for option in seen.protocol.find("context")[1].options]  # type: ignore[union-attr, index]
    found = most_confused(diagnosis.confusion(seen.answers("context"), "context", labels=labels))
    assert found is not None
    assert found.total == sum(between.values())
    assert found.between == max(between.values()) == between[found.labels]
    made = disagreements(seen)
    assert made is not None
    assert f"({100 * found.between / found.total:.0f} % of {found.total})" in made.findings[0]


def test_a_merger_that_lowers_kappa_of_a_pair_is_not_said_to_raise_it(tmp_path: Path) -> None:
    """Ben takes b for a, Cem takes c for b: where nobody confuses two labels, their merger costs agreement."""
    true = ["abc"[n % 3] for n in range(60)]
    answers = {
        "Ana": true,
        "Ben": ["a" if label == "b" and n % 2 else label for n, label in enumerate(true)],
        "Cem": ["b" if label == "c" and n % 4 == 0 else label for n, label in enumerate(true)],
    }
    rows = [f"{judge},d{n // 3},{n},{own[n]}" for judge, own in answers.items() for n in range(60)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(["judge,document,segment,label", *rows]), encoding="utf-8")
    (part,) = from_file(path)
    assert part.protocol is not None
    made = disagreements(View(part, part.protocol))
    assert made is not None
    [figure] = [block for block in made.blocks if isinstance(block, Figure) and block.id.startswith("merging-")]
    assert min(row["after"] - row["before"] for row in figure.data) < 0
    assert "would raise κ" not in figure.caption and "would change κ by −" in figure.caption


@pytest.mark.parametrize(("ordered", "merged"), [(False, ["a", "d"]), (True, ["a", "c"])])
def test_labels_in_an_order_are_merged_with_neighbours_alone(tmp_path: Path, ordered: bool, merged: list[str]) -> None:
    """a and d are confused most; nobody says b, so that a and c lie beside each other."""
    ana = [["a", "c", "d"][n % 3] for n in range(60)]
    ben = [("d" if n % 2 else "c" if n % 4 == 0 else own) if own == "a" else own for n, own in enumerate(ana)]
    rows = [f"{judge},d{n // 3},{n},{own[n]}" for judge, own in (("Ana", ana), ("Ben", ben)) for n in range(60)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(["judge,document,segment,label", *rows]), encoding="utf-8")
    (part,) = from_file(path)
    assert part.protocol is not None
    [(stage, question)] = part.protocol.questions
    options = tuple(Option(id=name) for name in ("a", "b", "c", "d"))
    question = question.model_copy(update={"options": options, "ordered": ordered})
    protocol = part.protocol.model_copy(update={"stages": (stage.model_copy(update={"questions": (question,)}),)})
    made = disagreements(View(part, protocol))
    assert made is not None
    [figure] = [block for block in made.blocks if isinstance(block, Figure) and block.id.startswith("merging-")]
    assert f"Taking {merged[0]} and {merged[1]} as one" in figure.caption


def test_the_furthest_apart_with_everybodys_answers() -> None:
    made = most_disputed(view("falcon"))
    assert made is not None
    paragraph, quotes = made.blocks
    assert isinstance(paragraph, Paragraph) and isinstance(quotes, Quotes)
    assert "shared items" in paragraph.text
    first = quotes.entries[0]
    assert {name for name, _ in first["answers"]} == {"Judge 0", "Judge 1", "Judge 2"}
    assert "distance" in first["head"]
    documents = [entry["head"].split(",")[0] for entry in quotes.entries]
    assert len(set(documents)) == len(documents)


def test_neighbours_are_context_and_the_sentence_is_not() -> None:
    document = view("falcon").material.documents[0]
    shown = lines(document, "2", "oak")
    assert [line["context"] for line in shown] == [True, False, True, False]
    assert shown[3]["language"] == "de"
    assert lines(document, "99", "oak") == lines(None, "1", "") == []


def test_a_whole_document_shows_how_it_begins() -> None:
    document = view("falcon").material.documents[0]
    shown = lines(document, "", "oak|elm")
    assert [line.get("name", "") for line in shown] == ["", "oak", "elm"]


def test_a_large_number_is_shown_with_all_its_digits() -> None:
    """1234567 was shown as 1.23457e+06."""
    seen = view("da")
    (question,) = (q for _, q in seen.protocol.questions if q.id == "score")
    row = {"row": "", "label": None, "labels": None, "ranks": None, "score": 1234567.0}
    assert list(_answers_in_words(seen, question, [row, {**row, "score": 3.5}])) == ["1234567", "3.5"]


def test_one_judge_disputes_nothing() -> None:
    assert most_disputed(view("falcon", judges=1)) is None


def test_comments_stand_with_their_sentence() -> None:
    made = view("h_falcon")
    first = made.material.judgements[0]
    comment = replace(first, question="comment", value="<b>odd</b> word order")
    material = replace(made.material, judgements=(*made.material.judgements, comment))
    found = comments(replace(made, material=material))
    assert found is not None
    [quotes] = found.blocks
    assert isinstance(quotes, Quotes)
    said = [entry["answers"][0][1] for entry in quotes.entries]
    assert "<b>odd</b> word order" in said
    entry = quotes.entries[said.index("<b>odd</b> word order")]
    assert [line["language"] for line in entry["lines"]] == ["en", "de"]


def test_silence() -> None:
    made = view("h_falcon")
    quiet = tuple(judgement for judgement in made.material.judgements if judgement.question != "comment")
    assert comments(replace(made, material=replace(made.material, judgements=quiet))) is None
