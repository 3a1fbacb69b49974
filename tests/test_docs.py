"""The documentation is true: pages, links, commands and examples are checked against the code."""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
import posixpath
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import click
import pytest
import yaml
from markdown.extensions.toc import slugify
from mkdocs.commands.build import build
from mkdocs.config import load_config

from data_sets import data_dir
from lanner import designs, errors, formats, protocols
from lanner.cli import lanner
from lanner.model import Unit
from lanner.reports.build import APPENDIX, BODY
from lanner.stats.agreement import COEFFICIENTS
from lanner.studies.study import names
from lanner.web.judging.page import keys
from lanner.web.speech import Messages
from test_architecture import LAYERS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WRITTEN = sorted(page.name for page in DOCS.glob("*.md"))
TUTORIALS = [page for page in WRITTEN if page.startswith("tutorial-")]
FRONT = [
    f"../{name}" for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "RELEASING.md")
]
SAMPLES = {"ratings.jsonl": ROOT / "tests" / "formats" / "samples" / "native.jsonl"}
FENCE = re.compile(
    r"^(?:<!-- needs: (?P<needs>[^>]+) -->\n)?```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
ENTRY_POINTS = {
    "lanner.protocols",
    "lanner.formats",
    "lanner.designs",
    "lanner.segmenters",
    "lanner.taggers",
    "lanner.statistics",
}
MODULES = {
    "adaptive": "lanner.analysis.economy",
    "library": "lanner.agreement",
    "agreement": "lanner.stats.agreement",
    "api": "lanner.client",
    "assistance": "lanner.analysis.assistance",
    "association": "lanner.stats.association",
    "campaign": "lanner.campaign",
    "commands": "lanner.cli",
    "comparing": "lanner.reports.comparison",
    "context": "lanner.stats.context",
    "designs": "lanner.designs",
    "diagnosis": "lanner.diagnose",
    "effort": "lanner.stats.effort",
    "facets": "lanner.stats.facets",
    "errors": "lanner.errors",
    "formats": "lanner.formats",
    "intervals": "lanner.stats.resample",
    "judges": "lanner.judges",
    "judging": "lanner.web",
    "judging-at-scale": "lanner.judges.ray_cluster",
    "metaeval": "lanner.stats.metaeval",
    "metrics": "lanner.metrics",
    "operating": "lanner.store.backup",
    "organising": "lanner.web",
    "pages-and-commands": "lanner.web",
    "people-and-models": "lanner.judges",
    "planning": "lanner.stats.power",
    "preference": "lanner.stats.preference",
    "preparation": "lanner.corpus",
    "protocols": "lanner.protocols",
    "regression": "lanner.stats.regression",
    "reports": "lanner.reports",
    "scores": "lanner.stats.ranking",
    "store": "lanner.store",
    "threat-model": "lanner.web",
    "studies": "lanner.studies",
}


def _reference():
    sys.path.insert(0, str(DOCS))  # as it is when the script is run
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCE = _reference()
PAGES = sorted({*WRITTEN, *REFERENCE.PAGES})
"""Pages of the site by their path in it: those that are written, and those that are made when it is built."""


@cache
def text(page: str) -> str:
    """A page in Markdown."""
    if page in REFERENCE.PAGES:
        return REFERENCE.PAGES[page]()
    return (DOCS / page).read_text(encoding="utf-8")


def _config() -> dict:
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def _leaves(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, list):
        for each in entry:
            yield from _leaves(each)
    else:
        for each in entry.values():
            yield from _leaves(each)


def _prose(page: str) -> str:
    return FENCE.sub("", text(page))


def test_every_page_is_in_the_navigation_once():
    assert sorted(_leaves(REFERENCE._expand(_config()["nav"]))) == PAGES


def test_pages_made_from_the_code_are_not_in_the_repository():
    names = ["docs/commands.md", "docs/format", "docs/protocol", "docs/statistic"]
    tracked = subprocess.run(["git", "ls-files", *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not tracked.stdout


def test_the_site_has_the_mark_of_the_pages():
    theme = _config()["theme"]
    pages = ROOT / "src" / "lanner" / "web" / "static" / "icon.svg"
    assert (DOCS / theme["logo"]).read_bytes() == (DOCS / theme["favicon"]).read_bytes() == pages.read_bytes()


def test_the_site_loads_nothing_from_elsewhere():
    config = _config()
    assert config["theme"]["font"] is False
    assert not {"extra_javascript", "extra_css"} & set(config)


@pytest.mark.parametrize("page", [*PAGES, *FRONT])
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(page), name)) if name else page
        assert found in PAGES or (DOCS / found).exists(), f"{page} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", _prose(found), re.MULTILINE)
            assert anchor in {slugify(heading, "-") for heading in headings}, f"{page} links to {target}"


