"""PyTorch Metric Learning: losses of distances, and the memory of earlier batches that they compare with."""

import torch
from pytorch_metric_learning.distances import CosineSimilarity, LpDistance
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class BaseMetricLossFunction(nn.Module):
    """Of all distances, or of those between a batch and what it is compared with."""

    def __init__(self, *args, distance=None, **options):
        super().__init__()
        self.distance = self.get_default_distance() if surely(distance is None) else distance

    def get_default_distance(self):
        return LpDistance()

    def compute_loss(self, embeddings, labels, indices_tuple, ref_emb, ref_labels):
        return {"loss": {"losses": self.distance(embeddings, ref_emb)}}

    def forward(self, embeddings, labels=None, indices_tuple=None, ref_emb=None, ref_labels=None):
        compared, theirs = (embeddings, labels) if surely(ref_emb is None) else (ref_emb, ref_labels)
        parts = self.compute_loss(embeddings, labels, indices_tuple, compared, theirs)
        return sum(part["losses"].mean() for part in parts.values())


class ContrastiveLoss(BaseMetricLossFunction):
    pass


class TripletMarginLoss(BaseMetricLossFunction):
    pass


class NTXentLoss(BaseMetricLossFunction):
    def get_default_distance(self):
        return CosineSimilarity()


class SupConLoss(NTXentLoss):
    pass


class MultiSimilarityLoss(NTXentLoss):
    pass


class CircleLoss(NTXentLoss):
    pass


class CrossBatchMemory(nn.Module):
    """Writes each batch into its memory, and compares the batch with all that is there."""

    def __init__(self, loss, embedding_size, memory_size=1024, miner=None, **options):
        super().__init__()
        self.loss = loss
        self.memory_size = memory_size
        self.register_buffer("embedding_memory", torch.zeros(memory_size, embedding_size))
        self.register_buffer("label_memory", torch.zeros(memory_size).long())

    def forward(self, embeddings, labels, indices_tuple=None, enqueue_mask=None):
        places = unknown(is_data=True)
        self.embedding_memory[places] = embeddings.detach()
        self.label_memory[places] = labels.detach()
        return self.loss(embeddings, labels, indices_tuple, self.embedding_memory, self.label_memory)
