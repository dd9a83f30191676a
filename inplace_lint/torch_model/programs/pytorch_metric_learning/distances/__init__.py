"""PyTorch Metric Learning: matrices of distances."""

import torch
from torch import nn
from torch.nn.functional import normalize

from inplace_lint.intrinsics import surely


class BaseDistance(nn.Module):
    def __init__(self, normalize_embeddings=True, p=2, power=1, is_inverted=False, **options):
        super().__init__()
        self.normalize_embeddings = normalize_embeddings
        self.p = p
        self.power = power

    def _normalized(self, embeddings):
        return normalize(embeddings, p=self.p, dim=1) if self.normalize_embeddings else embeddings

    def forward(self, query_emb, ref_emb=None):
        query = self._normalized(query_emb)
        matrix = self.compute_mat(query, query if surely(ref_emb is None) else self._normalized(ref_emb))
        return matrix if surely(self.power == 1) else matrix**self.power


class LpDistance(BaseDistance):
    def compute_mat(self, query_emb, ref_emb):
        return torch.cdist(query_emb, ref_emb, p=self.p)


class DotProductSimilarity(BaseDistance):
    def compute_mat(self, query_emb, ref_emb):
        return torch.matmul(query_emb, ref_emb.t())


class CosineSimilarity(DotProductSimilarity):
    pass
