from random import Random

from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Judge, Judgement, Scale
from lanner.protocols import simulate
from lanner.reports.parts import Table
from lanner.reports.sections.questionnaire import section
from lanner.reports.view import View
from reports.test_view import view


def test_statements_are_averaged_and_choices_counted() -> None:
    protocol = protocols.load("post_task")
    judges = tuple(Judge(f"j{n}") for n in range(4))
    answers = []
    for place, judge in enumerate(judges):
        for page in protocol.pages:
            for question, value in simulate.page(protocol, page, rng=Random(place)).items():
                found = protocol.find(question)
                assert found is not None
                answers.append(Judgement(judge.id, found[0].id, question, "", "", (), value))
    made = section(View(Material("q", protocol, (), judges, tuple(answers)), protocol))
    assert made is not None
    tables = {block.id: block for block in made.blocks if isinstance(block, Table)}
    asked = [q.id for _, q in protocol.questions if isinstance(q, Scale)]
    assert len(tables["statements"].rows) >= len(asked)
    assert all(row["n"] == 4 for row in tables["statements"].rows)


def test_a_protocol_that_asks_about_texts_only() -> None:
    assert section(view("falcon")) is None
