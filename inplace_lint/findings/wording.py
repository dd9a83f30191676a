"""The wording of messages: names of ops and tensors, assumptions, calls that lead to a write, suggestions."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import groupby

from inplace_lint.findings.diagnostic import Related
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.op_names import EXCHANGE, SETITEM
from inplace_lint.torch_model.tensor import Assumption


def op_name(op: str) -> str:
    """An op as a user knows it: `sigmoid_`, `nn.ReLU`, `+=`, item assignment."""
    if op == SETITEM:
        return "item assignment"
    if op == EXCHANGE:
        return "assigning `.data`"
    if op.startswith(("torch.nn.functional.", "torch.nn.init.")):
        name, _, rest = op.rpartition(".")[2].partition(" ")
        return f"`{name}` {rest}".rstrip()
    if op.startswith("torch.nn.") and " " not in op:
        return f"`{op.removeprefix('torch.')}`"
    if "." in op and " " in op:
        name, _, rest = op.partition(" ")
        return f"`{name.removeprefix('torch.')}` {rest}"
    return f"`{op.rpartition('.')[2].strip('_') if op.endswith('__') else op.rpartition('.')[2] or op}`"


def quoted(text: str, default: str = "a tensor") -> str:
    """A name in the source, or what stands for it."""
    return f"`{text}`" if text else default


def if_assumed(assumptions: Iterable[Assumption]) -> str:
    """The clause that says what was assumed; empty if nothing was."""
    sentences = [
        f"{about} {' and '.join(each.says for each in of_one)}"
        for about, of_one in groupby(assumptions, key=lambda each: each.about)
    ]
    return f" if {' and '.join(sentences)}" if sentences else ""


CALLED = "called from here"


def called_from(stack: tuple[Site, ...]) -> tuple[Related, ...]:
    """The call that led to a place inside a callee."""
    return (Related(CALLED, stack[-1]),) if stack else ()


def led_to(write: Write) -> tuple[Related, ...]:
    """The call that led to a write; before that the write itself, if the finding stands where its module was made."""
    made_elsewhere = write.place != write.site
    here = (Related(f"{op_name(write.op)} writes here", write.site, kind="write"),) if made_elsewhere else ()
    return here + called_from(write.stack)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """The hint at the word that was probably meant; empty if none is near."""
    near = get_close_matches(word, list(words), 1, 0.5)
    return f"; did you mean `{near[0]}`?" if near else ""
