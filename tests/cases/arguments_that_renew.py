"""An argument that nobody has to give makes another tensor of what is written later; without it, there is none."""

import torch


@torch.no_grad()
def balanced(logits):
    shares = torch.exp(logits).t()
    return (shares / shares.sum(0)).t()


def entropy(student, teacher, index=None):
    shares = balanced(teacher)
    if index is not None:
        shares = torch.gather(shares, 1, index)
    return shares.mul_(student.log_softmax(-1)).sum()  # warning: [IPL103]


def open_shares_of_all(x):
    return eval(entropy.__name__)(x.view(1, -1), torch.rand(1, 4))


def entropy_of_copies(student, teacher, index=None):
    shares = balanced(teacher)
    if index is not None:
        shares = torch.gather(shares, 1, index)
    return shares.mul(student.log_softmax(-1)).sum()


def open_shares_of_all_cured(x):
    return eval(entropy_of_copies.__name__)(x.view(1, -1), torch.rand(1, 4))
