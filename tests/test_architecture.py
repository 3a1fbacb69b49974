"""The architecture as tests: which layer imports which, what loads when, and that every module has a test."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from lanner import _MOVED

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "lanner"
TESTS = ROOT / "tests"

LAYERS = [  # top to bottom; a package imports from layers below, never up or sideways
    {"cli", "notebook"},
    {"web", "library"},
    {"studies"},  # above reports: the page of a study is a report
    {"reports", "judges", "metrics", "monitor", "client"},
    {"analysis", "material"},
    {"campaign"},
    {"store", "stats", "figures"},
    {"designs", "formats", "corpus"},
    {"protocols"},  # below designs and formats, which ask the kinds of questions what is particular to each
    {"registry"},
    {"model"},
    {"errors"},
]
LAYER = {package: level for level, packages in enumerate(LAYERS) for package in packages}

OPTIONAL = {  # packages of extras: imported where they are used, so that the core works without them
    "aiohttp", "polars", "numpy",  # loaded on demand: a Result knows how to become a frame, a format is only recognised
    "rich",  # what draws tables on the terminal, which an error needs not
    "nupunkt",  # loads a model, for English texts alone
    "scipy",  # scipy.stats takes a second to load, and few commands need it
    "kiwipiepy", "matplotlib", "openpyxl", "pandas", "psycopg", "pyarrow", "python_calamine", "ray", "sacrebleu",
    "statsmodels", "translate", "webbrowser", "xlsxwriter", "fastexcel", "torch", "transformers", "yaml", "keyring",
}  # fmt: skip

LATE = {
    "lanner.analysis",
    "lanner.campaign",
    "lanner.formats",
    "lanner.formats.parsing.columns",
    "lanner.formats.parsing.tables",
    "lanner.formats.table",
    "lanner.protocols",
    "lanner.protocols.describe",
    "lanner.protocols.guessing",
    "lanner.protocols.judgements",
    "lanner.stats.allocation",
    "lanner.stats.frame",
    "lanner.stats.goals",
    "lanner.store",
    "lanner.web.server",
}
"""Our own modules that bring table readers, protocols, statistics, databases and a server along: what the server loads,
and commands that may end with an error before they need them, or that often need none, import them on use."""
LONGEST = 120  # characters a line, in any language
NO_MIRROR = {"__init__.py", "__main__.py"}


@cache
def modules() -> tuple[tuple[str, Path, ast.Module], ...]:
    """Every module of Lanner, read once and only when a test runs: each process of the suite loads this file, and one
    of them runs it. To look for garbage among a million nodes again and again would take longer than to read them."""
    with _no_garbage():
        return tuple(_modules())


@contextmanager
def _no_garbage() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _modules() -> Iterator[tuple[str, Path, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, path, ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """Everything that stands in a module, walked through once."""
    with _no_garbage():
        return {name: list(ast.walk(tree)) for name, _, tree in modules()}


@cache
def module_names() -> frozenset[str]:
    return frozenset(name for name, _, _ in modules())


@cache
def import_statements() -> dict[str, list[ast.Import | ast.ImportFrom]]:
    """Every import statement of a module, also those inside functions."""
    return {
        name: [node for node in walked if isinstance(node, ast.Import | ast.ImportFrom)]
        for name, walked in nodes().items()
    }


def package_of(name: str) -> str | None:
    parts = name.split(".")
    if len(parts) < 2:
        return None
    return "cli" if parts[1] == "__main__" else parts[1]


def is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


@cache
def imports(tree: ast.Module) -> tuple[tuple[str, ast.Import | ast.ImportFrom], ...]:
    """What a module imports from us when it is loaded, as full module names."""
    return tuple(_imports(tree))


def _imports(tree: ast.AST) -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    for node in ast.iter_child_nodes(tree):
        if is_typing_only(node):
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names if alias.name.startswith("lanner"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lanner"):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield (full if full in module_names() else str(node.module)), node
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):  # nothing else holds a statement
            yield from _imports(node)


def test_packages_import_from_layers_below_only() -> None:
    wrong = []
    for name, path, tree in modules():
        here = package_of(name)
        if here is None:
            continue
        assert here in LAYER, f"{path} is in a package that no layer names"
        for imported, node in imports(tree):
            there = package_of(imported)
            if there and there != here and LAYER[there] <= LAYER[here]:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} imports {imported}")
    assert not wrong, "\n".join(wrong)


def test_the_command_line_uses_the_server_and_nothing_else_of_web() -> None:
    """Rules about accounts, tokens and webhooks hold without a server; what starts one is in `web.server`."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} imports {imported}"
        for name, path, tree in modules()
        if package_of(name) in {"cli", "notebook"}
        for imported, node in imports(tree)
        if package_of(imported) == "web" and imported != "lanner.web.server"
    ]
    assert not wrong, "\n".join(wrong)


