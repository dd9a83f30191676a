"""Two names for one tensor: a second name is not a copy."""

import numpy as np
import torch
import torch.nn.functional as F


def case_identity_then_statement():
    x = torch.randn(4)
    identity = x
    x.relu_()  # warning: [IPL303]
    return x + identity


def case_identity_then_statement_cured():
    x = torch.randn(4)
    identity = x.clone()
    x.relu_()
    return x + identity


def case_identity_then_rebinding():
    x = torch.randn(4)
    identity = x
    x = F.relu(x, inplace=True)  # warning: [IPL303]
    return x + identity


def case_identity_then_rebinding_cured():
    x = torch.randn(4)
    identity = x
    x = F.relu(x)
    return x + identity


def case_names_part_at_a_new_tensor():
    x = torch.randn(4)
    identity = x
    x = x * 2
    x.relu_()
    return x + identity


def case_names_part_before_augmented_assignment():
    x = torch.randn(4)
    total = x.clone()
    total += 1
    return total + x


def case_unpacked_alias():
    a = torch.ones(3)
    a, b = a, a
    a.mul_(2)  # warning: [IPL303]
    return b + 1


def case_unpacked_alias_cured():
    a = torch.ones(3)
    a, b = a, a.clone()
    a.mul_(2)
    return b + 1


def case_detach_is_an_alias():
    weight = torch.ones(3)
    before = weight.detach()
    weight.mul_(0.5)  # warning: [IPL303]
    return before - weight


def case_detach_is_an_alias_cured():
    weight = torch.ones(3)
    before = weight.detach().clone()
    weight.mul_(0.5)
    return before - weight


def case_float_of_a_float_is_an_alias():
    x = torch.randn(4)
    centred = x.float()
    centred -= 1.0  # warning: [IPL303]
    return centred * x


def case_float_of_a_float_is_an_alias_cured():
    x = torch.randn(4)
    centred = x.float().clone()
    centred -= 1.0
    return centred * x


def case_double_of_a_float_is_a_copy():
    x = torch.randn(4)
    centred = x.double()
    centred -= 1.0
    return centred * x


def case_contiguous_is_an_alias():
    x = torch.randn(4)
    kept = x.contiguous()
    x.zero_()  # warning: [IPL303]
    return kept + 1


def case_contiguous_is_an_alias_cured():
    x = torch.randn(4)
    kept = x.contiguous().clone()
    x.zero_()
    return kept + 1


def case_contiguous_of_a_transpose_is_a_copy():
    x = torch.randn(2, 3)
    kept = x.t().contiguous()
    x.zero_()
    return kept + 1


def case_dropout_in_evaluation_is_an_alias():
    x = torch.randn(4)
    dropped = F.dropout(x, 0.5, training=False)
    x.zero_()  # warning: [IPL303]
    return dropped + 1


def case_dropout_in_evaluation_is_an_alias_cured():
    x = torch.randn(4)
    dropped = F.dropout(x, 0.5, training=False).clone()
    x.zero_()
    return dropped + 1


def case_alias_never_read_again():
    x = torch.randn(4)
    y = x
    y += 1
    return y


def case_only_the_shape_of_the_alias():
    x = torch.randn(4)
    identity = x
    x.relu_()
    return x / identity.shape[0]


def case_alias_read_before_the_write():
    x = torch.randn(4)
    identity = x
    norm = identity.norm()
    x.relu_()
    return x / norm


def case_alias_overwritten_before_it_is_read():
    x = torch.randn(4)
    kept = x
    x.relu_()
    kept = x * 2
    return kept


def case_new_name_then_old_name():
    x = torch.randn(4)
    y = F.relu(x, inplace=True)  # warning: [IPL301]
    z = torch.sigmoid(x)
    return y + z


def case_new_name_then_old_name_cured():
    x = torch.randn(4)
    y = F.relu(x)
    z = torch.sigmoid(x)
    return y + z


def case_new_name_and_old_name_filled_again():
    x = torch.randn(4)
    y = x.mul_(2)
    x = torch.ones(4)
    return y + x


def case_filler_result_bound():
    x = torch.empty(4)
    y = x.fill_(3.0)
    return y + x


def case_same_expression():
    x = torch.randn(4)
    return x * torch.sigmoid_(x)  # warning: [IPL302]


def case_same_expression_cured():
    x = torch.randn(4)
    return x * torch.sigmoid(x)


