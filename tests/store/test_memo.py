from __future__ import annotations

from lanner.store.memo import Memo


def test_makes_once_and_forgets_the_least_used() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    memo = Memo(size=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert memo.get(name, lambda name=name: make(name)) == name.upper()
    assert made == ["a", "b", "c", "b"]
