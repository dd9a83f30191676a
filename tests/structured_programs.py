"""Random programs with structure: branches, loops, functions, modules, training, custom functions.

Nearly every tensor is 4x4, so that shapes never decide. Names of tensors that are bound once begin
with `v`, those of loops and branches with `t`. A chunk that PyTorch cannot run is left out.
"""

from __future__ import annotations

from random import Random

import torch
from custom_functions import custom_function, indented
from growth import Growth, overlaps
from hypothesis import strategies as st
from programs import KINDS as STRAIGHT
from programs import LEAVES, any_op, roots
from torch_oracle import seed

UNARY = "exp sigmoid tanh relu abs neg sin square clone softmax(-1) cumsum(0)".split()
OPERATORS = "+ - * * / @".split()
ALIKE = "[:] .view(4,4) .view_as({0}) .detach() .data .narrow(0,0,4) .contiguous() [...]".split()
WRITES = (
    "{x}.add_(1)|{x}.mul_({y})|{x} += {y}|{x} *= 2|{x} *= {y}|{x} -= 0.5|{x}.relu_()|{x}.sigmoid_()|{x}.exp_()|"
    "{x}[0] = 1.0|{x}[1:] *= 2|{x}[:, 0] += {y}[:, 1]|F.elu({x}, inplace=True)|F.relu({x}, inplace=True)|{x}.zero_()|"
    "{x}.detach().add_(1)|{x}.data.mul_(2)|{x}.div_(2)|{x}.t().add_(1)|{x}.view(-1).mul_(2)|torch.relu_({x})|"
    "{x}.clamp_(0, 1)|{x}[2].tanh_()|nn.SiLU(inplace=True)({x})|{x}.tanh_().mul_(2)"
).split("|")
ACTIVATIONS = (
    "nn.ReLU()|nn.ReLU(inplace=True)|nn.ReLU(True)|nn.Sigmoid()|nn.Tanh()|nn.SiLU(inplace=True)|nn.GELU()|"
    "nn.LeakyReLU(0.1, inplace=True)|nn.ELU(inplace=True)|nn.Identity()|nn.Hardtanh(inplace=True)"
).split("|")
LAYERS = ("nn.Linear(4, 4)", "nn.Linear(4, 4)", "nn.Linear(4, 4, bias=False)", "nn.LayerNorm(4)")


