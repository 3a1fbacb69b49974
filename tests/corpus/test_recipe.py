from __future__ import annotations

import pytest

from lanner.corpus import recipe
from lanner.errors import InputError, LannerError

GOOD = """name = "mine"
seed = 5

[[step]]
do = "normalise"

[[step]]
do = "filter"
rules = ["hyperlink"]

[[step]]
do = "split"
threshold = 0.9

[step.segmenters]
ko = "rules"
"""


def test_a_recipe_names_its_steps_in_order():
    found = recipe.parse(GOOD)
    assert [step.do for step in found.steps] == ["normalise", "filter", "split"]
    assert found.seed == 5
    assert found.steps[2].segmenters == {"ko": "rules"}


@pytest.mark.parametrize("name", recipe.shipped_names())
def test_shipped_recipes_load(name):
    assert recipe.load(name).name == name


@pytest.mark.parametrize(
    ("wrong", "right", "place", "message"),
    [
        ('do = "split"', 'do = "splt"', "mine.toml:11", "Did you mean 'split'?"),
        ("threshold = 0.9", "treshold = 0.9", "mine.toml:13", "Did you mean 'threshold'?"),
        ("threshold = 0.9", "threshold = 2", "mine.toml:13", "less than or equal to 1"),
        ('"hyperlink"', '"hyperlnk"', "mine.toml:9", "Did you mean 'hyperlink'?"),
        ('"hyperlink"', '"domain"', "mine.toml:7", "needs domains"),
        ('ko = "rules"', 'ko = "kiwy"', "mine.toml:11", "Did you mean 'kiwi'?"),
        ("seed = 5", "sead = 5", "mine.toml:2", "Did you mean 'seed'?"),
        ("seed = 5", 'seed = "x"', "mine.toml:2", "seed: Input should be a valid integer"),
        ("seed = 5", "seed = ", "mine.toml:2:8", "This is not valid TOML"),
        ('name = "mine"', "", "mine.toml", "'name' is missing"),
        ('do = "normalise"', "", "mine.toml:4", "does not say what to do"),
        ('rules = ["hyperlink"]', "", "mine.toml:7", "'rules' is missing"),
    ],
)
def test_a_mistake_is_shown_with_its_line_and_what_was_meant(wrong, right, place, message):
    with pytest.raises(InputError) as caught:
        recipe.parse(GOOD.replace(wrong, right), "mine.toml")
    assert str(caught.value).startswith(f"{place}:")
    assert message in str(caught.value)


def test_a_recipe_needs_a_step():
    with pytest.raises(InputError, match=r"Add \[\[step\]\]"):
        recipe.parse('name = "none"')


def test_choosing_needs_exactly_one_way():
    for body in ("", 'systems = ["a"]\nbest = 1'):
        with pytest.raises(InputError, match="Give either systems"):
            recipe.parse(f'name = "x"\n[[step]]\ndo = "choose"\n{body}')


def test_the_best_are_chosen_in_one_way():
    with pytest.raises(InputError, match="Give one of scores, column and metric"):
        recipe.parse('name = "x"\n[[step]]\ndo = "choose"\nbest = 1\ncolumn = "comet"\nmetric = "chrf"')
    with pytest.raises(InputError, match="'comet'"):
        recipe.parse('name = "x"\n[[step]]\ndo = "choose"\nbest = 1\nmetric = "commet"')
    with pytest.raises(InputError, match="Options are those of a metric"):
        recipe.parse('name = "x"\n[[step]]\ndo = "choose"\nbest = 1\noptions = { model = "m" }')
    text = 'name = "x"\n[[step]]\ndo = "choose"\nbest = 1\nmetric = "comet"\noptions = { model = "m" }'
    assert recipe.parse(text).steps[0].metric == "comet"


def test_files_and_names(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(GOOD, encoding="utf-8")
    assert recipe.load(file).name == "mine"
    with pytest.raises(LannerError, match="Did you mean 'wmt24'"):
        recipe.load("wmt-24")
    with pytest.raises(InputError, match="There is no file"):
        recipe.load(tmp_path / "other.toml")
    file.write_bytes(b'name = "\xff"')
    with pytest.raises(InputError, match="not UTF-8"):
        recipe.load(file)
