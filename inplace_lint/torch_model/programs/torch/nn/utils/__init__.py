"""`torch.nn.utils`: what it takes from its own modules."""

from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
