"""The folder that `inplace-lint run` puts on the path of the processes that the program starts."""
