from __future__ import annotations

from lanner.store import schema


def test_only_plain_types() -> None:
    """Rows go to and from the drivers without conversion, so no type may need one."""
    kinds = {c.type._type_affinity.__name__ for table in schema.metadata.sorted_tables for c in table.columns}
    assert kinds <= {"Text", "String", "Integer", "BigInteger", "Numeric", "Float", "Double"}
