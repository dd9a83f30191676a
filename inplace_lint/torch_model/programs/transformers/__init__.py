"""Transformers: a trainer calls its own methods, which users override; encoders give what their layers have read."""

import torch
from torch import nn

from inplace_lint.intrinsics import as_tensor, surely, unknown


class BaseModelOutput:
    """All hidden states but the last are what the next layer has read, and keeps for backward; so does a pooler.

    So is an attention: it was multiplied by the values.
    """

    def __init__(self, hidden_states, pooler=None, attentions=()):
        self.last_hidden_state = hidden_states[-1]
        self.hidden_states = tuple(hidden_states)
        self.attentions = tuple(attentions)
        if surely(pooler is not None):
            self.pooler_output = torch.tanh(pooler(self.last_hidden_state[:, 0]))

    def __getattr__(self, name):
        return unknown()

    def __getitem__(self, key):
        return self.last_hidden_state if surely(key == 0) else unknown()


class _Encoder(nn.Module):
    reads_tokens = True

    def __init__(self, config=None, *args, **options):
        super().__init__()
        self.config = unknown() if surely(config is None) else config
        self.embeddings = nn.Embedding(unknown(), unknown())
        self.layers = nn.ModuleList([nn.Linear(unknown(), unknown()) for _ in range(4)])

    @classmethod
    def from_pretrained(cls, *args, **options):
        return cls()

    @classmethod
    def from_config(cls, config, *args, **options):
        return cls(config)

    def __getattr__(self, name):
        return unknown()

    def forward(self, input_ids=None, *args, inputs_embeds=None, **options):
        if surely(inputs_embeds is not None):
            embedded = inputs_embeds * 1
        elif surely(input_ids is not None) and self.reads_tokens:
            embedded = self.embeddings(input_ids)
        else:
            embedded = self.embeddings(unknown(is_data=True))
        hidden_states, attentions = [embedded], []
        for layer in self.layers:
            read = hidden_states[-1]
            attentions.append(torch.softmax(read @ read.transpose(-1, -2), dim=-1))
            hidden_states.append(layer(attentions[-1] @ read))
        return BaseModelOutput(hidden_states, None, attentions)


class _EncoderWithPooler(_Encoder):
    def __init__(self, config=None, add_pooling_layer=True, **options):
        super().__init__(config)
        self.pooler = nn.Linear(unknown(), unknown()) if surely(add_pooling_layer is True) else None

    def forward(self, *args, **options):
        outputs = super().forward(*args, **options)
        return BaseModelOutput(outputs.hidden_states, self.pooler, outputs.attentions)


class AutoModel(_Encoder):
    pass


class BertModel(_EncoderWithPooler):
    pass


class RobertaModel(_EncoderWithPooler):
    pass


class DistilBertModel(_Encoder):
    pass


class DebertaV2Model(_Encoder):
    pass


class ElectraModel(_Encoder):
    pass


class XLMRobertaModel(_EncoderWithPooler):
    pass


class ViTModel(_EncoderWithPooler):
    reads_tokens = False


class Wav2Vec2Model(_Encoder):
    reads_tokens = False


class HubertModel(_Encoder):
    pass


class GPT2Model(_Encoder):
    pass


class LogitsProcessor:
    pass


class LogitsProcessorList(list):
    """Each is given what the one before gave, the first the very logits."""

    def __call__(self, input_ids, scores, **options):
        for processor in self:
            scores = processor(input_ids, scores)
        return scores


class GenerateOutput:
    """What was chosen, and for each step what it was chosen by, and the logits of which that was made."""

    def __init__(self, scores, logits):
        self.scores, self.logits = scores, logits

    def __getattr__(self, name):
        return unknown()


class TaskOutput:
    """What a model with a head gives; the loss keeps nothing of the logits themselves."""

    def __init__(self, logits, outputs):
        self.logits = logits
        self.loss = torch.log_softmax(logits, dim=-1).mean()
        self.hidden_states, self.attentions = outputs.hidden_states, outputs.attentions

    def __getattr__(self, name):
        return unknown()

    def __getitem__(self, key):
        return unknown()


