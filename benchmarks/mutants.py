"""Does the analysis find in-place changes of released packages that hurt, and pass over those that do not?

    python benchmarks/mutants.py label SITE PACKAGE ROWS [--count N] [--seed N] [--jobs N]
    python benchmarks/mutants.py score SITE PACKAGE ROWS [--jobs N] [--wrong]

`label` makes changes (`mutations.py`) of the package that is unpacked in SITE, runs each forward and backward, twice,
with the drivers of `benchmarks/mutant_drivers/PACKAGE.py`, and says how it compares with the unchanged code: ROWS is a
file of JSON lines. Every public function there is a driver: it gives a module or function, and the arguments of a call.
Only changes of what the drivers run are made, and only where a tensor would be written.
`score` checks the whole package after each change: what is found now and was not found before counts, wherever it is.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import json
import os
import pickle
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

from mutations import Mutation, Watched, mutations

HARMFUL = ("raises-forward", "raises-backward", "silent-value", "silent-grad", "state-mutation")
# They change what is recorded, not what is written: only an error says that the write they uncover hurts.
_ONLY_ERRORS = ("drop-detach", "drop-no-grad")
_NEED_NO_TENSOR = ("layer-inplace", "drop-no-grad")
_ABOUT_WRITES = re.compile(
    "second time|in-?place|leaf variable|leaf tensor|is a view|single memory location|automatic differentiation",
    re.IGNORECASE,
)
# Not about memory, though it names leaves, too.
_ABOUT_FLAGS = "change requires_grad flags"
_SECONDS = 60

Driver = Callable[[], "tuple[Any, ...]"]


@dataclass
class Row:
    """A change, and what it did."""

    file: str
    mutation: Mutation
    drivers: list[str]
    label: str = ""
    detail: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.mutation, dict):
            self.mutation = Mutation(**self.mutation)

    @property
    def changes(self) -> str:
        """What a reader must know about the change."""
        made = self.mutation
        return f"{made.kind} {self.file}:{made.line} {made.function}: {' '.join(made.new.split())[:90]}"


@dataclass
class Outcome:
    """What one driver gave."""

    values: list[Any] = field(default_factory=list)
    gradients: list[Any] = field(default_factory=list)
    state: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    error: str = ""


def main() -> None:
    """Read the command line, and label or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("do", choices=["label", "score"])
    parser.add_argument("site", type=Path)
    parser.add_argument("package")
    parser.add_argument("rows", type=Path)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--wrong", action="store_true", help="print what is missed and what is flagged for nothing")
    given = parser.parse_args()
    if given.do == "label":
        _label(given.site.resolve(), given.package, given.rows, given.count, given.seed, given.jobs)
    else:
        _score(given.site.resolve(), given.package, given.rows, given.jobs, given.wrong)


def _label(site: Path, package: str, out: Path, count: int, seed: int, jobs: int) -> None:
    os.environ["PYTORCH_JIT"] = "0"
    import torch

    torch.set_num_threads(1)
    sys.path.insert(0, str(site))
    drivers = _drivers(package)
    base = {name: found for name, found in _in_child(lambda: _unchanged(drivers)).items() if not found.error}
    print(f"{package}: {len(base)} of {len(drivers)} drivers run", flush=True)
    drivers = {name: driver for name, driver in drivers.items() if name in base}
    rows = _rows(site, package, drivers)
    chosen = random.Random(seed).sample(rows, min(count, len(rows)))
    done: list[Row] = []
    for row, labelled in _in_children(chosen, lambda row: _labelled(site, row, drivers, base), jobs):
        row.label, row.detail = labelled or ("raises-other", "died")
        done.append(row)
    out.write_text("".join(json.dumps(asdict(row)) + "\n" for row in done))
    print(f"{len(rows)} changes, {len(done)} run: {dict(Counter(row.label for row in done))}")


