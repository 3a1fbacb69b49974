from importlib import metadata
from pathlib import Path

import pytest

from lanner import designs, registry
from lanner.errors import InputError, LannerError


def test_names_are_file_names_without_the_private_ones() -> None:
    names = registry.names("protocols", ".toml")
    assert {"falcon", "h_falcon"} <= set(names)
    assert not [name for name in names if name.startswith("_")]


def test_modules_are_found_by_name_with_either_dash() -> None:
    assert registry.module("formats", "h-falcon").__name__ == "lanner.studies.formats.h_falcon"


def test_an_unknown_name_is_an_error_with_the_nearest_one() -> None:
    with pytest.raises(LannerError, match="Did you mean 'h_falcon'"):
        registry.module("formats", "h_falcom")


def test_outsiders_come_through_the_same_door(monkeypatch: pytest.MonkeyPatch) -> None:
    point = metadata.EntryPoint("spiral", "lanner.registry", "lanner.designs")
    monkeypatch.setattr(registry, "_all_entry_points", lambda: metadata.EntryPoints([point]))
    registry._entry_points.cache_clear()
    try:
        assert registry.module("designs", "spiral") is registry
        with pytest.raises(LannerError, match="'spiral' names is no design"):
            designs.load("spiral")
    finally:
        registry._entry_points.cache_clear()


def test_data_files_of_outsiders_are_found_with_either_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    points = metadata.EntryPoints([metadata.EntryPoint("their_prices", "lanner.registry:__file__", "lanner.prices")])
    monkeypatch.setattr(registry, "_all_entry_points", lambda: points)
    monkeypatch.setitem(registry._PACKAGES, "prices", ())
    registry._entry_points.cache_clear()
    try:
        for name in ("their_prices", "their-prices"):
            assert registry.data_file("prices", name, ".toml") == Path(registry.__file__)
    finally:
        registry._entry_points.cache_clear()


def test_what_designs_share_is_no_design() -> None:
    """`plan` and `controls` are modules of the package, and nothing that a campaign can be assigned by."""
    assert set(registry.names("designs")) == set(designs.titles()) >= {"full", "latin_square", "adaptive"}
    for name in ("plan", "controls"):
        with pytest.raises(LannerError, match=f"no design called '{name}'"):
            designs.load(name)


def test_a_mistake_in_toml_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(InputError, match="The settings cannot be read"):
        registry.read_text(path, "settings")
    with pytest.raises(InputError, match="not valid TOML") as refused:
        registry.toml_table("a = 1\nb 2\n", path)
    assert (refused.value.where.line, refused.value.where.column) == (2, 3)
