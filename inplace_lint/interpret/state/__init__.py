"""What one run knows: values, variables, the choices made, the files of the program."""