@pytest.mark.parametrize("page", [*PAGES, *FRONT])
def test_pages_name_no_place_of_anybodys_machine_and_no_registry(page):
    assert not re.findall(r"(?<![\w.…])/(?:home|root|tmp|work|Users|var|mnt)/", text(page))
    assert not re.findall(r"pypi\.org|pythonhosted|npmjs|registry\.\w+", text(page), re.IGNORECASE)


def test_every_page_of_lanner_has_a_picture_that_is_small_and_shown():
    shots = set(re.findall(r'Shot\(\s*"([\w-]+)"', (DOCS / "screenshots.py").read_text(encoding="utf-8")))
    images = {image.stem: image.stat().st_size for image in (DOCS / "images").glob("*")}
    assert set(images) == shots, "run: python docs/screenshots.py"
    assert not [name for name, size in images.items() if size > 120_000]
    assert sum(images.values()) < 4_000_000
    assert set(re.findall(r"\(images/([\w-]+)\.png\)", (DOCS / "pictures.md").read_text(encoding="utf-8"))) == shots


@pytest.mark.parametrize("page", MODULES)
def test_a_page_names_the_module_it_is_about(page):
    assert MODULES[page] in text(f"{page}.md")


def test_every_page_with_a_module_is_checked_for_it():
    without = {
        "architecture",
        "faq",
        "faults",
        "glossary",
        "index",
        "own-protocol",
        "pictures",
        "quickstart",
        "scaling",
    }
    written = {page.removesuffix(".md") for page in PAGES if "/" not in page and page not in TUTORIALS}
    assert written == set(MODULES) | without


def test_tables_of_names_are_complete():
    for name, found in vars(errors).items():
        if isinstance(found, type) and issubclass(found, errors.LannerError):
            assert f"`{name}`" in text("errors.md")
    statistics = "".join(text(page) for page in PAGES if page.startswith("statistic/"))
    assert not [name for name in COEFFICIENTS if f"## agreement.{name}\n" not in statistics]
    assert not [name for name in names() if f"`{name}`" not in text("studies.md")]
    assert not [name for name in formats.titles() if f"(format/{name}.md)" not in text("formats.md")]


@pytest.mark.parametrize("page", [*PAGES, *FRONT])
def test_what_a_page_names_is_there(page):
    """Modules and functions, optional extras, benchmarks, files of the repository."""
    content = text(page)
    for name in set(re.findall(r"`(lanner(?:\.\w+)+)`", content)) - {"lanner.sqlite", "lanner.toml", *ENTRY_POINTS}:
        assert pkgutil.resolve_name(name) is not None
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"lanner\[(\w+)\]|extra `(\w+)`", content)) <= {(e, "") for e in extras} | {
        ("", e) for e in extras
    }
    for name in re.findall(r"bench_\w+\.py", content):
        assert (ROOT / "benchmarks" / name).is_file(), name
    for name in re.findall(r"`((?:tests|src|docs)/[\w./-]+)`", content):
        assert (ROOT / name).exists(), name


def test_the_page_on_architecture_names_every_package_in_its_layer():
    table = text("architecture.md").split("## Layers")[1].split("\n\n##")[0]
    layers = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
    packages = {path.parent.name for path in (ROOT / "src" / "lanner").glob("*/__init__.py")}
    assert [set(layer) for layer in layers] == [layer & (packages | {"registry", "errors"}) for layer in LAYERS]


def test_the_page_on_reports_lists_their_sections():
    listed = re.findall(r"^\d+\. ", text("reports.md"), re.MULTILINE)
    folded = 1  # what stands behind the figures of the body is a section of the appendix
    assert len(listed) == len(BODY) + len(APPENDIX) + folded


