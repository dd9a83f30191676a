"""Habits about calls: functions that write their arguments."""

from __future__ import annotations

from inplace_lint.judgement.intent import (
    for_output,
    gives_what_it_wrote,
    is_average,
    is_of_optimizer,
    is_taken_as_value,
    keeps_product,
)
from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.pair import Pair, links_of, parameters
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.torch_model.bindings import alias_path, came_by_call, passed_from
from inplace_lint.torch_model.events import ReturnAliasing, Write
from inplace_lint.torch_model.op_names import RETURN, copies
from inplace_lint.torch_model.op_table import adds
from inplace_lint.torch_model.operands import Binding

NO_CALL_BETWEEN = fact("no-call-between", "no call that is over by now wrote what is read")
ARGUMENT_CHANGED = fact("argument-changed", "a call changed its argument, which is read afterwards", "argument")
CHANGED_BESIDE = fact(
    "changed-beside", "a call changed its argument, which the same expression reads", "same-expression"
)

SAYS_SO = silent(
    "says-so",
    "the function says by its name, documentation or arguments that it writes in place",
    """
    import torch


    def center_(values):
        values -= values.mean()
        return values / values.std()


    batch = torch.rand(4)
    scaled = center_(batch)
    result = scaled + batch
    """,
)
OUTPUT_PARAMETER = silent(
    "output-parameter",
    "the parameter is named for what the function puts there, as `out`, `buffer` or `running_mean`",
    """
    import torch


    def normalise(x, running_mean):
        running_mean.lerp_(x.mean(), 0.1)
        return x - running_mean


    x, mean = torch.rand(4), torch.rand(())
    result = normalise(x, mean)
    print(mean)
    """,
)
OPTIMIZER_STATE = silent(
    "optimizer-state",
    "what an optimizer keeps in its state is passed to be brought up to date",
    """
    import torch


    class Averaged(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {})
            for p in self.param_groups[0]["params"]:
                self.state[p]["norm"] = torch.rand(())

        def scaled(self, grad, norm):
            norm.mul_(0.9).add_(grad.norm(), alpha=0.1)
            return grad / norm

        @torch.no_grad()
        def step(self):
            for p in self.param_groups[0]["params"]:
                state = self.state[p]
                p -= self.scaled(p.grad, state["norm"])
                print(state["norm"])


    weight = torch.ones(2, requires_grad=True)
    optimizer = Averaged([weight])
    weight.sum().backward()
    optimizer.step()
    """,
)
BLANK_ARGUMENT = silent(
    "blank-argument",
    "who passes zeros, or one fill value, wants what the function puts there",
    """
    import torch


    def last_sum(values, sums):
        sums[0] = values[0]
        for i in range(1, len(values)):
            sums[i] = sums[i - 1] + values[i]
        return sums[-1] * 2


    sums = torch.zeros(4)
    result = last_sum(torch.rand(4), sums)
    print(sums)
    """,
)
COPIED_FOR_CALL = silent(
    "copied-for-call",
    "who passes a copy that was made for the call knows that the function writes",
    """
    import torch


    def ranks(values):
        order = []
        for _ in range(len(values)):
            order.append(values.argmin())
            values[order[-1]] = float("inf")
        return order


    values = torch.rand(4)
    left = values.clone()
    order = ranks(left)
    print(order, left)
    """,
)
GIVES_ARGUMENT_BACK = silent(
    "gives-argument-back",
    "who passes a tensor on and then returns it counts on the change",
    """
    import torch


    def mix(x):
        shares = torch.zeros(len(x))
        for i in range(len(x)):
            x[i] = x[i] / 2
            shares[i] = 0.5
        return shares


    def mixed(x, target):
        shares = mix(x)
        return x, target * shares


    x, target = mixed(torch.rand(3), torch.ones(3))
    loss = (x - target).sum()
    """,
)
RESULT_PUT_BACK = silent(
    "result-put-back",
    "the caller assigns the result to where the argument came from, so that is where it is wanted",
    """
    import torch


    def scaled(values, factor):
        values *= factor
        return values


    noise = torch.rand(4)
    noise.data = scaled(noise.data, 0.1)
    total = noise.data.sum()
    """,
)
PROCEDURE = silent(
    "procedure",
    "a function that returns nothing, or only a number, is called for what it writes",
    """
    import torch


    def center(values):
        values -= values.mean()


    batch = torch.rand(4)
    center(batch)
    print(batch.sum())
    """,
)
PRODUCT = suspect(
    "product",
    "argument",
    "a function is called for what it keeps in an object or list, not for changing what it makes that of",
    """
    import torch


    def note_spread(history, values):
        values -= values.mean()
        history.append(values.abs().max())


    history, batch = [], torch.rand(4)
    note_spread(history, batch)
    total = batch.sum()
    """,
)
MEASURES = suspect(
    "measures",
    "argument",
    "a function named for measuring, logging or showing is not called for what it writes",
    """
    import torch


    def log_spread(values):
        values -= values.mean()
        print(values.abs().max())


    batch = torch.rand(4)
    log_spread(batch)
    total = batch.sum()
    """,
)
MEASURED_IN_PASSING = suspect(
    "measured-in-passing",
    "argument",
    "who passes what a call gave, to get a number of it, does not want what the call has kept to change",
    """
    import torch


    class Confusion:
        def __init__(self):
            self.counts, self.made = torch.rand(3, 3), None

        def compute(self):
            if self.made is None:
                self.made = self.counts / self.counts.sum()
            return self.made


    def wrong(matrix):
        matrix.fill_diagonal_(0)
        return matrix.sum().item()


    confusion = Confusion()
    print(wrong(confusion.compute()))
    print(confusion.compute())
    """,
)
HANDED_ON = silent(
    "handed-on",
    "an attribute is passed to a function that returns nothing, to be updated there",
    """
    import torch


    def average(scale, value):
        scale.mul_(0.9).add_(value, alpha=0.1)


    class Scaler:
        def __init__(self):
            self.scale = torch.ones(1)

        def __call__(self, x):
            average(self.scale, x.abs().mean())
            return x / self.scale


    scaler = Scaler()
    result = [scaler(x) for x in torch.rand(3, 2)]
    """,
)
OWN_LOOP_HANDS_ON = silent(
    "own-loop-hands-on",
    "a loop passes each element to a function to have it changed",
    """
    import torch


    def clip(image):
        image[image > 0.5] = 0.5
        return image.mean()


    images = [torch.rand(3), torch.rand(3)]
    for image in images:
        mean = clip(image)
    print(images[0])
    """,
)


