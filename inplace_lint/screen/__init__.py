"""Tells, from syntax alone, which functions are worth interpreting: those that may write in place, or see a write."""
