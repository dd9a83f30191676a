"""What libraries write, and is right or wrong by little: chains, results put back, buffers, copies, hooks of leaves."""

import contextlib
import copy
import dataclasses

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def case_chain_of_writes_that_stands_alone():
    a = torch.arange(9.0).view(3, 3)
    a.tril_().diagonal(dim1=-2, dim2=-1).mul_(0.5)
    return a


def case_chain_whose_result_gets_a_name():
    a = torch.arange(9.0).view(3, 3)
    halved = a.tril_().mul(0.5)  # warning: [IPL301]
    return halved + a


def case_chain_whose_result_gets_a_name_cured():
    a = torch.arange(9.0).view(3, 3)
    halved = a.tril().mul(0.5)
    return halved + a


def case_result_put_back_where_it_came_from():
    points, boxes = torch.ones(3, 2), torch.ones(3, 6)
    points[..., 0] = points[..., 0].sub_(4).neg_()
    boxes[..., 1:5] = _corners(boxes[..., 1:5].mul_(2))
    return points.view(6), boxes.sum(1)


def case_result_put_elsewhere():
    points = torch.ones(3, 2)
    points[..., 1] = points[..., 0].sub_(4)  # warning: [IPL301]
    return points.view(6)


def case_result_put_elsewhere_cured():
    points = torch.ones(3, 2)
    points[..., 1] = points[..., 0].sub(4)
    return points.view(6)


def _corners(boxes):
    moved = torch.empty_like(boxes)
    moved[..., :2] = boxes[..., :2] - boxes[..., 2:] / 2
    moved[..., 2:] = boxes[..., :2] + boxes[..., 2:] / 2
    return moved