class _Generating(_Encoder):
    """Scores for the next token, made of what an encoder gives."""

    def __init__(self, config=None, *args, **options):
        super().__init__(config)
        self.lm_head = nn.Linear(unknown(), unknown(), bias=False)

    def forward(self, *args, **options):
        outputs = super().forward(*args, **options)
        return TaskOutput(self.lm_head(outputs.last_hidden_state), outputs)

    @torch.no_grad()
    def generate(
        self, inputs=None, generation_config=None, logits_processor=None, *args, output_logits=False, **options
    ):
        scores, logits = [], []
        for _ in range(2):
            logits.append(self.forward(unknown(is_data=True)).logits[:, -1, :].to(copy=True))
            given = unknown(is_data=True), logits[-1]
            scores.append(logits[-1] if surely(logits_processor is None) else logits_processor(*given))
        return GenerateOutput(scores, logits if surely(output_logits) else None)


class AutoModelForCausalLM(_Generating):
    pass


class GPT2LMHeadModel(_Generating):
    pass


class LlamaForCausalLM(_Generating):
    pass


class MistralForCausalLM(_Generating):
    pass


class Qwen2ForCausalLM(_Generating):
    pass


class _ClassifyingTokens(_Encoder):
    """Scores for the classes of each token."""

    def __init__(self, config=None, *args, **options):
        super().__init__(config)
        self.classifier = nn.Linear(unknown(), unknown())

    def forward(self, *args, **options):
        outputs = super().forward(*args, **options)
        features = nn.functional.dropout(outputs.last_hidden_state, 0.1, self.training)
        return TaskOutput(self.classifier(features), outputs)


class _Classifying(_Encoder):
    """Scores for the classes of a whole text or image, by its first token."""

    def __init__(self, config=None, *args, **options):
        super().__init__(config)
        self.dense = nn.Linear(unknown(), unknown())
        self.classifier = nn.Linear(unknown(), unknown())

    def forward(self, *args, **options):
        outputs = super().forward(*args, **options)
        features = torch.tanh(self.dense(outputs.last_hidden_state[:, 0]))
        return TaskOutput(self.classifier(features), outputs)


class AutoModelForSequenceClassification(_Classifying):
    pass


class AutoModelForImageClassification(_Classifying):
    reads_tokens = False


class AutoModelForTokenClassification(_ClassifyingTokens):
    pass


class BertForSequenceClassification(_Classifying):
    pass


class BertForTokenClassification(_ClassifyingTokens):
    pass


class RobertaForSequenceClassification(_Classifying):
    pass


class RobertaForTokenClassification(_ClassifyingTokens):
    pass


class DistilBertForSequenceClassification(_Classifying):
    pass


class DistilBertForTokenClassification(_ClassifyingTokens):
    pass


class DebertaV2ForSequenceClassification(_Classifying):
    pass


class XLMRobertaForSequenceClassification(_Classifying):
    pass


class ViTForImageClassification(_Classifying):
    pass


class Trainer:
    """Trained for two batches; it predicts without gradients."""

    def __init__(
        self, model=None, args=None, *rest, compute_metrics=None, preprocess_logits_for_metrics=None, **options
    ):
        self.model = unknown() if surely(model is None) else model
        self.args = unknown() if surely(args is None) else args
        self.compute_metrics = compute_metrics
        self.preprocess_logits_for_metrics = preprocess_logits_for_metrics

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
        """The labels are collected after the logits have been prepared for the metrics."""
        self._labels, self._logits = [as_tensor(unknown(is_data=True))], [as_tensor(unknown(is_data=True))]
        if surely(self.preprocess_logits_for_metrics is not None):
            self._logits.append(self.preprocess_logits_for_metrics(self._logits[0], self._labels[0]))
        self._labels.append(torch.cat(self._labels))
        if surely(self.compute_metrics is not None):
            self.compute_metrics(unknown(is_data=True))
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
