from cli.command import Command


def test_every_protocol_is_listed(lanner: Command) -> None:
    rows = lanner("protocols", "--json").envelope["rows"]
    assert {"falcon", "h_falcon"} <= {row["name"] for row in rows}
    assert all(row["summary"] for row in rows)
    ran = lanner("protocols")
    assert ran.code == 0
    assert "h_falcon" in ran.out


def test_an_unknown_command_names_the_nearest(lanner: Command) -> None:
    ran = lanner("protocls")
    assert ran.code == 2
    assert "Did you mean 'protocols'" in ran.err
