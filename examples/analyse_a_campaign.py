# %% [markdown]
# # From judgements to findings
#
# A notebook as a plain file: open it in Jupyter or an editor that knows `# %%` cells, or run it as a program.
# The judgements are made by simulated judges on the demonstration texts; to use your own, replace the second cell by
# `part, = lanner.from_file("my-judgements.csv")`, or by `from_campaign(store, "pilot")` on your own store.

# %%
from importlib import resources
from pathlib import Path
from tempfile import mkdtemp

import polars as pl

from lanner import campaign, formats
from lanner.analysis.material import from_campaign
from lanner.judges.simulated import Temper, fill
from lanner.model import Judge, JudgeKind
from lanner.stats.agreement import overview
from lanner.stats.coefficients import pairwise
from lanner.stats.diagnosis import confusion
from lanner.stats.effort import throughput
from lanner.stats.ranking import systems
from lanner.store import Store

# %% A campaign: ten documents, three systems, three judges of whom the third is careless
JUDGES = {"ana": Temper(reliability=0.8), "ben": Temper(severity=0.06), "cleo": Temper(reliability=0.4)}
QUALITIES = {"alder": 0.85, "birch": 0.62, "cedar": 0.32}

with resources.as_file(resources.files("lanner.corpus") / "demo.jsonl") as path:
    documents = list(formats.read_documents(path, "native"))
with Store.open(Path(mkdtemp()) / "example.sqlite") as store:
    judges = [Judge(name, JudgeKind.SIMULATED) for name in JUDGES]
    campaign.create(store, "pilot", documents, "h_falcon", judges, seed=7)
    campaign.open(store, "pilot")
    fill(store, "pilot", JUDGES, QUALITIES, seed=7)
    part = from_campaign(store, "pilot")

# %% One row is one answer. Everything below reads this table; so can polars, pandas and R
table = part.table
print(table.select("judge", "document", "segment", "system", "question", "score").head())
print(table.group_by("question").len().sort("question"))

# %% How far do judges agree on the holistic score? Intervals resample documents
for result in overview(table, "holistic"):
    print(f"{result.value:.2f}  {result.low:.2f} to {result.high:.2f}  {result.signature}")

# %% Who agrees with whom on which skills matter? The careless judge stands out
for result in pairwise(table, "skills"):
    print(result.labels, f"{result.value:.2f}, {result.low:.2f} to {result.high:.2f}")

# %% Where two judges differ
for result in confusion(table, "sentence"):
    print(result.labels, *result.rows[:3], sep="\n  ")

# %% Which system is better, and is the difference more than chance?
for row in systems(table, "holistic").rows:
    print(row["system"], f"{row['score']:.2f}, {row['low']:.2f} to {row['high']:.2f}")

# %% Does quality depend on the kind of text? A question of one's own, on the same table
by_domain = (
    table.filter(pl.col("question") == "holistic")
    .group_by("domain", "system")
    .agg(pl.col("score").mean().round(2).alias("mean"), pl.len().alias("n"))
    .sort("domain", "system")
)
print(by_domain)

# %% How long did it take?
for row in throughput(table).rows[:3]:
    print(row["judge"], row["domain"], f"{row['value']:.2f} sentences a minute")
