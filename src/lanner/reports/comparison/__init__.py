"""Two or more ways of judging set against each other."""
