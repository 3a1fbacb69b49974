"""Learned metrics: COMET checkpoints read with torch and transformers, sentence by sentence or with context.

Nothing here is imported unless a checkpoint is asked for, and torch only when one is read.
"""
