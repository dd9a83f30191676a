"""Calls: functions, lambdas, closures and partials of the same file."""

import functools
from functools import partial

import typing

import torch
import torch.nn.functional as F
from torch import nn


def centre(values):
    values -= values.mean()  # warning: [IPL305]
    return values


def case_argument_read_again():
    batch = torch.arange(4.0)
    centred = centre(batch)
    return centred + batch


def well_used_centre(values):
    values -= values.mean()
    return values


def case_argument_read_again_cured():
    batch = torch.arange(4.0)
    centred = well_used_centre(batch.clone())
    return centred + batch


def case_argument_rebound():
    batch = torch.arange(4.0)
    batch = well_used_centre(batch)
    return batch + 1


def case_argument_is_a_temporary():
    batch = torch.arange(4.0)
    centred = well_used_centre(batch * 2)
    return centred + batch


def scale_(values, factor):
    values *= factor
    return values


def case_name_says_that_it_writes():
    batch = torch.ones(3)
    scale_(batch, 2.0)
    return batch


def scaled(values, factor):
    values = values * factor
    values += 1
    return values


def case_argument_is_not_what_is_written():
    batch = torch.ones(3)
    return scaled(batch, 2.0) + batch


def leaf_shift(values):
    values += 1  # error: [IPL101]
    return values


def case_leaf_written_by_a_helper():
    return leaf_shift(torch.ones(3, requires_grad=True))


def shift(values):
    values += 1
    return values


def case_plain_data_written_by_a_helper():
    return shift(torch.ones(3))


def case_result_of_addition_written_by_a_helper():
    x = torch.ones(3, requires_grad=True)
    shift(x + 1).sum().backward()
    return x.grad


def shift_saved(values):
    values += 1  # error: [IPL202]
    return values


def case_saved_result_written_by_a_helper():
    x = torch.ones(3, requires_grad=True)
    shift_saved(x.exp()).sum().backward()
    return x.grad


def saves_its_argument(values):
    return values**2


def case_helper_saved_its_argument():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    squares = saves_its_argument(h)
    h += 1  # error: [IPL201]
    squares.sum().backward()
    return x.grad


def case_lambda_writes():
    x = torch.randn(4)
    activate = lambda t: F.relu(t, inplace=True)  # noqa: E731  # warning: [IPL305]
    y = activate(x)
    return y - x


def case_lambda_writes_cured():
    x = torch.randn(4)
    activate = lambda t: F.relu(t)  # noqa: E731
    y = activate(x)
    return y - x


def case_function_value_writes():
    x = torch.randn(4)
    activate = torch.relu_
    y = activate(x)  # warning: [IPL301]
    return y - x


def case_function_value_writes_cured():
    x = torch.randn(4)
    activate = torch.relu
    y = activate(x)
    return y - x


def case_partial_writes():
    x = torch.randn(4)
    activate = partial(F.relu, inplace=True)
    y = activate(x)  # warning: [IPL301]
    return y - x


def case_partial_writes_cured():
    x = torch.randn(4)
    activate = partial(F.relu, inplace=False)
    y = activate(x)
    return y - x


def apply(function, x, **options):
    return function(x, **options)


def case_options_passed_on():
    x = torch.randn(4, requires_grad=True)
    h = apply(F.relu, x * 2, inplace=True)
    h = apply(torch.add, h, other=1)
    h.sum().backward()
    return x.grad


def case_closure_writes():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()

    def bump():
        y.add_(1)  # error: [IPL202]

    bump()
    y.sum().backward()
    return x.grad


def case_closure_reads():
    x = torch.rand(3, requires_grad=True)
    total = torch.zeros(3)

    def accumulate(value):
        total.add_(value)

    accumulate(x)
    accumulate(x * 2)
    total.sum().backward()
    return x.grad


def accumulate_forever(value, total=torch.zeros(())):
    total += value  # warning: [IPL306]
    return total * 1


def case_default_argument_written():
    return [accumulate_forever(1.0), accumulate_forever(1.0)]


def accumulate_once(value, total=None):
    total = torch.zeros(()) if total is None else total.clone()
    total += value
    return total * 1


