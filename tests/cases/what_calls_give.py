"""What a call gives, and how it was called, tells whether it was to change what it was given."""

import torch


def normalised(x):
    x /= x.norm()  # warning: [IPL305]
    return x


def with_unit(x):
    unit = normalised(x)
    return unit, x


def case_result_and_argument_are_one():
    unit, whole = with_unit(torch.tensor([3.0, 4.0]))
    return whole - unit


def with_unit_of_copy(x):
    unit = x / x.norm()
    return unit, x


def case_result_and_argument_are_one_cured():
    unit, whole = with_unit_of_copy(torch.tensor([3.0, 4.0]))
    return whole - unit


def limit(weights, most):
    values = weights.detach()
    norm = values.norm().item()
    values *= most / max(norm, most)
    return norm


def case_limited_through_detach():
    weights = torch.tensor([3.0, 4.0])
    norm = limit(weights, 1.0)
    return weights * norm


def bright(image):
    image *= 255  # warning: [IPL305]
    return image


def show(image):
    print(bright(image))


def case_shown():
    image = torch.arange(3.0)
    show(image)
    return image.mean()


def show_copy(image):
    print(image * 255)


def case_shown_cured():
    image = torch.arange(3.0)
    show_copy(image)
    return image.mean()


def darkened(image):
    image[image > 0.5] = 0.5  # warning: [IPL305]
    return image * 2


def case_one_of_a_list():
    images = [torch.arange(3.0), torch.arange(3.0)]
    image = images[0]
    double = darkened(image)
    return double - images[0]


def darkened_copy(image):
    return image.clamp(max=0.5) * 2


def case_one_of_a_list_cured():
    images = [torch.arange(3.0), torch.arange(3.0)]
    image = images[0]
    double = darkened_copy(image)
    return double - images[0]


def dark(image):
    image[image > 0.5] = 0.5  # warning: [IPL305]
    return image * 2


def all_dark(images):
    found = []
    for image in images:
        found.append(dark(image))
    return torch.stack(found)


def case_loop_of_a_callee():
    images = [torch.arange(3.0), torch.arange(3.0)]
    doubles = all_dark(images)
    return doubles - images[0]


def all_darkened_copies(images):
    found = []
    for image in images:
        found.append(darkened_copy(image))
    return torch.stack(found)


def case_loop_of_a_callee_cured():
    images = [torch.arange(3.0), torch.arange(3.0)]
    doubles = all_darkened_copies(images)
    return doubles - images[0]


def attacked(weight, noise):
    for _ in range(2):
        moved = noise.clone().requires_grad_(True)
        loss = (weight * moved).square().sum()
        loss.backward()
        noise += moved.grad.sign()  # warning: [IPL305]
    return noise


def case_attacked_again():
    weight, noise = torch.ones(2), torch.ones(2)
    total = 0
    for _ in range(2):
        total = total + attacked(weight, noise).sum()
    return total


def attacked_apart(weight, noise):
    for _ in range(2):
        moved = noise.clone().requires_grad_(True)
        loss = (weight * moved).square().sum()
        loss.backward()
        noise = noise + moved.grad.sign()
    return noise


def case_attacked_again_cured():
    weight, noise = torch.ones(2), torch.ones(2)
    total = 0
    for _ in range(2):
        total = total + attacked_apart(weight, noise).sum()
    return total


def residual(x, weights):
    start = x.sum()
    for weight in weights:
        share = weight.mean() * 2
        x -= share  # warning: [IPL305]
    return start * x.sum()


def case_residual_of_each_epoch():
    x, weights = torch.ones(3), torch.ones(2, 3)
    found = []
    for _ in range(2):
        found.append(residual(x, weights))
    return torch.stack(found)


def residual_apart(x, weights):
    start = x.sum()
    for weight in weights:
        share = weight.mean() * 2
        x = x - share
    return start * x.sum()


def case_residual_of_each_epoch_cured():
    x, weights = torch.ones(3), torch.ones(2, 3)
    found = []
    for _ in range(2):
        found.append(residual_apart(x, weights))
    return torch.stack(found)


def spread(x):
    x -= x.mean()  # warning: [IPL305]
    width = x.std()
    x /= width  # warning: [IPL305]
    return x.square().sum() * width


