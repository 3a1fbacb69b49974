from lanner.metrics._rating import Translation
from lanner.metrics._words import grammar, grammars, words


def test_words_between_spaces_or_pairs_of_characters():
    assert words("The well-known 3 cats’ tails.", "en") == ["the", "well-known", "cats", "tails"]
    assert words("我爱北京。", "zh-CN") == ["我爱", "爱北", "北京"]
    assert words("猫。", "ja") == ["猫"]


def test_what_most_sentences_hold_is_grammar():
    lines = [["the", f"word{n}"] for n in range(50)] + [["rare"], ["rare"], ["x"]]
    assert grammar(lines) == {"the", "x"}
    assert grammar([["a1", "b1"], ["a1"], ["a1"]]) == {"a1"}


def test_every_system_has_a_grammar_of_its_own():
    parts = [Translation(name, "d", ("1",), ("s",), ("o",), (), (True,)) for name in ("a", "b", "a")]
    found = grammars(parts, [[["aa", "xx"], ["aa"]], [["bb"]] * 3, [["aa"]]])
    assert found == {"a": {"aa"}, "b": {"bb"}}
