"""`torch.nn`: what it takes from its own modules."""

from torch.nn.modules.activation import MultiheadAttention
from torch.nn.modules.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from torch.nn.parallel import DataParallel
