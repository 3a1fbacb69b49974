from __future__ import annotations

import pytest

from lanner.campaign.refusals import refuse
from lanner.errors import CampaignError
from lanner.model import CampaignState
from lanner.store import Standing


@pytest.mark.parametrize("state", CampaignState)
@pytest.mark.parametrize("finished", [False, True])
def test_only_an_open_campaign_and_an_unfinished_task_take_answers(state: CampaignState, finished: bool) -> None:
    standing = Standing(1, 1, state, finished, "abc", "def")
    if state is CampaignState.OPEN and not finished:
        refuse(standing, 7)
        return
    with pytest.raises(CampaignError) as caught:
        refuse(standing, 7)
    assert caught.value.code == ("finished" if state is CampaignState.OPEN else str(state))
    assert caught.value.what and caught.value.next_step
