"""`optree`: functions that are called for all leaves of a nest of containers; None is none of them, unless told so."""

from torch.utils import _pytree

from inplace_lint.intrinsics import surely


def tree_map(func, tree, *rests, is_leaf=None, none_is_leaf=False, namespace=""):
    if none_is_leaf:
        return _pytree.tree_map(func, tree, *rests, is_leaf=is_leaf)
    return _pytree.tree_map(
        lambda leaf, *others: None if surely(leaf is None) else func(leaf, *others), tree, *rests, is_leaf=is_leaf
    )


def tree_map_(func, tree, *rests, is_leaf=None, none_is_leaf=False, namespace=""):
    tree_map(func, tree, *rests, is_leaf=is_leaf, none_is_leaf=none_is_leaf)
    return tree


def tree_leaves(tree, is_leaf=None, *, none_is_leaf=False, namespace=""):
    leaves = []
    tree_map(leaves.append, tree, is_leaf=is_leaf, none_is_leaf=none_is_leaf)
    return leaves


def tree_iter(tree, is_leaf=None, *, none_is_leaf=False, namespace=""):
    yield from tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf)


def tree_structure(tree, is_leaf=None, *, none_is_leaf=False, namespace=""):
    """What gives leaves their places is a nest with leaves of its own."""
    return tree_map(lambda leaf: 0, tree, is_leaf=is_leaf, none_is_leaf=none_is_leaf)


def tree_flatten(tree, is_leaf=None, *, none_is_leaf=False, namespace=""):
    leaves = tree_leaves(tree, is_leaf, none_is_leaf=none_is_leaf)
    return leaves, tree_structure(tree, is_leaf, none_is_leaf=none_is_leaf)


def tree_unflatten(treespec, leaves):
    rest = list(leaves)
    return tree_map(lambda leaf: rest.pop(0), treespec)
