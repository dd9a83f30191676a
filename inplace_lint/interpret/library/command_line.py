"""`argparse`: what a program is told on its command line, by default or in whatever other way."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Cell, Instance, List, Native, Value, plain
from inplace_lint.source import ir

# More turns of a loop than this tell nothing new: such a number stays unknown.
_MOST = 8


def _parser(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(_collecting(run, {}, node))


def _collecting(run: Run, defaults: dict[str, Value], node: ir.Node) -> Instance:
    """A parser, or a group of options, that collects defaults."""
    parser = Instance("argparse.ArgumentParser", key=run.key(node), label="parser")

    def add(later: Arguments) -> Value:
        option = _option(later)
        if option is not None:
            defaults[option] = _default(later)
        return None

    def group(later: Arguments) -> Value:
        return _collecting(run, defaults, node)

    def set_defaults(later: Arguments) -> Value:
        defaults.update((option, plain(passed.cell.value)) for option, passed in later.keywords.items())
        return None

    def parse(later: Arguments) -> Value:
        return _namespace(run, _told(defaults, later), node)

    def parse_known(later: Arguments) -> Value:
        return List("tuple", [Cell(_namespace(run, _told(defaults, later), node)), Cell(List("list", open=True))])

    methods: dict[str, Callable[[Arguments], Value]] = {
        "add_argument": add,
        "add_argument_group": group,
        "add_mutually_exclusive_group": group,
        "set_defaults": set_defaults,
        "parse_args": parse,
        "parse_known_args": parse_known,
    }
    for method, call in methods.items():
        parser.give(method, Cell(Native(method, call)))
    return parser


def _told(defaults: dict[str, Value], arguments: Arguments) -> dict[str, Value]:
    """The defaults without what a program tells itself: `parse_args(["--rate", "0.1"])`."""
    given = plain(arguments.get(0, "args"))
    words = [plain(cell.value) for cell in given.items] if isinstance(given, List) else []
    told = {_attribute(word.partition("=")[0]) for word in words if isinstance(word, str)}
    return {option: value for option, value in defaults.items() if option not in told}


def _namespace(run: Run, defaults: dict[str, Value], node: ir.Node) -> Instance:
    """What was parsed: the defaults on one path, nobody knows what on another."""
    made = Instance("argparse.Namespace", key=run.key(node), label="args")
    if run.oracle.choose(2) == 0:
        for option, value in defaults.items():
            if isinstance(value, (bool, str, float, type(None))) or (isinstance(value, int) and value <= _MOST):
                label = f"args.{option}"
                made.give(option, run.cell((id(made), option), label, "attribute", value, None, None))
    return made


def _option(arguments: Arguments) -> str | None:
    """The attribute that an optional argument becomes; None for a positional one."""
    given = arguments.keywords.get("dest")
    if given is not None:
        name = plain(given.cell.value)
        return name if isinstance(name, str) else None
    flags = [flag for passed in arguments.positional if isinstance(flag := plain(passed.cell.value), str)]
    flags = sorted((flag for flag in flags if flag.startswith("-")), key=lambda flag: not flag.startswith("--"))
    return _attribute(flags[0]) if flags else None


def _attribute(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _default(arguments: Arguments) -> Value:
    given = arguments.keywords.get("default")
    if given is not None:
        return plain(given.cell.value)
    action = arguments.keywords.get("action")
    switched = {"store_true": False, "store_false": True}
    spelled = plain(action.cell.value) if action is not None else None
    return switched.get(spelled) if isinstance(spelled, str) else None


HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Cell]] = {"argparse.ArgumentParser": _parser}
