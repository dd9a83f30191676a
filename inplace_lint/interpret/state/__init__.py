"""The state of one run: values, variables, choices, the files of the program."""