def case_spread_of_each_epoch():
    x = torch.arange(3.0) * 2
    found = []
    for _ in range(2):
        found.append(spread(x))
    return torch.stack(found)


def spread_apart(x):
    x = x - x.mean()
    width = x.std()
    x /= width
    return x.square().sum() * width


def case_spread_of_each_epoch_cured():
    x = torch.arange(3.0) * 2
    found = []
    for _ in range(2):
        found.append(spread_apart(x))
    return torch.stack(found)


def attend(x, kv_cache):
    kv_cache[0] = x
    return x * kv_cache[1]


def case_parameter_is_called_a_cache():
    cache = torch.ones(2, 3)
    y = attend(torch.zeros(3), cache)
    return y + cache


class Policy:
    def __init__(self):
        self.log_std = torch.ones(2)
        self.hits = torch.ones(2)

    def count(self, x):
        return self.hits.add_(x) * 2


def anneal(policy):
    policy.log_std.sub_(0.1)
    return policy.log_std.exp()


def case_attribute_changed_by_a_statement():
    policy = Policy()
    std = anneal(policy)
    return std + policy.log_std


def case_own_attribute_changed_by_a_method():
    policy = Policy()
    total = policy.count(torch.ones(2))
    return policy.hits / total


def stretched(policy):
    std = policy.log_std.exp_()  # warning: [IPL301]
    return std - policy.log_std


def case_attribute_of_another_put_through_a_function():
    return stretched(Policy())


def stretched_copy(policy):
    std = policy.log_std.exp()
    return std - policy.log_std


def case_attribute_of_another_put_through_a_function_cured():
    return stretched_copy(Policy())


def adder(total):
    def add():
        total.add_(1)
        return total * 2

    return add


class Adding:
    def __init__(self):
        self.total = torch.zeros(3)

    def adder(self):
        return adder(self.total)


def case_made_by_a_method():
    adding = Adding()
    add = adding.adder()
    double = add()
    return double + adding.total


def remember(image):
    global last
    last = image


def case_loop_changes_what_was_remembered():
    images = [torch.ones(3), torch.ones(3)]
    for image in images:
        remember(image)
        last.mul_(2)
    return images[0] * 2


def case_closure_counts():
    total = torch.arange(3.0)

    def add(value):
        total.add_(value)
        return total * 2

    double = add(torch.ones(3))
    double += 1
    return double + total


def halved(x, with_scale=False):
    x.div_(2)
    rounded = torch.round(x)
    x.copy_(rounded)
    return (x, 2, None) if with_scale else x.mul_(2)


def case_first_of_a_result_is_dropped():
    weight = torch.arange(4.0)
    halved(weight, with_scale=True)[0]
    return weight.clone()


def rounded_half(x):
    x.div_(2)
    rounded = torch.round(x)
    x.copy_(rounded)  # warning: [IPL305]
    return (x * 2, 2)


def case_first_of_a_result_is_used():
    weight = torch.arange(4.0)
    rounded = rounded_half(weight)[0]
    return (weight - rounded).abs().sum()


def case_first_of_a_result_is_used_cured():
    weight = torch.arange(4.0)
    rounded = torch.round(weight / 2) * 2
    return (weight - rounded).abs().sum()


class Weighted:
    def __init__(self):
        self.weight = torch.arange(3.0) / 3


def in_halves(x, copied=False):
    if copied:
        return x.clone()
    halves = torch.round(x * 2) / 2
    x.copy_(halves)
    return x


def case_result_takes_the_place_of_the_argument():
    layer = Weighted()
    layer.weight = in_halves(layer.weight)
    return layer.weight.abs().max()


def coarse(x, copied=False):
    if copied:
        return x.clone()
    halves = torch.round(x * 2) / 2
    x.copy_(halves)  # warning: [IPL305]
    return x


def case_result_stands_beside_the_argument():
    layer = Weighted()
    halves = coarse(layer.weight)
    return (layer.weight - halves).abs().sum()


def case_result_stands_beside_the_argument_cured():
    layer = Weighted()
    halves = torch.round(layer.weight * 2) / 2
    return (layer.weight - halves).abs().sum()
