"""Lanner: document-level evaluation of machine translation by people, models and metrics."""

__version__ = "0.1.0"
