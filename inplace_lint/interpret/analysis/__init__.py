"""From a file to its entry points, their paths, and what is found on them."""
