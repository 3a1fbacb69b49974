"""Texts before anyone judges them: normalise, filter, split, align, choose, sample, describe.

Everything takes and gives documents. `prepare.prepare` runs the steps of a `recipe` and records them in a manifest.
"""
