"""The former name of `live_server`."""

from live_server import *  # noqa: F403
