"""The former name of `browser_actions`."""

from browser_actions import *  # noqa: F403
