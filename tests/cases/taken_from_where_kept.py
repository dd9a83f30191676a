"""What is taken out of an attribute or container, and written: in order to change it there, or as a value."""

import torch


def case_kept_before_it_is_filled():
    rows = []
    for i in range(2):
        row = torch.empty(3)
        rows.append(row)
        row.copy_(torch.full((3,), float(i)))
    return torch.stack(rows)


def case_one_element_after_some_were_chosen():
    values = [torch.zeros(3) for _ in range(4)]
    chosen = [values[i] for i in (2, 0)]
    first = values[0]
    first += 1  # warning: [IPL304]
    return chosen[1]


def case_one_element_after_some_were_chosen_cured():
    values = [torch.zeros(3) for _ in range(4)]
    chosen = [values[i] for i in (2, 0)]
    first = values[0]
    first = first + 1
    return chosen[1]


def case_masked_and_shifted():
    maps = {"a": torch.ones(3) * 3}
    mask, bias = torch.zeros(3), torch.ones(3)
    x = maps["a"]
    y = x.mul_(mask).add_(bias)  # warning: [IPL304]
    return y - maps["a"] * 2


def case_masked_and_shifted_cured():
    maps = {"a": torch.ones(3) * 3}
    mask, bias = torch.zeros(3), torch.ones(3)
    x = maps["a"]
    y = x.mul(mask).add_(bias)
    return y - maps["a"] * 2


def case_clamped_and_shifted():
    maps = {"a": torch.zeros(3)}
    x = maps["a"]
    y = x.clamp_(0.5).add_(1)  # warning: [IPL304]
    return y - maps["a"] * 2


def case_clamped_and_shifted_cured():
    maps = {"a": torch.zeros(3)}
    x = maps["a"]
    y = x.clamp(0.5).add_(1)
    return y - maps["a"] * 2


class Average:
    def __init__(self):
        self.mean = torch.ones(3)

    def update(self, x):
        centred = x - self.mean.mul_(0.9).add_(x, alpha=0.1)
        return centred / self.mean


def case_average_within_an_expression():
    return Average().update(torch.ones(3))


class Moments:
    def __init__(self):
        self.exp_avg = torch.zeros(2)
        self.mean = torch.zeros(2)

    def update(self, values):
        ea = self.exp_avg
        mean_image = self.mean
        for row in values:
            ea.add_(row - ea)
            mean_image.add_(row - mean_image)
        return self.exp_avg * 2 + self.mean


def case_names_that_stand_for_moments():
    return Moments().update(torch.ones(3, 2))


class Weights:
    def __init__(self):
        self.weights = {"a": torch.ones(3), "b": torch.ones(3)}

    def decay(self):
        total = 0
        for name in ("a", "b"):
            w = self.weights[name]
            w.mul_(0.9)
            total += w.sum() + self.weights[name].sum()
        return total


def case_each_weight_by_its_name():
    return Weights().decay()


def case_total_starts_with_the_first():
    losses = [torch.ones(3), torch.ones(3)]
    total = losses[0]
    total += losses[1]  # warning: [IPL304]
    return total - losses[0]


def case_total_starts_with_the_first_cured():
    losses = [torch.ones(3), torch.ones(3)]
    total = losses[0].clone()
    total += losses[1]
    return total - losses[0]


def case_step_from_another_list():
    weights, steps = [torch.ones(3)], [torch.ones(3), torch.ones(3)]
    w = weights[0]
    w -= steps[1]
    return w.sum() + weights[0].sum()


class Body:
    def __init__(self):
        self.position, self.velocity = torch.ones(3), torch.ones(3)

    def move(self):
        position = self.position
        position += self.velocity
        return position.norm() + self.position


def case_body_moves():
    return Body().move()


class Pair:
    def __init__(self):
        self.first, self.second = torch.ones(3), torch.ones(3)

    def normalise(self):
        divide([self.first, self.second])
        return self.first


def divide(states):
    for state in states:
        state /= state.norm()


def case_attributes_in_a_list():
    return Pair().normalise() * 2


def case_state_put_through_a_function():
    state = {"variance": torch.full((3,), 4.0)}
    v = state["variance"]
    std = v.sqrt_()  # warning: [IPL304]
    return std / state["variance"]


def case_state_put_through_a_function_cured():
    state = {"variance": torch.full((3,), 4.0)}
    v = state["variance"]
    std = v.sqrt()
    return std / state["variance"]


class Rates:
    def __init__(self):
        self.rates = {"action": torch.ones(3)}

    def decay(self):
        action = self.rates["action"]
        action.sqrt_()
        return action.sum()


def case_method_changes_its_rates():
    rates = Rates()
    total = rates.decay()
    return rates.rates["action"] * total


class Banks:
    def __init__(self):
        self.banks = {"a": torch.ones(3)}

    def grown(self, x):
        bank = self.banks["a"]
        return bank.add_(x) * 2  # warning: [IPL304]


