"""Judges the events of the abstract PyTorch: which writes break a backward pass, and which reads are stale."""
