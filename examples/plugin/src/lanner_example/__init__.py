"""What another package brings to Lanner: a format, a protocol, a statistic, a metric and a provider."""

from pathlib import Path

PROTOCOL = Path(__file__).parent / "readability.toml"
