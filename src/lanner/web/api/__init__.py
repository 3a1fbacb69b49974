"""The HTTP API for programs, version 1: `table` says what there is, `openapi` describes it, `operations` does it."""
