"""`torch.nn`: what it takes from its own modules."""

from torch.nn.parallel import DataParallel