def case_method_gives_what_it_keeps():
    banks = Banks()
    y = banks.grown(torch.ones(3))
    return y - banks.banks["a"]


class ApartBanks:
    def __init__(self):
        self.banks = {"a": torch.ones(3)}

    def grown(self, x):
        bank = self.banks["a"]
        return bank.add(x) * 2


def case_method_gives_what_it_keeps_cured():
    banks = ApartBanks()
    y = banks.grown(torch.ones(3))
    return y - banks.banks["a"]


def case_kept_under_another_key():
    weights = {"kernel": torch.ones(3)}
    groups = {"decay": weights["kernel"]}
    groups["decay"].mul_(0.9)
    return weights["kernel"] * 2


def case_dictionary_copied_by_key():
    batch = {"image": torch.ones(3), "mask": torch.ones(3)}
    clipped = {key: batch[key] for key in batch}
    clipped["image"].clamp_(max=0.5)  # warning: [IPL304]
    return batch["image"] - clipped["image"]


def case_dictionary_copied_by_key_cured():
    batch = {"image": torch.ones(3), "mask": torch.ones(3)}
    clipped = {key: batch[key].clone() for key in batch}
    clipped["image"].clamp_(max=0.5)
    return batch["image"] - clipped["image"]


class Memory:
    def __init__(self):
        self.rows = torch.ones(3)

    def put(self, x):
        target = self.rows
        target.copy_(x)
        return target.sum() + self.rows.mean()


def case_filled_under_another_name():
    return Memory().put(torch.zeros(3))


class Node:
    def __init__(self):
        self.weight = torch.ones(3)


def case_weight_of_another_node():
    first, second = Node(), Node()
    second.weight = first.weight
    second.weight.mul_(2)
    return first.weight * 2


def case_put_aside_before_it_is_changed():
    boxes = [torch.ones(3), torch.zeros(3)]
    large, total = [], 0
    for box in boxes:
        large.append(box)
        box += 1
        total += box.sum()
    return boxes[0] * total


def same(x):
    return x


def case_given_by_a_function_as_it_was():
    node = Node()
    weight = same(node.weight)
    weight.mul_(2)  # warning: [IPL304]
    return node.weight * 2


def case_given_by_a_function_as_it_was_cured():
    node = Node()
    weight = same(node.weight.clone())
    weight.mul_(2)
    return node.weight * 2


def each(rows):
    yield rows


def case_each_of_a_generator():
    node = Node()
    for weight in each(node.weight):
        weight.mul_(2)
    return node.weight * 2


def store(bank, row):
    bank["rows"][0] = row
    return bank["rows"].mean(0)


def case_stored_in_a_dictionary():
    bank = {"rows": torch.arange(6.0).view(2, 3)}
    mean = store(bank, torch.ones(3))
    return bank["rows"] + mean


def store_all(bank, rows):
    bank["rows"].copy_(rows)
    return bank["rows"].mean(0)


def case_copied_into_a_dictionary():
    bank = {"rows": torch.arange(6.0).view(2, 3)}
    mean = store_all(bank, torch.ones(2, 3))
    return bank["rows"] + mean


class Growing:
    def __init__(self):
        self.banks = {}

    def grown(self, x):
        self.banks["a"].add_(x)
        return self.banks["a"] * 2


def case_method_changes_what_it_was_given():
    growing = Growing()
    growing.banks["a"] = torch.ones(3)
    double = growing.grown(torch.ones(3))
    return double - growing.banks["a"]


class Recurrent:
    def __init__(self):
        self.state = torch.ones(3)

    def __call__(self, x):
        h = self.state
        out = h.add_(x)  # warning: [IPL304]
        return out.sum() + self.state.mean()


def case_attribute_is_called_a_state():
    return Recurrent()(torch.ones(3))


class RecurrentApart:
    def __init__(self):
        self.state = torch.ones(3)

    def __call__(self, x):
        h = self.state
        out = h.add(x)
        return out.sum() + self.state.mean()


def case_attribute_is_called_a_state_cured():
    return RecurrentApart()(torch.ones(3))


def case_doubled_where_it_is_kept():
    rows = [torch.ones(3)]
    row = rows[0]
    row += row
    return row * rows[0]


class Activated:
    def __init__(self):
        self.rows = torch.arange(3.0) - 1

    def __call__(self):
        active = self.rows.relu_()  # warning: [IPL301]
        return active - self.rows


def case_activated_where_it_is_kept():
    return Activated()()


class ActivatedApart:
    def __init__(self):
        self.rows = torch.arange(3.0) - 1

    def __call__(self):
        active = self.rows.relu()
        return active - self.rows


def case_activated_where_it_is_kept_cured():
    return ActivatedApart()()


