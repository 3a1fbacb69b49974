from pathlib import Path

import pytest

from lanner.studies.punkt import Model, read, sentences

IN_LOWER_CASE, CAPITAL_INSIDE = 32, 4
MODEL = Model(
    abbreviations=frozenset({"dr", "ms", "p.m", "approx"}),
    starters=frozenset({"yesterday"}),
    pairs=frozenset({("i", "berg"), ("##number##", "stock")}),
    written={"not": IN_LOWER_CASE, "stone": IN_LOWER_CASE | CAPITAL_INSIDE, "yesterday": CAPITAL_INSIDE},
)


@pytest.mark.parametrize(
    "parts",
    [
        ["No mark at all"],
        ["One.", "Two!", "Three?", "four."],
        ["See example.org for more."],
        # An abbreviation ends no sentence, unless the next word is capital only where sentences begin,
        ["Dr. Lind came.", "Dr. Stone did."],
        ["It took 102 ms.", "Not bad."],
        # or often begins one.
        ["We met at 5 p.m.", "Yesterday was better."],
        ["About sub-approx. Lind nothing is known."],
        ["I know... nobody came."],
        ["I know...", "Not that it helps."],
        # An initial, and a number before what is never capital inside a sentence.
        ["Here J. Lind lived.", "Not alone."],
        ["Here J.", "Not Lind."],
        ["The 3. time it worked."],
        ["He came 3.", "Lind was first."],
        # Pairs that were learnt.
        ["Then I. Berg came."],
        ["In 2. Stock rose."],
        # Closing quotes and brackets stay with what they close; of several marks in one word the last may end it.
        ['"Can it fly?"', "she asked."],
        ['He said: "It can fly."'],
        ["(They left.)", "Nobody saw it."],
        ["They left (at last!).", "Nobody saw it."],
        ["Dr. Lind wrote a.b.c and left."],
        [""],
    ],
)
def test_where_sentences_end(parts: list[str]) -> None:
    assert sentences(" ".join(parts), MODEL) == [part for part in parts if part]


def test_of_marks_in_a_row_the_last_stands_alone() -> None:
    assert sentences("What??", MODEL) == ["What?", "?"]


def test_a_model_is_read_from_a_folder_of_nltk(tmp_path: Path) -> None:
    (tmp_path / "abbrev_types.txt").write_text("dr\np.m")
    (tmp_path / "sent_starters.txt").write_text("he\nthe")
    (tmp_path / "collocations.tab").write_text("j\twalter\n##number##\twho")
    (tmp_path / "ortho_context.tab").write_text("market\t110\nclerk\t32")
    assert read(tmp_path) == Model(
        frozenset({"dr", "p.m"}),
        frozenset({"he", "the"}),
        frozenset({("j", "walter"), ("##number##", "who")}),
        {"market": 110, "clerk": 32},
    )
