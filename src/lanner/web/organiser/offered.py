"""The files a campaign can be had as."""

from __future__ import annotations

from collections.abc import Mapping

TABLES = ("csv", "jsonl", "parquet")
FORMATS: Mapping[str, tuple[str, str, str]] = {
    "csv": ("CSV", ".csv", "one row per answer, with a codebook"),
    "jsonl": ("JSON lines", ".jsonl", "the same, for programs"),
    "parquet": ("Parquet", ".parquet", "the same, for large campaigns"),
    "native": ("Lanner", ".jsonl", "texts, judges and judgements: can be imported again"),
    "label_studio": ("Label Studio", ".json", "tasks with annotations"),
    "mtme": ("mt-metrics-eval", "", "sources, documents, references, outputs, scores"),
    "appraise": ("Appraise", ".csv", "one row per score, in Appraise’s own layout"),
}
"""What can be had: its name, how its file ends, what is in it."""
