"""The text of `ops.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inplace_lint.torch_model.effects import Effects, ModuleSpec, Output, Param, SaveSpec

Row = dict[str, Any]


def row(effects: Effects) -> Row:
    """One ROW: the inverse of `read_row`."""
    found: Row = {"params": _params(effects.params)}
    returns = [_output(o) for o in effects.outputs]
    optional: Row = {
        "given": dict(effects.given),
        "writes": list(effects.writes),
        "returns": returns if effects.tupled else returns[0],
        "saves": [save(s) for s in effects.saves],
        "dtype": [dtype or "" for dtype in effects.dtypes] if effects.tupled else next(iter(effects.dtypes), None),
        "whole": effects.whole,
        "dense": effects.dense,
        "part": effects.part,
        "filling": effects.filling,
        "shape": effects.shape,
        "unchecked": list(effects.unchecked),
        "passes": list(effects.passes),
        "compares": effects.compares,
        "moves": effects.moves,
        "levels": effects.levels,
        "purpose": effects.purpose,
        "again": effects.again,
        "fields": list(effects.fields),
        "node": effects.node,
    }
    found |= {key: value for key, value in optional.items() if value and value != "fresh"}
    if not effects.differentiable:
        found["grad"] = False
    if not effects.contiguous:
        found["contiguous"] = False
    if effects.metadata_only:
        found["metadata"] = True
    return found | {"source": "schema"} if effects.source == "schema" else found


def module_row(spec: ModuleSpec) -> Row:
    """The entry of one module."""
    return {
        "init": [list(pair) for pair in spec.init],
        "parameters": list(spec.parameters),
        "buffers": list(spec.buffers),
        "forward": [row(effects) for effects in spec.forward],
    }


def _params(params: Sequence[Param]) -> list[str]:
    texts = [_param(p) for p in params if not p.keyword_only]
    named = [_param(p) for p in params if p.keyword_only]
    return [*texts, "*", *named] if named else texts


def _param(param: Param) -> str:
    return f"{param.name}:{param.kind}{'=' if param.optional else ''}"


def _output(output: Output) -> str:
    words = ["many"] if output.many and output.origin not in ("views", "parts") else []
    condition = ["if", output.when] if output.when else []
    return " ".join([*words, output.origin, *([output.of] if output.of else []), *condition])


def save(spec: SaveSpec) -> list[Any]:
    """One of what a row saves."""
    for how in ("clone", "view", "gpu"):
        if getattr(spec, how):
            return [spec.what, list(spec.when), how]
    return [spec.what, list(spec.when)] if spec.when else [spec.what]


def text(version: str, ops: Mapping[str, Any], modules: Mapping[str, Any]) -> str:
    """The whole file: one op per line, so that a diff can be read."""
    parts = [f'"torch":{json.dumps(version)}', f'"ops":{lines(ops)}', f'"modules":{lines(modules)}']
    return "{" + ",\n".join(parts) + "}\n"


def lines(entries: Mapping[str, Any]) -> str:
    """A table with one entry per line."""
    found = [f"{json.dumps(name)}:{json.dumps(entries[name], separators=(',', ':'))}" for name in sorted(entries)]
    return "{\n" + ",\n".join(found) + "\n}"
