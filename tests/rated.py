"""The former name of `rating_tables`."""

from rating_tables import *  # noqa: F403
