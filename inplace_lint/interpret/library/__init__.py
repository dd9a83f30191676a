"""What functions of other libraries do, as far as it matters here."""
