"""Judges that are models: they are asked the same questions as people and hand in their answers in the same way."""
