"""OpenAI's batch interface for Responses."""

from __future__ import annotations

from lanner.judges.providers import Endpoint
from lanner.judges.providers._http import require
from lanner.judges.providers.openai_batch import FileBatches
from lanner.judges.providers.openai_responses import Responses

__all__ = ["ResponseBatches", "connect", "require"]


def connect(endpoint: Endpoint) -> ResponseBatches:
    """A connection to the server's batches."""
    return ResponseBatches(Responses(endpoint))


class ResponseBatches(FileBatches):
    """Files of questions to Responses."""

    route = "/v1/responses"
