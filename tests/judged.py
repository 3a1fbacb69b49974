"""The former name of `model_campaign`."""

from model_campaign import *  # noqa: F403