class Scope:
    """The names that a body may use, and what it may call."""

    def __init__(self, g: Structured, names: list[str], own: tuple[str, ...] = ()) -> None:
        self.g = g
        self.names = names
        self.callees = [*g.callees, *own]
        self.depth = 0

    def name(self) -> str:
        """A tensor, rather a new one."""
        return self.names[-1 - int(self.g.random.random() ** 2 * len(self.names))]

    def fresh(self) -> str:
        """A new local name."""
        self.g.made += 1
        return f"t{self.g.made}"

    def expression(self) -> str:
        """Something that makes a 4x4 tensor of tensors."""
        g, x, y = self.g, self.name(), self.name()
        kind = g.random.random()
        if kind < 0.2:
            unary = str(g.pick(UNARY))
            return f"{x}.{unary}" if unary.endswith(")") else f"{x}.{unary}()"
        if kind < 0.5:
            return f"{x} {g.pick(OPERATORS)} {g.pick((y, y, '2', f'{y}[0]'))}"
        if kind < 0.62:
            return x + str(g.pick(ALIKE)).format(y)
        if kind < 0.9 and self.callees:
            return str(g.pick(self.callees)).format(x=x, y=y)
        others = (
            f"F.relu({x}, inplace=True)", f"torch.where({x} > 0, {x}, {y})", f"torch.cat([{x}[:2], {y}[2:]])",
            f"F.linear({x}, {y})", f"F.dropout({x}, 0.5, inplace=True)", f"torch.cat({x}.chunk(2))", f"{x}.add_({y})",
            f"sum([{x}, {y}])", f"torch.stack([{x}[i] for i in range(4)])", f"({x} if {g.flag()} else {y})",
            f"torch.stack([row * 2 for row in {x}])", f"torch.addcmul({x}, {x}, {y})",
        )  # fmt: skip
        return g.pick(others)

    def write(self) -> str:
        """A statement that writes."""
        return str(self.g.pick(WRITES)).format(x=self.name(), y=self.name())

    def bound(self) -> list[str]:
        """A new name for a new value."""
        value, name = self.expression(), self.fresh()
        self.names.append(name)
        return [f"{name} = {value}"]

    def statement(self) -> list[str]:
        """One statement, with its block if it has one."""
        g, kind = self.g, self.g.random.random()
        if kind < 0.45:
            return self.bound()
        if kind < 0.75 or self.depth > 1:
            return [self.write()]
        if kind < 0.8:
            return [f"{self.name()} = {self.expression()}"] if self.depth == 0 else [self.write()]
        if kind < 0.85:
            return [f"with {g.pick(('torch.no_grad()', 'torch.no_grad()', 'torch.enable_grad()'))}:",
                    *indented(self.block(1))]  # fmt: skip
        return self.branch() if kind < 0.92 else self.loop()

    def block(self, length: int | None = None) -> list[str]:
        """Some statements; what they bind ends with them."""
        known = len(self.names)
        self.depth += 1
        lines = [line for _ in range(length or self.g.random.randint(1, 3)) for line in self.statement()]
        self.depth -= 1
        del self.names[known:]
        return lines

    def branch(self) -> list[str]:
        """`if` with or without `else`."""
        lines = [f"if {self.g.flag()}:", *indented(self.block())]
        if self.g.random.random() < 0.5:
            lines += ["else:", *indented(self.block())]
        return lines

    def loop(self) -> list[str]:
        """A `for` loop of one of the usual kinds."""
        g, x, y, item = self.g, self.name(), self.name(), self.fresh()
        kind = g.pick(("range", "list", "rows", "enumerate", "zip", "carried", "cells", "while"))
        known = len(self.names)
        if kind == "range":
            lines = [f"for i in range({g.pick((1, 2, 3))}):", *indented(self.block())]
            if g.random.random() < 0.3:
                lines += indented(["if i == 1:", f"    {g.pick(('break', 'continue'))}", self.write()])
            return lines
        if kind == "cells":
            w = self.write().replace("[0] = 1.0", "[i] = 1.0")
            return ["for i in range(4):", *indented([g.pick((f"{x}[i] = {y}[i] * 2", f"{x}[i] += {y}[i]", w,
                    f"{x}[:, i] = {x}[:, i - 1] * {y}[0]", f"{x}[i].mul_({y}[i])"))])]  # fmt: skip
        if kind == "carried":
            return [f"{item} = {x}.clone()", "for i in range(3):",
                    *indented([f"{item} = {item} {g.pick(OPERATORS)} {y}", *self.block(1)])]  # fmt: skip
        if kind == "while":
            return [f"n{item} = 0", f"while n{item} < {g.pick((1, 2, 3))}:", f"    n{item} += 1",
                    *indented(self.block())]  # fmt: skip
        self.names.append(item)
        head = {
            "list": f"for {item} in [{x}, {y}]:",
            "rows": f"for {item} in {x}:",
            "enumerate": f"for i, {item} in enumerate(({x}, {y})):",
            "zip": f"for {item}, {item}b in zip([{x}, {y}], [{y}, {x}]):",
        }[kind]
        if kind == "rows":
            self.names, names = [item], self.names
            callees, self.callees = self.callees, []
            body = self.block(1)
            self.names, self.callees = names, callees
        else:
            body = self.block()
        del self.names[known:]
        return [head, *indented(body)]

    def body(self, least: int = 1, most: int = 4) -> list[str]:
        """The statements of a function."""
        return [line for _ in range(self.g.random.randint(least, most)) for line in self.statement()]