def test_private_names_stay_in_their_package_of() -> None:
    wrong = []
    for name, path, _ in modules():
        for node in import_statements()[name]:
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("lanner."):
                continue
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            private = [one for one in full if any(part.startswith("_") for part in one.split("."))]
            wrong += [
                f"{path.relative_to(ROOT)}:{node.lineno} imports {one}"
                for one in private
                if package_of(one) != package_of(name)
            ]
    assert not wrong, "\n".join(wrong)


def test_no_import_cycles() -> None:
    graph = {name: {imported for imported, _ in imports(tree)} - {name} for name, _, tree in modules()}
    state: dict[str, str] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if state.get(name) == "done":
            return
        assert state.get(name) != "open", " -> ".join((*trail, name))
        state[name] = "open"
        for imported in graph.get(name, ()):
            visit(imported, (*trail, name))
        state[name] = "done"

    for name in graph:
        visit(name, ())


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements that run when a module is loaded."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield node
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _outside_functions(node)


def test_imports_stand_at_the_top_unless_optional() -> None:
    hidden = []
    for name, path, tree in modules():
        outside = {id(node) for node in _outside_functions(tree)}
        for node in import_statements()[name]:
            if id(node) not in outside:
                names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                bad = [n for n in names if (n or "").split(".")[0] not in OPTIONAL and n not in LATE]
                where = f"{path.relative_to(ROOT)}:{node.lineno}"
                hidden += [f"{where} imports {name} inside a function" for name in bad]
    assert not hidden, "\n".join(hidden)


