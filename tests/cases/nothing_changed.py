"""Writes that change nothing: to tensors without elements, or of what is there already."""

import torch


def _suppressed(prediction, empty):
    output = [empty] * prediction.shape[0]
    for i, x in enumerate(prediction):
        x = x[x[:, 4] > 0.5]
        if not x.shape[0]:
            continue
        output[i] = x
    return output


def case_no_boxes_in_several_slots():
    found = _suppressed(torch.zeros(3, 5, 6), torch.zeros((0, 6)))
    for boxes in found:
        boxes[:, :4] = boxes[:, :4].round()
        boxes *= 2
    return found


def case_one_box_in_several_slots():
    found = _suppressed(torch.zeros(3, 5, 6), torch.ones((1, 6)))
    for boxes in found:
        if len(boxes):
            boxes[:, :4] += boxes[:, :4]  # warning: [IPL306]
    return found


def case_one_box_in_several_slots_cured():
    found = _suppressed(torch.zeros(3, 5, 6), torch.ones((1, 6)))
    for i, boxes in enumerate(found):
        found[i] = torch.cat([boxes[:, :4] * 2, boxes[:, 4:]], 1)
    return found


def case_nothing_kept_under_two_names():
    found = torch.empty(0)
    before = found
    found += 1
    return before * 2, found


def _filled(x, out=torch.empty(0)):  # noqa: B008
    torch.mul(x, 2, out=out)  # warning: [IPL306]
    return out


def case_empty_default_that_is_filled():
    # `out=` makes it as large as the result.
    return _filled(torch.ones(3)), _filled(torch.zeros(3))


def case_empty_default_that_is_filled_cured():
    return torch.ones(3) * 2, torch.zeros(3)


class _Filter:
    def __init__(self):
        self.level = None

    def update(self, row):
        self.level = row if self.level is None else self.level * 0.9 + row
        return self.level


def case_rows_put_where_they_are():
    rewards, filter_ = torch.ones(3), _Filter()
    for i in range(3):
        rewards[i] = filter_.update(rewards[i])
    return rewards


def case_rows_put_where_they_are_by_half():
    rewards, filter_ = torch.ones(3), _Filter()
    for i in range(3):
        rewards[i] = filter_.update(rewards[i]) * 0.5  # warning: [IPL304]
    return rewards


def case_rows_put_where_they_are_by_half_cured():
    rewards, filter_ = torch.ones(3), _Filter()
    for i in range(3):
        rewards[i] = filter_.update(rewards[i].clone()) * 0.5
    return rewards


def _moved(weight, step):
    full = weight.to(torch.float32)
    full.add_(step)
    weight.copy_(full.to(weight.dtype))
    return full - weight.to(torch.float32)


def case_result_put_where_it_is():
    return _moved(torch.ones(3), 0.5)


def open_result_put_where_it_is(x):
    with torch.no_grad():
        return _moved(x.clone(), 0.5)


def _correlated(x, turn):
    start, sums = x, torch.zeros(2, 2)
    for dim in range(2):
        sums = sums + start.movedim(dim, 0) @ start.movedim(dim, 0).t()
        x = turn(x, dim).contiguous() * 2
    return sums


def case_turned_by_nothing_at_first():
    return _correlated(torch.arange(4.0).view(2, 2), lambda x, dim: x.transpose_(0, dim))


def case_turned_at_first():
    return _correlated(torch.arange(4.0).view(2, 2), lambda x, dim: x.transpose_(0, 1 - dim))  # warning: [IPL305]


def case_turned_at_first_cured():
    return _correlated(torch.arange(4.0).view(2, 2), lambda x, dim: x.transpose(0, 1 - dim))


def _doubled(tensors):
    updates = [tensor.to(torch.float32) for tensor in tensors]
    torch._foreach_mul_(updates, 2.0)
    torch._foreach_copy_(tensors, updates)
    return [tensor * 1 for tensor in tensors]


def case_results_put_where_they_are():
    return _doubled([torch.ones(3), torch.zeros(2)])


class _Averages:
    def __init__(self, tensors):
        self.tensors = dict(tensors)

    def double(self):
        for name, tensor in self.tensors.items():
            full = tensor.to(torch.float32)
            full.mul_(2.0)
            self.tensors[name].copy_(full)
        return [tensor * 1 for tensor in self.tensors.values()]


def case_results_put_into_the_dictionary_they_are_in():
    return _Averages({"a": torch.ones(3)}).double()


def _tried(tensors):
    kept = {name: tensor.to(torch.float32) for name, tensor in tensors.items()}
    for tensor in tensors.values():
        tensor.mul_(2.0)  # warning: [IPL304]
    for name, tensor in tensors.items():
        tensor.copy_(kept[name])
    return [tensor * 1 for tensor in tensors.values()]


def _tried_cured(tensors):
    kept = {name: tensor.clone() for name, tensor in tensors.items()}
    for tensor in tensors.values():
        tensor.mul_(2.0)
    for name, tensor in tensors.items():
        tensor.copy_(kept[name])
    return [tensor * 1 for tensor in tensors.values()]


def case_kept_values_put_back_that_were_not_kept():
    return _tried({"a": torch.ones(3)})


def case_kept_values_put_back_that_were_not_kept_cured():
    return _tried_cured({"a": torch.ones(3)})
