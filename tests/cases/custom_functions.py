"""Custom `autograd.Function` classes and hooks."""

import torch


class MarkedDouble(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


def case_double_read_outside_cured():
    start = torch.ones(3, requires_grad=True)
    x = start * 1
    MarkedDouble.apply(x)
    x.sum().backward()
    return start.grad


class UnmarkedDouble(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)  # warning: [IPL403]
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


def case_double_read_outside():
    start = torch.ones(3, requires_grad=True)
    x = start * 1
    UnmarkedDouble.apply(x)
    x.sum().backward()
    return start.grad


class CarefulRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


def case_relu_with_a_sibling_cured():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    skip = x * 3
    (CarefulRelu.apply(x) + skip).square().sum().backward()
    return x.grad


class GreedyRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output[x < 0] = 0  # warning: [IPL404]
        return grad_output


def case_relu_with_a_sibling():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    skip = x * 3
    (GreedyRelu.apply(x) + skip).square().sum().backward()
    return x.grad


def case_custom_function_saved_its_input():
    start = torch.ones(3, requires_grad=True)
    x = start * 2
    y = CarefulRelu.apply(x)
    x += 1  # error: [IPL201]
    y.sum().backward()
    return start.grad


def case_custom_function_result_written():
    # The function says itself that it saved its input, not its result.
    start = torch.ones(3, requires_grad=True)
    y = CarefulRelu.apply(start * 2)
    y += 1
    y.sum().backward()
    return start.grad


def case_hook_writes_the_gradient():
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    skip = x * 3
    h = h * 1
    h.register_hook(lambda grad: grad.zero_())  # warning: [IPL404]
    (skip + h).square().sum().backward()
    return x.grad


def case_hook_writes_the_gradient_cured():
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    skip = x * 3
    h = h * 1
    h.register_hook(lambda grad: torch.zeros_like(grad))
    (skip + h).square().sum().backward()
    return x.grad


class _FusedMul(torch.autograd.Function):
    """Spares memory: puts the gradient where the input was."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad_a = grad * b
        b.copy_(grad * a)  # error: [IPL202]
        return grad_a, b


def case_backward_overwrites_what_an_earlier_op_saved():
    x = torch.ones(3, requires_grad=True)
    _FusedMul.apply(x * 2, torch.tanh(x)).sum().backward()
    return x.grad


class _QuietMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad_a = grad * b
        b.copy_(grad * a)
        return grad_a, b


def case_backward_overwrites_what_nobody_saved():
    x = torch.ones(3, requires_grad=True)
    _QuietMul.apply(x * 2, x + 1).sum().backward()
    return x.grad


def case_backward_overwrites_what_a_later_op_saved():
    x = torch.ones(3, requires_grad=True)
    shifted = x + 1
    product = _QuietMul.apply(x * 2, shifted)
    (product * shifted).sum().backward()
    return x.grad


def _swapped(grad, a, b):
    for row in range(a.shape[0]):
        old = a[row].clone()
        a[row] = grad[row] * b[row]
        b[row] = grad[row] * old  # warning: [IPL401]


class _RowsMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a, b = a.detach().reshape(-1, 3), b.detach().reshape(-1, 3)
        ctx.save_for_backward(a, b)
        return (a * b).view(2, 3)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        _swapped(grad, a.data, b.data)
        return a.view(2, 3), b.view(2, 3)


class _RowsMulCured(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a


def case_backward_overwrites_unseen():
    x = torch.ones(2, 3, requires_grad=True)
    _RowsMul.apply(x * 2, torch.tanh(x)).sum().backward()
    return x.grad


def case_backward_overwrites_unseen_cured():
    x = torch.ones(2, 3, requires_grad=True)
    _RowsMulCured.apply(x * 2, torch.tanh(x)).sum().backward()
    return x.grad


class _Folded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return (a * 2).view(2, 3)

    @staticmethod
    def backward(ctx, grad):
        return grad.view(6) * 2


def case_view_that_forward_made_is_written():
    x = torch.ones(6, requires_grad=True)
    y = _Folded.apply(x)
    y.mul_(2)  # error: [IPL103]
    y.sum().backward()
    return x.grad


class _Memory(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bank):
        ctx.bank = bank
        ctx.save_for_backward(x)
        return x @ bank.t()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        grad_x = grad @ ctx.bank
        for i, row in enumerate(x):
            ctx.bank[i] = 0.5 * ctx.bank[i] + 0.5 * row  # warning: [IPL304]
        return grad_x, None


class _MemoryCured(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bank):
        ctx.bank = bank
        ctx.save_for_backward(x, bank.clone())
        return x @ bank.t()

    @staticmethod
    def backward(ctx, grad):
        x, seen = ctx.saved_tensors
        grad_x = grad @ seen
        for i, row in enumerate(x):
            ctx.bank[i] = 0.5 * ctx.bank[i] + 0.5 * row
        return grad_x, None


def _two_terms(memory):
    bank = torch.eye(2)
    x = torch.full((2, 2), 3.0, requires_grad=True)
    (memory.apply(x, bank).square().sum() + memory.apply(x * 2, bank).square().sum()).backward()
    return x.grad, bank


def case_one_term_moves_the_bank_of_the_other():
    return _two_terms(_Memory)


def case_one_term_moves_the_bank_of_the_other_cured():
    return _two_terms(_MemoryCured)


class OfTheClass(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx, x):
        y = x.clamp(min=0) ** 2
        ctx.save_for_backward(y)
        return y

    @classmethod
    def backward(cls, ctx, grad):
        (y,) = ctx.saved_tensors
        return 2 * grad * y.sqrt()


def case_result_that_a_method_for_the_class_saved():
    x = torch.ones(4, requires_grad=True)
    y = OfTheClass.apply(x * 1)
    y[0] = 0  # error: [IPL202]
    y.sum().backward()


class _Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        gate = torch.sigmoid(b)
        ctx.a, ctx.gate = a.detach(), gate
        return a * gate

    @staticmethod
    def backward(ctx, grad):
        gate = ctx.gate
        for_a = grad * gate
        return for_a, gate.mul_(1.0 - gate).mul_(ctx.a).mul_(grad)  # warning: [IPL401]


def _gradients(trunk, x, targets):
    """Each task differentiates what the tasks share."""
    hidden = _Gate.apply(*trunk(x).chunk(2, -1))
    outputs = {name: hidden * scale for name, scale in targets.items()}
    losses = [outputs[name].sum() for name in targets]
    return [torch.autograd.grad(loss, trunk.weight, retain_graph=True)[0] for loss in losses]


def case_gradients_of_tasks():
    torch.manual_seed(0)
    return _gradients(torch.nn.Linear(2, 4), torch.ones(1, 2), {"a": 1.0, "b": 2.0})


def gradients_of_tasks(trunk: torch.nn.Linear, x: torch.Tensor, targets: dict[str, float]):
    return _gradients(trunk, x, targets)


class _PureGate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        gate = torch.sigmoid(b)
        ctx.a, ctx.gate = a.detach(), gate
        return a * gate

    @staticmethod
    def backward(ctx, grad):
        gate = ctx.gate
        return grad * gate, gate * (1.0 - gate) * ctx.a * grad


def _pure_gradients(trunk, x, targets):
    hidden = _PureGate.apply(*trunk(x).chunk(2, -1))
    outputs = {name: hidden * scale for name, scale in targets.items()}
    losses = [outputs[name].sum() for name in targets]
    return [torch.autograd.grad(loss, trunk.weight, retain_graph=True)[0] for loss in losses]


def case_gradients_of_tasks_cured():
    torch.manual_seed(0)
    return _pure_gradients(torch.nn.Linear(2, 4), torch.ones(1, 2), {"a": 1.0, "b": 2.0})


class _OwnGate(torch.autograd.Function):
    """Nobody differentiates it twice: it may use up what it keeps."""

    @staticmethod
    def forward(ctx, a, b):
        gate = torch.sigmoid(b)
        ctx.a, ctx.gate = a.detach(), gate
        return a * gate

    @staticmethod
    def backward(ctx, grad):
        gate = ctx.gate
        for_a = grad * gate
        return for_a, gate.mul_(1.0 - gate).mul_(ctx.a).mul_(grad)


def gradient_of_all_tasks(trunk: torch.nn.Linear, x: torch.Tensor, targets: dict[str, float]):
    hidden = _OwnGate.apply(*trunk(x).chunk(2, -1))
    outputs = {name: hidden * scale for name, scale in targets.items()}
    return torch.autograd.grad(sum(outputs[name].sum() for name in targets), trunk.weight)


class FreesItsPart(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        part = x[:1]
        result = part * 2
        part.set_()
        return result

    @staticmethod
    def backward(ctx, grad):
        return torch.cat((grad * 2, torch.zeros(2)))


class DoublesItsPart(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        part = x[:1]
        part.mul_(2)  # warning: [IPL305, IPL403]
        return part * 1

    @staticmethod
    def backward(ctx, grad):
        return torch.cat((grad * 2, torch.zeros(2)))


def case_part_of_an_input_without_memory():
    x = torch.ones(3, requires_grad=True)
    FreesItsPart.apply(x * 1).sum().backward()
    return x.grad


def case_part_of_an_input_doubled():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    DoublesItsPart.apply(y).sum().backward()
    return y.detach()


class DoublesACopy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1] * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.cat((grad * 2, torch.zeros(2)))


def case_part_of_an_input_doubled_cured():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    DoublesACopy.apply(y).sum().backward()
    return y.detach()


class HalvedWithMargin(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient.mul_(0.5).clamp_(-1, 1)  # warning: [IPL404]


class HalvedWithMarginOutOfPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient.mul(0.5).clamp_(-1, 1)


def case_chain_on_a_gradient_is_told_once():
    x = torch.ones(3, requires_grad=True)
    (HalvedWithMargin.apply(x) + x).square().sum().backward()
    return x.grad


def case_chain_on_a_gradient_is_told_once_cured():
    x = torch.ones(3, requires_grad=True)
    (HalvedWithMarginOutOfPlace.apply(x) + x).square().sum().backward()
    return x.grad


class RowsPut(torch.autograd.Function):
    @staticmethod
    def forward(ctx, table, index, rows):
        ctx.save_for_backward(index)
        table.index_copy_(0, index, rows)  # warning: [IPL403]
        return table

    @staticmethod
    def backward(ctx, grad_table):
        (index,) = ctx.saved_tensors
        return grad_table.index_fill(0, index, 0.0), None, grad_table.index_select(0, index)


class Memory(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(3, 2)
        self.scale = torch.nn.Parameter(torch.ones(2))

    def put(self, index, rows):
        RowsPut.apply(self.table, index, rows * self.scale)

    def read(self, index):
        return self.table[index] + 0 * self.scale


def case_rows_of_which_the_graph_is_lost():
    memory = Memory()
    memory.put(torch.tensor([0, 2]), torch.ones(2, 2))
    memory.read(torch.tensor([0, 1])).sum().backward()
    return memory.scale.grad


class RowsPutAndMarked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, table, index, rows):
        ctx.save_for_backward(index)
        ctx.mark_dirty(table)
        table.index_copy_(0, index, rows)
        return table

    @staticmethod
    def backward(ctx, grad_table):
        (index,) = ctx.saved_tensors
        return grad_table.index_fill(0, index, 0.0), None, grad_table.index_select(0, index)


class MemoryInTheGraph(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(3, 2)
        self.scale = torch.nn.Parameter(torch.ones(2))

    def put(self, index, rows):
        RowsPutAndMarked.apply(self.table, index, rows * self.scale)

    def read(self, index):
        return self.table[index] + 0 * self.scale


def case_rows_of_which_the_graph_is_lost_cured():
    memory = MemoryInTheGraph()
    memory.put(torch.tensor([0, 2]), torch.ones(2, 2))
    memory.read(torch.tensor([0, 1])).sum().backward()
    return memory.scale.grad


def case_results_of_marked_rows_under_one_name():
    scale, rows = torch.ones(2, requires_grad=True), torch.zeros(3, 2)
    for index in (torch.tensor([0]), torch.tensor([2])):
        rows = RowsPutAndMarked.apply(rows, index, torch.ones(1, 2) * scale)
    rows = RowsPutAndMarked.apply(rows, torch.tensor([1]), torch.ones(1, 2) * scale)
    rows.sum().backward()
    return scale.grad
