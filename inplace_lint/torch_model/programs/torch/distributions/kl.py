"""`torch.distributions`: how far two distributions are apart."""

import torch
from torch.distributions.continuous import Normal
from torch.distributions.derived import Independent
from torch.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from torch.distributions.distribution import sum_last
from torch.nn.functional import softplus


def kl_divergence(p, q):
    """Of two of one kind."""
    if isinstance(p, Independent):
        return sum_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
    if isinstance(p, Normal):
        ratio = (p.scale / q.scale).pow(2)
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())
    if isinstance(p, OneHotCategorical):
        return kl_divergence(p._categorical, q._categorical)
    if isinstance(p, Categorical):
        return (p.probs * (p.logits - q.logits)).sum(-1)
    if isinstance(p, Bernoulli):
        certain = p.probs * (softplus(-q.logits) - softplus(-p.logits))
        return certain + (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return torch.distributions.kl.kl_divergence_of_others(p, q)
