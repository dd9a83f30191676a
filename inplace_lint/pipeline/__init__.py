"""From files to the findings of a run: one file, many files, processes, baselines, fixes applied."""