class Structured(Growth):
    """A program that grows by whole functions, classes and loops."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.callees: list[str] = []
        self.modules: list[str] = []

    def flag(self) -> str:
        """A condition that is known."""
        return str(self.pick(("True", "False", "flag", "not flag", "flag is None", "number > 2", "number == 3")))

    def square(self) -> list[str]:
        """The 4x4 tensors at hand, the newest last."""
        return self.tensors(
            lambda t: t.dtype == torch.float32 and t.shape == (4, 4) and not overlaps(t) and t.is_contiguous()
        )[::-1]

    def scope(self) -> Scope:
        """A scope with the tensors at hand."""
        return Scope(self, self.square() or ["v1"])

    def define(self, lines: list[str], *callees: str) -> None:
        """Add a definition, and ways to call what it defines."""
        if self.add("\n".join(lines)):
            self.callees += callees

    def number(self) -> int:
        """A number for a new name."""
        self.made += 1
        return self.made


def helper(g: Structured) -> None:
    """A function of one or two tensors."""
    name = f"f{g.number()}"
    two = g.random.random() < 0.5
    scope = Scope(g, ["x", "y"] if two else ["x"])
    body = scope.body()
    result = g.pick(("x", scope.name(), scope.name(), scope.expression(), f"{scope.name()}[:]"))
    lines = [f"def {name}(x, {'y' if g.random.random() < 0.7 else 'y=None'}):" if two else f"def {name}(x):"]
    if g.random.random() < 0.1:
        lines.insert(0, "@torch.no_grad()")
    lines += indented([*body, f"return {result}"])
    g.define(lines, f"{name}({{x}}, {{y}})" if two else f"{name}({{x}})")


def small(g: Structured) -> None:
    """Lambdas, partials, functions that take functions, closures, results in tuples."""
    name = f"f{g.number()}"
    scope = Scope(g, ["x"])
    inner = scope.expression()
    quoted = inner.replace("{", "{{").replace("}", "}}")
    lines, call = g.pick((
        ([f"{name} = lambda x: {inner}"], f"{name}({{x}})"),
        ([f"{name} = functools.partial(F.relu, inplace={g.pick((True, False))})"], f"{name}({{x}})"),
        ([f"def {name}(fn, x):", "    return fn(x) + x"], f"{name}(torch.relu_, {{x}})"),
        ([f"def {name}(fn, x):", "    z = fn(x)", "    return z * x"], f"{name}(lambda x: {quoted}, {{x}})"),
        ([f"def {name}(x, act=F.relu, inplace=True):", "    return act(x, inplace=inplace)"], f"{name}({{x}})"),
        ([f"def {name}(x, y):", "    def inner(x):", f"        return {inner} + y", "    return inner(y)"],
         f"{name}({{x}}, {{y}})"),
        ([f"def {name}(x):", f"    z = {inner}", "    return x, z"], f"{name}({{x}})[{g.pick((0, 1))}]"),
        ([f"def {name}(*args):", "    args[0].mul_(2)", "    return args[-1]"], f"{name}({{x}}, {{y}})"),
        ([f"def {name}(x, **options):", "    return F.elu(x, **options)"], f"{name}({{x}}, inplace=True)"),
        ([f"def {name}(items):", "    for item in items:", "        item.add_(1)", "    return items[0]"],
         f"{name}([{{x}}, {{y}}])"),
        ([f"def {name}(d):", "    d['z'] = d['x'] * 2", "    d['x'].sigmoid_()", "    return d['z']"],
         f"{name}({{{{'x': {{x}}}}}})"),
    ))  # fmt: skip
    g.define(lines, call)


def module_class(g: Structured) -> None:
    """A class of modules and an instance of it."""
    number = g.number()
    parts = {
        "fc": ("self.fc = nn.Linear(4, 4)", "self.fc({x})"),
        "act": ("self.act = nn.ReLU(inplace=inplace)", "self.act({x})"),
        "body": (f"self.body = nn.Sequential({sequence(g)})", "self.body({x})"),
        "buf": ('self.register_buffer("buf", torch.zeros(4, 4))', "{x} + self.buf"),
        "w": ("self.w = nn.Parameter(torch.ones(4, 4))", "{x} * self.w"),
        "layers": ("self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])", "self.layers[1]({x})"),
        "fn": (f"self.fn = {g.pick(('F.relu', 'torch.sigmoid', 'torch.relu_', 'F.silu'))}", "self.fn({x})"),
    }
    chosen = g.random.sample(list(parts), 3)
    scope = Scope(g, ["x"], tuple(parts[part][1] for part in chosen) * 3)
    body = scope.body(1, 5)
    if "buf" in chosen:
        body += [g.pick(("self.buf.add_(x.detach())", "self.buf.copy_(x)", "self.buf = x", "self.buf += 1",
                         "self.buf.zero_()", "self.buf[0] = x[0].detach()"))]  # fmt: skip
        scope.names.append(g.pick(("self.buf", "x")))
    if "w" in chosen and g.random.random() < 0.3:
        body += ["with torch.no_grad():", "    self.w.mul_(0.9)"]
    if "layers" in chosen:
        body += ["for layer in self.layers:", f"    x = {g.pick(('layer(x)', 'F.relu_(layer(x))', 'x + layer(x)'))}"]
    lines = [f"class M{number}(nn.Module):", "    def __init__(self, inplace=False):", "        super().__init__()"]
    lines += indented(indented([parts[part][0] for part in chosen]))
    lines += ["    def forward(self, x):", *indented(indented([*body, f"return {scope.name()}"]))]
    lines += [f"m{number} = M{number}({g.pick(('', 'True', 'inplace=True', 'inplace=flag'))})"]
    g.define(lines, f"m{number}({{x}})")
    g.modules.append(f"m{number}")


def sequence(g: Structured) -> str:
    """Layers and activations for `nn.Sequential`."""
    return ", ".join(g.pick((*LAYERS, *ACTIVATIONS[: g.pick((3, 11))])) for _ in range(g.random.randint(1, 4)))


def built_in(g: Structured) -> None:
    """A module made of the library's own."""
    number = g.number()
    g.define([f"m{number} = {g.pick((f'nn.Sequential({sequence(g)})', *ACTIVATIONS, *LAYERS))}"], f"m{number}({{x}})")
    g.modules.append(f"m{number}")


