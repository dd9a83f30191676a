"""Families of programs that are written to take long: short texts, at growing sizes, of each thing that can grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"

LINES = (500, 1_000, 1_900)
TIMES = (20, 40, 80)
TERMS = (1_000, 10_000, 100_000)
FILES = (5, 20, 40)


@dataclass(frozen=True)
class Family:
    """Programs of growing size.

    Args:
        name: what grows.
        sizes: three, ascending.
        make: the text of a program of some size; or the texts of its files, by name.
    """

    name: str
    sizes: tuple[int, int, int]
    make: Callable[[int], str | dict[str, str]]

    def files(self, size: int) -> dict[str, str]:
        """The texts of the files of a program."""
        made = self.make(size)
        return made if isinstance(made, dict) else {"hostile.py": made}


def function(lines: Iterable[str], parameters: str = "x") -> str:
    """A file with one function."""
    return f"{HEAD}def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


def grown(first: str, line: str, times: int) -> str:
    """A function that makes something longer again and again, and then writes a tensor."""
    return function([first, *[line] * times, "x.add_(1)", "return x"])


def chain(term: str, between: str, times: int) -> str:
    """A function with one long expression."""
    return function([f"y = {between.join([term] * times)}", "x.add_(1)", "return y"])


def module(attributes: Iterable[str], forward: Iterable[str], methods: str = "") -> str:
    """A file with one module."""
    made = "".join(f"        {line}\n" for line in attributes)
    body = "".join(f"        {line}\n" for line in forward)
    init = f"    def __init__(self):\n        super().__init__()\n{made}"
    return f"{HEAD}class M(nn.Module):\n{init}    def forward(self, x):\n{body}        return x\n{methods}"


def ring(count: int, file: Callable[[int, Callable[[int], int]], str]) -> dict[str, str]:
    """Files that import one another; `file` is told its number, and how to count on in the circle."""
    return {f"m{i}.py": "import torch\n" + file(i, lambda j, i=i: (i + j) % count) for i in range(count)}  # type: ignore[misc]


def _nested_loops(depth: int) -> str:
    heads = [f"{'    ' * i}for i{i} in range(10):" for i in range(depth)]
    return function([*heads, "    " * depth + "x.add_(1)"])


def _calls(count: int, call: str) -> str:
    rest = "".join(f"def f{i}(x):\n    {call.format(i - 1)}\n" for i in range(1, count))
    return f"{HEAD}def f0(x):\n    return x.relu_()\n{rest}"


def _classes(count: int, body: str) -> str:
    first = f"{HEAD}class C0(nn.Module):\n    def m(self, x):\n        return x.relu_()\n"
    rest = "".join(f"class C{i}(C{i - 1}):\n    {body}\n" for i in range(1, count))
    return f"{first}{rest}def f(x):\n    return C{count - 1}().m(x)\n"


def _diamonds(count: int) -> str:
    pairs = (f"class A{i}(A{i - 1}, B{i - 1}): pass\nclass B{i}(A{i - 1}, B{i - 1}): pass\n" for i in range(1, count))
    first = "class A0:\n    def m(self, x):\n        return x.relu_()\nclass B0(A0): pass\n"
    return f"{HEAD}{first}{''.join(pairs)}def f(x):\n    return A{count - 1}().m(x)\n"


def _sums_of_calls(count: int) -> str:
    rows = "".join(f"    y{i} = torch.exp(x * {i})\n    s = s + g(y{i})\n" for i in range(count))
    return f"{HEAD}def f(g, x):\n    s = 0\n{rows}    y0.add_(1)\n    return s\n"


def _names_at_once(count: int) -> str:
    names = " = ".join(f"a{i}" for i in range(count))
    writes = "".join(f"    a{i}.mul_(2)\n" for i in range(count))
    return f"{HEAD}def f(x):\n    {names} = torch.sigmoid(x)\n{writes}    return a0\n"


def _knot(count: int) -> str:
    functions = (
        f"def f{i}(x):\n    x.add_(1)\n    return f{(7 * i + 1) % count}(f{(3 * i + 2) % count}(x))\n"
        for i in range(count)
    )
    return HEAD + "".join(functions)


def _tree_of_modules(count: int) -> str:
    first = "class M0(nn.Module):\n    def forward(self, x):\n        return x.relu_()\n"
    rest = (
        f"class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.a = M{i - 1}()\n        self.b = M{i - 1}()\n"
        "    def forward(self, x):\n        return self.a(self.b(x)) + x\n"
        for i in range(1, count)
    )
    return f"{HEAD}{first}{''.join(rest)}M{count - 1}()(torch.ones(3)).sum().backward()\n"


def _steps(count: int) -> str:
    layers = "m = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True)) for _ in range(20)])\n"
    step = "for _ in range(100):\n    loss = m(torch.ones(3)).sum()\n    loss.backward()\n    o.step()\n"
    return f"{HEAD}{layers}o = torch.optim.SGD(m.parameters(), 0.1)\n{step * (count // 4)}"


FAMILIES = (
    Family("writes to one tensor", LINES, lambda n: grown("y = torch.sigmoid(x)", "y.mul_(2)", n)),
    Family(
        "saves, writes and reads of one tensor",
        LINES,
        lambda n: function(["y = x * 2", *["z = torch.sigmoid(y)", "y.mul_(2)", "w = y + z"] * (n // 3), "return w"]),
    ),
    Family(
        "writes, and reads by another name",
        LINES,
        lambda n: function(["y = x * 2", "z = y", *["y.mul_(2)", "w = z + 1"] * (n // 2), "return w"]),
    ),
    Family(
        "names for one tensor",
        LINES,
        lambda n: function(
            ["y = x * 2", *(f"z{i} = y" for i in range(n // 2)), "y.mul_(2)"]
            + [f"w{i} = z{i} + 1" for i in range(n // 2)]
        ),
    ),
    Family(
        "three names in turn",
        LINES,
        lambda n: function(
            ["a = x * 2", "b = a", "c = b", *["a = b.mul_(c)", "b = c.add_(a)", "c = a.sub_(b)"] * (n // 3)]
        ),
    ),
    Family(
        "backward passes",
        LINES,
        lambda n: function(
            ["y = x * 2", *["y = torch.sigmoid(y)", "y.mul_(2)", "y.sum().backward(retain_graph=True)"] * (n // 3)]
        ),
    ),
    Family(
        "saves of what is written then",
        LINES,
        lambda n: function(
            ["y = x * 2", *(f"z{i} = torch.exp(y) * y" for i in range(n)), "y.mul_(2)", f"return z0 + z{n - 1}"]
        ),
    ),
    Family(
        "views, each written",
        LINES,
        lambda n: function(
            ["y = x * 2", *(f"v{i} = y[{i}]" for i in range(n // 2)), *(f"v{i}.mul_(2)" for i in range(n // 2))]
        ),
    ),
    Family(
        "slices that are assigned",
        LINES,
        lambda n: function(["y = torch.zeros(9999)", *(f"y[{i}:{i + 3}] = x[{i}]" for i in range(n)), "return y"]),
    ),
    Family("elements of a list", LINES, lambda n: function(["l = []", *["l.append(x.relu_())"] * n, "return l"])),
    Family("entries of a dict", LINES, lambda n: function(["d = {}", *(f"d[{i}] = x.add_(1)" for i in range(n))])),
    Family("swaps", LINES, lambda n: function(["a, b = x, x", *["a, b = b.mul_(a), a"] * n, "return a + b"])),
    Family("hooks", LINES, lambda n: function([*["x.register_hook(lambda g: g.mul_(2))"] * n, "x.sum().backward()"])),
    Family("findings", LINES, lambda n: _calls(n // 2, "return x * torch.sigmoid_(x)")),
    Family(
        "findings in one function",
        LINES,
        lambda n: function(["y = x * 2", *(f"z{i} = y * torch.sigmoid_(y)" for i in range(n)), "return y"]),
    ),
    Family(
        "suppressed findings",
        LINES,
        lambda n: function([*["x = x * torch.sigmoid_(x)  # noqa: IPL302"] * n, "return x"]),
    ),
    Family("functions", LINES, lambda n: _calls(n // 3, "y = torch.sigmoid(x)\n    y.mul_(2)\n    y.sum().backward()")),
    Family("a chain of calls", LINES, lambda n: _calls(n // 2, "return f{}(x.add_(1))")),
    Family("a tree of calls", LINES, lambda n: _calls(n // 3, "f{0}(x)\n    return f{0}(x)")),
    Family("functions that call one another", (30, 100, 300), _knot),
    Family(
        "more arguments with each call", TIMES, lambda n: f"{HEAD}def f(*a):\n    return f(*a, *a)\nf(g().relu_())\n"
    ),
    Family(
        "closures",
        LINES,
        lambda n: function(
            [*(f"def g{i}(y): return g{max(i - 1, 0)}(y.add_(1))" for i in range(n)), f"return g{n - 1}(x)"]
        ),
    ),
    Family(
        "decorators",
        LINES,
        lambda n: (
            f"{HEAD}def d(f):\n    return lambda *a: f(*a)\n"
            + "@d\n" * n
            + "def f(x):\n    return x * x.relu_()\nf(g())\n"
        ),
    ),
    Family(
        "functions of functions",
        LINES,
        lambda n: function(["g = lambda y: y", *["h = g; g = lambda y: h(h(y))"] * n, "return g(x.add_(1))"]),
    ),
    Family(
        "what a generator yields",
        LINES,
        lambda n: f"{HEAD}def g(x):\n" + "    yield x.add_(1)\n" * n + "list(g(h()))\n",
    ),
    Family(
        "branches",
        LINES,
        lambda n: function(line for i in range(n // 2) for line in (f"if x.a{i}():", "    x.add_(1)")),
    ),
    Family(
        "branches of one test",
        LINES,
        lambda n: function(
            ["if a == 0: y = x", *(f"elif a == {i}: y = x.relu_()" for i in range(n)), "return y"], "x, a"
        ),
    ),
    Family(
        "cases",
        LINES,
        lambda n: function(
            ["match a:", *(f"    case {i}: y = x.relu_()" for i in range(n)), "return y"],
            "x, a",
        ),
    ),
    Family(
        "loops", LINES, lambda n: function(line for i in range(n // 2) for line in (f"for i{i} in l:", "    x.add_(1)"))
    ),
    Family("loops in loops", (19, 60, 95), _nested_loops),
    Family(
        "loops without end",
        LINES,
        lambda n: function(["while x.sum() > 0:\n        x = x.clone()\n        x.sub_(1)"] * (n // 3)),
    ),
    Family("`with` blocks", LINES, lambda n: function(["with torch.no_grad():\n        x.add_(1)"] * (n // 2))),
    Family(
        "`try` blocks",
        LINES,
        lambda n: function(["try:\n        x.add_(g())\n    except E:\n        x.mul_(2)"] * (n // 4)),
    ),
    Family("a list, doubled by `+`", TIMES, lambda n: grown("l = [x]", "l = l + l", n)),
    Family(
        "a list, doubled in a loop",
        TIMES,
        lambda n: function(["l = [x]", f"for _ in range({n}):", "    l = l + l", "x.add_(1)"]),
    ),
    Family("a list, doubled by `+=`", TIMES, lambda n: grown("l = [x]", "l += l", n)),
    Family("a list, doubled by `extend`", TIMES, lambda n: grown("l = [x]", "l.extend(l)", n)),
    Family("a list, doubled by unpacking", TIMES, lambda n: grown("l = [x]", "l = [*l, *l]", n)),
    Family("a list, multiplied", TIMES, lambda n: grown("l = [x]", "l = l * 8", n)),
    Family("a tuple, doubled", TIMES, lambda n: grown("l = (x,)", "l = l + l", n)),
    Family("pairs of pairs", TIMES, lambda n: grown("l = (x, x)", "l = (l, l); y = l == x", n)),
    Family("a list of all pairs", TIMES, lambda n: grown("l = [x, x]", "l = [b for a in l for b in l]", n)),
    Family(
        "a dict, doubled",
        TIMES,
        lambda n: grown("d = {'a': x}", "d = {**d, **{k + 'b': v for k, v in d.items()}}", n),
    ),
    Family("what an op takes, doubled", TIMES, lambda n: grown("l = [x, x]", "l = l + l; y = torch.cat(l)", n)),
    Family("a text, doubled", TIMES, lambda n: grown("s = 'a'", "s = s + s; s = s.replace('a', 'aa')", n)),
    Family(
        "the length of texts",
        (10**3, 10**6, 2 * 10**9),
        lambda n: function(
            [
                f"s = 'a' * {n}",
                f"s = '%{n}d' % 1",
                f"s = 'a'.ljust({n})",
                f"s = 'a'.zfill({n})",
                f"s = b'a' * {n}",
                f"s = 'a'.center({n}, '-')",
                f"s = 'a\\t'.expandtabs({n})",
                f"s = f'{{1:{n}}}'",
                "x.add_(1)",
            ]
        ),
    ),
    Family(
        "the size of numbers and ranges",
        (10**3, 10**6, 10**9),
        lambda n: function(
            [
                f"l = list(range({n}))",
                f"l = [x for _ in range({n})]",
                f"l = [x] * {n}",
                f"i = 7 ** {n}",
                f"i = 1 << {n}",
                f"t = torch.zeros(2).chunk({n})",
                "x.add_(1)",
            ]
        ),
    ),
    Family("terms of `or`", TERMS, lambda n: chain("x", " or ", n)),
    Family("terms of `<`", TERMS, lambda n: chain("x", " < ", n)),
    Family("terms of `+`", TERMS, lambda n: chain("x", " + ", n)),
    Family("fields of an f-string", TERMS, lambda n: function([f"y = f'{'{x}' * n}'", "x.add_(1)"])),
    Family("calls in an f-string", TERMS, lambda n: function([f"y = f'{'{x.relu_()}' * n}'", "x.add_(1)"])),
    Family("attributes of attributes", (200, 1_000, 5_000), lambda n: function([f"y = x{'.a' * n}", "y.add_(1)"])),
    Family("calls on results", (200, 1_000, 5_000), lambda n: function([f"y = x{'.relu_()' * n}", "return y + x"])),
    Family("parts of parts", (200, 1_000, 5_000), lambda n: function([f"y = x{'[0]' * n}", "y.add_(1)"])),
    Family("brackets", (100, 1_000, 5_000), lambda n: function([f"y = {'[' * n}x{']' * n}", "x.add_(1)"])),
    Family("arguments of a call", TERMS, lambda n: function([f"y = g({'x,' * n})", "x.add_(1)"])),
    Family("parameters", TERMS, lambda n: function(["x0.add_(1)"], ", ".join(f"x{i}" for i in range(n)))),
    Family("a display of numbers", TERMS, lambda n: function([f"l = [{'1,' * n}]", "x.add_(l[0])"])),
    Family(
        "a table of a file",
        TERMS,
        lambda n: f"{HEAD}T = {dict(zip(map(str, range(n)), range(n), strict=True))}\ndef f(x):\n    x.add_(T['1'])\n",
    ),
    Family("statements on one line", TERMS, lambda n: f"{HEAD}y = g()\n{'y.mul_(2);' * n}\n"),
    Family(
        "words of a docstring", TERMS, lambda n: function([f"'''{'is it not modified in place? ' * n}'''", "x.add_(1)"])
    ),
    Family("the word `not`", TERMS, lambda n: function([f"'''{'not ' * n}'''", "x.add_(1)"])),
    Family("words of a comment", TERMS, lambda n: function([f"# {'nobody asks if it is modified ' * n}", "x.add_(1)"])),
    Family("spaces in a comment", TERMS, lambda n: function([f"x * x.relu_()  # inplace-lint: ignore[{' ' * n}"])),
    Family("a base of a base", LINES, lambda n: _classes(n // 2, "pass")),
    Family("`super` of `super`", LINES, lambda n: _classes(n // 2, "def m(self, x): return super().m(x)")),
    Family("diamonds of classes", LINES, lambda n: _diamonds(n // 2)),
    Family("sums of what unknown calls gave", LINES, lambda n: _sums_of_calls(n // 2)),
    Family("names bound at once", LINES, _names_at_once),
    Family(
        "methods",
        LINES,
        lambda n: module(
            (f"self.l{i} = nn.Linear(3, 3)" for i in range(n // 4)),
            ["x = x + 1"],
            "".join(f"    def m{i}(self, x):\n        return self.l{i}(x).sigmoid().mul_(2)\n" for i in range(n // 4)),
        ),
    ),
    Family(
        "attributes",
        LINES,
        lambda n: module(
            (f"self.a{i} = torch.zeros(3)" for i in range(n // 2)), (f"self.a{i}.add_(x)" for i in range(n // 2))
        ),
    ),
    Family(
        "layers",
        LINES,
        lambda n: module(
            ["self.s = nn.Sequential(", *["    nn.Conv2d(3, 3, 1), nn.ReLU(inplace=True),"] * n, ")"],
            ["x = self.s(x) + x"],
        ),
    ),
    Family("a tree of modules", (10, 30, 200), _tree_of_modules),
    Family("training steps", (30, 100, 300), _steps),
    Family(
        "tensors of a file",
        LINES,
        lambda n: (
            HEAD
            + "".join(f"G{i} = torch.zeros(3)\n" for i in range(n // 3))
            + "".join(f"def f{i}():\n    G{i}.add_(1)\n" for i in range(n // 3))
        ),
    ),
    Family("lines before a syntax error", LINES, lambda n: function([*["x.add_(1)"] * n, "return ("])),
    Family("statements before a syntax error", TERMS, lambda n: f"{HEAD}{'a = 1;' * n}(\n"),
    Family("lines of Python 2", LINES, lambda n: HEAD + "print x.add_(1)\n" * n),
    Family(
        "files that call one another",
        FILES,
        lambda n: ring(
            n,
            lambda i, at: (
                f"from m{at(1)} import g{at(1)}\nfrom m{at(2)} import g{at(2)}\n"
                f"def g{i}(x):\n    y = g{at(1)}(x.relu_())\n    return g{at(2)}(y)\n"
            ),
        ),
    ),
    Family(
        "files that inherit from one another",
        FILES,
        lambda n: ring(
            n,
            lambda i, at: (
                f"import m{at(1)}\nimport m{at(3)}\nclass A{i}(m{at(1)}.A{at(1)}):\n    def forward(self, x):\n"
                f"        y = m{at(3)}.A{at(3)}()(x.relu_())\n        return super().forward(y)\n"
            ),
        ),
    ),
    Family(
        "files that import all of one another",
        FILES,
        lambda n: ring(
            n,
            lambda i, at: (
                "".join(f"from m{at(j)} import *\n" for j in range(1, n))
                + f"def g{i}(x):\n    return g{at(1)}(x.relu_()) + missing\n"
            ),
        ),
    ),
    Family(
        "files that hand a name on",
        (20, 60, 200),
        lambda n: {
            **{f"m{i}.py": f"from m{i + 1} import g\n" for i in range(n)},
            f"m{n}.py": "import torch\ndef g(x):\n    return x.relu_()\n",
            "use.py": "import torch\nfrom m0 import g\ndef h(x):\n    y = torch.sigmoid(x)\n    g(y)\n    return y\n",
        },
    ),
)
