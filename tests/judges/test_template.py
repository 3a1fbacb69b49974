"""Prompts as files: checked before anyone is asked, with the place of each mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanner import protocols
from lanner.errors import LannerError
from lanner.judges import template as templates
from lanner.judges.prompt import PromptSettings, prompt
from lanner.model import Document, Item, Segment
from lanner.model.protocol import Wording

DOCUMENT = Document("d", (Segment("1", "A source.", {"oak": "Ein Text."}, {}),), "en", "de")
USER = "{% for line in texts %}{{ line.source }} {{ line.outputs[0] }}{% endfor %}\n{{ form }}"


def written(folder: Path, user: str = USER, **fields: object) -> Path:
    lines = [
        f"{name} = {value!r}".replace("True", "true")
        for name, value in ({"name": "mine", "version": 2} | fields).items()
    ]
    path = folder / "mine.toml"
    path.write_text("\n".join([*lines, f"user = '''\n{user}'''", ""]), encoding="utf-8")
    return path


def test_a_prompt_of_ones_own_is_what_is_asked(tmp_path: Path) -> None:
    template = templates.load(str(written(tmp_path, system="Be brief.")))
    protocol = protocols.load("da")
    made = prompt(
        protocol, protocol.stages, DOCUMENT, Item("d", "1", ("oak",)), settings=PromptSettings(template=template)
    )
    assert (made.system, made.user.partition("{")[0]) == ("Be brief.", "A source. Ein Text.")
    assert made.template == template.label
    assert re.fullmatch(r"mine-2@[0-9a-f]{8}", made.template)


def test_any_other_word_is_another_prompt(tmp_path: Path) -> None:
    one = templates.load(str(written(tmp_path, system="Be brief.")))
    other = templates.load(str(written(tmp_path, system="Be short.")))
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("user", "place", "words"),
    [
        (USER + "\n{{ sorce }}", 6, "no variable 'sorce'"),
        ("{{ form }}\n{% for line in texts %}", 5, "endfor"),
        ("{{ form }}", 4, "texts is never used"),
        ("{{ texts }}", 4, "form of the reply is never described"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, user: str, place: int, words: str) -> None:
    path = written(tmp_path, user)
    with pytest.raises(LannerError, match=words) as caught:
        templates.load(str(path))
    assert caught.value.where.line == place
    assert Path(str(caught.value.where.file)) == path


def test_words_in_a_file_of_their_own_have_its_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.user.txt").write_text(f"{USER}\n\n{{{{ answerd }}}}\n", encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = 1\nuser_file = "mine.user.txt"\n', encoding="utf-8")
    with pytest.raises(LannerError, match=r"mine\.user\.txt:4.*\n.*answered"):
        templates.load(str(path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"\nuser = "{{ texts }} {{ form }}"', "needs a version"),
        ('name = "x"\nversion = "1"', "version must be a whole number"),
        ('name = "x"\nversion = 1\nusr = "y"', "no part of a prompt"),
        ('name = "x"\nversion = 1\nuser_file = "none.txt"', "cannot be read"),
        ('name = "x"\nversion = 1', "needs the user"),
    ],
)
def test_a_file_that_is_no_prompt_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LannerError, match=words):
        templates.load(str(tmp_path / "x.toml"))


def test_a_prompt_may_not_reach_into_python(tmp_path: Path) -> None:
    template = templates.load(str(written(tmp_path, USER + "{{ document.__class__.__mro__ }}")))
    protocol = protocols.load("da")
    with pytest.raises(LannerError, match="unsafe"):
        prompt(
            protocol, protocol.stages, DOCUMENT, Item("d", "1", ("oak",)), settings=PromptSettings(template=template)
        )


def test_reasons_come_before_the_scores(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match="no words ask for them"):
        templates.load(str(written(tmp_path, rationale=True)))
    template = templates.load(str(written(tmp_path, USER + "{% if rationale %}Why?{% endif %}", rationale=True)))
    protocol = protocols.load("da")
    made = prompt(
        protocol, protocol.stages, DOCUMENT, Item("d", "1", ("oak",)), settings=PromptSettings(template=template)
    )
    assert list(made.schema["properties"])[:2] == ["rationale", "score"]
    assert made.schema["required"][0] == "rationale"
    assert made.user.index("rationale") < made.user.index('"score"')


def test_a_prompt_for_one_protocol_is_refused_for_another() -> None:
    protocol = protocols.load("h_falcon")
    with pytest.raises(LannerError, match="not for h_falcon"):
        prompt(
            protocol,
            protocol.stages,
            DOCUMENT,
            Item("d", "1", ("oak",)),
            settings=PromptSettings(template=templates.load("gemba_da")),
        )


def test_every_protocol_has_a_shipped_prompt_and_every_shipped_prompt_is_sound() -> None:
    assert {"judge", "gemba_da", "gemba_mqm", "gemba_esa"} <= set(templates.names())
    for name in templates.names():
        template = templates.load(name)
        assert template.shipped
        assert "@" not in template.label
        assert set(template.protocols) <= set(protocols.names())
    assert not templates.default().protocols


@pytest.mark.parametrize("name", protocols.names())
def test_instructions_have_no_words_about_buttons(name: str) -> None:
    """A model has none; and people read the same instructions."""
    protocol = protocols.load(name)
    words = Wording(protocol)
    texts = [words.line("instructions"), *(words.stage(stage.id, "instructions") for stage in protocol.stages)]
    texts += [words.question(question.id).help for _, question in protocol.questions]
    page = r"\b(click|button|slider|drag|mouse|tap|press|keyboard|screen|on the left|right-hand|scroll|drop-down)\b"
    assert not re.search(page, " ".join(texts), re.IGNORECASE)