def case_default_argument_written_cured():
    return [accumulate_once(1.0), accumulate_once(1.0)]


def pair(x):
    return x, x * 2


def case_tuple_returned():
    x = torch.randn(3)
    same, double = pair(x)
    double += 1
    return same + double


def case_returned_alias_written():
    x = torch.randn(3)
    same, double = pair(x)
    same.zero_()  # warning: [IPL303]
    return x + double


def case_returned_alias_written_cured():
    x = torch.randn(3)
    same, double = pair(x)
    same = torch.zeros_like(same)
    return x + double


def factorial(n, total):
    if n < 2:
        return total
    return factorial(n - 1, total * n)


def case_recursion():
    x = torch.ones(3, requires_grad=True)
    factorial(3, x).sum().backward()
    return x.grad


@typing.overload
def _stubbed(values: int) -> int: ...
@typing.overload
def _stubbed(values: torch.Tensor) -> torch.Tensor: ...
def _stubbed(values):
    y = values.exp()
    y += 1  # error: [IPL202]
    return y


def case_function_behind_its_overloads():
    _stubbed(torch.rand(2, requires_grad=True)).sum().backward()


def _dropped(labels):
    chosen = torch.tensor([True, False])
    labels[chosen] = 9  # warning: [IPL305]
    return labels


def case_item_at_a_tensor_tells_that_it_is_a_tensor():
    labels = vars(torch)["arange"](2)
    dropped = _dropped(labels)
    return dropped + labels


def _dropped_anew(labels):
    return labels.masked_fill(torch.tensor([True, False]), 9)


def case_item_at_a_tensor_tells_that_it_is_a_tensor_cured():
    labels = vars(torch)["arange"](2)
    dropped = _dropped_anew(labels)
    return dropped + labels


class _Rescaled:
    def __init__(self, invert):
        self.factor = torch.full((), 2.0)
        self.invert = invert

    def error(self, prediction, target):
        return (self.invert(self.factor, prediction * 1) - self.invert(self.factor, target)).abs().mean().item()


def _inverted(factor, data):
    data *= factor  # warning: [IPL305]
    return data


def _inverted_anew(factor, data):
    return data * factor


def _errors(invert):
    rescaled = _Rescaled(invert)
    batches = [(torch.rand(3), torch.ones(3))]
    total = 0.0
    for _ in range(2):
        for prediction, target in batches:
            total += rescaled.error(prediction, target)
    return total, batches[0][1]


def case_helper_of_what_gives_a_number():
    return _errors(_inverted)


def case_helper_of_what_gives_a_number_cured():
    return _errors(_inverted_anew)


def _grown(totals, values):
    totals += values


def _counted(totals, values):
    _grown(totals, values)
    return values.sum().item()


def case_total_grows_in_what_gives_a_number():
    totals = torch.zeros(3)
    counts = [_counted(totals, torch.ones(3)) for _ in range(2)]
    return counts, totals


def _halves_its_weight(forward):
    @functools.wraps(forward)
    def wrapper(self, x):
        out = forward(self, x)
        self.halve()
        return out

    return wrapper


class _Halving:
    @torch.no_grad()
    def halve(self):
        self.weight.div_(2)  # error: [IPL203]


class HalvedLinear(_Halving, torch.nn.Linear):
    @_halves_its_weight
    def forward(self, x):
        return super().forward(x)


def case_a_decorator_writes_behind_the_function():
    HalvedLinear(3, 3)(torch.ones(1, 3, requires_grad=True)).sum().backward()


def _halves_at_first(forward):
    @functools.wraps(forward)
    def wrapper(self, x):
        self.halve_before()
        return forward(self, x)

    return wrapper


class HalvedBefore(torch.nn.Linear):
    @torch.no_grad()
    def halve_before(self):
        self.weight.div_(2)

    @_halves_at_first
    def forward(self, x):
        return super().forward(x)


def case_a_decorator_writes_before_the_function():
    layer, x = HalvedBefore(3, 3), torch.ones(1, 3, requires_grad=True)
    layer(x).sum().backward()
    return x.grad.shape


def _clearing(times):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            out = function(*args, **kwargs)
            for _ in range(times):
                out.detach().zero_()  # error: [IPL202]
            return out

        return wrapper

    return decorator


