import pytest

from lanner.metrics._taggers import tag_english


def kinds(text):
    return [(token.lemma, token.kind, token.group) for token in tag_english(text) if token.kind != "punctuation"]


def test_a_sentence():
    assert kinds("She met Anna Weber in the old stations, but they had not stopped.") == [
        ("she", "pronoun", "feminine"),
        ("meet", "verb", "past"),
        ("Anna", "name", ""),
        ("Weber", "name", ""),
        ("in", "function", ""),
        ("the", "function", ""),
        ("old", "adjective", ""),
        ("station", "noun", ""),
        ("but", "marker", "contrast"),
        ("they", "pronoun", "plural"),
        ("had", "verb", "past"),
        ("not", "function", ""),
        ("stop", "verb", "perfect"),
    ]


@pytest.mark.parametrize(
    ("text", "form", "group"),
    [
        ("He is running.", "running", "progressive"),
        ("The house was built.", "built", "passive"),
        ("The house has been built.", "built", "perfect passive"),
        ("They will come.", "come", "infinitive"),
        ("The court adjourned.", "adjourned", "past"),
        ("He tried it.", "tried", "past"),
        ("She didn't come.", "did", "past"),
        ("The dog runs.", "runs", "present"),
        ("It’s late and he’ll come.", "’ll", "modal"),
    ],
)
def test_tenses(text, form, group):
    assert {token.form: token.group for token in tag_english(text)}[form] == group


def test_markers_of_several_words_are_one():
    assert [t.lemma for t in tag_english("On the other hand, even though it rained, she left as soon as possible.")
            if t.kind == "marker"] == ["on the other hand", "even though", "as soon as"]  # fmt: skip


def test_names_at_the_start_of_a_sentence():
    assert tag_english("Berlin is large.")[0].kind == "name"
    assert tag_english("The meeting began.")[0].kind == "function"
    assert tag_english("Meetings began.")[0].kind == "noun"
    assert [t.lemma for t in tag_english("Women and children in cities and boxes")] == [
        "woman", "and", "child", "in", "city", "and", "box",
    ]  # fmt: skip
    assert tag_english("") == []
