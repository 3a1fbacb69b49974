"""Scripts and style sheets as they are sent: without comments, indentation, idle spaces and idle semicolons.

No build step: the files in `static/` are what a person reads and what runs while developing; a server leans them once
when it starts. A line is joined to the one before where that ends in a semicolon, brace or comma and begins with a name
or a brace: should the line break have ended a statement there, the joined script is no script any more, and the test
that has node read every leaned file says so. Nothing can come to mean something else.
"""

from __future__ import annotations

import re

from lanner.reports.html import SHARED

_LENGTHS = dict(re.findall(r"(--[\w-]+): (\d+px);", SHARED["tokens.css"].read_text(encoding="utf-8")))
_JS = re.compile(
    r"""(?P<keep>'(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*" | `(?:\\.|[^`\\])*`  # strings, and templates as a whole
        | (?<=[=(,:?&|!\[{;]) [ ]* /(?![/*]) (?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+ / [a-z]*)  # expressions
      | (?P<comment>/\*.*?\*/ | //[^\n]*)""",
    re.DOTALL | re.VERBOSE,
)
_IDLE = re.compile(r"[ ]*([=<>!&|?:,;(){}\[\]*])[ ]*")
_SHORTER = (("const", "let"), ("undefined", "void 0"), ("false", "!1"), ("true", "!0"))
"""Words for which the language has a shorter one. No property of ours has such a name."""
_SUMS = re.compile(r"(?<![+-]) ?([+-]) ?(?![+-])")


def lean(name: str, text: str) -> str:
    """A file with less in it that means the same; other kinds of file are left as they are."""
    if name.endswith(".css"):
        return lean_css(text)
    return lean_js(text) if name.endswith(".js") else text


def lean_css(text: str) -> str:
    """No strings of our style sheets hold a brace, a colon with a space, or a comment. Lengths of the tokens never
    change while a page is shown, so that they can stand where they are used."""
    text = re.sub(r"var\((--[\w-]+)\)", lambda found: _LENGTHS.get(found[1], found[0]), text)
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    text = re.sub(r" ?([{};,]) ?", r"\1", text)
    text = re.sub(r"#(.)\1(.)\2(.)\3\b", r"#\1\2\3", re.sub(r" ([>~]) ", r"\1", text))
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
    for word, shorter in _SHORTER:
        code = re.sub(rf"(?<![\w$.]){word}(?![\w$])", shorter, code)
    code = _SUMS.sub(r"\1", _IDLE.sub(r"\1", code))
    code = re.sub(r"(?<=[;{,])\n", "", re.sub(" ?(\0\\d+\0) ?", r"\1", code)).strip() + "\n"
    code = re.sub(r"(?<=\})\n(?=[\w$#])", "", re.sub(r";?\n?(?=\})", "", code))
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], code)