def judge_callee(pair: Pair, in_one_statement: bool = False) -> Reason:
    """The callee wrote what it was given: meant where its name says so, or where it gives nothing back."""
    began = pair.callee()
    if SAYS_SO.on and pair.write.documented:
        return SAYS_SO
    if began is None:
        return NO_CALL_BETWEEN
    if (reason := _judge_argument(pair, began) or _judge_returned(pair, began)) is not None:
        return reason
    if in_one_statement:
        return CHANGED_BESIDE
    return RESULT_PUT_BACK if RESULT_PUT_BACK.on and pair.is_put_back() else ARGUMENT_CHANGED


def _judge_argument(pair: Pair, began: int) -> Reason | None:
    """What the parameter tells, and what it was given."""
    if OUTPUT_PARAMETER.on and for_output(pair.written) and not _is_given_back_renamed(pair):
        return OUTPUT_PARAMETER
    brought_up_to_date = is_of_optimizer(pair.written) and _is_brought_up_to_date(pair.write, began)
    if OPTIMIZER_STATE.on and brought_up_to_date and not _is_a_name_for_a_parameter(pair.written):
        return OPTIMIZER_STATE
    if COPIED_FOR_CALL.on and _was_copied_for(pair, began):
        return COPIED_FOR_CALL
    return BLANK_ARGUMENT if BLANK_ARGUMENT.on and _was_blank(pair, began) else None


def _is_brought_up_to_date(write: Write, began: int) -> bool:
    """Whether a call changes a state: it averages, or does not give what it has changed as its result."""
    gives_it = write.gave(write.calls.index(began)) is None
    return is_average(write) or not (gives_it or is_taken_as_value(write))


def _is_a_name_for_a_parameter(written: Binding | None) -> bool:
    """Whether what is changed is called otherwise than the parameter that it is: it was taken for something else."""
    if written is None or written.kind != "name":
        return False
    links = list(links_of(written))
    kinds = [link.kind for link in links]
    return "parameter" in kinds and "element" not in kinds[: kinds.index("parameter")]


def _is_given_back_renamed(pair: Pair) -> bool:
    """Whether a function calls what it changes otherwise than its parameter, and gives that back: it has made it."""
    written, write = pair.written, pair.write
    renamed = written is not None and written.kind == "name" and bool(write.calls) and write.gave(-1) is None
    return renamed and not _is_filled_first(write)


