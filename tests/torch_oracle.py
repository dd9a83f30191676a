"""Real PyTorch as the judge: run a program and say what came of it."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Literal

import torch


@dataclass(frozen=True, slots=True)
class Raised:
    """PyTorch refused. `line` is the last line of the program on the way to the error, if any is."""

    kind: Literal["forward", "backward"]
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Finished:
    """The program ran to its end. Tensors in `result` are copies, safe from later writes."""

    result: Any


Outcome = Raised | Finished

REFUSALS = {
    "IPL101": r"a leaf Variable that requires grad",
    "IPL102": r"a view of a leaf Variable",
    "IPL103": r".* is the output of a function that returns multiple views|.* was created inside a custom Function"
    r"|A view was created in no_grad mode",
    "IPL104": r".* refers? to a single memory location",
    "IPL105": r".* functions with out=\.\.\. arguments don't support automatic differentiation",
    "IPL106": r"Inplace update to inference tensor|Inference tensors cannot be saved",
    "IPL501": r"vmap: .* is not possible because there exists|output with shape .* the broadcast shape"
    r"|During a grad \(vjp, jvp, grad, etc\) transform",
    "IPL107": r"Output \d+ of BackwardHookFunction",
}
"""How PyTorch's refusal of a write begins, by the rule that foresees it."""

AGAIN = r"Trying to backward through the graph a second time"
"""How backward begins to say that an earlier one has released what it needs."""

STALE = r"one of the variables needed for gradient computation has been modified by an inplace operation"
"""How backward begins to say that it found a saved tensor overwritten."""

KINDS = {
    "leaf": r"a leaf Variable that requires grad",
    "leaf-view": r"a view of a leaf Variable",
    "stale-view": r".* its base or another view of its base has been modified",
    "multi-view": r".* is the output of a function that returns multiple views",
    "custom-view": r".* This view was created inside a custom Function",
    "no-grad-view": r"A view was created in (no_grad|inference) mode",
    "expanded": r"unsupported operation: more than one element of the written-to tensor refers",
    "overlap": r"unsupported operation: some elements of the input tensor and the written-to tensor refer",
    "out-with-grad": r".* functions with out=\.\.\. arguments don't support automatic differentiation",
    "inference": r"Inplace update to inference tensor",
    "inference-saved": r"Inference tensors cannot be saved",
    "detached-view": r"Can't detach views in-place|detach_\(\)",
}
"""How PyTorch's other refusals begin, by the name of the abstract one."""


def called_with(function: Callable[..., object], tensor: torch.Tensor) -> object:
    """What a function gives for a tensor, which it takes in a dictionary, or a pair, if it says so."""
    first, *_ = [str(each.annotation) for each in inspect.signature(function).parameters.values()]
    if first.startswith("tuple"):
        return function((tensor, tensor.detach().clone()))
    return function({"x": tensor} if first.startswith("dict") else tensor)


def load(text: str, filename: str) -> dict[str, Any]:
    """Execute the text as a module and return its namespace."""
    namespace: dict[str, Any] = {"__name__": "program", "__file__": filename}
    exec(_compiled(text, filename), namespace)
    return namespace


@lru_cache(8)  # the cases of a file follow one another
def _compiled(text: str, filename: str) -> CodeType:
    return compile(text, filename, "exec", dont_inherit=True)


def seed() -> None:
    """Let the CPU draw the same numbers every time.

    `torch.manual_seed` does it for devices as well that are not there yet: for each, it writes down its whole stack,
    which takes longer than most programs.
    """
    torch.default_generator.manual_seed(0)


def observe(program: Callable[[], Any], filename: str) -> Outcome:
    """Call `program`, seeded, with the global modes of torch put back afterwards.

    Only what PyTorch itself raises is an outcome; any other exception is a mistake in the program.
    """
    seed()
    grad_enabled = torch.is_grad_enabled()
    try:
        return Finished(snapshot(program()))
    except RuntimeError as error:
        return _raised(error, filename)
    finally:
        torch.set_grad_enabled(grad_enabled)


def run(text: str, filename: str = "<program>") -> Outcome:
    """Run a program; its outcome is the value of its variable `result`."""
    return observe(lambda: load(text, filename).get("result"), filename)


def overwriting_lines(program: Callable[[], Any], filename: str) -> set[int]:
    """Lines of the program that were the first to write a tensor which an op had saved.

    The hooks that show what is saved also switch PyTorch's own check off, so `observe` is apart.
    """
    saved: list[tuple[torch.Tensor, int]] = []
    lines: set[int] = set()
    line = 0

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        saved.append((tensor, tensor._version))
        return tensor

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal line
        if frame.f_code.co_filename != filename:
            return None
        if any(tensor._version != version for tensor, version in saved):
            lines.add(line)
            saved[:] = [(tensor, version) for tensor, version in saved if tensor._version == version]
        # After a return the rest of the caller's line is still to run.
        current = caller(frame, filename) if event == "return" else frame
        line = current.f_lineno if current else line
        return trace

    seed()
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            program()
    finally:
        sys.settrace(before)
    return lines


def caller(frame: FrameType, filename: str) -> FrameType | None:
    """The nearest frame of the program above this one; frames of torch may stand between."""
    above = frame.f_back
    while above and above.f_code.co_filename != filename:
        above = above.f_back
    return above


def finished(outcome: Outcome) -> Finished:
    """The outcome of a program that must run to its end and leave something to compare."""
    assert isinstance(outcome, Finished), outcome
    assert outcome.result is not None
    return outcome


def raised(outcome: Outcome, kind: Literal["forward", "backward"]) -> Raised:
    """The outcome of a program that PyTorch must refuse, at once or in backward."""
    assert isinstance(outcome, Raised), outcome
    assert outcome.kind == kind, outcome
    return outcome


def snapshot(value: Any) -> Any:
    """A copy of nested results as lists of tensors and numbers."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return [snapshot(item) for item in value]
    return value


def differs(a: Any, b: Any) -> bool:
    """Whether two snapshots differ by more than rounding."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape != b.shape or not torch.allclose(a.double(), b.double(), equal_nan=True)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) != len(b) or any(map(differs, a, b))
    return type(a) is not type(b) or bool(a != b)


def _raised(error: RuntimeError, filename: str) -> Raised:
    lines: list[int] = []
    kind: Literal["forward", "backward"] = "forward"
    for frame, line in traceback.walk_tb(error.__traceback__):
        # Below the engine runs backward code; the line to report is the one that started it.
        if frame.f_code.co_name == "_engine_run_backward":
            kind = "backward"
            break
        if frame.f_code.co_filename == filename:
            lines.append(line)
    return Raised(kind, str(error), lines[-1] if lines else None)
