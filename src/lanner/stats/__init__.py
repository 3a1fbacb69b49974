"""Judgements to numbers: pure functions of a tidy frame, each giving a Result with its interval and its signature.

Where things are: `frame` makes the table and `resample` the intervals; `agreement` has every coefficient and the
overview that suits a question, `diagnosis` what disagreement is made of, `compare` differences between coefficients,
`reading` what a number means in words. Nothing is imported here, so that each part loads only what it needs.
"""