class Factors:
    def __init__(self):
        self.factors = torch.arange(3.0) - 1

    def project(self):
        with torch.no_grad():
            factors = self.factors.relu_()
        return factors.sum() + self.factors.mean()


def case_projected_without_gradients():
    return Factors().project()


def put_first(x, out):
    rows = out
    out[0] = x
    return rows * 2


def case_another_name_for_the_output():
    return put_first(torch.ones(3), torch.zeros(2, 3))


def all_clipped(batch):
    found = []
    for image in batch["images"]:
        image.clamp_(max=0.5)  # warning: [IPL305]
        found.append(image * 2)
    return torch.stack(found)


def case_callee_loops_over_what_it_was_given():
    batch = {"images": [torch.ones(3), torch.ones(3)]}
    doubles = all_clipped(batch)
    return doubles - batch["images"][0]


def all_clipped_apart(batch):
    found = []
    for image in batch["images"]:
        found.append(image.clamp(max=0.5) * 2)
    return torch.stack(found)


def case_callee_loops_over_what_it_was_given_cured():
    batch = {"images": [torch.ones(3), torch.ones(3)]}
    doubles = all_clipped_apart(batch)
    return doubles - batch["images"][0]


def case_listed_by_value():
    weights = {"kernel": torch.ones(3), "bias": torch.ones(3)}
    listed = list(weights.values())
    listed[1].mul_(0.9)
    return weights["bias"] * 2


class Schedule:
    def __init__(self):
        self.alphas_cumprod = torch.linspace(0.1, 0.9, 4)


def ratio(schedule, steps):
    alphas = schedule.alphas_cumprod.to(device=steps.device, dtype=torch.float32)
    sigmas = (1 - alphas).sqrt()
    alphas.sqrt_()  # warning: [IPL304]
    return (alphas[steps] / sigmas[steps]).square()


def ratio_of_a_copy(schedule, steps):
    alphas = schedule.alphas_cumprod.to(device=steps.device, dtype=torch.float32)
    sigmas = (1 - alphas).sqrt()
    alphas = alphas.sqrt()
    return (alphas[steps] / sigmas[steps]).square()


def case_named_after_what_is_converted():
    schedule, steps = Schedule(), torch.tensor([0, 2])
    return ratio(schedule, steps) + ratio(schedule, steps)


def case_named_after_what_is_converted_cured():
    schedule, steps = Schedule(), torch.tensor([0, 2])
    return ratio_of_a_copy(schedule, steps) + ratio_of_a_copy(schedule, steps)


class Masks:
    def __init__(self):
        self.masks = {"a": torch.ones(3, dtype=torch.bool)}

    def prune(self, weights):
        for name, weight in weights.items():
            mask = self.masks[name]
            mask &= weight > 0.5

    def left(self):
        return sum(m.sum() for m in self.masks.values())


def case_one_of_the_masks():
    masks = Masks()
    masks.prune({"a": torch.arange(3.0)})
    return masks.left().float()


class Shekel:
    def __init__(self):
        self.beta = torch.tensor([1.0, 2.0, 4.0])

    def value(self, x):
        beta = self.beta.div_(10.0)  # warning: [IPL301]
        return (x - beta).square().sum()


class ShekelCured:
    def __init__(self):
        self.beta = torch.tensor([1.0, 2.0, 4.0])

    def value(self, x):
        beta = self.beta / 10.0
        return (x - beta).square().sum()


def case_divided_for_the_result():
    problem, x = Shekel(), torch.ones(3)
    return problem.value(x) + problem.value(x)


def case_divided_for_the_result_cured():
    problem, x = ShekelCured(), torch.ones(3)
    return problem.value(x) + problem.value(x)


class Annealed:
    def __init__(self):
        self.noise = torch.tensor([1.0, 2.0, 4.0])

    def act(self, x):
        noise = self.noise.mul_(0.99)
        return x + noise


def case_annealed():
    actor, x = Annealed(), torch.ones(3)
    return actor.act(x) + actor.act(x)


class Bounded:
    def __init__(self):
        self.eps = torch.tensor(0.2)

    @property
    def bounds(self):
        return (-self.eps).log1p(), self.eps.log1p_()  # warning: [IPL301]

    def forward(self, x):
        low, high = self.bounds
        return x.clamp(low, high)


class BoundedCured:
    def __init__(self):
        self.eps = torch.tensor(0.2)

    @property
    def bounds(self):
        return (-self.eps).log1p(), self.eps.log1p()

    def forward(self, x):
        low, high = self.bounds
        return x.clamp(low, high)


def case_a_function_of_what_is_kept_is_returned():
    bounded, x = Bounded(), torch.ones(2)
    return bounded.forward(x) + bounded.forward(x)


def case_a_function_of_what_is_kept_is_returned_cured():
    bounded, x = BoundedCured(), torch.ones(2)
    return bounded.forward(x) + bounded.forward(x)
