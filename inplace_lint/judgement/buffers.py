"""Habits about buffers: memory that is kept so as to be filled again and again."""

from __future__ import annotations

from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, silent
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.labels import last_name, without_keys
from inplace_lint.torch_model.op_names import SETITEM, has_out, sums_up
from inplace_lint.torch_model.op_table import adds, filling
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import same

STATIC_MEMORY = silent(
    "static-memory",
    "what is called static, as for a captured graph, is there to be filled anew, whoever has it",
    """
    import torch


    class Runner:
        def __init__(self):
            self.static_positions = [torch.rand(4) for _ in range(2)]

        def prepare(self, size, positions):
            static_positions = self.static_positions[size]
            given = static_positions
            static_positions.copy_(positions)
            return {"positions": given}
    """,
)
BUFFER_GIVEN = silent(
    "buffer-given",
    "who gives an object a buffer to keep goes on to fill it",
    """
    import torch


    class Kernel:
        def __init__(self, starts_buf):
            self.starts = starts_buf

        def run(self):
            return self.starts.sum()


    class Adapter:
        def __init__(self):
            self.starts = torch.rand(4)
            self.kernel = Kernel(self.starts)

        def run(self, lengths):
            starts = self.starts[:3]
            starts.copy_(lengths)
            return self.kernel.run() + self.kernel.starts.max()


    result = Adapter().run(torch.ones(3))
    """,
)
RENEWED = silent(
    "renewed",
    "what is assigned if there is none yet, and copied into otherwise, keeps its memory for those who were given it",
    """
    import torch


    class Fields:
        def __init__(self):
            self.field = None

        def batches(self):
            while True:
                field = torch.rand(3)
                if self.field is None:
                    self.field = field
                else:
                    self.field.data.copy_(field)
                yield {"field": self.field}
    """,
)
TOTAL_OF_KEY = silent(
    "total-of-key",
    "zeros that were kept under a key are the start of a total, which is added up under the name that they still have",
    """
    import torch


    class Counts:
        def __init__(self):
            self.totals = {}

        def record(self, key, hits):
            total = self.totals.get(key)
            if total is None:
                total = torch.zeros(1)
                self.totals[key] = total
            total.add_(hits)
            return float(total)
    """,
)
TAKEN_UP = silent(
    "taken-up",
    "the name under which it was put there is otherwise given what is there already, to go on with that",
    """
    import torch


    def collated(samples):
        batch = dict()
        for i in range(len(samples)):
            for key, value in samples[i].items():
                if i == 0:
                    rows = torch.rand(len(samples), len(value))
                    batch[key] = rows
                else:
                    rows = batch[key]
                rows[i] = torch.tensor(value)
        return batch
    """,
)
KEPT_TO_FILL = silent(
    "kept-to-fill",
    "who keeps new memory without values, or with one value, and fills it by the same name, or as a call gives it, has "
    "it filled where it is",
    """
    import torch


    class Memory:
        def __init__(self):
            self.tensors = {}

        def add(self, name, size):
            tensor = torch.zeros(size)
            self.tensors[name] = tensor
            tensor.fill_(float("nan"))
            return self.tensors
    """,
)
COPIED_OVER = silent(
    "copied-over",
    "what was taken for the tensor itself, or else for a copy of it, is copied back where it is a copy",
    """
    import torch


    def averaged(total: torch.Tensor, dtype, count):
        exact = total if total.dtype == dtype else total.to(dtype)
        exact.div_(count)
        if exact is not total:
            total.copy_(exact)
        return total
    """,
)
HANDED_OVER = silent(
    "handed-over",
    "the part that a name stands for is filled, or else the name is handed to a call that fills it",
    """
    import torch


    class Table:
        def __init__(self):
            self.rows = torch.zeros(4, 2)

        def add(self, i, values=None, fill=None):
            row = self.rows[i]
            if values is not None:
                self.rows[i] = values
            elif fill is not None:
                fill(row)
            return row
    """,
)


def is_renewed(held: Binding, write: Write) -> bool:
    """Whether what is kept was taken from a place that has its memory for good, and that is written."""
    place = write.operand.text.removesuffix(".data")
    return "renewed" in write.marks and place in [link.label for link in links_of(held)]


def judge_unnamed_buffer(held: Binding, write: Write) -> Reason | None:
    """Whether what is kept is there to be filled by who got it from a call: `out=self._buffer()`; None if not."""
    if RENEWED.on and is_renewed(held, write):
        return RENEWED
    return KEPT_TO_FILL if KEPT_TO_FILL.on and _fills(write) and write.storage.is_constant(held.bound_at) else None


def judge_buffer(pair: Pair) -> Reason | None:
    """Whether what is read is kept to be filled; None if nothing tells so."""
    if pair.write.use != "statement":
        return None
    if STATIC_MEMORY.on and pair.write.filler and _is_static(pair):
        return STATIC_MEMORY
    return _judge_place(pair) if pair.is_kept else _judge_name(pair)


def _judge_place(pair: Pair) -> Reason | None:
    """Whether an attribute or element keeps memory that is there to be filled; None if nothing tells so."""
    if RENEWED.on and is_renewed(pair.held, pair.write):
        return RENEWED
    if TAKEN_UP.on and pair.held.taken_up and pair.held in (pair.written.stored_as, pair.written.kept_as):
        return TAKEN_UP
    if BUFFER_GIVEN.on and _fills(pair.write) and _is_given_buffer(pair):
        return BUFFER_GIVEN
    if KEPT_TO_FILL.on and (pair.write.op == SETITEM or filling(pair.write.op)) and _is_kept_to_fill(pair):
        return KEPT_TO_FILL
    return TOTAL_OF_KEY if TOTAL_OF_KEY.on and _is_total(pair) else None


def _judge_name(pair: Pair) -> Reason | None:
    """Whether a name is there to show what another is filled with; None if nothing tells so."""
    if COPIED_OVER.on and pair.written.copied_to == pair.held.label != "":
        return COPIED_OVER
    if HANDED_OVER.on and "handed-over" in pair.write.marks and same(pair.tensor, pair.target):
        return HANDED_OVER
    return None


def _fills(write: Write) -> bool:
    return write.filler or write.op == SETITEM or has_out(write.op)


def _is_static(pair: Pair) -> bool:
    """Whether what is written is called static, by whatever name it went."""
    return any("static" in last_name(without_keys(link.label)).split("_") for link in links_of(pair.written))


_BUFFERS = frozenset("buf buffer bufs buffers".split())


def _is_given_buffer(pair: Pair) -> bool:
    """Whether an object was given what it keeps by a parameter that is called a buffer."""
    given = pair.held.source
    return given is not None and given.kind == "parameter" and given.label.rpartition("_")[2] in _BUFFERS


def _is_kept_to_fill(pair: Pair) -> bool:
    """Whether what is read was there last to be put by the name that is written, and had no values of its own."""
    held = pair.held
    last = held in (pair.written.stored_as, pair.written.kept_as)
    return last and pair.write.storage.is_constant(held.bound_at)


def _is_total(pair: Pair) -> bool:
    """Whether zeros were put under one key that is not in view, and their name is used to add to them."""
    held, written, key = pair.held, pair.written, pair.held.key
    computed = held.kind == "element" and not isinstance(key, (int, str, Constant))
    return (
        computed
        and (adds(pair.write.op) or sums_up(pair.write.op))
        and pair.write.storage.is_constant(held.bound_at)
        and written.stored_as is held
    )