def case_same_expression_in_a_call():
    x = torch.randn(4)
    return torch.cat([x, x.neg_()])  # warning: [IPL302]


def case_same_expression_in_a_call_cured():
    x = torch.randn(4)
    return torch.cat([x, x.neg()])


def case_same_expression_reads_a_copy():
    x = torch.randn(4)
    return x.clone() * torch.sigmoid_(x)


def case_same_expression_was_computed_before():
    x = torch.randn(4)
    return (x + 1) * x.sigmoid_()


def case_alias_of_a_saved_result():
    x = torch.randn(3, requires_grad=True)
    gate = x.sigmoid()
    scaled = gate
    scaled *= 2  # error: [IPL202]
    scaled.sum().backward()
    return x.grad


def _image(tensor):
    array = tensor.detach().cpu().numpy()
    array -= array.min()  # warning: [IPL305]
    return array.copy()


def case_array_of_a_gradient():
    x = torch.rand(3, requires_grad=True)
    (x * x).sum().backward()
    image = _image(x.grad)
    return x.grad.sign(), torch.from_numpy(image)


def _windows(image):
    return image.unfold(0, 2, 2)


def _centred(image):
    windows = _windows(image)
    windows -= windows.mean()  # warning: [IPL305]
    return windows.reshape(-1)


def case_view_given_by_a_function():
    image = torch.rand(4)
    first = _centred(image)
    return first, image * 2


class _Output:
    def __init__(self, logits):
        self.logits = logits


def _sharpened(output):
    scaled = output.logits.div_(0.5)  # warning: [IPL305]
    return scaled.softmax(-1)


def case_attribute_of_what_a_callee_was_given():
    output = _Output(torch.rand(3))
    sharp = _sharpened(output)
    return sharp, output.logits.logsumexp(-1)


def case_array_of_a_gradient_cured():
    x = torch.rand(3, requires_grad=True)
    (x * x).sum().backward()
    image = x.grad - x.grad.min()
    return x.grad.sign(), image


def case_view_given_by_a_function_cured():
    image = torch.rand(4)
    windows = image.unfold(0, 2, 2)
    return (windows - windows.mean()).reshape(-1), image * 2


def case_attribute_of_what_a_callee_was_given_cured():
    output = _Output(torch.rand(3))
    return (output.logits / 0.5).softmax(-1), output.logits.logsumexp(-1)


def _shuffled_mean(targets):
    labels = targets.numpy()
    np.multiply(labels, 2, out=labels)  # warning: [IPL305]
    return float(labels.mean())


def case_array_written_through_out():
    targets = torch.rand(3)
    mean = _shuffled_mean(targets)
    return targets * mean


def case_array_written_through_out_cured():
    targets = torch.rand(3)
    return targets * float((targets.numpy() * 2).mean())


def _cut(image, at):
    image[at : at + 1] = 0  # warning: [IPL305]
    return image


def _dimmed(image, at):
    return _cut(image, at) * 0.5


def case_two_crops_of_one_image():
    image = torch.rand(4)
    first = _dimmed(image, int(torch.randint(0, 1, ())))
    return first, _dimmed(image, 2)


def case_two_crops_of_one_image_cured():
    image = torch.rand(4)
    mask = torch.tensor([0.0, 1, 1, 1])
    return image * mask * 0.5, image * mask.flip(0).roll(-1) * 0.5


def case_slices_that_overlap():
    rows = torch.rand(6)
    first, rest = rows[:4], rows[2:]
    first *= 2  # a part of `rest` changes, as slices do
    return first, rest


def case_targets_in_the_memory_of_the_predictions():
    q_values = vars(F)["silu"](torch.arange(3.0))  # nobody can see that it requires no grad
    targets = q_values.detach()
    targets[0] = 1.0  # warning: [IPL303]
    return F.smooth_l1_loss(q_values, targets)


def case_targets_in_the_memory_of_the_predictions_cured():
    q_values = vars(F)["silu"](torch.arange(3.0))
    targets = q_values.detach().clone()
    targets[0] = 1.0
    return F.smooth_l1_loss(q_values, targets)


class _Ensemble:
    def __init__(self):
        self.accumulated = torch.ones(4, 2)

    def targets(self, rows):
        return self.accumulated[rows]

    def update(self, rows, values):
        stored = self.accumulated[rows]
        stored.mul_(0.5).add_(values, alpha=0.5)


