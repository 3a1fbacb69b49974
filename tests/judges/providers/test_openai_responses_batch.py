"""OpenAI's batches of Responses. Whole runs are in test_batches."""

from __future__ import annotations

import asyncio

from lanner.judges.providers import Endpoint
from lanner.judges.providers.openai_responses import Responses
from lanner.judges.providers.openai_responses_batch import connect


def test_a_batch_asks_the_interface_of_its_provider() -> None:
    async def go() -> None:
        batches = connect(Endpoint("http://127.0.0.1:1/v1", "openai_responses_batch"))
        assert isinstance(batches.connection, Responses)
        assert batches.route == "/v1/responses"
        await batches.close()

    asyncio.run(go())
