"""Judges what the abstract PyTorch recorded: which writes break a backward pass, and which reads come too late."""
