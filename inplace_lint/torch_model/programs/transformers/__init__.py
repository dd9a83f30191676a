"""Transformers: a trainer calls its own methods, which users override."""

import torch

from inplace_lint.intrinsics import surely, unknown


class Trainer:
    """Trained for two batches; it predicts without gradients."""

    def __init__(self, model=None, args=None, *rest, **options):
        self.model = unknown() if surely(model is None) else model
        self.args = unknown() if surely(args is None) else args

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        return (outputs.loss, outputs) if return_outputs else outputs.loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = self.compute_loss(model, inputs, num_items_in_batch=num_items_in_batch)
        loss.backward()
        return loss.detach()

    @torch.no_grad()
    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        return unknown(), unknown(), unknown()

    @torch.no_grad()
    def evaluate(self, *args, **kwargs):
        return unknown()

    @torch.no_grad()
    def predict(self, *args, **kwargs):
        return unknown()

    def __driven__(self):
        for _ in range(2):
            self.training_step(self.model, unknown(is_data=True), unknown())
        with torch.no_grad():
            self.prediction_step(self.model, unknown(is_data=True), False)


class Seq2SeqTrainer(Trainer):
    pass
