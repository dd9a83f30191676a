"""PEFT: a model around the user's, whose adapters can be merged into its weights, unseen by autograd."""

import torch
from torch import nn

from inplace_lint.intrinsics import unknown


class PeftModel(nn.Module):
    def __init__(self, model, peft_config=None, adapter_name="default", **options):
        super().__init__()
        self.base_model = model

    @classmethod
    def from_pretrained(cls, model, *args, **options):
        return cls(model)

    def __getattr__(self, name):
        return unknown()

    def forward(self, *args, **options):
        return self.base_model(*args, **options)

    def get_base_model(self):
        return self.base_model

    def merge_adapter(self, adapter_names=None, safe_merge=False):
        for weight in self.base_model.parameters():
            weight.data.add_(torch.ones_like(weight))

    def unmerge_adapter(self):
        for weight in self.base_model.parameters():
            weight.data.sub_(torch.ones_like(weight))

    def merge_and_unload(self, *args, **options):
        self.merge_adapter()
        return self.base_model


class PeftModelForCausalLM(PeftModel):
    pass


class PeftModelForSequenceClassification(PeftModel):
    pass


def get_peft_model(model, peft_config=None, adapter_name="default", **options):
    return PeftModel(model, peft_config)


def get_peft_model_state_dict(model, state_dict=None, *args, **options):
    return model.state_dict()


def set_peft_model_state_dict(model, peft_model_state_dict, *args, **options):
    return model.load_state_dict(peft_model_state_dict, strict=False)
