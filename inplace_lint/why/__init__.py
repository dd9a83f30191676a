"""Why a line is reported, or is not: what is known of each write on it."""
