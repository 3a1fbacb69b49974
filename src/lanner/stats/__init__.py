"""Judgements to numbers: pure functions of a tidy frame, each giving a Result with its interval and its signature.

Where things are: `frame` makes the table, `resample` draws from it and `outcome` makes the intervals; `agreement` has
every coefficient and the overview that suits a question, `diagnosis` what disagreement is made of, `compare`
differences between coefficients, `reading` what a number means in words. `association`, `regression`, `mixed`,
`preference`, `bradley_terry`, `effort`, `context`, `power`, `models` and `prediction_powered` are what their names say;
`wide` turns the tidy table into one row per judge and item for them. Nothing is imported here, so that each part loads
only what it needs.
"""
