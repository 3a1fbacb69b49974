"""Text as Pearmut shows it: one place for each UTF-16 unit, none for line breaks, one more for what is missing."""

from __future__ import annotations

from typing import Any


class ShownText:
    """Ways between the places of a shown text and the code points of the text itself."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._points = [
            position
            for position, char in enumerate(text)
            if char != "\n"
            for _ in range(2 if ord(char) > 0xFFFF else 1)
        ]

    def place(self, start: Any, end: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
        """A span with inclusive end as start, end and text, or as missing; flags where it marks nothing."""
        if any(isinstance(value, bool) or not isinstance(value, int) for value in (start, end)):
            return {"start": start, "end": end, "text": None}, ("bad_offsets",)
        if start >= len(self._points):
            if start == end:
                return {"missing": True}, ()
            return {"start": start, "end": end, "text": None}, ("bad_offsets",)
        if start < 0 or end < start or end >= len(self._points):
            return {"start": start, "end": end, "text": None}, ("bad_offsets",)
        first, last = self._points[start], self._points[end] + 1
        return {"start": first, "end": last, "text": self.text[first:last]}, ()

    def shown(self, span: dict[str, Any]) -> tuple[int, int]:
        """The places that show a span, first and last."""
        if span.get("missing"):
            return len(self._points), len(self._points)
        start, end = span.get("start"), span.get("end")
        places = [at for at, point in enumerate(self._points) if _within(point, start, end)]
        return (places[0], places[-1]) if places else (start or 0, end or 0)


def _within(point: int, start: Any, end: Any) -> bool:
    return isinstance(start, int) and isinstance(end, int) and start <= point < end
