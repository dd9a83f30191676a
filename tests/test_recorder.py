"""The recorder tells the truth of real runs, and leaves them as they are."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from observed import observed
from programs import programs
from structured_programs import structured_programs
from test_cases import CASES, FILES, Case, write_rows
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch_oracle import Outcome, Raised, observe, run
from verdicts import PATH, real_verdict, record

import inplace_lint
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.recorder import Change, EventLog, Keep, Listener, Recorder
from inplace_lint.runtime.recorder.mode import Mode
from inplace_lint.runtime.recorder.verdict import Judge
from inplace_lint.torch_model.events import Trace, Write

HERE = Path(__file__)

NEEDS_COLUMNS = pytest.mark.skipif(sys.version_info < (3, 11), reason="this Python tells lines without columns")


def recorded(program: Callable[[], Any], filename: str = str(HERE)) -> tuple[Judge, Outcome]:
    """A program under the recorder, and its outcome."""
    judge = Judge()

    def run() -> Any:
        with judge.recorder:
            return program()

    return judge, observe(run, filename)


def told(program: Callable[[], Any]) -> list[tuple[str, str, list[str]]]:
    """Of each finding: its code, the blamed source text, and what is related, as `what: source text`."""
    judge, _ = recorded(program)
    return [_told(each) for each in (*judge.diagnostics.values(), *judge.silent.values())]


def _told(diagnostic: Diagnostic) -> tuple[str, str, list[str]]:
    lines = HERE.read_text().split("\n")

    def text(site: Any) -> str:
        assert Path(site.path) == HERE
        return lines[site.span.row - 1][site.span.column - 1 : site.span.end_column - 1]

    related = [f"{each.message}: {text(each.site)}" for each in diagnostic.related if each.role != "call"]
    return diagnostic.code, text(diagnostic.site), related


def leaf() -> Tensor:
    return torch.rand(3, requires_grad=True)


# A run knows writes by the memory, of which `set_` gives the tensor another one; a write of what a checkpoint was given
# is hidden from it (IPL401), where a check tells that it comes twice (IPL405).
UNEXPLAINED = {"case_saved_input_set", "case_layers_that_are_recomputed"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_blames_the_lines_that_the_cases_mark(file: Path) -> None:
    """Exactly those, and nothing where PyTorch raises nothing."""
    for case in CASES:
        if case.file == file and case.name not in UNEXPLAINED:
            _check(case)


def _check(case: Case) -> None:
    judge, outcome = recorded(case.program(), str(case.file))
    assert type(outcome) is type(case.run()), case.name
    blamed = {(each.site.span.row, each.code) for each in judge.diagnostics.values()}
    # A run shows what is written and saved, not which graph memory carries.
    written = write_rows(case.file)
    marks = {(at, severity, code) for row, severity, code in case.marks for at in written.get(row, {row})}
    marked = {(row, code) for row, severity, code in marks if severity == "error" and code != "IPL204"}
    assert blamed == marked, case.name
    silent = {(each.site.span.row, "warning", each.code) for each in judge.silent.values()}
    assert silent <= marks, case.name


@NEEDS_COLUMNS
def test_tells_what_was_saved_written_and_read() -> None:
    def program() -> None:
        y = torch.sigmoid(leaf())
        y *= 2
        y.sum().backward()

    assert told(program) == [
        (
            "IPL202",
            "y *= 2",
            [
                "saved for backward here by `sigmoid`: torch.sigmoid(leaf())",
                "this backward reads it: y.sum().backward()",
            ],
        )
    ]


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0] * 2


def through_a_view_of_a_view() -> None:
    h = leaf() * 1
    h[0].sigmoid_()
    h[0].mul_(2)
    h.sum().backward()


def by_a_fused_op() -> None:
    h = leaf() * 1
    squares = h * h
    torch._foreach_add_([h], 1.0)
    torch.autograd.backward([squares.sum()])


def by_a_custom_function() -> None:
    y = torch.sigmoid(leaf())
    Doubled.apply(y)
    y.sum().backward()


def by_a_layer() -> None:
    layers = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True))
    torch.autograd.grad(layers(leaf()).sum(), layers[0].weight)


def in_double_backward() -> None:
    h = leaf() * 1
    (gradient,) = torch.autograd.grad((h**3).sum(), h, create_graph=True)
    gradient = gradient.exp()
    h.add_(1)
    gradient.sum().backward()


def in_functional_grad() -> None:
    def loss(x: Tensor) -> Tensor:
        y = x.sigmoid()
        y.mul_(2)
        return y.sum()

    torch.func.grad(loss)(torch.rand(3))


def before_a_checkpoint_is_replayed() -> None:
    h = leaf() * 1
    y = checkpoint(torch.sin, h, use_reentrant=False)
    h.add_(1)
    y.sum().backward()


def before_a_reentrant_checkpoint_is_replayed() -> None:
    h = leaf() * 1
    y = checkpoint(torch.sin, h, use_reentrant=True)
    h.add_(1)
    y.sum().backward()


def inside_a_reentrant_checkpoint() -> None:
    def block(x: Tensor) -> Tensor:
        y = x.sigmoid()
        y.mul_(2)
        return y

    checkpoint(block, leaf() * 1, use_reentrant=True).sum().backward()


def in_compiled_code() -> None:
    def compiled(x: Tensor) -> Tensor:
        y = x.sigmoid()
        y.mul_(2)
        return y

    torch.compile(compiled)(leaf()).sum().backward()


@pytest.mark.parametrize(
    ("program", "code", "write"),
    [
        (through_a_view_of_a_view, "IPL202", "h[0].mul_(2)"),
        (by_a_fused_op, "IPL201", "torch._foreach_add_([h], 1.0)"),
        (by_a_custom_function, "IPL202", "x.mul_(2)"),
        (by_a_layer, "IPL202", "layers(leaf())"),
        (in_double_backward, "IPL201", "h.add_(1)"),
        (in_functional_grad, "IPL202", "y.mul_(2)"),
        (before_a_checkpoint_is_replayed, "IPL201", "h.add_(1)"),
        (before_a_reentrant_checkpoint_is_replayed, "IPL201", "h.add_(1)"),
        (inside_a_reentrant_checkpoint, "IPL202", "y.mul_(2)"),
        (in_compiled_code, "IPL202", "y.mul_(2)"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_finds_the_write(program: Callable[[], None], code: str, write: str) -> None:
    judge, outcome = recorded(program)
    assert isinstance(outcome, Raised)
    assert outcome.kind == "backward"
    (found,) = judge.diagnostics.values()
    assert found.code == code
    assert write in _told(found)[1]


def test_finds_the_write_in_another_thread() -> None:
    errors: list[RuntimeError] = []

    def work() -> None:
        y = torch.sigmoid(leaf())
        y.mul_(2)
        try:
            y.sum().backward()
        except RuntimeError as error:
            errors.append(error)

    def program() -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    assert [each[:2] for each in told(program)] == [("IPL202", "y.mul_(2)")]
    assert errors


def test_blames_nobody_for_what_it_did_not_see() -> None:
    """A scripted function is one op for Python; another write that fits the message is not to blame."""
    with pytest.warns(DeprecationWarning, match="torch.jit"):
        scripted = torch.jit.script(nn.Sequential(nn.Sigmoid(), nn.ReLU(inplace=True)))

    def program() -> None:
        x = leaf()
        y = x.exp()
        y.add_(1)
        scripted(x).sum().backward()

    watch = inplace_lint.watch()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised, watch:
        program()
    assert watch.diagnostics == []
    assert "saw nothing of the write" in "".join(getattr(raised.value, "__notes__", ["saw nothing of the write"]))


def hidden_write(written: Callable[[Tensor], object]) -> list[tuple[str, str, list[str]]]:
    def program() -> None:
        h = leaf() * 1
        squares = h[:1] ** 2
        written(h)
        squares.sum().backward()

    return told(program)


def test_finds_writes_by_way_of_data_that_matter() -> None:
    assert [each[0] for each in hidden_write(lambda h: h.data.zero_())] == ["IPL401"]
    assert not hidden_write(lambda h: h.data[1:].zero_())
    assert not hidden_write(lambda h: h.data.mul_(1))
    assert not hidden_write(lambda h: h.data.mul_(2).mul_(0.5))


def training() -> list[Tensor]:
    """Steps of a model with all that could be disturbed: randomness, buffers, hooks, checkpoints, fused updates."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Flatten(), nn.Linear(144, 2)
    )
    model[0].register_forward_hook(lambda module, args, result: result * 1.5)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    results = []
    for reentrant in (True, False):
        x = torch.rand(2, 3, 8, 8, requires_grad=True)
        x.register_hook(lambda gradient: gradient * 2)
        hidden = checkpoint(model[:3], x, use_reentrant=reentrant)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            loss = functional.cross_entropy(model[3:](hidden), torch.tensor([0, 1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        first.sum().backward()
        results += [loss, x.grad, torch.func.vmap(torch.func.grad(lambda t: t.sin().sum()))(torch.rand(2, 2))]
    results += [*model.parameters(), *model.buffers(), torch.rand(1)]
    return [*results, torch.tensor([t._version for t in (*model.parameters(), *model.buffers())])]


def test_changes_nothing_of_what_it_watches() -> None:
    plain = training()
    judge = Judge()
    with judge.recorder:
        seen = training()
    assert all(torch.equal(*pair) for pair in zip(plain, seen, strict=True))
    assert not judge.diagnostics
    assert not judge.silent


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
def test_is_not_asked_what_optimizers_look_up(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    ask = Mode.__torch_function__

    def count(self: Mode, func: Any, *rest: Any) -> Any:
        seen.append(func)
        return ask(self, func, *rest)

    monkeypatch.setattr(Mode, "__torch_function__", count)
    layers = nn.Sequential(*[nn.Linear(2, 2) for _ in range(20)])
    optimizer = kind(layers.parameters())
    with Recorder():
        layers(torch.ones(2)).sum().backward()
        seen.clear()
        optimizer.step()
        optimizer.zero_grad()
    assert len(seen) < len(list(layers.parameters()))
    assert all(each.grad is None for each in layers.parameters())


def test_leaves_what_others_have_put_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def gather(*_: Any) -> None:
        """Stands for what `torch._dynamo` puts there when it is imported."""

    monkeypatch.setattr(torch.optim.SGD, "_init_group", vars(torch.optim.SGD)["_init_group"])
    with Recorder():
        torch.optim.SGD._init_group = gather  # type: ignore[method-assign]
    assert vars(torch.optim.SGD)["_init_group"] is gather


def test_sees_gradients_set_to_zero() -> None:
    x = leaf()
    optimizer = torch.optim.SGD([x], lr=0.1)

    def program() -> None:
        x.exp().sum().backward()
        assert x.grad is not None
        loss = (leaf() * x.grad).sum()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()

    ((code, write, _),) = told(program)
    assert (code, write) == ("IPL201", "optimizer.zero_grad(set_to_none=False)")


def test_keeps_no_tensor_alive() -> None:
    with Recorder() as recorder:
        h = leaf() * 2
        result = h.exp() * h
        memory = weakref.ref(h)
        assert len(list(recorder.live)) >= 3
        del h, result
        gc.collect()
        assert memory() is None
        assert list(recorder.live) == []


def test_leaves_no_trace_behind() -> None:
    before = (torch.autograd._engine_run_backward, torch.autograd.Function.apply, torch.compile, threading.Thread.start)
    recorder = Recorder()
    with pytest.raises(KeyError), recorder, recorder:
        raise KeyError
    after = (torch.autograd._engine_run_backward, torch.autograd.Function.apply, torch.compile, threading.Thread.start)
    assert before == after
    torch.sigmoid(leaf()).mul_(2)
    assert recorder.time == 0


@NEEDS_COLUMNS
def test_tells_listeners_of_each_write_and_save() -> None:
    class Notes(Listener):
        def __init__(self) -> None:
            self.lines: list[str] = []

        def changed(self, change: Change, tensor: Tensor) -> None:
            self.lines.append(f"{change.op} writes {change.text}, {change.before} to {tensor._version}")

        def kept(self, keep: Keep, tensor: Tensor) -> None:
            self.lines.append(f"{keep.op} keeps {'its result' if keep.is_result else 'an input'} at {keep.version}")

    notes = Notes()
    x = leaf()
    with Recorder([notes]):
        y = x.exp()
        y.relu_()
        (y * x).sum()
        with torch.no_grad():
            x[0] = 1
    assert notes.lines == [
        "torch.Tensor.exp keeps its result at 0",
        "torch.Tensor.relu_ writes y, 0 to 1",
        "torch.Tensor.relu_ keeps its result at 1",
        "torch.Tensor.mul keeps an input at 0",
        "torch.Tensor.mul keeps an input at 1",
        "[]= writes x, 0 to 1",
    ]


def test_watch_explains_the_error_and_warns_of_silence() -> None:
    def program(write: Callable[[Tensor], object]) -> None:
        h = leaf() * 1
        squares = h**2
        write(h)
        squares.sum().backward()

    watch = inplace_lint.watch()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised, watch:
        program(lambda h: h.add_(1))
    assert [each.code for each in watch.diagnostics] == ["IPL201"]
    assert not [entry for entry in raised.traceback if "inplace_lint" in str(entry.path)]
    if hasattr(raised.value, "__notes__"):  # Python 3.10 has none
        assert "saved for backward here by `pow`" in raised.value.__notes__[0]
    with pytest.warns(UserWarning, match="IPL401"), inplace_lint.watch():
        program(lambda h: h.data.zero_())


BEYOND_THE_INTERPRETER = {
    "case_buffers_of_another",  # an unseen model updates its statistics
    "case_buffers_after_backward",
    "case_best_state",  # a state that is loaded where it is counts as a write
    "case_gradients_accumulated_and_scaled",  # `clip_grad_norm_` writes
    "case_collate_function_writes_the_data_set",  # a data loader draws its seed in place
    "case_collate_function_writes_the_data_set_cured",
    "case_collate_function_fills_its_own_slab",
    "case_distance_from_where_training_began",
    "case_distance_from_where_training_began_cured",
    "case_items_as_the_data_set_keeps_them",
    "case_items_as_the_data_set_keeps_them_cured",
    "case_items_that_are_made_are_nobodys",
    "case_rows_of_a_tensor_as_items",
    "case_rows_of_a_tensor_as_items_cured",
    "case_a_collate_function_hands_out_an_item",
    "case_a_collate_function_hands_out_an_item_cured",
    "case_batches_are_new",
    "case_a_derived_loader",
    "case_a_derived_loader_cured",
    "case_a_collate_function_writes_what_was_made",
    "case_a_collate_function_writes_what_was_made_cured",
    "case_views_of_samples_normalized_by_a_prefetcher",
    "case_views_of_samples_normalized_by_a_prefetcher_cured",
}
WITHOUT_VERSIONS = {
    "case_inference_tensor_written_inside",
    "case_statistics_that_a_function_updates",
    "case_statistics_that_a_function_updates_cured",
    "case_statistics_of_the_evaluation_are_only_read",
    "case_arrays_have_no_gradient",  # nor do arrays that nobody knows for such
}
# They are given another model than the one that their file makes.
OTHERWISE_MADE = {"case_outputs_before_an_activation_cured"}


def writes(trace: Trace) -> list[Write]:
    return [event for event in trace.events if isinstance(event, Write)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_sees_the_writes_that_the_interpreter_foresees(file: Path) -> None:
    interpreted = observed(file).writes
    for case in CASES:
        if case.file == file and case.name in interpreted:
            log = EventLog(case.name)
            program = case.program()
            with Recorder([log]):
                observe(program, str(file))
            # `mark_dirty` itself counts as a write, and layers write the parameters that they make.
            told = [e for e in writes(log.trace) if e.refusal or not e.op.endswith((".apply", ".__init__"))]
            seen = {e.site.span.row for e in told}
            if case.name in BEYOND_THE_INTERPRETER:
                assert any(seen > foreseen for foreseen in interpreted[case.name])
            elif case.name not in WITHOUT_VERSIONS | OTHERWISE_MADE:
                assert seen in interpreted[case.name], case.name


def blames_rightly(text: str) -> None:
    """Where PyTorch raises, blame is on a line that it may be on, and elsewhere nobody is blamed."""
    judge = Judge()
    with judge.recorder:
        outcome = run(text, PATH)
    assert outcome == run(text, PATH) or not isinstance(outcome, Raised)
    blamed = {each.site.span.row for each in judge.diagnostics.values()}
    real = real_verdict(text)
    if real is not None and real.kind == "stale":
        assert blamed
        assert blamed <= record(text, real.steps)[1], text
    elif real is not None:
        assert blamed == ({real.line} if real.line else set()), text


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=80, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=programs())
def test_blames_rightly_in_random_programs(text: str) -> None:
    blames_rightly(text)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=80, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=structured_programs())
def test_blames_rightly_in_random_structured_programs(text: str) -> None:
    blames_rightly(text)
