"""The former name of `web_clients`."""

from web_clients import *  # noqa: F403