def case_data_put_back():
    weight = torch.tensor([-1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        weight.data = nn.functional.threshold(weight.data, threshold=0.5, value=0, inplace=True)
    return torch.norm(weight, 1)


def _off_diagonal(x):
    n = x.size(0)
    return x.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten()


def case_diagonal_written_the_rest_read():
    first, second = torch.ones(4, 3), torch.ones(4, 3)
    c = first.T @ second
    c.div_(4)
    on = torch.diagonal(c).add_(-1).pow_(2).sum()
    return on + _off_diagonal(c).pow_(2).sum()


def case_diagonal_written_all_read():
    c = torch.ones(4, 3).T @ torch.ones(4, 3)
    on = torch.diagonal(c).add_(-1).pow_(2).sum()  # warning: [IPL301]
    return on + c.flatten().sum()


def case_diagonal_written_all_read_cured():
    c = torch.ones(4, 3).T @ torch.ones(4, 3)
    on = torch.diagonal(c).add(-1).pow(2).sum()
    return on + c.flatten().sum()


def case_name_for_memory_before_it_had_values():
    x = torch.eye(3)
    factor, other, done = torch.empty_like(x), torch.empty_like(x), False
    for _ in range(2):
        chosen = other if done else factor
        torch.addmm(x, x, x, out=chosen)
        if not done:
            factor.diagonal().add_(1)
            done = True
    return factor @ x


def case_copy_of_data_has_no_gradient():
    parameter = torch.ones(3, requires_grad=True)
    parameter.sum().backward()
    moving = copy.deepcopy(parameter.data)
    moving.mul_(0.5).add_(copy.deepcopy(parameter.grad.data))
    return moving


def case_copy_of_a_leaf():
    parameter = torch.ones(3, requires_grad=True)
    moving = copy.deepcopy(parameter)
    moving.mul_(0.5)  # error: [IPL101]
    return moving


def case_shape_that_is_the_own_one():
    u = torch.ones(2, 3)
    shape = torch.broadcast_shapes(u.shape, (2, 1))
    return u.expand(shape).add_(1)


@dataclasses.dataclass
class _Phase:
    q: torch.Tensor
    t: float = 0.0
    norm: torch.Tensor = None

    def __post_init__(self):
        if self.norm is None:
            self.norm = self.q.norm()


def case_replaced_object_shares_its_tensors():
    state = _Phase(torch.ones(3))
    later = dataclasses.replace(state, t=state.t + 1)
    later.q.add_(1)  # warning: [IPL304]
    return state.q.sum() - later.q.sum()


def case_replaced_object_shares_its_tensors_cured():
    state = _Phase(torch.ones(3))
    later = dataclasses.replace(state, t=state.t + 1, q=state.q.clone())
    later.q.add_(1)
    return state.q.sum() - later.q.sum()


@contextlib.contextmanager
def _frozen():
    with torch.no_grad():
        yield


def _grown(w):
    w.add_(1)


def case_context_manager_as_a_decorator():
    w = torch.ones(3, requires_grad=True)
    _frozen()(_grown)(w)
    return w


class _Moments:
    def __init__(self, parameters):
        self.parameters, self.state = parameters, {p: {"moment": torch.zeros_like(p)} for p in parameters}

    def gathered(self):
        return [self.state[p]["moment"] for p in self.parameters]

    def step(self):
        for moment, p in zip(self.gathered(), self.parameters, strict=True):
            moment.mul_(0.9).add_(p.detach())
        return [self.state[p]["moment"].sum() for p in self.parameters]


def case_state_gathered_and_brought_up_to_date():
    return _Moments([torch.ones(2, requires_grad=True)]).step()


class _StepInBackward:
    def __init__(self, net):
        for parameter in net.parameters():
            parameter.register_post_accumulate_grad_hook(self.apply)

    def apply(self, parameter):
        parameter.add_(parameter.grad, alpha=-0.1)  # error: [IPL203]
        parameter.grad = None


def case_step_in_backward_with_another_graph_waiting():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    _StepInBackward(net)
    first, second = net(torch.ones(2, 3)).sum(), net(torch.ones(2, 3)).mean()
    first.backward()
    second.backward()


class _StepAlone:
    def __init__(self, net):
        for parameter in net.parameters():
            parameter.register_post_accumulate_grad_hook(self.apply)

    def apply(self, parameter):
        parameter.add_(parameter.grad, alpha=-0.1)
        parameter.grad = None


def case_step_in_backward_with_no_graph_waiting():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    _StepAlone(net)
    for _ in range(2):
        net(torch.ones(2, 3)).sum().backward()
    return [parameter.detach() for parameter in net.parameters()]


class _Edges(Dataset):
    def __init__(self):
        self.edges = [torch.arange(3), torch.arange(4)]

    def __len__(self):
        return len(self.edges)

    def __getitem__(self, index):
        return self.edges[index]


def _joined(items):
    offset, edges = 0, []
    for edge in items:
        edge += offset  # warning: [IPL304]
        edges.append(edge)
        offset += edge.size(0)
    return torch.cat(edges)


def _joined_new(items):
    offset, edges = 0, []
    for edge in items:
        edges.append(edge + offset)
        offset += edge.size(0)
    return torch.cat(edges)


def _epochs(collate):
    loader = DataLoader(_Edges(), batch_size=2, collate_fn=collate)
    return [batch.sum() for _ in range(2) for batch in loader]


def case_collate_function_writes_the_data_set():
    return _epochs(_joined)


def case_collate_function_writes_the_data_set_cured():
    return _epochs(_joined_new)


class _Slab:
    def __init__(self):
        self.slab = torch.zeros(2, 4)

    def __call__(self, items):
        self.slab.zero_()
        for row, item in zip(self.slab, items, strict=False):
            row[: len(item)].copy_(item)
        return self.slab


def case_collate_function_fills_its_own_slab():
    return [batch.sum() for batch in DataLoader(_Edges(), batch_size=1, collate_fn=_Slab())]


def case_arrays_have_no_gradient():
    rows = np.linspace(0, 1, 6).reshape(2, 3)
    _, v = np.linalg.eigh(rows.T @ rows)
    for row in v:
        row[row > 0] = 2
    return torch.from_numpy(v)


def _vectors(lines):
    table = {}
    for line in lines:
        word, *values = line.split()
        table[word] = torch.tensor([float(value) for value in values])
    return table


def _filled(weight, index, table):
    for word, row in index.items():
        vector = table.get(word)
        if vector is not None:
            weight[row] = vector  # error: [IPL102]
    return weight


def case_texts_are_looked_into():
    layer = nn.Embedding(3, 2)
    return _filled(layer.weight, {"a": 0, "b": 1}, _vectors("a 1 2\nb 3 4".splitlines()))


def case_words_that_are_not_there():
    layer = nn.Embedding(3, 2)
    for word, row in {"c": 0}.items():
        if _vectors("a 1 2\nb 3 4".splitlines()).get(word) is not None:
            layer.weight[row] = 1
    return layer.weight


def case_sum_of_ctc_losses_divided():
    logits = torch.zeros(6, 2, 4, requires_grad=True)
    targets, lengths = torch.tensor([[1, 2], [2, 3]]), torch.tensor([2, 2])
    loss = nn.functional.ctc_loss(logits.log_softmax(-1), targets, torch.tensor([6, 6]), lengths, reduction="sum")
    loss /= 2
    loss.backward()
    return logits.grad


def case_ctc_losses_one_by_one_divided():
    logits = torch.zeros(6, 2, 4, requires_grad=True)
    targets, lengths = torch.tensor([[1, 2], [2, 3]]), torch.tensor([2, 2])
    losses = nn.functional.ctc_loss(logits.log_softmax(-1), targets, torch.tensor([6, 6]), lengths, reduction="none")
    losses /= 2  # error: [IPL202]
    losses.sum().backward()


def case_version_of_the_library():
    out = torch.zeros(3)
    if torch.__version__ == "parrots":
        out.requires_grad = True
    out[0] = 1
    return out


def _forward_variable(scores, alphas):
    """The last forward variable.

    Args:
        scores: of each step.
        alphas: working space.
    """
    alphas[0] = 0
    for step in range(2):
        alphas[step + 1] = alphas[step] + scores[step]
    return alphas[2].clone()


def case_working_space_by_documentation():
    alphas = torch.ones(3)
    last = _forward_variable(torch.ones(2), alphas)
    return last, alphas.sum()


def _shifted(scores):
    """The scores, shifted. Does not work in place."""
    scores -= scores.max()  # warning: [IPL305]
    return scores.exp()


def case_documentation_denies_it():
    scores = torch.ones(3)
    shifted = _shifted(scores)
    return shifted, scores.sum()


def _shifted_new(scores):
    return (scores - scores.max()).exp()


def case_documentation_denies_it_cured():
    scores = torch.ones(3)
    return _shifted_new(scores), scores.sum()


def case_list_as_an_index_makes_a_copy():
    boxes = torch.zeros(3, 4)
    boxes[:, [0, 2]].clamp_(min=1)  # warning: [IPL307]
    return boxes


def case_list_as_an_index_makes_a_copy_cured():
    boxes = torch.zeros(3, 4)
    boxes[:, [0, 2]] = boxes[:, [0, 2]].clamp(min=1)
    return boxes


def _smart_no_grad(function):
    def wrapped(*args):
        with torch.no_grad():
            return function(*args)

    return wrapped


@_smart_no_grad
def open_decorator_of_the_program_that_records_nothing(x):
    y = x * 2
    y /= y.norm()
    return y


def _scaled_pitch(pitch, width):
    pitch += width
    return torch.sin(pitch * torch.arange(3.0))


def open_size_that_is_a_tensor(x):
    count = torch.randint(low=2, high=3, size=(1,))
    out = torch.zeros(3)
    for pitch in torch.rand(count) * 0.5:
        out = out + _scaled_pitch(pitch, 0.1)
    return x.sum() * out


def case_other_name_for_what_is_changed_by_the_first_one():
    buffer = torch.ones(3)
    buffer.mul_(2)
    part = buffer
    part[0] = 5
    return buffer.clone()


def case_parts_of_a_buffer_before_it_had_values():
    packed = torch.empty(2)
    parts = [packed[i].view(1) for i in range(2)]
    packed.copy_(torch.ones(2))
    torch.div(packed, 2, out=packed)
    return torch.cat(parts)


def _numbered(batch):
    joined = {}
    for key, values in batch.items():
        joined[key.strip()] = values
    joined["index"] = list(joined["index"])
    for i in range(2):
        joined["index"][i] += i
    joined["index"] = torch.cat(joined["index"], 0)
    return joined["index"]


def case_entry_that_is_given_anew():
    return _numbered({f"index{' ' * n}": [torch.zeros(1), torch.zeros(1)] for n in range(1)})


def _matched(cost, mask):
    chosen = cost.argmin(0) > 0
    mask[mask.clone()] = chosen[mask]
    return cost[:, chosen].sum()


def case_written_for_the_caller_alone():
    mask = torch.tensor([True, False, True])
    total = _matched(torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]), mask)
    return total, mask.sum()


