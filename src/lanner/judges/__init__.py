"""Judges that are models: they are asked the same questions as people and answer through the same door."""
