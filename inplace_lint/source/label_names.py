"""Names of what tells the class of each of several elements, or the node that each edge leads to: these repeat."""

from __future__ import annotations

import re

LABELS = frozenset(
    "labels targets preds predictions y_true y_pred gt_labels pred_labels true_labels edge_index assignments species "
    "cluster_ids segment_ids voxel_ids".split()
)
LABEL = frozenset("label target pred prediction gt true truth y t p".split())


def are_labels(name: str) -> bool:
    """Whether a name speaks of several labels."""
    return name in LABELS


def may_be_labels(name: str) -> bool:
    """Whether a name speaks of labels, or of one."""
    return name in LABELS or name in LABEL


_PLACES = re.compile(
    r"(\w+_)?(index|indices|indexes|idxs?|ids|inds|inverse|segments?|groups?|buckets?|bins?|cells?|batch|senders|"
    r"receivers|src|dst|rows?|cols?)"
)


def may_be_places(name: str) -> bool:
    """Whether a name speaks of the places to which several elements belong, or of those of some elements."""
    return _PLACES.fullmatch(name) is not None
