"""Advice on memory: where in place would be safe, what is held for nothing, what checkpointing would save."""
