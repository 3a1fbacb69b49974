"""A command as another package would bring it."""

import click


@click.command("from-elsewhere", short_help="From another package.")
def command() -> None:
    """Do nothing."""
