import pickle

from lanner.formats.parsing.notes import UNKNOWN_LANGUAGES, Note, fact_of, subject_of


def test_a_note_is_one_line_whose_fact_can_be_had_alone() -> None:
    note = Note("All rows are one document.", "--columns document=NAME changes that.")
    assert note == "All rows are one document. --columns document=NAME changes that."
    assert fact_of(note) == "All rows are one document."
    assert (subject_of(note), subject_of(UNKNOWN_LANGUAGES)) == ("", "languages")


def test_any_text_can_be_a_note_and_notes_travel_between_processes() -> None:
    assert (fact_of("3 rows are blank."), subject_of("3 rows are blank.")) == ("3 rows are blank.", "")
    there = pickle.loads(pickle.dumps(UNKNOWN_LANGUAGES))
    assert (there, fact_of(there), subject_of(there)) == (UNKNOWN_LANGUAGES, UNKNOWN_LANGUAGES.fact, "languages")
