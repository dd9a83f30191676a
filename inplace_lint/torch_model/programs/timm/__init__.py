"""timm: a backbone gives what its stages have read, and keep for backward, or what is made of that.

Which of it is a copy depends on the architecture: nothing is said of those whose names are not known here.
"""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown

_OF_TOKENS = ("vit", "deit", "beit", "eva02")
_OF_MAPS = ("efficientnet", "convnext", "mobilenet")
_ENDING_IN_RELU = ("resnet", "resnext", "regnet", "densenet")


class _Backbone(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.has_tokens = _is_one_of(name, _OF_TOKENS)
        self.ends_in_relu = _is_one_of(name, _ENDING_IN_RELU)
        self.has_maps = self.ends_in_relu or _is_one_of(name, _OF_MAPS)
        self.stages = nn.ModuleList([nn.Linear(unknown(), unknown()) for _ in range(4)])
        self.norm = nn.LayerNorm(unknown())
        self.head = nn.Linear(unknown(), unknown())

    def __getattr__(self, name):
        return unknown()

    def _given_by_stages(self, x):
        given = [x]
        for stage in self.stages:
            given.append(torch.relu(stage(given[-1])) if self.ends_in_relu else stage(given[-1]))
        return given[1:]

    def _last(self, given):
        return given[-1] if self.ends_in_relu else self.norm(given[-1])

    def forward_features(self, x, *args, **options):
        return self._last(self._given_by_stages(x))

    def forward_head(self, x, pre_logits=False):
        pooled = x[:, 0] if self.has_tokens else x.mean(1)
        return pooled if surely(pre_logits) else self.head(pooled)

    def forward(self, x, *args, **options):
        return self.forward_head(self.forward_features(x))

    def forward_intermediates(
        self, x, indices=None, norm=False, stop_early=False, output_fmt="NCHW", intermediates_only=False, **options
    ):
        """What is laid out as images is copied, if it is of tokens."""
        given = self._given_by_stages(x)
        last = self._last(given)
        if not (self.has_maps or (self.has_tokens and surely(output_fmt == "NLC"))) or surely(norm):
            given = [each.clone() for each in given]
        return given if surely(intermediates_only) else (last, given)


class _VisionTransformer(_Backbone):
    def get_intermediate_layers(self, x, *args, norm=False, **options):
        given = self._given_by_stages(x)
        return tuple(self.norm(each) for each in given) if surely(norm) else tuple(given)


class _Features(_Backbone):
    def forward(self, x, *args, **options):
        given = self._given_by_stages(x)
        return given if self.has_maps else [each.clone() for each in given]


def create_model(model_name, *args, features_only=False, **options):
    if surely(features_only):
        return _Features(model_name)
    return _VisionTransformer(model_name) if _is_one_of(model_name, ("vit", "deit")) else _Backbone(model_name)


def _is_one_of(name, words):
    return any(surely(word in name) for word in words)
