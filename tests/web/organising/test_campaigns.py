from __future__ import annotations

from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web.organising.campaigns import listed
from lanner.web.updates import SharedPanels
from lanner.web.worker import worker
from web_clients import complete, open_campaign, sign_in


def test_an_empty_list_says_what_to_do(client: TestClient, store: Store) -> None:
    sign_in(client, store)
    page = client.get("/campaigns").text
    assert "No campaigns yet" in page


def test_owners_see_all_and_others_what_is_theirs(client: TestClient, store: Store) -> None:
    open_campaign(store, "mine")
    open_campaign(store, "theirs")
    sign_in(client, store)
    assert {"mine", "theirs"} <= set(client.get("/campaigns").text.replace(">", "<").split("<"))
    sign_in(client, store, "Bob", "organiser")
    with store.writing() as tx:
        bob, place = tx.accounts.find("Bob"), tx.campaigns.find("mine")
        assert bob and place
        tx.accounts.join(bob.id, place.id)
    page = client.get("/campaigns").text
    assert "mine" in page
    assert "theirs" not in page
    assert client.get("/campaigns/theirs").status_code == 404


def test_the_live_page_and_its_panels(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    client.app.state.site.live._rested.clear()
    page = client.get("/campaigns/trial").text
    assert "Judge 1" in page
    assert 'data-events="/campaigns/trial/events"' in page
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        campaign.submit(store, task, 0, complete(), submission=f"{judge}-one", active=5.0)
    panels = client.get("/campaigns/trial/panels?question=holistic")
    assert panels.status_code == 200
    assert "<html" not in panels.text
    assert 'data-panel="progress"' in panels.text


def test_names_with_odd_letters_have_pages(client: TestClient, store: Store) -> None:
    open_campaign(store, "Prüfung & Co <1>")
    sign_in(client, store)
    assert client.get("/campaigns/Pr%C3%BCfung%20%26%20Co%20%3C1%3E").status_code == 200
    assert "<1>" not in client.get("/campaigns").text


def test_progress_by_domain_and_document(client: TestClient, store: Store) -> None:
    open_campaign(store)
    token = sign_in(client, store)
    assert token
    task = campaign.tasks(store, "trial", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one", active=90.0)
    page = client.get("/campaigns/trial/documents").text
    assert "By document" in page
    assert page.count("/disagreements?document=") == len(campaign.documents(store, "trial"))
    assert "1 of " in page


def test_panels_made_for_one_reader_do_not_speak_to_another_in_their_language(client: TestClient, store: Store) -> None:
    open_campaign(store)
    sign_in(client, store)
    german = client.get("/campaigns/trial/panels", headers={"accept-language": "de"}).text
    english = client.get("/campaigns/trial/panels", headers={"accept-language": "en"}).text
    assert "Wer mit wem" in german
    assert "Who agrees with whom" in english


def test_the_list_counts_as_the_campaigns_themselves_do(client: TestClient, store: Store) -> None:
    open_campaign(store, "one")
    open_campaign(store, "two", protocol="falcon")
    task = campaign.tasks(store, "one", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one", active=5.0)
    sign_in(client, store)
    with store.reading() as tx:
        owner = tx.accounts.find("Ann")
    assert owner
    for row in listed(store, owner):
        whole = campaign.progress(store, row.campaign.id)
        assert (row.items, row.done, row.judges) == (whole.whole.items, whole.whole.done, len(whole.judges))


def test_the_worker_draws_the_panels_also_one_that_was_started_again(client: TestClient, store: Store) -> None:
    """What the server's own threads draw takes turns with saves. A new worker knows nothing of earlier numbers."""
    open_campaign(store)
    sign_in(client, store)
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        campaign.submit(store, task, 0, complete(), submission=f"{judge}-one", active=5.0)
    live = client.app.state.site.live
    asked = []

    class Watched:
        is_started = True

        def __init__(self) -> None:
            self.worker = worker(store, process=False)

        async def ask(self, job: str, *arguments: object) -> object:
            asked.append(job)
            return await self.worker.ask(job, *arguments)

        async def close(self) -> None:
            await self.worker.close()

    drawn = []
    for _ in range(2):
        live._worker = Watched()
        live.panels = SharedPanels()
        drawn.append(client.get("/campaigns/trial/panels").text)
    assert asked.count("panels") == 2 and asked.count("snapshot") == 1, "nothing was answered in between"
    assert all("Computing the numbers" not in text and "Judge 1" in text for text in drawn)
    plain = client.get("/campaigns/trial/panels", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.text == drawn[1]
