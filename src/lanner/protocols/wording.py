"""The words of a protocol in one language: what a judge reads, and what a model is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lanner.model import Protocol


@dataclass(frozen=True, slots=True)
class Words:
    """The words for one thing. `short` is for a button, `definition` for the drawer; empty where nothing is said."""

    label: str
    short: str = ""
    help: str = ""
    definition: str = ""
    low: str = ""
    high: str = ""


class Wording:
    """Looks words up by id: in the language, then in its parent ("pt" for "pt-BR"), then in English."""

    def __init__(self, protocol: Protocol, language: str = "en") -> None:
        codes = dict.fromkeys((language, language.partition("-")[0], "en", *protocol.text))
        self._tables: list[Mapping[str, Any]] = [protocol.text[code] for code in codes if code in protocol.text]
        self.language = next((code for code in codes if code in protocol.text), "en")
        self._name = protocol.name

    def _find(self, *path: str) -> Any:
        for table in self._tables:
            value: Any = table
            for part in path:
                value = value.get(part) if isinstance(value, Mapping) else None
            if value is not None:
                return value
        return None

    def _words(self, fallback: str, *paths: tuple[str, ...]) -> Words:
        fields: dict[str, str] = {}
        for path in paths:
            for key in ("label", "short", "help", "definition", "low", "high"):
                if key not in fields and isinstance(text := self._find(*path, key), str):
                    fields[key] = text.strip()
        fields.setdefault("label", fallback)
        return Words(**fields)

    @property
    def title(self) -> str:
        return self.line("title") or self._name

    def line(self, key: str) -> str:
        """A text of the whole protocol: title, summary, instructions, when_to_use."""
        text = self._find(key)
        return text.strip() if isinstance(text, str) else ""

    @property
    def sources(self) -> dict[str, str]:
        """Where the words of a published wording come from; empty for Lanner's own."""
        sources = self._find("sources")
        return {str(what): str(source) for what, source in sources.items()} if isinstance(sources, Mapping) else {}

    def stage(self, stage_id: str, key: str = "title") -> str:
        text = self._find("stages", stage_id, key)
        return text.strip() if isinstance(text, str) else ""

    def group(self, group_id: str) -> Words:
        return self._words(_as_words(group_id), ("groups", group_id))

    def question(self, question_id: str) -> Words:
        return self._words(_as_words(question_id), ("questions", question_id))

    def mark(self, question_id: str, mark: float) -> str:
        """What stands at a labelled point of a scale; "" where nothing does."""
        text = self._find("questions", question_id, "marks", f"{mark:g}")
        return text.strip() if isinstance(text, str) else ""

    def option(self, question_id: str, option_id: str) -> Words:
        """Words for an option: those of the question first, then those shared by the protocol."""
        own = ("questions", question_id, "options", option_id)
        return self._words(_as_words(option_id), own, ("options", option_id))


def _as_words(name: str) -> str:
    return name.replace("_", " ").capitalize()