def _is_filled_first(write: Write) -> bool:
    """Whether the call that writes has begun by giving the memory values that do not depend on what was there."""
    writes, storage = write.storage.writes, write.storage
    first = next((each for each, _, _ in writes[storage.count_until(write.calls[-1]) :]), None)
    return first is not None and (first.filler or copies(first.op))


def _adds_up_in_container(pair: Pair) -> bool:
    """Whether totals that the caller keeps in a list or dictionary are brought up to date: `totals[key] += value`."""
    return adds(pair.write.op) and pair.written is not None and pair.written.kind == "element"


def _judge_returned(pair: Pair, began: int) -> Reason | None:
    """What the call gives back tells what it was called for."""
    write = pair.write
    gives = write.gave(write.calls.index(began))
    if GIVES_ARGUMENT_BACK.on and gives in ("number", "other") and _is_given_back(pair):
        return GIVES_ARGUMENT_BACK
    # What a function does to an array that it measures is hardly meant for the tensor.
    procedure = gives in ("nothing", "measure") or (gives == "number" and not pair.target.array)
    if (measures := _judge_measure(pair, began, gives)) is not None:
        return measures
    if PRODUCT.on and keeps_product(write, pair.written, began):
        return PRODUCT
    if PROCEDURE.on and procedure and not gives_what_it_wrote(write):
        return PROCEDURE
    return None


def _judge_measure(pair: Pair, began: int, gives: ReturnAliasing | None) -> Reason | None:
    """Whether the call was made for what it tells of its argument."""
    if MEASURES.on and gives == "measure" and not _adds_up_in_container(pair):
        return MEASURES
    in_passing = MEASURED_IN_PASSING.on and gives == "number" and _is_passed_from_call(pair, began)
    return MEASURED_IN_PASSING if in_passing else None


def _is_passed_from_call(pair: Pair, began: int) -> bool:
    """Whether a call was given what another one gave and has kept, and which has no name of its own there."""
    at = pair.write.calls.index(began)
    outer = next((link for link in links_of(pair.written) if link.depth <= at or came_by_call(link)), None)
    discarded = pair.write.results.is_for_argument(pair.write.stack[at])
    return outer is not None and came_by_call(outer) and not discarded


def _was_copied_for(pair: Pair, began: int) -> bool:
    """Whether what was handed over was copied by who reads it afterwards, and has not been changed since."""
    storage = pair.write.storage
    made_by_reader = storage.made_at > max((call for call in pair.read.calls if call < began), default=0)
    kept_by_maker = any(map(came_by_call, links_of(pair.written)))
    copied = storage.clone_of is not None and made_by_reader and not kept_by_maker
    return copied and not storage.count_until(began)


def _was_blank(pair: Pair, began: int) -> bool:
    """Whether what was handed over was one constant, but for earlier calls, and the reader has it from elsewhere."""
    ours, theirs = parameters(pair.written), parameters(pair.read.operand.binding)
    storage, site = pair.write.storage, pair.write.site
    blank = storage.filling and all(each.site == site for each in storage.latest(began))
    return bool(blank or storage.is_constant(began)) and ours.isdisjoint(theirs)


def _is_given_back(pair: Pair) -> bool:
    read, held = pair.read, pair.held
    return held.kind == "parameter" and (read.reader == RETURN or held.depth > len(read.stack))


def judge_handed_over(pair: Pair) -> Reason | None:
    """What is read was handed to the function that wrote; None if it was not."""
    held, written = pair.held, pair.written
    if not any(held.place == caller.place for caller in passed_from(written)):
        return None
    if HANDED_ON.on and held.kind == "attribute" and _is_handed_on(pair):
        return HANDED_ON
    way = alias_path(written, held) or [] if held.kind == "element" else []
    own = any(link.in_loop and link.depth <= len(pair.read.stack) for link in way)
    if OWN_LOOP_HANDS_ON.on and own and not gives_what_it_wrote(pair.write):
        return OWN_LOOP_HANDS_ON
    return judge_callee(pair, pair.in_one_statement) if pair.covered() else APART


def _is_handed_on(pair: Pair) -> bool:
    """Whether who took an attribute out had it changed by a call that gives nothing back: to change it is its use."""
    way = alias_path(pair.written, pair.held)
    depth = next((link.depth for link in reversed(way or ()) if link.kind == "parameter"), 0)
    return 0 < depth <= len(pair.write.stack) and pair.write.gave(depth - 1) == "nothing"
