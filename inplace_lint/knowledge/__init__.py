"""What autograd knows of the tensors of a program: of each expression that is one, at the time of its evaluation."""