def _projected(moment):
    moment -= moment.mean()  # warning: [IPL305]
    return moment.abs().sum(), moment


def _projected_new(moment):
    moment = moment - moment.mean()
    return moment.abs().sum(), moment


def _stepped(projected):
    state = {"moment": torch.tensor([1.0, 3.0])}
    steps = []
    for _ in range(2):
        buffer = state["moment"]
        buffer.mul_(0.9)
        size, step = projected(buffer)
        steps.append(step / size)
    return torch.cat([*steps, state["moment"]])


def case_state_changed_by_who_was_given_it():
    return _stepped(_projected)


def case_state_changed_by_who_was_given_it_cured():
    return _stepped(_projected_new)


class _Drift:
    def __init__(self):
        self.place = torch.tensor([1.0, 2.0])

    def step(self):
        self.place.mul_(0.9)
        alive = self.place < 1.5
        return self.place.mul_(alive), alive


def case_state_returned_among_others():
    drift, seen = _Drift(), []
    for _ in range(2):
        place, alive = drift.step()
        seen.append((place.sum(), alive.sum()))
    return seen


class _Mixing:
    def _mixed(self, x):
        before, shares = x.clone(), torch.zeros(len(x))
        for i in range(len(x)):
            x[i] = (x[i] + before[len(x) - 1 - i]) / 2
            shares[i] = 0.5
        return shares

    def __call__(self, x, target):
        shares = self._mixed(x)
        return x, target * shares


