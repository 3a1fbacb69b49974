"""A small campaign for model judges, and the shortest way to run one over it."""

from __future__ import annotations

import asyncio
from typing import Any

from lanner import campaign, protocols
from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.providers import DEFAULT, Endpoint
from lanner.judges.run import run
from lanner.model import CampaignState, Choice, Document, Judgement, Option, Protocol, Segment
from lanner.store import Store
from stub_providers import serving_as
from stub_server import Stub, serving

MEMBER = ("price_in", "price_out", "temperature", "top_p", "effort", "weighted", "extra", "max_tokens")
QUICK = Limits(in_flight=8, tries=4, backoff=0.0)


def corpus(documents: int = 2, sentences: int = 3, systems: tuple[str, ...] = ("oak",)) -> list[Document]:
    return [
        Document(
            f"d{d}",
            tuple(
                Segment(
                    str(n),
                    f"The ferry {d}.{n} left before the storm.",
                    {name: f"Die Fähre {d}.{n} von {name} fuhr vor dem Sturm." for name in systems},
                    {"ref": f"Die Fähre {d}.{n} legte vor dem Sturm ab."},
                )
                for n in range(sentences)
            ),
            "en",
            "de",
            domain="news",
        )
        for d in range(documents)
    ]


def by_sides(name: str) -> Protocol:
    """A protocol of comparisons, answered by naming the better side."""
    ranked = protocols.load(name)
    side = Choice(id="side", options=tuple(Option(id=each) for each in ("left", "tie", "right")))
    return ranked.model_copy(update={"stages": (ranked.stages[0].model_copy(update={"questions": (side,)}),)})


def opened(
    store: Store, protocol: str | Protocol = "h_falcon", texts: list[Document] | None = None, **more: Any
) -> int:
    """A campaign without judges, open for them."""
    made = campaign.create(store, "c", texts or corpus(), protocol, **more)
    with store.writing() as tx:
        tx.campaigns.set_state(made.id, CampaignState.OPEN)
    return made.id


def member(url: str, model: str = "tiny", **more: Any) -> Member:
    timeout, provider = more.pop("timeout", 20.0), more.pop("provider", DEFAULT)
    return Member(model, Endpoint(url, provider, family="default", timeout=timeout), **more)


def judge(
    store: Store, number: int, stub: Stub, *, limits: Limits = QUICK, judge: str = "m", models: int = 1, **more: Any
) -> Totals:
    """Run one judge against the stub until all is done."""

    async def go() -> Totals:
        dialect = more.pop("dialect", None)
        async with serving_as(dialect, stub) if dialect else serving(stub) as url:
            timeout = more.pop("timeout", 20.0)
            priced = {name: more.pop(name) for name in MEMBER if name in more}
            provider = dialect.provider if dialect else DEFAULT
            members = tuple(
                member(url, f"tiny{n or ''}", timeout=timeout, provider=provider, **priced) for n in range(models)
            )
            return await run(store, number, [Plan(judge, members, **more)], limits=limits)

    return asyncio.run(go())


def stored(store: Store, number: int) -> list[Judgement]:
    return campaign.judgements(store, number)
