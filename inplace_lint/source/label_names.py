"""Names of what tells the class of each of several elements, or the node that each edge leads to: these repeat."""

from __future__ import annotations

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
