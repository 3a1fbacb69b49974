"""Mistakes of meaning: each small change to a sound protocol is found, at its place, with a hint."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.errors import ProtocolError

SOUND = """\
name = "sound"
version = "1"
groups = ["g"]

[[stage]]
id = "first"
unit = "isolated_sentence"
object = "source"

[[stage.question]]
id = "level"
kind = "choice"
key = "l"
options = ["low", "high"]

[[stage.question]]
id = "labels"
kind = "labels"
key = "t"
min = 1
max = 2
exclusive = "none"
options = [{ id = "x", group = "g" }, "y", "none"]

[[stage]]
id = "second"
unit = "isolated_sentence"
object = "output"
when = { question = "level", is = ["high"] }

[[stage.question]]
id = "each"
kind = "scale"
min = 0
max = 10
step = 5
marks = [0, 10]
for_each = "labels"

[[stage.question]]
id = "marks"
kind = "spans"
categories = ["c", { id = "d", parent = "c" }]
severities = ["minor"]

[[stage]]
id = "third"
unit = "judge"
object = "none"
gate = { question = "agree", is = ["yes"] }

[[stage.question]]
id = "agree"
kind = "choice"
options = ["yes", "no"]

[[score]]
id = "mean"
rule = "mean_of_each"
question = "each"
options = { only = ["x"] }

[[score]]
id = "points"
rule = "weighted_spans"
question = "marks"
options = { weights = [{ category = "d", severity = "minor", weight = 1 }] }

[[analysis]]
statistic = "agreement.kappa"
of = "level"

[text.en.questions]
level.label = "Level"
labels.label = "Labels"
each.label = "Each"
each.marks = { 0 = "none", 10 = "all" }
marks.label = "Marks"
agree.label = "Agree"
"""


def test_the_sound_one_is_sound() -> None:
    assert protocols.parse_toml(SOUND).name == "sound"


CHANGES = [
    ('id = "marks"', 'id = "each"', "Two questions are called 'each'", ""),
    ('id = "second"', 'id = "first"', "Two stages are called 'first'", ""),
    ('id = "points"', 'id = "mean"', "Two scores are called 'mean'", ""),
    ('id = "first"', 'id = "first"\npage = "second"', "differ in unit or object", "pages of their own"),
    ('key = "t"', 'key = "l"', "use the key 'l'", "another letter"),
    ('object = "none"', 'object = "source"', "A questionnaire has unit", ""),
    ('object = "source"', 'object = "source"\nshow = ["target"]', "cannot be shown", ""),
    ('{ question = "level", is = ["high"] }', '{ question = "levl", is = ["high"] }', "not asked before", "'level'"),
    ('is = ["high"]', 'is = ["hihg"]', "does not offer", "'high'"),
    ('is = ["yes"]', 'is = ["yess"]', "does not offer", "'yes'"),
    ('for_each = "labels"', 'for_each = "label"', "not asked before", "'labels'"),
    ('for_each = "labels"', 'for_each = "level"', "needs a question of kind labels", ""),
    ('options = ["low", "high"]', 'options = ["low", "low"]', "stands twice", ""),
    ('exclusive = "none"', 'exclusive = "nine"', "none of the options", "'none'"),
    ('group = "g"', 'group = "f"', "which the protocol does not list", ""),
    ('parent = "c"', 'parent = "e"', "unknown parent", ""),
    ("min = 0", "min = 10", "not below its max", ""),
    ("step = 5", "step = 3", "miss 10", ""),
    ("marks = [0, 10]", "marks = [0, 11]", "outside the scale", ""),
    ("min = 1\nmax = 2", "min = 3\nmax = 2", "above max", ""),
    ("min = 1\nmax = 2", "min = 4", "but there are 3", ""),
    ('kind = "spans"', 'kind = "spans"\nsides = ["target"]', None, ""),
    ('10 = "all"', '5 = "half"', "The mark 10 of 'each' has no English words", "each.marks"),
    ('question = "each"\n', 'question = "eech"\n', "no question 'eech'", "'each'"),
    ('rule = "mean_of_each"', 'rule = "mean_each"', "no scoring rule", "'mean_of_each'"),
    ('only = ["x"]', 'only = ["z"]', "does not have", ""),
    ('category = "d"', 'category = "dd"', "does not have", "'d'"),
    ('of = "level"', 'of = "levels"', "no question or score", "'level'"),
    ('"agreement.kappa"', '"kappa"', "does not name a statistic", "agreement.kappa"),
    ('agree.label = "Agree"', "", "has no English words", "text.en.questions.agree"),
    ('agree.label = "Agree"', 'agree.label = "A"\nagre.label = "A"', "which is no question", "'agree'"),
    ("[text.en.questions]", '[text.en]\ntitel = "T"\n[text.en.questions]', "no field", "'title'"),
    ("[text.en.questions]", '[text.deu]\ntitle = "T"\n[text.en.questions]', "not how the language", "'de'"),
    ("[text.en.questions]", "[text.de.questions]", "no English texts", "text.en"),
]


@pytest.mark.parametrize(("old", "new", "what", "hint"), CHANGES)
def test_each_mistake_is_found(old: str, new: str, what: str | None, hint: str) -> None:
    assert old in SOUND
    changed = SOUND.replace(old, new, 1)
    if what is None:
        assert protocols.parse_toml(changed)
        return
    with pytest.raises(ProtocolError) as caught:
        protocols.parse_toml(changed)
    assert what in caught.value.what
    assert hint in caught.value.next_step
    assert caught.value.where.line is not None


def test_spans_and_ranks_need_texts_to_look_at() -> None:
    on_target = SOUND.replace(
        'id = "level"\nkind = "choice"\nkey = "l"\noptions = ["low", "high"]', 'id = "level"\nkind = "rank"'
    )
    with pytest.raises(ProtocolError, match="A rank compares outputs"):
        protocols.parse_toml(on_target)
    marks = SOUND.replace('kind = "choice"\noptions = ["yes", "no"]', 'kind = "spans"\nsides = ["source"]')
    with pytest.raises(ProtocolError, match="shows no text to mark"):
        protocols.parse_toml(marks)
    target = SOUND.replace('kind = "choice"\nkey = "l"\noptions = ["low", "high"]', 'kind = "spans"')
    with pytest.raises(ProtocolError, match="whose object is an output"):
        protocols.parse_toml(target.replace('when = { question = "level", is = ["high"] }', ""))
