"""What a program refuses, it does not go on with: where such a check has other branches, one of these is run."""

import torch


def _checked(x, dims):
    shape = list(x.shape)
    if len(shape) < dims:
        raise ValueError(f"at least {dims} dimensions are needed")
    elif len(shape) > dims:
        x = x.flatten(0, len(shape) - dims)
    return x


def _halved(x, dims):
    left, right = _checked(_checked(_checked(_checked(x, dims + 3), dims + 2), dims + 1), dims).chunk(2, -1)
    left *= 0.5  # error: [IPL103]
    return left + right


def case_a_check_with_other_branches():
    return _halved(torch.ones(2, 2, 2, 2, 4, requires_grad=True) * 2, 2)


def case_a_check_with_other_branches_cured():
    left, right = _checked(torch.ones(2, 2, 2, 2, 4, requires_grad=True) * 2, 2).chunk(2, -1)
    return left * 0.5 + right


def _scaled(x, factor):
    y = x.sigmoid()
    if not torch.is_tensor(factor):
        raise TypeError("a tensor is needed")
    elif factor.dim() > 1:
        raise ValueError("a number is needed")
    else:
        y.mul_(factor)  # error: [IPL202]
    return y


def case_the_last_branch_goes_on(factor=None):
    x = torch.ones(3, requires_grad=True)
    _scaled(x, torch.tensor(2.0) if factor is None else factor).sum().backward()
    return x.grad


def _refused(x, known):
    y = x.sigmoid()
    if known == 1:
        raise ValueError("not 1")
    else:
        y.mul_(2)
    return y


def case_what_surely_raises_does_not_go_on():
    x = torch.ones(3, requires_grad=True)
    try:
        _refused(x, 1).sum().backward()
    except ValueError:
        x.sum().backward()
    return x.grad
