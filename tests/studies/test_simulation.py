from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.model import Document, Item, Json, Judge, JudgeKind, Segment
from lanner.studies.simulation import answer_all, dice, passing_store


def test_dice_depend_on_what_they_are_about() -> None:
    assert dice(1, "a", "b").random() == dice(1, "a", "b").random()
    assert dice(1, "a", "b").random() != dice(1, "ab").random()
    assert dice(1, "a").random() != dice(2, "a").random()


def test_every_open_task_is_answered_through_the_campaign() -> None:
    document = Document("d", (Segment("1", "A sentence."), Segment("2", "Another.")), source_language="en")
    judges = [Judge("a", JudgeKind.SIMULATED), Judge("b", JudgeKind.SIMULATED)]

    def answer(judge: Judge, question: str, item: Item) -> Json:
        said = {"translatable": "no" if judge.id == "a" else "yes", "reasons": ["gender"]}
        return said.get(question)

    with passing_store() as store:
        made = campaign.create(store, "s", [document], "context_survey", judges)
        campaign.open(store, made.id)
        assert answer_all(store, "s", answer) == 4
        assert answer_all(store, "s", answer) == 0
        table = from_campaign(store, "s").table
    assert table.filter(judge="a", question="reasons")["labels"].to_list() == [["gender"], ["gender"]]
    assert table.filter(judge="b", question="reasons").is_empty()