def test_the_page_on_judging_has_the_keys_of_every_page():
    said = text("judging.md")
    pressed = {key for line in keys((), Messages(), unit=Unit.IN_CONTEXT) for key in line.keys}
    assert not [key for key in pressed if f"`{'Enter' if key == '↵' else key}`" not in said]


# Command lines


def _leaf_commands() -> Iterator[tuple[str, click.Command]]:
    for path, command, _ in REFERENCE._commands(lanner, "lanner", None):
        if not isinstance(command, click.Group):
            yield path, command


LEAVES = dict(_leaf_commands())


def _resolve(words: list[str]) -> tuple[click.Command, click.Context, list[str]]:
    command: click.Command = lanner
    context = click.Context(lanner, info_name="lanner")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"there is no command {words[0]!r}"
        context = click.Context(found, info_name=words[0], parent=context)
        command, words = found, words[1:]
    return command, context, [word for word in words if word != "--help"]


def _check(line: str, *, whole: bool) -> None:
    """A whole line must have all that its command requires; one that is only mentioned must not have what it lacks."""
    command, context, words = _resolve(shlex.split(line, comments=True)[1:])
    try:
        if whole:
            made = command.make_context(command.name, words, parent=context.parent)
            _check_named(line, command.name, made.params)
        else:
            _, rest, _ = command.make_parser(context).parse_args(words)
            assert not rest, f"{line}: {rest} is too much"
    except click.ClickException as error:
        pytest.fail(f"{line}: {error.format_message()}")


def _check_named(line: str, command: str, given: dict) -> None:
    """What a line names by name is there: designs and their options, protocols, formats."""
    if command in ("design", "new"):
        design = given["name" if command == "design" else "design"]
        assert design in designs.titles(), line
        known = designs.options(design)
        assert not [each for each in given["options"] if each.split("=")[0] not in known], line
    protocol = given.get("protocol")
    if protocol and not protocol.endswith(".toml") and protocol != "…":
        protocols.load(protocol)
    for name in filter(None, (given.get("format_name"), given.get("to_format"))):
        assert name.replace("-", "_") in formats.titles(), line


def _shown(page: str) -> list[str]:
    blocks = FENCE.finditer(text(page))
    lines = (line for block in blocks if block["language"] in ("", "bash") for line in block["body"].splitlines())
    return [line.strip() for line in lines if line.startswith("lanner ")]


@pytest.mark.parametrize("page", [*PAGES, *FRONT])
def test_command_lines_can_be_run_as_shown(page):
    for line in _shown(page):
        _check(line, whole=True)
    for line in re.findall(r"`(lanner [^`]+)`", _prose(page)):
        if not re.match(r"lanner [A-Z]+\b", line):  # `lanner COMMAND` stands for all
            _check(line, whole=False)


def test_the_readme_and_the_quick_start_show_commands():
    assert len(_shown("../README.md")) >= 5
    assert len(_shown("quickstart.md")) >= 8


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_has_a_section_and_an_example_that_parses(path):
    assert f"\n## {path}\n" in text("commands.md")
    help_text = " ".join((LEAVES[path].help or "").split())
    example = re.search(r"Example: (lanner .+)$", help_text)
    assert example, f"{path} has no example"
    assert example[1].startswith(path)
    _check(example[1], whole=True)
    assert not [option.opts for option in LEAVES[path].params if isinstance(option, click.Option) and not option.help]


def test_commands_and_pages_use_the_words_of_the_glossary():
    """Who answers is a judge and what is run a campaign, whatever other tools say."""
    web = ROOT / "src" / "lanner" / "web"
    said = {page.name: page.read_text(encoding="utf-8") for page in (web / "templates").rglob("*.html")}
    said |= {"en.toml": (web / "messages" / "en.toml").read_text(encoding="utf-8")}
    said |= {path: command.get_help(click.Context(command, info_name=path)) for path, command in LEAVES.items()}
    others = re.compile(r"\b(?:annotator|rater|evaluator|assessor|project)s?\b", re.IGNORECASE)
    assert not {name: found for name, text in said.items() if (found := others.findall(text))}