def case_argument_given_back_beside_the_result():
    losses = []
    for _ in range(2):
        x, target = torch.arange(3.0), torch.ones(3)
        x, target = _Mixing()(x, target)
        losses.append((x * target).sum())
    return losses


def _noisy(x):
    shift = x.mean()
    x += shift  # warning: [IPL305]
    return x * 2


def _noisy_new(x):
    return (x + x.mean()) * 2


def _pairs(noisy):
    clean = torch.arange(3.0)
    louder = noisy(clean)
    return louder, clean * 1


def case_argument_used_beside_the_result():
    return _pairs(_noisy)


def case_argument_used_beside_the_result_cured():
    return _pairs(_noisy_new)


class _Forward:
    def __init__(self):
        self.alphas = torch.empty(0)

    def reserve(self, steps):
        return self.alphas.resize_(steps).fill_(float("-inf"))


def _filled_forward(scores, alphas):
    alphas[0] = 0
    for step in range(1, len(scores)):
        alphas[step] = alphas[step - 1] + scores[step]
    return alphas[-1] + scores[0]


def case_constant_memory_is_a_place_for_results():
    alphas = _Forward().reserve(3)
    total = _filled_forward(torch.arange(3.0), alphas)
    return total, alphas[1:].sum()


def _carried(x, hidden):
    hidden += x  # warning: [IPL305]
    return hidden * 2


def _carried_new(x, hidden):
    return (hidden + x) * 2


def _from_the_first_state(carried):
    start = torch.zeros(3)
    first = carried(torch.arange(3.0), start)
    return first, carried(torch.ones(3), start)


def case_first_state_handed_over_twice():
    return _from_the_first_state(_carried)


def case_first_state_handed_over_twice_cured():
    return _from_the_first_state(_carried_new)


def case_list_of_operands_that_require_grad():
    weight = torch.ones(2, requires_grad=True)
    space = torch.empty(0)
    return torch.cat([weight * 2, weight * 3], out=space.resize_(0))  # error: [IPL105]


class _Penalty:
    def __call__(self, scores):
        return scores.mul_(2)  # warning: [IPL305]


class _Penalised:
    def __call__(self, scores):
        return scores * 2


class _Cut:
    def __call__(self, scores):
        return scores.clamp(max=3)


class _Processors(list):
    def __call__(self, scores):
        for processor in self:
            scores = processor(scores)
        return scores


def _sampled(processors):
    raw = torch.arange(3.0)
    chosen = processors(raw).argmax()
    return chosen, raw.log_softmax(-1)


def case_processors_one_of_which_writes():
    return _sampled(_Processors([_Penalty(), _Cut()]))


def case_processors_one_of_which_writes_cured():
    return _sampled(_Processors([_Penalised(), _Cut()]))


def case_arrays_may_overlap():
    distances = np.zeros((3, 3))
    distances[0, 1] = 2.0
    distances += distances.T
    row = np.zeros(4)
    row[1:] += row[:-1]
    return torch.from_numpy(distances), torch.from_numpy(row)


def _binned(heights, widths, reverse):
    heights[..., 0], widths[..., 0] = 0.0, 0.0
    places = heights if reverse else widths
    places[..., -1] += 1  # warning: [IPL303]
    return places.sum() + widths.square().sum()


def case_bins_moved_under_another_name():
    return _binned(torch.arange(3.0), torch.arange(3.0) * 2, False)


def _binned_anew(heights, widths, reverse):
    heights[..., 0], widths[..., 0] = 0.0, 0.0
    places = (heights if reverse else widths).clone()
    places[..., -1] += 1
    return places.sum() + widths.square().sum()


def case_bins_moved_under_another_name_cured():
    return _binned_anew(torch.arange(3.0), torch.arange(3.0) * 2, False)


def case_tensor_filled_as_an_array():
    lengths = torch.zeros(3)
    array = lengths.numpy()
    for i in range(3):
        array[i] = i
    return lengths * 1
