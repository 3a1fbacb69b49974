from lanner.model import Document, Segment

DOCUMENT = Document(
    "d",
    (
        Segment("1", "One.", outputs={"oak": "Eins."}, references={"ref": "Eins!"}),
        Segment("2", "Two.", outputs={"elm": "Zwei.", "oak": "Zwo."}),
    ),
    source_language="en",
    target_language="de",
)


def test_a_reference_can_be_judged_like_a_system() -> None:
    assert DOCUMENT.segments[0].text("oak") == "Eins."
    assert DOCUMENT.segments[0].text("ref") == "Eins!"
    assert DOCUMENT.segments[1].text("ref") is None


def test_a_document_knows_its_systems_pair_and_segments() -> None:
    assert DOCUMENT.systems == ("oak", "elm")
    assert DOCUMENT.language_pair == "en-de"
    assert DOCUMENT.segment("2") is DOCUMENT.segments[1]
    assert DOCUMENT.segment("3") is None
    assert [segment.id for segment in DOCUMENT] == ["1", "2"]
