"""The former name of `organiser_client`."""

from organiser_client import *  # noqa: F403
