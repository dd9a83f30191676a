"""Names for parts of a file that are no functions (see `screen/parts.py`)."""

# Everything but the bodies of functions. Whoever looks into a file at all depends on it.
SKELETON = ""
# Which definitions may call objects that have no name, directly or through others.
CALLING = "<calling>"
# Its comments and its rows: for a finding that names a place in it.
PLACES = "<places>"
# All of it.
EVERYTHING = "<whole>"