def statement(g: Structured) -> None:
    """A binding or a write at the top level, by what the program has defined."""
    scope = g.scope()
    if g.random.random() < 0.7:
        g.add(f"{g.fresh()} = {scope.expression()}")
    else:
        g.add(scope.write())


def block(g: Structured) -> None:
    """A branch or a loop at the top level."""
    scope = g.scope()
    kind = g.random.random()
    if kind < 0.3:
        scope.depth += 1
        g.add("\n".join(scope.branch()))
    elif kind < 0.7:
        scope.depth += 1
        g.add("\n".join(scope.loop()))
    elif kind < 0.85:
        name, target = f"l{g.number()}", g.fresh()
        lines = [f"{name} = []", "for i in range(3):", f"    {name}.append({scope.expression()})"]
        g.add("\n".join([*lines, f"{target} = torch.stack({name}).sum(0)"]))
    else:
        target = g.fresh()
        lines = [f"if {g.flag()}:", f"    {target} = {scope.expression()}"]
        g.add("\n".join([*lines, "else:", f"    {target} = {scope.expression()}"]))


def training(g: Structured) -> None:
    """A loop that trains, with its steps now and then in an unusual order."""
    if not g.modules:
        built_in(g)
    n, m, other = g.number(), g.pick(g.modules), g.pick(g.modules)
    x, y = g.scope().name(), g.scope().name()
    data = g.pick((x, f"{x}.detach()", "torch.randn(4, 4)"))
    parameters = g.pick((f"{m}.parameters()", f"list({m}.parameters())", f"[*{m}.parameters(), *{other}.parameters()]",
                         f"[{{'params': {m}.parameters()}}]"))  # fmt: skip
    losses = [f"t{n}.sum()", f"(t{n} - {y}).pow(2).mean()", f"F.mse_loss(t{n}, {y}.detach())", f"(t{n} * {y}).sum()"]
    second = g.pick(
        (f"{other}(t{n}).sum()", f"{other}(t{n}.detach()).mean()", f"{m}({data}).sum()", f"t{n}.exp().sum()")
    )
    retain = g.pick(("", "retain_graph=True"))
    lines = [
        f"t{n} = {m}({data})",
        f"loss = {g.pick(losses)}",
        "opt.zero_grad()",
        f"loss.backward({retain})",
        "opt.step()",
    ]
    extra = [f"loss2 = {second}", f"loss2.backward({g.pick(('', 'retain_graph=True'))})"]
    form = g.pick(("plain", "plain", "two", "late", "both", "accumulated"))
    if form == "two":
        lines += [*extra, "opt.step()"]
    elif form == "late":
        lines[2:2] = extra[:1]
        lines += extra[1:]
    elif form == "both":
        lines[2:2] = extra[:1]
        lines[4:4] = extra[1:]
    elif form == "accumulated":
        lines = [lines[0], "total = total + " + losses[0], *lines[2:]]
        lines[3] = f"total.backward({retain})"
    elif g.random.random() < 0.3:
        lines.insert(g.random.randint(1, len(lines)), g.scope().write())
    head = [f"opt = torch.optim.{g.pick(('SGD', 'SGD', 'Adam'))}({parameters}, lr=0.1)", "total = 0"]
    g.add("\n".join([*head, f"for step in range({g.pick((1, 2, 3))}):", *indented(lines)]))


def straight(g: Structured) -> None:
    """A line of a straight program."""
    choices = {kind: weight for kind, weight in STRAIGHT.items() if kind is not any_op}
    (kind,) = g.random.choices(list(choices), list(choices.values()))
    g.add(kind(g), g.pick((*[""] * 6, "torch.no_grad()")))


KINDS = {
    helper: 3, small: 3, module_class: 3, built_in: 2, custom_function: 2, statement: 12, block: 6, training: 2,
    straight: 4,
}  # fmt: skip


def structured_program(random: Random) -> str:
    """A random program. It ends with a backward pass, or with the line that PyTorch refuses."""
    seed()
    g = Structured(random)
    g.add("import functools")
    g.add(f"flag, number = {g.pick((True, False))}, {g.pick((1, 3))}")
    g.add(f"{g.fresh()} = torch.randn(4, 4, requires_grad=True)")
    g.add(f"{g.fresh()} = v1 * 1")
    for _ in range(2):
        g.add(f"{g.fresh()} = {g.pick(LEAVES)}")
    for _ in range(2):
        g.pick((helper, small, module_class, custom_function, built_in))(g)
    for _ in range(random.randint(3, 10)):
        if not g.refused:
            (kind,) = random.choices(list(KINDS), list(KINDS.values()))
            kind(g)
    for _ in range(2):
        if not g.refused:
            g.add(f"({roots(g)}).backward()")
    return g.text()


def structured_programs() -> st.SearchStrategy[str]:
    """Random programs with structure as source text."""
    return st.randoms(use_true_random=False).map(structured_program)
