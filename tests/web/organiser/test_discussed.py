from __future__ import annotations

from lanner import campaign
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from lanner.web.organiser.discussed import Scene
from lanner.web.page.speech import speaking
from lanner.web.picture.told import Answers, Listing, Wanted
from visiting import open_campaign


def scene(store: Store) -> Scene:
    open_campaign(store, protocol="falcon")
    campaign.add_judges(store, "trial", [Judge("gpt", JudgeKind.MODEL)])
    return Scene(store, campaign.get(store, "trial"))


SAID = Answers(
    given={
        "context": {"J1": "local", "J2": "universal", "gpt": "global"},
        "spans": {"J1": [{"side": "source", "start": 0, "end": 6, "text": "Source"}], "J2": []},
        "comment": {"J2": "Why?"},
    },
    seconds={"J1": 12.4},
    parts={"context": 1.0},
)


def test_a_row_in_its_context_with_its_marks(store: Store) -> None:
    place = scene(store)
    item = place.item(("doc0", "1", ""), SAID, models=False)
    assert item
    assert [(row.number, row.current) for row in item.rows] == [(1, False), (2, True), (3, False)]
    assert item.rows[1].source[0].who == ("Judge 1",)
    assert (item.number, item.rows_in_all) == (2, 3)
    assert item.comments == (("Judge 2", "Why?"),)
    assert item.seconds == ("12", "")
    assert [made.question for made in item.matrices] == ["context"]
    assert item.extras[0].cells == ("Source", "nothing")
    assert [words for _, words in item.extras[0].options] == ["as Judge 1", "as Judge 2"]
    assert "differ on context level" in item.share
    assert item.parts == "context level 1.0"
    with speaking("ar"):
        told = place.item(("doc0", "1", ""), SAID, models=False)
    assert told and told.parts.endswith(" \u20681.0\u2069"), "a figure keeps its direction"


def test_models_stay_hidden_until_people_have_decided(store: Store) -> None:
    place = scene(store)
    hidden = place.item(("doc0", "1", ""), SAID, models=True)
    assert hidden and hidden.judges == ("Judge 1", "Judge 2")
    decided = Answers(SAID.given, SAID.seconds, SAID.parts, {"context": "local"})
    shown = place.item(("doc0", "1", ""), decided, models=True)
    assert shown and shown.judges == ("Judge 1", "Judge 2", "gpt")


def test_a_document_that_is_not_there(store: Store) -> None:
    assert scene(store).item(("nowhere", "1", ""), SAID, models=False) is None


def test_the_filters_know_judges_and_labels(store: Store) -> None:
    context = scene(store).context(Listing((), 0, 0, 0), Wanted(question="context"))
    assert context["pairs"] == [("J1|J2", "Judge 1 and Judge 2")]
    assert len(context["label_pairs"]) == 10  # type: ignore[arg-type]
    assert ("comment", "Comment") not in context["questions"]  # type: ignore[operator]
