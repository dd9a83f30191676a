"""The user's project: configuration, files to check, reading and writing, and the cache."""
