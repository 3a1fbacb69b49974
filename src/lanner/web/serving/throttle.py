"""How often something may be tried: a bucket per key that refills slowly. For passwords and links, not for work."""

from __future__ import annotations

from collections import OrderedDict

_KEPT = 10_000


class Throttle:
    """At most `burst` tries at once, then one each `seconds`. The oldest keys are forgotten beyond a fixed number."""

    def __init__(self, burst: int, seconds: float) -> None:
        self.burst = burst
        self.seconds = seconds
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, key: str, now: float) -> float:
        """0 where another try is allowed (and takes it), else how many seconds until it is."""
        level, at = self._levels.pop(key, (float(self.burst), now))
        level = min(float(self.burst), level + max(0.0, now - at) / self.seconds)
        allowed = level >= 1
        self._levels[key] = (level - 1 if allowed else level, now)
        if len(self._levels) > _KEPT:
            self._levels.popitem(last=False)
        return 0.0 if allowed else (1 - level) * self.seconds

    def forget(self, key: str) -> None:
        """After a success the key starts afresh."""
        self._levels.pop(key, None)
