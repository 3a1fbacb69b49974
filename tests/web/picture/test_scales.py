from __future__ import annotations

import re

from lanner.web.picture.scales import Leaning, Spread, distributions, leanings


def test_each_judge_has_bars_a_middle_half_and_a_middle() -> None:
    spread = Spread(70, 60, 80, (0.0,) * 12 + (0.5, 0.25, 0.25, 0, 0, 0, 0, 0))
    drawn = str(distributions([("Ana", False, spread), ("model", True, spread)], (0, 100), "12 sentences"))
    assert drawn.count('class="pd"') == 3
    assert drawn.count('class="pm"') == 3
    assert "Ana: median 70, middle half 60 to 80" in drawn
    assert all(tick in drawn for tick in (">0<", ">25<", ">100<"))


def test_nothing_leaves_the_drawing_however_far_someone_leans() -> None:
    rows = [("Ana", Leaning("a", -30.0, -42.0, -18.0, 40)), ("Ben", Leaning("b", 2.0, None, None, 40))]
    drawn = str(leanings(rows))
    assert all(0 <= float(x) <= 402 for x in re.findall(r'[ c]x="(-?[\d.]+)"', drawn))
    assert "−30.0" in drawn and "+2.0" in drawn
