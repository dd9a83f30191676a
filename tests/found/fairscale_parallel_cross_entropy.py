"""`vocab_parallel_cross_entropy` overwrites the logits of its caller

`forward` subtracts the maximum from its input in place and does not call `ctx.mark_dirty`. The caller's logits are
shifted: what is computed from them afterwards, a z-loss, perplexities, an accuracy with thresholds, is silently wrong.
And since autograd does not see the write as one of this function, logits whose producer saved its result (a
`tanh` that caps them, say) make `backward()` raise far away.
"""

import inspect
import tempfile

import torch
from fairscale.nn.model_parallel import cross_entropy, initialize_model_parallel

RELEASE = "fairscale==0.4.13"
NEEDS = ["numpy"]
FINDINGS = [
    "fairscale/nn/model_parallel/cross_entropy.py:37:9: warning[IPL403] `sub_` modifies `vocab_parallel_logits`, an input, without `ctx.mark_dirty`",
]
EFFECT = "changes the caller's tensor, always; raises in backward if its producer saved it"
CURE = [
    (
        "vocab_parallel_logits.sub_(logits_max.unsqueeze(dim=-1))",
        "vocab_parallel_logits = vocab_parallel_logits - logits_max.unsqueeze(dim=-1)",
    )
]
PRINTS = """
> initializing model parallel with size 1
> initializing ddp with size 1
> initializing pipeline with size 1
released: logsumexp of the logits after the loss [0.44, 0.36]; capped logits: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    logsumexp of the logits after the loss [3.61, 5.1]; capped logits: a gradient
"""

with tempfile.TemporaryDirectory() as folder:
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/one", rank=0, world_size=1)
    initialize_model_parallel(1)


def logsumexp_and_gradient() -> tuple[list[float], str]:
    torch.manual_seed(0)
    hidden, weight, target = torch.randn(2, 4, requires_grad=True), torch.randn(10, 4), torch.tensor([1, 2])
    logits = hidden @ weight.t()
    cross_entropy.vocab_parallel_cross_entropy(logits, target)
    after = [round(value, 2) for value in logits.logsumexp(-1).tolist()]
    try:
        cross_entropy.vocab_parallel_cross_entropy(torch.tanh(hidden @ weight.t()), target).sum().backward()
    except RuntimeError as error:
        return after, f"RuntimeError: {str(error).split(':')[0]}"
    return after, "a gradient"


released = logsumexp_and_gradient()
exec(inspect.getsource(cross_entropy).replace(*CURE[0]), vars(cross_entropy))
cured = logsumexp_and_gradient()

print("released: logsumexp of the logits after the loss {}; capped logits: {}".format(*released))
print("cured:    logsumexp of the logits after the loss {}; capped logits: {}".format(*cured))
assert released[0] != cured[0]
assert released[1].startswith("RuntimeError")
assert cured[1] == "a gradient"
