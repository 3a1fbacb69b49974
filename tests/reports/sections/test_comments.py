from dataclasses import replace

from lanner.reports.parts import Quotes
from lanner.reports.sections.comments import section
from reports.test_view import view


def test_comments_stand_with_their_sentence() -> None:
    made = view("h_falcon")
    first = made.material.judgements[0]
    comment = replace(first, question="comment", value="<b>odd</b> word order")
    material = replace(made.material, judgements=(*made.material.judgements, comment))
    found = section(replace(made, material=material))
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
    assert section(replace(made, material=replace(made.material, judgements=quiet))) is None
