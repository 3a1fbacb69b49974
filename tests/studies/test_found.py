from lanner.studies.found import Found


def test_plain_values_become_found_ones() -> None:
    assert Found.of(0.5) == Found(0.5)
    assert Found.of("news").value == "news"
    made = Found(1.0, 0.5, 1.5, "n 3")
    assert Found.of(made) is made