class _Scaled(_Ensemble):
    def scaled(self, rows):
        taken = self.accumulated[rows]
        taken.mul_(2.0)  # warning: [IPL304]
        return taken


def case_part_of_the_state_is_changed_on_purpose():
    ensemble = _Ensemble()
    ensemble.update(slice(0, 2), torch.zeros(2, 2))
    return ensemble.accumulated.sum()


def case_part_of_the_state_is_taken_out_to_be_used():
    ensemble = _Scaled()
    first = ensemble.scaled(slice(0, 2))
    return first, ensemble.accumulated.sum()


def case_part_of_the_state_is_taken_out_to_be_used_cured():
    ensemble = _Ensemble()
    first = ensemble.accumulated[slice(0, 2)] * 2.0
    return first, ensemble.accumulated.sum()


def case_range_of_rows_is_a_view():
    ensemble = _Ensemble()
    values = torch.ones(2, 2, requires_grad=True)
    rows = slice(0, 2)
    product = values * ensemble.targets(rows)
    ensemble.accumulated[rows].mul_(0.5)  # error: [IPL201]
    product.sum().backward()
    return values.grad


class _Balancer:
    def __init__(self):
        self.scales = {}

    def observe(self, terms):
        for name, value in terms.items():
            if name not in self.scales:
                self.scales[name] = value.clone()
            else:
                self.scales[name].mul_(0.5).add_(value, alpha=0.5)
        return len(terms)


def _trained(balancer):
    return [balancer.observe({"depth": torch.ones(2), "seg": torch.zeros(2)}) for _ in range(2)]


def case_state_of_an_object_that_is_passed_around():
    balancer = _Balancer()
    balancer.observe({"depth": torch.zeros(2), "seg": torch.ones(2)})
    counts = _trained(balancer)
    return counts, balancer.scales["depth"], balancer.scales["seg"]


def case_entries_with_computed_keys():
    totals = {name: torch.zeros(2) for name in ("weight", "bias")}
    for name in ("weight", "bias"):
        squared = totals[name]
        squared += torch.ones(2)
    return [totals[name] * 2 for name in ("weight", "bias")]


class _Fused(torch.nn.Module):
    def __init__(self, scaled):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.scaled = scaled

    def fused(self, scale):
        return self.scaled(self.linear, scale)


def _scaled_itself(linear, scale):
    kernel = linear.weight.detach()
    kernel *= scale  # warning: [IPL304]
    return kernel, linear.bias.detach() * scale


def _scaled_anew(linear, scale):
    return linear.weight.detach() * scale, linear.bias.detach() * scale


def _updated(linear, scale):
    weight = linear.weight.detach()
    weight.mul_(scale)
    return scale


def _fused_and_run(scaled):
    model = _Fused(scaled)
    fused = model.fused(torch.full((2, 1), 0.5))
    return fused, model.linear(torch.ones(3))


def case_weights_without_history_are_used():
    return _fused_and_run(_scaled_itself)


def case_weights_without_history_are_used_cured():
    return _fused_and_run(_scaled_anew)


def case_weights_without_history_are_updated():
    return _fused_and_run(_updated)


def _drawn_into(action, values):
    noise = action.data.normal_(0, 0.2)  # warning: [IPL301]
    return values * action + noise.clamp(-0.5, 0.5)


def _drawn_anew(action, values):
    noise = torch.empty_like(action).normal_(0, 0.2)
    return values * action + noise.clamp(-0.5, 0.5)


def _batch():
    return torch.full((2, 2), 3.0), torch.ones(2, 2)


def case_noise_drawn_into_what_is_used():
    return _drawn_into(*_batch())


def case_noise_drawn_into_what_is_used_cured():
    return _drawn_anew(*_batch())


def case_a_row_is_subtracted_from_all():
    x = torch.rand(4, 3)
    x -= x[0]  # error: [IPL104]
    return x


def case_a_row_is_subtracted_from_all_cured():
    x = torch.rand(4, 3)
    x -= x[0].clone()
    return x


def case_the_last_element_is_subtracted_from_all():
    curve = torch.linspace(0.1, 0.9, 5).sqrt()
    first, last = curve[0], curve[-1]
    curve -= last  # error: [IPL104]
    return curve * first


