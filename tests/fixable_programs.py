"""Random programs full of what fixes are offered for, in all the places where people write it.

A program is a few sections, each some statements around shared 4x4 tensors, put into functions, modules, loops,
branches, blocks and lines with several statements. All tensors live on in some name, and end in one loss.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

SAVES = (
    "{n} = {x} ** 2|{n} = {x}.exp()|{n} = torch.sigmoid({x})|{n} = {x} * {y}|{n} = {x}.tanh() * 3|{n} = {x} @ {y}|"
    "{n} = F.relu({x})|{n} = F.softmax({x}, -1)|{n} = {x}.pow(2).neg()|{n} = torch.stack([{x}, {y}])[0]|"
    "{n} = {x}.sin() + {y}|{n} = torch.where({x} > 0, {x}, {y})|{n} = F.silu({x})|{n} = {x} / ({y} * {y} + 1)|"
    "{n} = F.layer_norm({x}, (4,))|{n} = torch.addmm({y}, {x}, {x})|{n} = {x}.cumsum(0).square()"
).split("|")
LINEAR = "{n} = {x} * 2|{n} = {x} + {y}|{n} = {x} - 1|{n} = {x}.t() + {x}|{n} = {x}.neg()|{n} = {x} / 3".split("|")
LIGHT = (
    "{x}.add_(1)|{x}.mul_(2)|{x}.sub_({y})|{x}.neg_()|{x}.div_(4)|torch.neg_({x})|{x}.add_({y}).mul_(2)|"
    "{x}.copy_({y})|{x}.add_({y}, alpha=2)|{x}.t_()|{x}.lerp_({y}, 0.5)|{x}.detach().add_(1)|{x}.zero_().add_({y})"
).split("|")
CALLS = (
    "{x}.add_(1)|{x}.mul_({y})|{x}.sigmoid_()|{x}.exp_()|{x}.tanh_()|{x}.clamp_(0, 1)|{x}.relu_()|torch.relu_({x})|"
    "F.relu({x}, inplace=True)|F.elu({x}, 1.0, True)|F.hardtanh({x}, inplace=True)|torch.sigmoid_({x})|{x}.sub_({y})|"
    "F.dropout({x}, 0.0, inplace=True)|nn.SiLU(inplace=True)({x})|"
    "{x}.add_({y}).mul_(2)|{x}.masked_fill_({y} > 0, 0.0)|"
    "torch.tanh_({x})|{x}.abs_()|{x}.lerp_({y}, 0.5)|{x}.neg_().sin_()|F.leaky_relu({x}, 0.2, inplace=True)|"
    "{x}.addcmul_({y}, {y})|{x}.square_()|F.threshold({x}, 0.1, 20, inplace=True)|F.selu_({x})"
).split("|")
WRITES = [
    *CALLS,
    *(
        "{x} += 1|{x} *= {y}|{x} -= {y} * 0.5|{x} /= 2|{x}[0] = 1.0|{x}[1:] *= 2|{x}[:, 0] += {y}[:, 1]|{x}.zero_()|"
        "{x}[2].tanh_()|{x}.t().mul_(2)|{x}.view(-1).add_(1)|{x}[0].add_({x}[1])|{x}.fill_(0.5)|{x}.copy_({y})|"
        "{x}.data.mul_(2)|{x}.detach().add_(1)|{x} **= 2|{x}[:2, 1:].exp_()|{x}.index_fill_(0, torch.tensor([1]), 0.5)|"
        "{x}.diagonal().mul_(3)|torch.mul({x}, 2, out={x})|{x}.unsqueeze(0).neg_()"
    ).split("|"),
]
MIXES = (
    "{n} = {x} + {c}|{n} = {c} * {x}|{n} = {c} - {x}.sum()|{n} = {x}.exp() * {c}|{n} = torch.cat([{x}, {c}])[:4]|"
    "{n} = {c} + {y}|{n} = {c}|{n} = {c}.mul(2)|{n}, {m} = {x}, {c}|{n} = sum([{x}, {c}])|{n} = {x} * 2 + {c} * {x}"
).split("|")
ALIASES = (
    "{n} = {x}|{n} = {x}[:]|{n} = {x}.view(4, 4)|{n} = {x}[0]|{n} = {x}.t()|{n} = {m} = {x}|{n} = {x}.detach()|"
    "{n} = {x}.data|{n} = {x}.narrow(0, 0, 2)|{n} = {x} if flag else {y}|{n}, {m} = {x}, {y}|{n} = {x}.contiguous()|"
    "{n} = {x}.reshape(-1)|{n} = {x}[1:]"
).split("|")
KEEPERS = (
    "{n}k = [{x}]|{n}k = [{x}, {y}]|{n}k = ({x}, {y})|{n}k = {{'a': {x}}}|{n}k = []\n{n}k.append({x})|"
    "{n}k = {{}}\n{n}k['a'] = {x}|box.kept = {x}|{n}k = [{x}[0], {x}[1]]|{n}k = list({x})|{n}k = []\n"
    "for i in range(2):\n    {x}.add_(1)\n    {n}k.append({x})|{n}k = [{x}] * 2|{n}k = lambda: {x}.sum()|"
    "{n}k = []\n{n}k.extend([{x}])|box.kept = [{x}]|{n}k = dict(a={x}, b={y})"
).split("|")
# Whole stories, each with tensors of its own; `{x}` requires grad and is no leaf, `{w}` is a leaf.
STORIES = (
    "with torch.no_grad():\n    {w}.mul_(0.9)|{w}.zero_()|{w}[0] = 1|{w}.fill_(0.5)\n{w}[0].zero_()|{w}.mul_({x})|"
    "({w} * 2).sum().backward()\n{w} -= 0.1 * {w}.grad\n{w}.grad.zero_()|"
    "({w} * {w}).sum().backward()\n{w}.add_({w}.grad, alpha=-0.1)\n{w}.clamp_(-1, 1)\n{w}.grad = None|"
    "{n} = {w}[0]\n{n}.zero_()|{n} = {w}.view(-1)\n{n}.fill_(1)|{n} = {w}.t()\n{n} += 1|"
    "{n}, {m} = {x}.chunk(2)\n{n}.mul_(2)|{n}, {m} = {x}.split(2)\n{n} += 1\n{m}.exp_()|"
    "for row in {x}:\n    row.add_(1)|{n} = {x}.unbind()\n{n}[0].mul_(3)|for {n} in {x}.split(1):\n    {n}.relu_()|"
    "{n} = torch.rand(4).expand(4, 4)\n{n}.add_(1)|{n} = torch.rand(1, 4).expand(4, 4)\n{n}[0] = 1|"
    "{n} = torch.rand(6)\n{n}[1:] = {n}[:-1]|{n} = torch.rand(6)\n{n}[1:] += {n}[:-1]|"
    "{n} = torch.rand(4, 4)\n{n}[:2].add_({n}[1:3])|{n} = torch.rand(6)\n{n}[1:].copy_({n}[:-1])|"
    "{n} = torch.rand(3, 4)\n{m} = {n}.expand(2, 3, 4)\n{m}.mul_(2)|"
    "{n} = torch.empty(4, 4)\ntorch.add({x}, 1, out={n})|{n} = torch.empty(4, 4)\n{m} = torch.exp({w}, out={n})|"
    "{n} = torch.zeros(4, 4)\ntorch.matmul({x}, {w}, out={n})\n{n} = {n} * 2|"
    "with torch.inference_mode():\n    {n} = torch.rand(4, 4) * 2\n{n}.add_(1)|"
    "with torch.inference_mode():\n    {n} = torch.rand(4, 4) + 1\n{m} = {w} * {n}|"
    "@torch.inference_mode()\ndef f{n}(t):\n    return t * 2\n{n} = f{n}(torch.rand(4, 4))\n{n} *= 2|"
    "l{n} = nn.Linear(4, 4)\nl{n}.register_full_backward_hook(lambda *a: None)\n{n} = F.relu(l{n}({x}), inplace=True)|"
    "l{n} = nn.Linear(4, 4)\nl{n}.register_full_backward_hook(lambda *a: None)\n{n} = l{n}({x})\n{n} += 1|"
    "def g{n}(module, args, output):\n    seen.append(output)\nl{n} = nn.Linear(4, 4)\n"
    "l{n}.register_forward_hook(g{n})\n{n} = l{n}({x}).mul_(2)|"
    "def g{n}(gradient):\n    gradient.mul_(2)\n    return gradient\n{n} = {x} * 2\n{n}.register_hook(g{n})|"
    "def g{n}(gradient):\n    return gradient.clamp_(-1, 1)\n{n} = {x} * 2\n{n}.register_hook(g{n})|"
    "rows{n} = [torch.zeros(4)] * 3\nrows{n}[0].add_(1)\n{n} = torch.stack(rows{n})|"
    "rows{n} = [torch.zeros(4)] * 3\nfor i in range(3):\n    rows{n}[i] += i\n{n} = torch.stack(rows{n})|"
    "{n} = torch.rand(4, 4)\n{n}[[0, 1]].mul_(2)|{n} = torch.rand(4, 4)\n{n}[{n} > 0.5].zero_()|"
    "l{n} = nn.Linear(4, 4)\no{n} = torch.optim.SGD(l{n}.parameters(), lr=0.1)\nbest{n} = l{n}.state_dict()\n"
    "l{n}(torch.ones(1, 4)).sum().backward()\no{n}.step()\nl{n}.load_state_dict(best{n})|"
    "l{n} = nn.Linear(4, 4)\no{n} = torch.optim.SGD(l{n}.parameters(), lr=0.1)\nbest{n} = None\n"
    "for epoch in range(2):\n    l{n}(torch.ones(1, 4)).sum().backward()\n    o{n}.step()\n    if epoch == 0:\n"
    "        best{n} = l{n}.state_dict()\nl{n}.load_state_dict(best{n})|"
    "l{n} = nn.Linear(4, 4)\no{n} = torch.optim.SGD(l{n}.parameters(), lr=0.1)\n{n} = l{n}.weight\n"
    "l{n}(torch.ones(1, 4)).sum().backward()\no{n}.step()\n{m} = ({n} - l{n}.weight).detach()|"
    "{n} = {x} * 2\n{m} = {n}.exp()\n{n}.mul_(2)\nd{n}, = torch.autograd.grad({m}.sum(), {n}, allow_unused=True, "
    "retain_graph=True)|"
    "def f{n}(t):\n    t.add_(1)\n    return t.sum()\n{n} = f{n}({x})\n{m} = {x} * 2|"
    "def f{n}(t, u):\n    t *= u\n    return t\n{n} = f{n}({x}, {y})\n{m} = {x} + {n}|"
    "def f{n}(t):\n    v = torch.sigmoid(t)\n    v.mul_(2)\n    return v\n{n} = f{n}({x})|"
    "def f{n}(t):\n    v = t.exp()\n    u = v.view(-1)\n    v += 1\n    return v, u\n{n}, {m} = f{n}({x})|"
    "{n} = torch.func.vmap(lambda t: t.clone().add_(1))({x})|"
    "{n} = torch.func.vmap(lambda t: torch.zeros(4).add_(t))({x})|"
    "{n} = torch.func.grad(lambda t: t.sigmoid().mul_(2).sum())(torch.rand(4))|"
    "{n} = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU(inplace=True))({x})|"
    "a{n} = nn.ReLU(inplace=True)\n{n} = {x} ** 2\n{m} = a{n}({x})|"
    "a{n} = nn.ELU(inplace=True)\n{n} = {x}\n{m} = a{n}({x})|"
    "{n} = {x}.exp()\nfor i in range(2):\n    {n} *= {n}.mean()|state{n} = torch.zeros(4, 4)\nfor i in range(3):\n"
    "    state{n} += {x} * state{n}|{n} = torch.zeros(4, 4)\nfor i in range(4):\n    {n}[i] = {x}[i] * {n}[i - 1]|"
    "{n} = {x} * 1\n{m} = {n} * {n}\n{n} -= {n}.mean()\n{n} /= {n}.std() + 1|"
    "mean{n} = torch.zeros(4)\nmean{n}.mul_(0.9).add_({x}.mean(0), alpha=0.1)\n{n} = {x} * mean{n}\nmean{n}.mul_(0.9)|"
    "old{n} = {w}\nwith torch.no_grad():\n    {w} -= 0.1\n{n} = old{n} * 2|"
    "history{n} = []\ncur{n} = {x} * 1\nfor i in range(3):\n    cur{n}.mul_(0.5)\n    history{n}.append(cur{n})\n"
    "{n} = torch.stack(history{n})|"
    "{n} = F.hardtanh({x}, inplace=True)\nfor i in range(2):\n    {x}.clamp_(0, 1)|"
    "{n} = {x}.tanh_() + {x}\n{m} = torch.relu_({x})|{n} = {x} * torch.sigmoid_({x})\n{m} = {x}.exp_() + {n}|"
    "{n}, {m} = {x}.exp(), {x}.tanh_()|{n} = torch.sigmoid({x})\n{m} = {n}[0]\n{n} += 1|"
    "{n} = [t.add_(1) for t in ({x}, {y})][0]|{n} = max(({x}, {y}), key=lambda t: t.relu_().sum().item())|"
    "{n} = {x}.add_(1) if {x}.sum() > 0 else {x}"
).split("|")
CLASSES = (
    (
        "class C{n}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n        {write}\n"
        "        return t\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2",
        ("t.mul_(2)", "t += t", "torch.mul(t, 2, out=t)"),
    ),
    (
        "class C{n}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n"
        "        ctx.save_for_backward(t)\n"
        "        {write}\n        ctx.mark_dirty(t)\n        return t\n    @staticmethod\n    def backward(ctx, g):\n"
        "        t, = ctx.saved_tensors\n        return g * t.cos()",
        ("t.sin_()", "torch.sin(t, out=t)"),
    ),
    (
        "class C{n}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n        return t * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        {write}\n        return g",
        ("g.mul_(2)", "g *= 2", "g[0] = 0", "torch.relu_(g)"),
    ),
)
MODULES = (
    "self.act = nn.ReLU(inplace=True)|self.act = nn.SiLU(inplace=True)|self.act = nn.ELU(inplace=True)|"
    "self.act = nn.ReLU()|self.act = nn.Hardtanh(-1, 1, True)|self.act = nn.Sigmoid()"
).split("|")
MODULE_WRITES = (
    "self.buf.add_(1)|self.buf += x.mean().detach()|self.w.data.mul_(0.9)|self.kept = x|self.buf = x|"
    "self.kept = x.detach()|self.buf.mul_(0.9).add_(x.detach(), alpha=0.1)|self.seen.append(x)|"
    "self.buf[0] = x[0].detach()"
).split("|")


class _Scope:
    """The tensors that statements may use: computed ones, leaves, and the number of names made."""

    def __init__(self, random: Random, prefix: str, computed: list[str], leaves: list[str]) -> None:
        self.random = random
        # Where little is saved, a program runs, and a fix can spoil that.
        self.saves, self.calls, self.writes = random.choice(
            ((SAVES, CALLS, WRITES), (LINEAR, LIGHT, LIGHT), (LINEAR, LIGHT, LIGHT), (SAVES, LIGHT, LIGHT))
        )
        self.prefix = prefix
        self.computed = computed
        self.leaves = leaves
        self.known = len(computed)
        self.made = 0

    def _filled(self, template: str) -> list[str]:
        self.made += 2
        n, m = f"{self.prefix}{self.made}", f"{self.prefix}{self.made + 1}"
        x, y = self.random.choice(self.computed[-3:]), self.random.choice(self.computed)
        call = self.random.choice(self.calls).format(x=x, y=y)
        w = self.random.choice(self.leaves)
        lines = template.format(n=n, m=m, x=x, y=y, w=w, c=call).split("\n")
        for line in lines:
            for name in (n, m):
                if name not in self.computed and _makes_square(line, name, x):
                    self.computed.append(name)
        return lines

    def statements(self, count: int, stories: bool) -> list[str]:
        """Some statements, that write more often than people do."""
        lines: list[str] = []
        for _ in range(count):
            pools: list[tuple[list[str], int]] = [
                (self.saves, 5), (self.writes, 6), (MIXES, 3), (ALIASES, 3), (KEEPERS, 2), (list(STORIES), 5 * stories),
            ]  # fmt: skip
            (pool,) = self.random.choices([each for each, _ in pools], [weight for _, weight in pools])
            lines += self._filled(self.random.choice(pool))
        return lines

    def total(self) -> str:
        """One number of all tensors that were made here."""
        some = self.computed[self.known :] or self.computed[-1:]
        return " + ".join(f"{name}.sum()" for name in some)


def _makes_square(line: str, name: str, x: str) -> bool:
    """Whether a line gives a name to a 4x4 tensor, as far as its text tells."""
    makes = line.startswith((f"{name} = {x}", f"{name} = torch.s", f"{name} = F."))
    return makes and not line.startswith((f"{name} = {x}[", f"{name} = {x}.n", f"{name} = torch.stack"))


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _plain(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"v{number}_", [*names], ["x", "z"])
    lines = scope.statements(random.randint(2, 6), stories=True)
    return [*lines, f"total = total + {scope.total()}"]


def _branch(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"b{number}_", [*names], ["x", "z"])
    body = scope.statements(random.randint(1, 3), stories=False)
    head = random.choice(("if flag:", "if not flag:", "if h.sum() > -1000:", "if number > 2:", "if torch.rand(1) < 2:"))
    lines = [head, *_indented([*body, f"total = total + {scope.total()}"])]
    if random.random() < 0.5:
        other = _Scope(random, f"e{number}_", [*names], ["x", "z"])
        lines += ["else:", *_indented([*other.statements(2, stories=False), f"total = total + {other.total()}"])]
    return lines


def _loop(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"l{number}_", [*names], ["x", "z"])
    body = scope.statements(random.randint(1, 4), stories=random.random() < 0.3)
    item = random.choice(names)
    heads = (
        "for i in range(2):",
        "for i in range(3):",
        f"for each in [{item}, h]:",
        f"for i, each in enumerate(({item},)):",
    )
    ahead: list[str] = []
    head = random.choice(heads)
    if random.random() < 0.2:
        ahead, head, body = [f"c{number} = 0"], f"while c{number} < 2:", [f"c{number} += 1", *body]
    if random.random() < 0.3:
        body += random.choice((["if i == 1:", "    break"], ["if flag:", "    continue"])) if "i in" in head else []
    return [*ahead, head, *_indented([*body, f"total = total + {scope.total()}"])]


def _function(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"t{number}_", ["a", "b"], ["x", "z"] if random.random() < 0.3 else ["b"])
    body = scope.statements(random.randint(2, 5), stories=random.random() < 0.5)
    # What a story makes of a leaf is not for an argument.
    body = [line for line in body if "b.grad" not in line]
    result = random.choice(("a", scope.computed[-1], scope.total(), f"a, {scope.computed[-1]}"))
    lines = [f"def f{number}(a, b):", *_indented([*body, f"return {result}"])]
    if random.random() < 0.1:
        lines.insert(0, random.choice(("@torch.no_grad()", "@torch.enable_grad()")))
    given, second = random.choice(names), random.choice([*names, "x", "z"])
    call = f"f{number}({given}, {second})"
    lines += [f"r{number} = {call}{'[0]' if ',' in result else ''}"]
    if random.random() < 0.4:
        lines += [f"r{number} = r{number} + f{number}({second} * 2, {given}){'[0]' if ',' in result else ''}"]
    return [*lines, f"total = total + r{number}.sum() + {given}.sum()"]


def _class(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"t{number}_", ["x", "y"], ["self.w"])
    body = ["y = self.fc(x)", *scope.statements(random.randint(1, 3), stories=False)]
    if random.random() < 0.7:
        body += [f"y = self.act({random.choice(('y', 'x', 'self.fc(y)'))})"]
    if random.random() < 0.5:
        body.insert(random.randint(1, len(body)) if body[-1].startswith("y") else 1, random.choice(MODULE_WRITES))
        body = [*body, "y = y + self.buf"] if "buf" in body[-1] + body[1] else body
    lines = [
        f"class M{number}(nn.Module):", "    def __init__(self):", "        super().__init__()",
        "        self.fc = nn.Linear(4, 4)", f"        {random.choice(MODULES)}",
        "        self.w = nn.Parameter(torch.ones(4, 4))", "        self.register_buffer('buf', torch.zeros(4, 4))",
        "        self.seen, self.kept = [], None", "    def forward(self, x):",
        *_indented(_indented([*body, random.choice(("return y", "return x + y", f"return {scope.computed[-1]}"))])),
        f"m{number} = M{number}()",
    ]  # fmt: skip
    given = random.choice(names)
    if random.random() < 0.4:
        lines += [f"opt{number} = torch.optim.SGD(m{number}.parameters(), lr=0.1)",
                  f"for step in range({random.randint(1, 2)}):",
                  *_indented([f"loss{number} = m{number}({given}.detach()).pow(2).mean()", f"opt{number}.zero_grad()",
                              f"loss{number}.backward()", f"opt{number}.step()"])]  # fmt: skip
    return [*lines, f"total = total + m{number}({given}).sum()" + random.choice(("", f" + {given}.sum()"))]


def _custom(random: Random, number: int, names: list[str]) -> list[str]:
    text, writes = random.choice(CLASSES)
    lines = text.format(n=number, write=random.choice(writes)).split("\n")
    given = random.choice((*names, "(x * 2)"))
    return [*lines, f"q{number} = C{number}.apply({given})", f"total = total + (q{number} * q{number}).sum()"]


def _no_grad(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"n{number}_", [*names], ["x", "z"])
    mode = random.choice(("torch.no_grad()", "torch.no_grad()", "torch.enable_grad()", "torch.inference_mode()"))
    return [f"with {mode}:", *_indented(scope.statements(random.randint(1, 3), stories=False))]


def _one_line(random: Random, number: int, names: list[str]) -> list[str]:
    scope = _Scope(random, f"o{number}_", [*names], ["x", "z"])
    lines = [line for line in scope.statements(4, stories=False) if not line.startswith((" ", "for", "if"))]
    lines.append(f"total = total + {scope.total()}")
    return [f"if flag: {'; '.join(lines)}"] if random.random() < 0.3 else ["; ".join(lines)]


_SECTIONS: dict[Callable[[Random, int, list[str]], list[str]], int] = {
    _plain: 6, _branch: 2, _loop: 3, _function: 4, _class: 3, _custom: 1, _no_grad: 1, _one_line: 2,
}  # fmt: skip


def _sections(random: Random) -> list[list[str]]:
    sections = [
        [
            "class Box: pass",
            "box, seen, flag, number = Box(), [], True, 3",
            "x = torch.rand(4, 4, requires_grad=True)",
            "z = nn.Parameter(torch.rand(4, 4))",
            "h = x * 2",
            "w = torch.rand(4, 4)",
            random.choice(("k = z.exp()", "k = z * 3", "k = z - 1")),
            "total = 0",
        ]
    ]
    for number in range(random.randint(1, 4)):
        (make,) = random.choices(list(_SECTIONS), list(_SECTIONS.values()))
        names = ["h", "k", "w"]
        random.shuffle(names)
        sections.append(make(random, number, names))
    return [*sections, ["total.backward()"]]


def fixable_program(random: Random) -> str:
    """A random program as source text; not every one is one that PyTorch can run."""
    lines = [line for section in _sections(random) for line in section]
    if random.random() < 0.15:
        lines = ["def main():", *_indented(lines), "    return total, x, z, h, w, k", "result = main()"]
    return HEADER + "\n".join(lines) + "\n"


def fixable_notebook(random: Random) -> str:
    """The same as a notebook, a cell for each section."""
    cells: list[dict[str, object]] = [{"cell_type": "markdown", "metadata": {}, "source": ["# Notes\n"]}]
    for section in [HEADER.rstrip().split("\n"), *_sections(random)]:
        source = [*(f"{line}\n" for line in section[:-1]), section[-1]]
        cells.append({"cell_type": "code", "metadata": {}, "source": source, "execution_count": None, "outputs": []})
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
