"""What models cost: by the table, by a file of one's own, never by guessing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lanner.errors import LannerError
from lanner.judges.plan import Member
from lanner.judges.prices import price_of, read
from lanner.judges.providers import Endpoint


def test_a_price_is_that_of_the_host_and_of_the_model_whatever_its_version() -> None:
    price = price_of("gpt-4o-mini-2024-07-18", "api.openai.com")
    assert price is not None
    assert price.at(batch=False) == (0.15, 0.60, 0.075)
    assert price.at(batch=True) == (0.075, 0.30, 0.0375)
    assert price_of("gpt-4o-mini", "127.0.0.1") is None
    assert price_of("gpt-4o-minimal", "api.openai.com") is None


def test_a_price_grows_old() -> None:
    price = price_of("gpt-5", "api.openai.com")
    assert price is not None
    assert not price.is_old(price.checked)
    assert price.is_old(date(price.checked.year + 1, price.checked.month, price.checked.day))


def test_a_file_of_ones_own_goes_before_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '[[price]]\nhost = "api.openai.com"\nchecked = 2026-11-01\nmodels = [{ model = "o3", in = 1, out = 4 }]\n',
        encoding="utf-8",
    )
    price = price_of("o3", "api.openai.com", path)
    assert price is not None
    assert (price.at(batch=True), price.checked) == ((1.0, 4.0, None), date(2026, 11, 1))
    assert price_of("gpt-4o", "api.openai.com", path) is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("price = [", "cannot be read"),
        ('[[price]]\nhost = "x"\nmodels = []', "checked is missing"),
        ('[[price]]\nhost = "x"\nchecked = "today"\nmodels = []', "must be a day"),
        ('[[price]]\nhost = "x"\nchecked = 2026-01-01\nmodels = [{ model = "a", in = -1, out = 1 }]', "not a price"),
        ('[[price]]\nhost = "x"\nchecked = 2026-01-01\nmodels = [{ model = "a", inn = 1, out = 1 }]', "in is missing"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LannerError, match=words):
        read(path)


def test_cached_tokens_cost_their_own_price() -> None:
    member = Member("m", Endpoint("http://x/v1"), price_in=10.0, price_out=20.0, price_cached=1.0)
    assert member.cost(1_000_000, 500_000, 400_000) == pytest.approx(6.0 + 0.4 + 10.0)
