"""`torch.cuda.amp`: the same under an older name."""

from torch.amp import GradScaler
