"""From a file to its entry points, their paths, and the findings on them."""
