from __future__ import annotations

import pickle

from lanner.model.alarms import LEVEL, Alarm, Code, PanelTest


def test_a_panel_differs_at_the_level_and_not_above_it() -> None:
    assert PanelTest("a", 3.0, LEVEL, 50, 4).differs
    assert not PanelTest("a", 3.0, LEVEL + 0.001, 50, 4).differs


def test_alarms_travel_between_processes() -> None:
    alarm = Alarm(Code.SPEED, "a", 4.0, 20.0, 30)
    assert pickle.loads(pickle.dumps(alarm)) == alarm
    assert str(alarm.code) == "speed"
