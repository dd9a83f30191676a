"""The user's project: configuration, files to check, what is read and written, and the cache."""
