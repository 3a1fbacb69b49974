from __future__ import annotations

from random import Random

import pytest

from lanner import protocols
from lanner.errors import StatisticError
from lanner.model import Grid, Judgement, Labels, Protocol, Question
from lanner.stats.alpha import alpha
from lanner.stats.frame import frame
from lanner.stats.resample import Resampling
from lanner.web.making.gathered import Gathered, of_row, yes_no

QUICK = Resampling(n=50, seed=1)


def asked(protocol: Protocol, name: str) -> Question:
    found = protocol.find(name)
    assert found
    return found[1]


def test_a_row_of_a_grid_gives_what_the_row_alone_gives() -> None:
    protocol = protocols.load("h_falcon")
    grid = asked(protocol, "skills")
    assert isinstance(grid, Grid)
    dice = Random(3)
    levels = [option.id for option in grid.options]
    given = [
        Judgement(
            j, "sentence", "skills", f"d{at // 5}", str(at), ("x",), {row.id: dice.choice(levels) for row in grid.rows}
        )
        for j in ("a", "b", "c")
        for at in range(30)
        if not (j == "c" and at % 4 == 0)
    ]
    table = frame(given, protocol)
    whole = Gathered(table).of(grid)
    for row in grid.rows:
        alone = alpha(table, "skills", row=row.id, labels=levels, level="ordinal", resampling=QUICK)
        taken = alpha(of_row(whole, row.id), level="ordinal", resampling=QUICK)
        assert (taken.value, taken.low, taken.high) == pytest.approx((alone.value, alone.low, alone.high))
        assert taken.counts == alone.counts


def test_whether_a_label_was_chosen_is_read_from_the_sets() -> None:
    protocol = protocols.load("falcon")
    skills = asked(protocol, "skills")
    assert isinstance(skills, Labels)
    given = [
        Judgement(j, "skills", "skills", "d", str(at), (), [skills.options[0].id, skills.options[1 + (at + n) % 3].id])
        for n, j in enumerate(("a", "b"))
        for at in range(9)
    ]
    rated = Gathered(frame(given, protocol)).of(skills)
    part = yes_no(rated, skills.options[0].id)
    assert set(part.code.tolist()) == {1}
    assert yes_no(rated, skills.options[5].id).code.sum() == 0


def test_a_question_without_answers_says_so_each_time() -> None:
    protocol = protocols.load("falcon")
    given = Gathered(frame([Judgement("a", "context", "context", "d", "1", (), "local")], protocol))
    for _ in range(2):
        with pytest.raises(StatisticError):
            given.of(asked(protocol, "skills"))
    assert given.only(asked(protocol, "context"), ["a", "nobody"]).judges == ("a",)
    assert not given.is_empty
