"""Scripts and style sheets as they are sent: without comments, indentation and idle spaces.

No build step: the files in `static/` are what a person reads and what runs while developing; a server leans them once
when it starts. Lines of a script are joined only after a semicolon, brace or comma that is there.
"""

from __future__ import annotations

import re

_JS = re.compile(
    r"""(?P<keep>'(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*" | `(?:\\.|[^`\\])*`  # strings, and templates as a whole
        | (?<=[=(,:?&|!\[{;]) [ ]* /(?![/*]) (?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+ / [a-z]*)  # expressions
      | (?P<comment>/\*.*?\*/ | //[^\n]*)""",
    re.DOTALL | re.VERBOSE,
)
_IDLE = re.compile(r"[ ]*([=<>!&|?:,;(){}\[\]*])[ ]*")
_SUMS = re.compile(r"(?<![+-]) ?([+-]) ?(?![+-])")


def lean(name: str, text: str) -> str:
    """A file with less in it that means the same; other kinds of file are left as they are."""
    if name.endswith(".css"):
        return lean_css(text)
    return lean_js(text) if name.endswith(".js") else text


def lean_css(text: str) -> str:
    """No strings of our style sheets hold a brace, a colon with a space, or a comment."""
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    text = re.sub(r" ?([{};,]) ?", r"\1", text)
    return re.sub(r": ", ":", text).replace(";}", "}").strip() + "\n"


def lean_js(text: str) -> str:
    """Strings, templates and regular expressions are kept to the letter, and so is what tells + + from ++."""
    kept: list[str] = []

    def hold(found: re.Match[str]) -> str:
        if found["keep"] is None:
            return ""
        kept.append(found["keep"].lstrip())
        return f"\0{len(kept) - 1}\0"

    code = _JS.sub(hold, text)
    code = re.sub(r"[ \t]*\n\s*", "\n", code)
    code = _SUMS.sub(r"\1", _IDLE.sub(r"\1", code))
    code = re.sub(r"(?<=[;{,])\n", "", re.sub(" ?(\0\\d+\0) ?", r"\1", code)).strip() + "\n"
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], code)
