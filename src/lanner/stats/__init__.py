"""Judgements to numbers: pure functions of a tidy frame, each giving a Result with its interval and its signature."""
