"""Protocols compared: the same questions put to two or more campaigns, files or scenarios, on one page."""