def test_what_takes_a_second_to_load_is_loaded_by_what_needs_it() -> None:
    """`scipy.special` has the distributions; a server and a command that load all of `scipy.stats` start later."""
    for _, path, tree in modules():
        for node in _outside_functions(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "scipy.stats" not in ast.unparse(node), f"{path.relative_to(ROOT)}:{node.lineno}"


def test_only_the_command_line_prints() -> None:
    for name, path, _ in modules():
        if package_of(name) == "cli":
            continue
        for node in nodes()[name]:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "print", f"{path.relative_to(ROOT)}:{node.lineno} prints"


@pytest.mark.parametrize(
    ("first_package", "package"),
    [("store", "sqlalchemy"), ("web", "starlette"), ("campaign", "sqlalchemy")],
)
def test_only_their_package_knows(first_package: str, package: str) -> None:
    """SQL is spoken in `store` alone, HTTP in `web` (and `cli`, which starts it)."""
    allowed = {"sqlalchemy": {"store"}, "starlette": {"web", "cli"}}[package]
    for name, path, _ in modules():
        if package_of(name) in allowed:
            continue
        for node in import_statements()[name]:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for found in names:
                assert found.split(".")[0] != package, f"{path.relative_to(ROOT)}:{node.lineno} imports {package}"


def test_pure_packages_know_no_clock_and_no_global_randomness() -> None:
    forbidden = {("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("date", "today")}
    for name, path, _ in modules():
        if package_of(name) not in {"stats", "designs", "formats", "protocols"}:
            continue
        for node in nodes()[name]:
            if isinstance(node, ast.Import):
                assert "random" not in [alias.name for alias in node.names], f"{path} uses the global random state"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                where = f"{path.relative_to(ROOT)}:{node.lineno}"
                assert (node.value.id, node.attr) not in forbidden, f"{where} reads the clock"
            if isinstance(node, ast.Attribute) and _is_numpy_random(node.value):
                assert node.attr in {"default_rng", "Generator", "PCG64", "SeedSequence"}, f"{path}:{node.lineno}"


def _is_numpy_random(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "random" and ast.unparse(node.value) in {"np", "numpy"}


def test_importing_lanner_stays_light() -> None:
    code = "import lanner, sys; print(*sys.modules); import lanner.cli.imports; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    library, importing_texts = (set(line.split()) for line in run.stdout.splitlines())
    heavy = {"starlette", "uvicorn", "sqlalchemy", "psycopg", "aiohttp", "scipy.stats", "lanner.web"}
    assert not library & {*heavy, "sqlite3"}
    assert not importing_texts & {*heavy, "polars", "pydantic"}


def test_modules_that_moved_are_found_under_their_earlier_names() -> None:
    code = "from lanner.stats.outcome import wilson; import lanner.stats.resample as now; print(wilson is now.wilson)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"
    for earlier, now in _MOVED.items():
        assert import_module(earlier) is import_module(now)
        assert earlier not in module_names(), f"{earlier} is a module again"


def test_every_module_has_a_test_of_the_same_name() -> None:
    lacking = []
    for _, path, tree in modules():
        if path.name in NO_MIRROR or not any(isinstance(n, ast.FunctionDef | ast.ClassDef) for n in tree.body):
            continue
        relative = path.relative_to(SOURCE)
        mirror = TESTS / relative.parent / f"test_{relative.stem.strip('_')}.py"
        if relative.parent.name == "commands":  # declarations, which one test compares with their implementations
            mirror = TESTS / relative.parent / "test_commands.py"
        if not mirror.is_file():
            lacking.append(str(mirror.relative_to(ROOT)))
    assert not lacking, "missing:\n" + "\n".join(lacking)


def test_no_vague_module_names() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not [str(path) for _, path, _ in modules() if path.stem.lstrip("_") in vague]


PRAGMA = re.compile(r"\s*# (?:type: ignore|noqa).*$")
DATA = {"tests/studies/formats/test_h_falcon.py"}  # a row of a released file, as it stands there


def test_no_line_is_too_long_to_read() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not files:
        pytest.skip("not a checkout")
    code = [name for name in files if name.endswith((".py", ".js", ".css", ".html"))]
    wrong = [
        f"{name}:{number}"
        for name in code
        if "/snapshots/" not in name and name not in DATA and (ROOT / name).is_file()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").split("\n"), 1)
        if len(PRAGMA.sub("", line)) > LONGEST
    ]
    assert wrong == []


def test_browser_tests_wait_with_a_function_that_waits() -> None:
    """Playwright's `wait_for_function` returns at once when the condition is a promise, so that nothing is tested."""
    users = [path.name for path in (TESTS / "browser").glob("*.py") if "wait_for_function" in path.read_text("utf-8")]
    assert not users, "use wait_until of tests/browser_actions.py"


def test_the_page_on_the_architecture_names_modules_that_exist() -> None:
    """In the table of where to look: a plain name in a row is a module of that package, or another package."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## Where to look")[1].split("##")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.M)
    assert rows
    for package, words in rows:
        for name in re.findall(r"`([\w.]+)`", words):
            known = {f"lanner.{package}.{name}", f"lanner.{name}"} & module_names()
            assert known, f"docs/architecture.md: {package} has no module {name}"
