"""The page on which a person settles doubtful rows: for `lanner prepare --verify` and for organisers."""
