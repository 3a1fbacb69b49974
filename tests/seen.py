"""The former name of `page_inspection`."""

from page_inspection import *  # noqa: F403
