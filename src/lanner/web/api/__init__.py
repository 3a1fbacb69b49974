"""The HTTP API for programs, version 1: `openapi` holds the table of operations, `operations` does them."""
