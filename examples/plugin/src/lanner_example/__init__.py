"""What another package brings to Lanner: a format and a protocol."""

from pathlib import Path

PROTOCOL = Path(__file__).parent / "readability.toml"