def _drivers(package: str) -> dict[str, Driver]:
    place = Path(__file__).parent / "mutant_drivers" / f"{package}.py"
    spec = importlib.util.spec_from_file_location(f"drivers_of_{package}", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in getattr(module, "NOT_INSTALLED", ()):
        sys.modules[name] = MagicMock(__path__=[], __spec__=None)
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    return {name: value for name, value in own.items() if callable(value) and not name.startswith("_")}


def _unchanged(drivers: dict[str, Driver]) -> dict[str, Outcome]:
    outcomes = {}
    for name, driver in drivers.items():
        outcome, again = _run(driver), _run(driver)
        if not outcome.error and _compared(outcome, again)[0] != "benign":
            outcome.error = "does not give the same twice"
        if outcome.error:
            print(f"{name}: {outcome.error}", file=sys.stderr)
        outcomes[name] = outcome
    return outcomes


def _rows(site: Path, package: str, drivers: dict[str, Driver]) -> list[Row]:
    """The changes of what the drivers run, each with those that run it."""
    places = sorted((site / package).rglob("*.py")) if (site / package).is_dir() else [site / f"{package}.py"]
    made = {str(place.relative_to(site)): mutations(place.read_bytes()) for place in places}
    seen = _in_child(lambda: _watched_places(site, made, drivers))
    rows = []
    for file, every in made.items():
        for mutation in every:
            found = seen.get((file, *mutation.operand), {})
            running = [name for name, tensor in found.items() if tensor or mutation.kind in _NEED_NO_TENSOR]
            if running:
                rows.append(Row(file, mutation, sorted(running)))
    return rows


def _watched_places(
    site: Path, made: dict[str, list[Mutation]], drivers: dict[str, Driver]
) -> dict[tuple[str, int, int], dict[str, bool]]:
    """Which drivers come to each place that would be written, and whether it holds a tensor there."""
    import ast
    import builtins

    from torch import Tensor

    seen: dict[tuple[str, int, int], dict[str, bool]] = defaultdict(dict)
    running = ""

    def read(text: bytes, file: str) -> Any:
        tree = Watched(text, {mutation.operand for mutation in made.get(file, [])}).visit(ast.parse(text))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_watched":
                node.args.insert(0, ast.Constant(file))
        return ast.fix_missing_locations(tree)

    def watched(file: str, start: int, end: int, value: Any) -> Any:
        of_place = seen[file, start, end]
        of_place[running] = of_place.get(running, False) or isinstance(value, Tensor)
        return value

    builtins._watched = watched  # type: ignore[attr-defined]
    _read_with(site, read)
    for running, driver in drivers.items():  # noqa: B007
        _forget(made)
        _run(driver)
    return {place: dict(found) for place, found in seen.items()}


def _forget(files: Iterable[str]) -> None:
    """Let the modules be imported anew, so that each driver runs what is outside of functions."""
    tops = {file.partition("/")[0].removesuffix(".py") for file in files}
    for name in [name for name in sys.modules if name.partition(".")[0] in tops]:
        del sys.modules[name]


def _read_with(site: Path, read: Callable[[bytes, str], Any]) -> None:
    """From now on, modules in `site` are what `read` makes of their text."""
    loader = importlib.machinery.SourceFileLoader
    usual = loader.get_code

    def get_code(self: Any, name: str) -> Any:
        path = Path(self.get_filename(name))
        if not path.is_relative_to(site):
            return usual(self, name)
        return compile(read(path.read_bytes(), str(path.relative_to(site))), str(path), "exec", dont_inherit=True)

    loader.get_code = get_code  # type: ignore[method-assign, assignment]


def _labelled(site: Path, row: Row, drivers: dict[str, Driver], base: dict[str, Outcome]) -> tuple[str, str]:
    _read_with(site, lambda text, file: row.mutation.apply(text) if file == row.file else text)
    labels = dict(_compared(base[name], _run(drivers[name])) for name in row.drivers)
    order = (*HARMFUL, "raises-other", "input-mutation", "benign")
    label = min(labels, key=order.index)
    if row.mutation.kind in _ONLY_ERRORS and label not in ("raises-forward", "raises-backward", "benign"):
        return "raises-other", "changes what is recorded"
    return label, labels[label]


def _compared(base: Outcome, now: Outcome) -> tuple[str, str]:
    if now.error:
        when, _, message = now.error.partition(": ")
        about_writes = _ABOUT_WRITES.search(message) is not None and _ABOUT_FLAGS not in message
        return (f"raises-{when}" if about_writes else "raises-other"), message[:200]
    parts = {
        "silent-value": "values",
        "silent-grad": "gradients",
        "state-mutation": "state",
        "input-mutation": "inputs",
    }
    for label, part in parts.items():
        if not _same(getattr(base, part), getattr(now, part)):
            return label, ""
    return "benign", ""


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(map(_close, one, other))


def _close(one: Any, other: Any) -> bool:
    import torch

    if one is None or other is None:
        return one is other
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.is_floating_point():
        return torch.equal(one, other)
    scale = one[one.isfinite()].abs().max().item() if one.isfinite().any() else 1.0
    return torch.allclose(one, other, rtol=1e-5, atol=1e-6 * max(scale, 1e-3), equal_nan=True)


def _run(driver: Driver) -> Outcome:
    """Call what the driver gives forward and backward, twice."""
    import torch

    outcome, phase = Outcome(), "forward"
    try:
        torch.manual_seed(0)
        random.seed(0)
        with suppress(ImportError):
            import numpy as np

            np.random.seed(0)
        called, *given = driver()
        modules = list(_modules_of(called))
        parameters = [parameter for module in modules for parameter in module.parameters()]
        for parameter in parameters:
            # Weights that start at zero would hide what goes wrong before them.
            parameter.data.add_(torch.randn_like(parameter) * 0.1)
        for turn in range(2):
            phase = "forward"
            leaves = [each.detach().requires_grad_() if _is_float(each) else each for each in given]
            passed = [each.clone() if isinstance(each, torch.Tensor) else each for each in leaves]
            torch.manual_seed(turn)
            result = [each for each in _tensors(called(*passed)) if _is_float(each)]
            kept = [each.detach().clone() for each in result]
            phase = "backward"
            _backward(result)
            (outcome.state if turn else outcome.values).extend(kept)
            of_turn = [each.grad for each in (*leaves, *parameters) if isinstance(each, torch.Tensor)]
            of_turn = [None if each is None else each.clone() for each in of_turn]
            (outcome.state if turn else outcome.gradients).extend(of_turn)
            outcome.inputs.extend(each.detach().clone() for each in passed if isinstance(each, torch.Tensor))
        for module in modules:
            outcome.state.extend(each.detach().clone() for each in module.state_dict().values())
    except Exception as error:
        outcome.error = f"{phase}: {type(error).__name__} {error}".replace("\n", " ")
        if os.environ.get("MUTANTS_TRACE"):
            traceback.print_exc()
    return outcome


def _modules_of(called: Any) -> Iterator[Any]:
    """The module that is called, or those that the function knows."""
    import torch

    known = [cell.cell_contents for cell in getattr(called, "__closure__", None) or ()]
    for each in (called, getattr(called, "__self__", None), *known):
        if isinstance(each, torch.nn.Module):
            yield each


def _backward(result: list[Any]) -> None:
    import torch

    torch.manual_seed(5)
    losses = [(each * torch.randn(each.shape)).sum() for each in result if each.requires_grad]
    if losses:
        torch.stack(losses).sum().backward()


def _is_float(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _tensors(value: Any) -> Iterator[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _tensors(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _tensors(each)
    elif hasattr(value, "__dataclass_fields__"):
        yield from _tensors(vars(value))


def _in_child(work: Callable[[], Any]) -> Any:
    [(_, result)] = _in_children([None], lambda _: work(), 1)
    assert result is not None, "the child died"
    return result


def _in_children(every: list[Any], work: Callable[[Any], Any], jobs: int) -> Iterator[tuple[Any, Any]]:
    """What `work` gives for each, in a process each; None of those that die or take too long."""
    running: dict[int, tuple[Any, Path, float]] = {}
    waiting = list(reversed(every))
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < jobs:
                each = waiting.pop()
                place = Path(folder) / str(len(waiting))
                child = os.fork()
                if not child:
                    _leave(lambda each=each: work(each), place)  # type: ignore[misc]
                running[child] = (each, place, time.monotonic())
            child, _ = os.waitpid(-1, os.WNOHANG)
            if child in running:
                each, place, _ = running.pop(child)
                yield each, pickle.loads(place.read_bytes()) if place.exists() else None
                continue
            for late in [child for child, (_, _, since) in running.items() if time.monotonic() - since > _SECONDS]:
                os.kill(late, signal.SIGKILL)
            time.sleep(0.01)


def _leave(work: Callable[[], Any], place: Path) -> None:
    try:
        place.write_bytes(pickle.dumps(work()))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _score(site: Path, package: str, place: Path, jobs: int, wrong: bool) -> None:
    rows = [Row(**json.loads(line)) for line in place.read_text().splitlines()]
    totals: Counter[tuple[str, str, bool]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "site" / package
        shutil.copytree(site / package, tree, ignore=shutil.ignore_patterns("__pycache__"))
        before = _found(tree, Path(folder), jobs)
        for row in rows:
            if row.label not in (*HARMFUL, "benign"):
                continue
            changed = tree.parent / row.file
            text = changed.read_bytes()
            changed.write_bytes(row.mutation.apply(text))
            new = _found(tree, Path(folder), jobs) - before
            changed.write_bytes(text)
            verdict = "benign" if row.label == "benign" else "harmful"
            totals[verdict, row.mutation.kind, bool(new)] += 1
            if wrong and bool(new) != (verdict == "harmful"):
                where = ", ".join(f"{code} {Path(path).name}:{line}" for path, code, line in new)
                print("FLAG" if new else "MISS", row.label, row.changes, row.detail[:60], where, flush=True)
    for verdict in ("harmful", "benign"):
        of_kinds = Counter(kind for is_, kind, _ in totals.elements() if is_ == verdict)
        found = Counter(kind for is_, kind, hit in totals.elements() if is_ == verdict and hit)
        kinds = ", ".join(f"{kind} {found[kind]}/{count}" for kind, count in of_kinds.most_common())
        print(f"{package} {verdict}: {found.total()}/{of_kinds.total()} flagged ({kinds})")


def _found(tree: Path, folder: Path, jobs: int) -> Counter[tuple[str, str, int]]:
    from inplace_lint import lint_paths

    result = lint_paths([str(tree)], jobs=jobs, cache=str(folder / "cache"))
    every = [each for each in result.diagnostics if each.severity != "info"]
    return Counter((each.site.path, each.code, each.site.span.row) for each in every)


if __name__ == "__main__":
    main()
