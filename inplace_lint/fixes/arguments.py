"""Taking an argument out of a call."""

from __future__ import annotations

import libcst as cst

from inplace_lint.fixes.rewrite import Rewrite, replace
from inplace_lint.fixes.tree import dotted, has_comment, keyword


def without(call: cst.Call, argument: cst.Arg) -> cst.Call | None:
    """A call without an argument; None if a comment would go with it."""
    place = call.args.index(argument)
    args = [*call.args[:place], *call.args[place + 1 :]]
    gone = [argument.comma, argument.whitespace_after_arg]
    if args and place == len(args):  # what ended the last argument ends the one before it
        gone = [args[-1].comma, args[-1].whitespace_after_arg]
        args[-1] = args[-1].with_changes(comma=argument.comma, whitespace_after_arg=argument.whitespace_after_arg)
    return None if has_comment(gone) else call.with_changes(args=args)


def without_inplace(call: cst.Call) -> Rewrite | None:
    """Take `inplace=True` out of a call; a bare `True` becomes `False`."""
    named = next((arg for arg in call.args if keyword(arg) == "inplace" and dotted(arg.value) == "True"), None)
    if named is not None:
        shorter = without(call, named)
        return replace(call, shorter) if shorter is not None else replace(named.value, cst.Name("False"))
    bare = [arg for arg in call.args if not keyword(arg) and not arg.star and dotted(arg.value) == "True"]
    if len(bare) != 1 or any(arg.keyword is not None or arg.star == "**" for arg in call.args):
        return None
    return replace(bare[0].value, cst.Name("False"))
