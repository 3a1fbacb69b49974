from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lanner.web.page.assets import FOLDER, Assets
from lanner.web.page.lean import lean, lean_css, lean_js

SCRIPTS = sorted(FOLDER.rglob("*.js"))
BUDGET = 80_000
PAGES = ("judging.js", "home.js", "prefs.js", "tokens.css", "judging.css", "questions.css", "icon.svg")
SCRIPT = r"""
// a remark
const a = 'x // y', b = "/* z */", c = `two  ${ a ? 1 : 2 }  // spaces`; /* gone */
  export const d = (s) => s.replace(/[ /]\/ +(?:a : b)/g, ' = ') + +a - -1;
"""
LEAN_SCRIPT = r"""let a='x // y',b="/* z */",c=`two  ${ a ? 1 : 2 }  // spaces`;"""
LEAN_SCRIPT += r"""export let d=(s)=>s.replace(/[ /]\/ +(?:a : b)/g,' = ')+ +a- -1;
"""
STYLE = """/* why */
.a > .b , p:hover {
  inset: calc(1px + 2px) ;
  margin: 0 auto;
  color: #ffeedd;
}
@media (max-width: 9px) { q { top: 0 } }"""
LEAN_STYLE = ".a>.b,p:hover{inset:calc(1px + 2px);margin:0 auto;color:#fed}@media (max-width:9px){q{top:0}}\n"


def test_strings_templates_and_expressions_stay_to_the_letter() -> None:
    assert lean_js(SCRIPT) == LEAN_SCRIPT


def test_lines_are_joined_and_semicolons_dropped_where_that_cannot_change_anything() -> None:
    assert lean_js("class A {\n  b() { return true; }\n  c() {\n    d();\n  }\n}\nnew A();\n") == (
        "class A{b(){return!0}c(){d()}}new A();\n"
    )
    assert lean_js("const a = () => {}\n[1].map(a)\n") == "let a=()=>{}\n[1].map(a)\n"
    assert lean_js("x = undefined;\nconstant = a.true;\n") == "x=void 0;constant=a.true;\n"


def test_style_sheets() -> None:
    assert lean_css(STYLE) == LEAN_STYLE


def test_other_files_are_left_alone() -> None:
    assert lean("icon.svg", "<!-- x -->  <svg/>") == "<!-- x -->  <svg/>"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_every_script_stays_a_script(path: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("NO NODE: install node to check the leaned scripts")
    leaned = tmp_path / path.name
    leaned.write_text(lean(path.name, path.read_text(encoding="utf-8")), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    ran = subprocess.run([node, "--check", leaned], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_budget_of_the_judges_pages() -> None:
    """Everything a judge's page can load, before compression."""
    assets, sizes, waiting = Assets(), {}, list(PAGES)
    while waiting:
        name = waiting.pop()
        asset = assets.find(name)
        assert asset is not None, name
        sizes[name] = len(asset.body)
        imported = [posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in imports(asset.body)]
        waiting += [path for path in imported if path not in sizes]
    assert len(sizes) > 20
    assert sum(sizes.values()) < BUDGET, sorted(sizes.items(), key=lambda entry: -entry[1])


def imports(script: bytes) -> list[str]:
    return re.findall(r"from ?'([^']+)'", script.decode())