SOURCES = sorted((ROOT / "src" / "lanner").rglob("*.py"))
NAMED = re.compile(r"\blanner (?!import\b)([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")


def test_commands_that_messages_name_exist():
    """An error that ends in a command nobody has is worse than none."""
    unknown = []
    for source in SOURCES:
        code = source.read_text("utf-8")
        nodes = ast.walk(ast.parse(code)) if NAMED.search(code) else ()
        strings = (node.value for node in nodes if isinstance(node, ast.Constant))
        for name, part in NAMED.findall("\n".join(each for each in strings if isinstance(each, str))):
            command = lanner.get_command(click.Context(lanner), name)
            if isinstance(command, click.Group) and part:
                command = command.get_command(click.Context(command), part)
            if command is None:
                unknown.append(f"{source.name}: lanner {name} {part}")
    assert not unknown


def test_messages_and_pages_name_options_by_their_present_names():
    """Old spellings still work, but are in no help: nobody should be sent to them."""
    options = [option for command in LEAVES.values() for option in command.params if isinstance(option, click.Option)]
    shown = {name for option in options if not option.hidden for name in option.opts}
    retired = {name for option in options if option.hidden for name in option.opts} - shown - {"--help-settings"}
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(retired)))})(?![\w-])(?! still works)")
    said = [
        (page, re.sub("`python [^`]+`", "", _prose(page))) for page in PAGES
    ]  # benchmarks have options of their own
    for source in SOURCES:
        code = source.read_text("utf-8")
        nodes = ast.walk(ast.parse(code)) if pattern.search(code) else ()
        strings = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
        said += [(source.name, string) for string in strings if string not in retired]  # where they are declared
    assert "--temperature" in retired
    assert not [(place, found) for place, text in said for found in pattern.findall(text)]


OTHER_WORDS = re.compile(r"\b(annotators?|raters?|evaluators?|assessors?|judgments?)\b", re.IGNORECASE)


def test_the_same_words_for_the_same_things():
    """Judge, judgement: in what the command line says and on the pages; files of others may call them otherwise."""
    said = {path: command.help or "" for path, command in LEAVES.items()}
    said |= {page: _prose(page) for page in ("../README.md", "quickstart.md", "index.md")}
    said |= {page: _prose(page) for page in TUTORIALS if page != "tutorial-model-judge.md"}  # names a test so
    templates = (ROOT / "src" / "lanner" / "web" / "templates").rglob("*.html")
    said |= {page.name: page.read_text(encoding="utf-8") for page in templates}
    assert not {name: OTHER_WORDS.findall(text) for name, text in said.items() if OTHER_WORDS.search(text)}


# Examples


def _needed(page: str) -> dict[str, str]:
    """The lines of a page that read a released data set, and which."""
    blocks = [block for block in FENCE.finditer(text(page)) if block["needs"]]
    return {line: block["needs"] for block in blocks for line in block["body"].splitlines()}


def _examples() -> list[pytest.param]:
    """The Python of each page, as one program for each thing it needs; later blocks know the names of earlier ones."""
    found = []
    for page in ["../README.md", *WRITTEN]:
        written = (DOCS / page).read_text(encoding="utf-8")
        blocks = [block for block in FENCE.finditer(written) if block["language"] == "python"]
        needs = {block["needs"] for block in blocks if block["needs"] and block["needs"] not in SAMPLES}
        marks = [pytest.mark.data] if needs else []
        if blocks:
            found.append(pytest.param(blocks, id=page, marks=marks))
    return found


@pytest.mark.parametrize("blocks", _examples())
def test_examples_run(blocks, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        if (needed := block["needs"]) in SAMPLES:
            shutil.copy(SAMPLES[needed], needed)
        elif needed:
            Path(needed).symlink_to(data_dir(needed))
        exec(compile(block["body"], "example", "exec"), known)


def test_the_site_builds_without_a_warning(tmp_path):
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(tmp_path / "site"))
    hook = config.hooks["docs/reference.py"]
    assert set(hook.PAGES) == set(REFERENCE.PAGES)
    hook.PAGES = {page: partial(text, page) for page in hook.PAGES}  # those that other tests have made
    build(config)  # a warning ends it
    pages = "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html"))
    assert len(pages) > 1_000_000
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"?https?://", pages)
