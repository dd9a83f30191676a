"""Makes models of libraries: reads the source of a package, and tells in rows what it does to tensors."""
