"""`torch.utils._pytree`: functions that are called for all leaves of a nest of containers."""

from inplace_lint.intrinsics import is_unseen


def tree_map(func, tree, *rests, is_leaf=None):
    if is_unseen(tree) or (is_leaf is not None and is_leaf(tree)):
        return func(tree, *rests)
    if isinstance(tree, dict):
        return {key: tree_map(func, tree[key], *[rest[key] for rest in rests], is_leaf=is_leaf) for key in tree}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[tree_map(func, *each, is_leaf=is_leaf) for each in zip(tree, *rests, strict=False)])
    if isinstance(tree, tuple):
        return tuple([tree_map(func, *each, is_leaf=is_leaf) for each in zip(tree, *rests, strict=False)])
    if isinstance(tree, list):
        return [tree_map(func, *each, is_leaf=is_leaf) for each in zip(tree, *rests, strict=False)]
    return func(tree, *rests)


def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind, func, tree, is_leaf=None):
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(kind, func, tree, is_leaf=None):
    tree_map_only(kind, func, tree, is_leaf=is_leaf)
    return tree


def tree_leaves(tree, is_leaf=None):
    leaves = []
    tree_map(leaves.append, tree, is_leaf=is_leaf)
    return leaves


def tree_iter(tree, is_leaf=None):
    yield from tree_leaves(tree, is_leaf)


def tree_flatten(tree, is_leaf=None):
    """A nest and its leaves: what gives other leaves their places is the nest itself."""
    return tree_leaves(tree, is_leaf), tree


def tree_unflatten(leaves, treespec):
    rest = list(leaves)
    return tree_map(lambda leaf: rest.pop(0), treespec)