def case_the_first_row_as_a_range():
    x = torch.rand(4, 3)
    return x.div_(x[:1])  # error: [IPL104]


def case_all_rows_become_the_first():
    x = torch.rand(4, 3)
    x[:] = x[0]
    return x


def case_columns_are_moved_up():
    x = torch.arange(8.0).reshape(2, 4)
    x[:, 1:] = x[:, :-1]  # warning: [IPL104]
    return x


def case_columns_are_moved_up_cured():
    x = torch.arange(8.0).reshape(2, 4)
    x[:, 1:] = x[:, :-1].clone()
    return x


def case_columns_are_moved_up_by_a_number():
    def moved(x, n):
        x[:, n:] = x[:, :-n]  # warning: [IPL104]
        return x

    return moved(torch.arange(8.0).reshape(2, 4), 1)


def case_columns_are_moved_up_by_a_number_cured():
    def moved(x, n):
        x[:, n:] = x[:, :-n].clone()
        return x

    return moved(torch.arange(8.0).reshape(2, 4), 1)


def case_columns_are_moved_down():
    x = torch.arange(8.0).reshape(2, 4)
    x[:, :-1] = x[:, 1:]
    return x


def case_the_first_column_is_subtracted_from_all():
    x = torch.rand(4, 3)
    x -= x[:, :1]  # warning: [IPL104]
    return x


def case_the_first_column_is_subtracted_from_all_cured():
    x = torch.rand(4, 3)
    x -= x[:, :1].clone()
    return x


def case_the_first_column_is_subtracted_from_the_others():
    x = torch.rand(4, 3)
    x[:, 1:] -= x[:, :1]
    return x


def case_all_columns_become_the_first():
    x = torch.rand(4, 3)
    x[:] = x[:, :1]
    return x


def case_the_last_value_is_added_back():
    x = torch.rand(2, 5, 3)
    last = x[:, -1:, :].detach()
    x -= last  # warning: [IPL303]
    return x * 2 + last


def case_the_last_value_is_added_back_cured():
    x = torch.rand(2, 5, 3)
    last = x[:, -1:, :].detach().clone()
    x -= last
    return x * 2 + last


def _rotated(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    x[..., 0::2] = even * cos - odd * sin  # warning: [IPL303]
    x[..., 1::2] = odd * cos + even * sin
    return x


def _rotated_anew(x, cos, sin):
    even, odd = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = even * cos - odd * sin
    x[..., 1::2] = odd * cos + even * sin
    return x


def case_lanes_of_what_a_loop_takes():
    given = [torch.arange(8.0).reshape(2, 4), torch.ones(2, 4)]
    return [_rotated(t, torch.tensor(0.5), torch.tensor(2.0)) for t in given]


def case_lanes_of_what_a_loop_takes_cured():
    given = [torch.arange(8.0).reshape(2, 4), torch.ones(2, 4)]
    return [_rotated_anew(t, torch.tensor(0.5), torch.tensor(2.0)) for t in given]


def case_two_names_at_once():
    x, a, b = torch.rand(3), torch.rand(3), torch.rand(3)
    first = second = x + 1
    scores = first.mul_(a).sum()  # warning: [IPL303]
    return scores + (second * b).sum()


def case_two_names_at_once_cured():
    x, a, b = torch.rand(3), torch.rand(3), torch.rand(3)
    first = second = x + 1
    scores = (first * a).sum()
    return scores + (second * b).sum()


def case_one_of_two_names_bound_anew():
    first = second = torch.rand(3)
    first = first * 2
    first.mul_(3)
    return first + second


def case_samples_drawn_from_what_the_last_one_overwrote():
    chances = torch.tensor([0.2, 0.7, 0.4])
    start = chances.detach().numpy()
    total = torch.zeros(3)
    for turn in range(3):
        drawn = torch.from_numpy((start * (turn + 1) > 0.6).astype("float32"))
        chances.copy_(drawn)  # warning: [IPL303]
        total = total + chances
    return total


def case_samples_drawn_from_what_the_last_one_overwrote_cured():
    chances = torch.tensor([0.2, 0.7, 0.4])
    start = chances.detach().clone().numpy()
    total = torch.zeros(3)
    for turn in range(3):
        drawn = torch.from_numpy((start * (turn + 1) > 0.6).astype("float32"))
        chances.copy_(drawn)
        total = total + chances
    return total