def _named(name):
    def decorator(function):
        function.label = name
        return function

    return decorator


@_named("gate")
@_clearing(2)
def _cleared_gate(x):
    return torch.sigmoid(x)


def case_one_of_several_decorators_writes():
    _cleared_gate(torch.ones(3, requires_grad=True)).sum().backward()


class _Gates:
    def __init__(self, weight):
        self.weight = weight

    @property
    @_clearing(1)
    def gate(self):
        return torch.sigmoid(self.weight)


def case_a_property_with_a_decorator_that_writes():
    _Gates(torch.ones(3, requires_grad=True)).gate.sum().backward()


def _scaling(function):
    @functools.wraps(function)
    def wrapper(x, *args):
        return function(x.detach().clone().mul_(2), *args)

    return wrapper


@torch.no_grad()
@_scaling
def _scaled_gate(x):
    return torch.sigmoid(x)


def case_a_decorator_within_the_mode_of_another():
    x = torch.ones(3, requires_grad=True)
    gate = _scaled_gate(x)
    return gate.requires_grad, x.grad is None


class _Child:
    def __init__(self, h):
        self.h = h


def _pooled(states):
    total = states[0]
    for state in states[1:]:
        total += state  # warning: [IPL304]
    return total


def _pooled_anew(states):
    total = states[0]
    for state in states[1:]:
        total = total + state
    return total


def case_a_callee_adds_to_the_first_of_a_list():
    children = [_Child(torch.ones(3)), _Child(torch.ones(3))]
    pooled = _pooled([child.h for child in children])
    return pooled * children[0].h


def case_a_callee_adds_to_the_first_of_a_list_cured():
    children = [_Child(torch.ones(3)), _Child(torch.ones(3))]
    pooled = _pooled_anew([child.h for child in children])
    return pooled * children[0].h


class Motor(nn.Module):
    """What a function calls otherwise than its parameter, and gives back, it has made: no state is brought up to date."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), 3.0))
        self.layer = nn.Linear(2, 2)

    def outputs(self, state):
        output = state
        output += self.weight  # warning: [IPL305]
        return output

    def forward(self, state):
        following = self.layer(state)
        return self.outputs(following), following


def case_state_changed_by_another_name():
    outputs, state = Motor()(torch.ones(1, 2))
    return outputs, state * 1


class CarefulMotor(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), 3.0))
        self.layer = nn.Linear(2, 2)

    def outputs(self, state):
        return state + self.weight

    def forward(self, state):
        following = self.layer(state)
        return self.outputs(following), following


def case_state_changed_by_another_name_cured():
    outputs, state = CarefulMotor()(torch.ones(1, 2))
    return outputs, state * 1


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def counted(self, x, state):
        first = state[:, :1]
        first += x[:, :1]
        return x * 2

    def forward(self, x):
        state = self.layer(x)
        twice = self.counted(x, state)
        return twice + state


def case_state_brought_up_to_date_by_another_name():
    return Counting()(torch.ones(1, 2))


def _tried(function):
    @functools.wraps(function)
    def wrapper(*args, **options):
        try:
            return function(*args, **options)
        except RuntimeError:
            return function(*args, **options)

    return wrapper


@_tried
def _adds_to_norm(norm, values):
    norm.add_(values.square().sum())


@_tried
def _normalized(norm, values):
    return values / norm.sqrt()


def case_a_decorated_procedure_fills_what_the_next_one_reads():
    norm, values = torch.zeros(()), torch.tensor([3.0, 4.0])
    _adds_to_norm(norm, values)
    return _normalized(norm, values)


@_tried
def _clipped(values):
    values.clamp_(0, 1)  # warning: [IPL305]
    return values * 2


def case_a_decorated_function_changes_its_argument():
    values = torch.tensor([3.0, -4.0])
    doubled = _clipped(values)
    return doubled + values


@_tried
def _clipped_copy(values):
    return values.clamp(0, 1) * 2


def case_a_decorated_function_changes_its_argument_cured():
    values = torch.tensor([3.0, -4.0])
    doubled = _clipped_copy(values)
    return doubled + values
