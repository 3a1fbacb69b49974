"""The former name of `data_sets`."""

from data_sets import *  # noqa: F403
