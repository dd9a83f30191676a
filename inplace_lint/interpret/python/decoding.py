"""Caches of keys and values, which are filled while a model generates: nobody differentiates that."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Function, Instance, Ref, resolve
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Write

_CACHE = re.compile("(KV|KeyValue|Static|Attention|Sliding\\w*|Rotating|Rolling)Cache|InferenceParams")


def decoding(run: Run, function: Function, receiver: Ref | None) -> AbstractContextManager[None]:
    """Inside, what a method of such a cache writes is marked so, if it is one that callers out of view bring."""
    cache = resolve(receiver.value) if receiver is not None else None
    brought = isinstance(cache, Instance) and cache.guess
    of_cache = brought and function.owner is not None and _CACHE.search(function.owner.code.name) is not None
    return emitting(run.torch, _note) if of_cache else nullcontext()


def _note(write: Write) -> None:
    write.marked |= {"decoding"}
