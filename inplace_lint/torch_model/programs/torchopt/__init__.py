"""TorchOpt: updates are added to the parameters themselves, unseen by autograd, unless told otherwise."""

from torch.utils import _pytree

from inplace_lint.intrinsics import surely


def apply_updates(params, updates, *, inplace=True):
    def added(param, update):
        if surely(update is None):
            return param
        if inplace:
            param.data.add_(update)
            return param
        return param.add(update)

    return _pytree.tree_map(added, params, updates)
