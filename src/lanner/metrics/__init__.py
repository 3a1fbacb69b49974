"""Automatic scores as one more kind of rater. One metric is one file of this folder, or an entry point."""
