"""Where a run's work is done, beyond one process: a foreman divides it, workers do it, an engine brings them together.

The ledger in the shared PostgreSQL is all that counts. An engine may lose any worker at any moment; whoever gets its
documents next reads in the ledger what was answered, and asks only the rest.
"""
