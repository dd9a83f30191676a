"""Small functions that give back one of their arguments: what they give is that argument, by another name."""

import torch
from torch import nn


def _default(value, other):
    if value is not None:
        return value
    return other() if callable(other) else other


def _first(*values):
    for value in values:
        if value is not None:
            return value
    return None


def _same(x, *others):
    return x


def _entry(options, key, other):
    return options[key] if key in options else other


def _decayed(state, previous=None):
    kept = _first(previous, state)
    kept.mul_(0.5)  # warning: [IPL303]
    return state - kept


def case_first_that_is_given():
    return _decayed(torch.ones(3))


def _decayed_copy(state, previous=None):
    kept = _first(previous, state) * 0.5
    return state - kept


def case_first_that_is_given_cured():
    return _decayed_copy(torch.ones(3))


def _biased(x, norm=None):
    y = (norm or _same)(x)
    y += 1  # warning: [IPL303]
    return x * y


def case_function_that_gives_its_argument():
    return _biased(torch.ones(3))


def case_function_that_gives_its_argument_cured():
    x = torch.ones(3)
    return x * (_same(x) + 1)


def _shifted(x, options):
    bias = _entry(options, "bias", x)
    bias.add_(1)  # warning: [IPL303]
    return x * bias


def case_entry_of_options():
    return _shifted(torch.ones(3), {})


def case_entry_of_options_cured():
    x = torch.ones(3)
    return x * (_entry({}, "bias", x) + 1)


def _filled(x, out=None):
    out = _default(out, torch.empty_like(x))
    out.copy_(x)
    out.mul_(2)
    return x - out


def case_new_memory_where_none_is_given():
    return _filled(torch.ones(3))


def _from_copy(x, state=None):
    state = _default(state, lambda: x.clone())
    state.mul_(2)
    return x - state


def case_copy_where_none_is_given():
    return _from_copy(torch.ones(3))


class _Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_q, self.to_kv = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x, context=None):
        given = _default(context, x)
        q = self.to_q(x)
        given.mul_(0.5)  # error: [IPL201]
        return q * self.to_kv(given)


def case_context_that_is_the_input():
    return _Attention()(torch.ones(3)).sum().backward()


class _AttentionBesideContext(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_q, self.to_kv = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x, context=None):
        given = context if context is not None else x
        scaled = self.to_kv(given)
        scaled.mul_(0.5)
        return self.to_q(x) + scaled


def case_projection_of_the_context():
    torch.manual_seed(0)
    x = torch.ones(3, requires_grad=True)
    _AttentionBesideContext()(x).sum().backward()
    return x.grad


def open_input_where_no_context_is_given(x, context=None):
    given = _default(context, x)
    y = torch.exp(x)
    given = _default(context, y)
    given.mul_(2)  # warning: [IPL202]
    return y + x
