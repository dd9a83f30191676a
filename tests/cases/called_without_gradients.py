"""What is called only where no gradients are recorded, through objects, tables and constructors."""

import torch
from torch import nn


class _Expert(nn.Module):
    def copy_from(self, weights, index):
        raise NotImplementedError


class _Gated(_Expert):
    def __init__(self, size):
        super().__init__()
        self.proj = nn.Linear(size, size)

    def copy_from(self, weights, index):
        self.proj.weight.copy_(weights[index])


class _Experts(nn.ModuleList):
    expert_cls = _Gated

    def __init__(self, count, size):
        super().__init__([self.expert_cls(size) for _ in range(count)])

    @classmethod
    @torch.no_grad()
    def from_weights(cls, weights):
        self = cls(len(weights), weights.shape[-1])
        for index in range(len(weights)):
            expert: _Expert = self[index]
            expert.copy_from(weights, index)
        return self


def case_experts_copied_under_a_decorator():
    return _Experts.from_weights(torch.rand(2, 3, 3))[0].proj.weight


class _Filled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.proj = nn.Linear(size, size)

    def fill_from(self, weights, index):
        self.proj.weight.copy_(weights[index])  # error: [IPL101]


class _FilledWithGradients(nn.ModuleList):
    filled_cls = _Filled

    def __init__(self, count, size):
        super().__init__([self.filled_cls(size) for _ in range(count)])

    @classmethod
    def from_weights(cls, weights):
        self = cls(len(weights), weights.shape[-1])
        for index in range(len(weights)):
            self[index].fill_from(weights, index)
        return self


def case_experts_filled_with_gradients():
    return _FilledWithGradients.from_weights(torch.rand(2, 3, 3))


def _widened(conv):
    wide = nn.Conv2d(1, 2 * conv.out_channels, 1)
    wide.weight.copy_(torch.ones(2 * conv.out_channels, 1, 1, 1))
    return wide


_WIDENING = {"Conv2d": lambda conv: _widened(conv)}


class _Widening:
    def widen(self, model):
        for name, module in model.named_children():
            setattr(model, name, _WIDENING[type(module).__name__](module))


def case_replaced_by_a_table_without_gradients():
    model = nn.Sequential(nn.Conv2d(1, 2, 1))
    with torch.no_grad():
        for each in [_Widening()]:
            each.widen(model)
    return model[0].weight


def _narrowed(conv):
    narrow = nn.Conv2d(1, conv.out_channels, 1)
    narrow.weight.copy_(torch.ones(conv.out_channels, 1, 1, 1))  # error: [IPL101]
    return narrow


class _Narrowing:
    def __init__(self):
        self.table = {"Conv2d": lambda conv: _narrowed(conv)}

    def narrow(self, model):
        for name, module in model.named_children():
            setattr(model, name, self.table[type(module).__name__](module))


def case_replaced_by_a_table_with_gradients():
    model = nn.Sequential(nn.Conv2d(1, 2, 1))
    for each in [_Narrowing()]:
        each.narrow(model)


class _Patched(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.__dict__.update(module.__dict__)


class _PatchedLinear(_Patched):
    def __init__(self, module):
        super().__init__(module)
        self.init_linear()

    def init_linear(self):
        if self.weight.dim() == 3:
            self.weight.squeeze_()
        self.weight = nn.Parameter(self.weight.t().contiguous())


_PATCHES = {"Linear": _PatchedLinear}


def converted(model):
    with torch.no_grad():
        for name, module in model.named_children():
            setattr(model, name, _PATCHES[type(module).__name__](module))
    return model


class _Turned(_Patched):
    def __init__(self, module):
        super().__init__(module)
        self.turn_linear()

    def turn_linear(self):
        if self.weight.dim() == 3:
            self.weight.squeeze_()  # error: [IPL101]
        self.weight = nn.Parameter(self.weight.t().contiguous())


_TURNS = {"Linear": _Turned}


def turned(model):
    for name, module in model.named_children():
        setattr(model, name, _TURNS[type(module).__name__](module))
    return model


class _Norm:
    def first(self, x):
        nn.init.normal_(x)
        x.div_(x.norm(dim=-1, keepdim=True))
        return x


class _Auto(_Norm):
    def first(self, x):
        return _Norm().first(x) if x.ndim == 2 else x


class _Started(torch.optim.SGD):
    @torch.no_grad()
    def first(self, norms):
        for group in self.param_groups:
            norm = norms[group["norm"]]
            for p in group["params"]:
                p.copy_(norm.first(p))


def normed_alike(x):
    return _Scale().scaled(x)


class _Scale:
    def scaled(self, x):
        nn.init.normal_(x)
        x.div_(x.norm(dim=-1, keepdim=True))  # warning: [IPL201]
        return x


class _Averaged(torch.optim.Optimizer):
    """The steps are private, and taken without gradients also where they are taken for a later call."""

    def __init__(self, params):
        super().__init__(params, {"gain": 0.5})

    def _step_each(self, group, params, averages):
        for p in params:
            self.state[p].setdefault("average", torch.zeros(3))
        scales = torch.stack([average.sum() for average in averages]).sqrt().unbind()
        torch._foreach_mul_(scales, group["gain"])
        torch._foreach_mul_(params, scales)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["average"] = p.clone()
            averages = [self.state[p]["average"] for p in group["params"]]
            self._step_each(group, group["params"], averages)


class _AveragedWithGradients:
    """It scales what it is given, and is no optimizer, which would take its steps without gradients."""

    def scaled_each(self, group, averages):
        scales = torch.stack([average.sum() for average in averages]).sqrt().unbind()
        torch._foreach_mul_(scales, group["gain"])  # warning: [IPL103, IPL202]
        return scales


def moments_of(mean, square):
    return mean.div(0.1).div_(square.div(0.1).sqrt_().add_(1e-8))


class _Moments(torch.autograd.Function):
    @staticmethod
    def forward(ctx, mean, square):
        ctx.save_for_backward(mean, square)
        return moments_of(mean, square)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def case_called_by_a_custom_forward():
    mean = torch.ones(3, requires_grad=True)
    _Moments.apply(mean, torch.ones(3)).sum().backward()
    return mean.grad


def moments_with_gradients(mean, square):
    return mean.div(0.1).div_(square.div(0.1).sqrt_().add_(1e-8))  # warning: [IPL202]


def _dequantized(values):
    groups = values / 127
    return groups / (2.0 - groups.abs()).clamp_min(1e-12)


class _Store(torch.optim.Optimizer):
    """What is called after an inference mode is called outside of it."""

    def __init__(self, params):
        super().__init__(params, {})

    def load_state_dict(self, saved):
        super().load_state_dict(saved)
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                for key, value in saved["state"].items():
                    if isinstance(value, torch.Tensor):
                        state[key] = value.to(device=p.device)
                for name in ("mean", "square"):
                    if name not in state:
                        state[name] = _dequantized(state.pop(f"{name}::quantized"))

    @torch.inference_mode()
    def fill(self, model, values):
        for name, p in model.named_parameters():
            state = self.state[p]
            if "errors" not in state:
                state["errors"] = torch.zeros_like(p, dtype=torch.int8)
            p.copy_(values[name].to(p.dtype))
            state["errors"].copy_(values[name])


class _StoreOfOwn(torch.optim.Optimizer):
    def load_state_dict(self, saved):
        with torch.inference_mode():
            mean = saved["mean"] / 127
        mean.mul_(2)  # error: [IPL106]
        self.mean = mean
