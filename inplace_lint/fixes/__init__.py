"""From the cures that rules propose to fixes that are known to work: one module for each kind of change."""
