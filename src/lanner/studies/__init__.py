"""Papers as files: the released data, what was computed, what was printed. `reproduce` sets them side by side."""
