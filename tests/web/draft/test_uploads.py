from __future__ import annotations

import pytest
from starlette.exceptions import HTTPException

from lanner.web.draft.texts import described
from lanner.web.draft.uploads import Uploads
from visiting import documents


def test_an_upload_is_its_owners_alone_and_goes_in_the_end() -> None:
    uploads = Uploads()
    place = uploads.place()
    place.write_text("x")
    token = uploads.add(1, place, described(documents(), "mine", "native"))
    assert uploads.find(token, 1).texts.name == "mine"
    for wrong in ((token, 2), ("guess", 1)):
        with pytest.raises(HTTPException):
            uploads.find(*wrong)
    uploads.close()
    assert not place.exists()


def test_the_oldest_go_first() -> None:
    uploads = Uploads()
    told = described(documents(), "mine", "native")
    tokens = []
    for _ in range(52):
        place = uploads.place()
        place.write_text("x")
        tokens.append((uploads.add(1, place, told), place))
    assert not tokens[0][1].exists()
    assert uploads.find(tokens[-1][0], 1)
    uploads.close()
