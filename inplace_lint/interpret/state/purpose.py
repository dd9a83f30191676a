"""Habits about what code is for, by the names of functions, classes, files and packages.

Nobody differentiates what prepares data, updates weights, or uses a model that has been trained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.values import Class, Library
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.torch_model.labels import last_name

DATA_HANDLER = silent(
    "data-handler",
    "a `postprocess`, `collate` or `build_targets`, an image processor or a file of augmentations handles data, which "
    "nobody differentiates",
    """
    import torch


    def postprocess(logits):
        scores = logits.sigmoid()
        scores.mul_(100)
        return scores
    """,
)
STEPS_EMBEDDED = silent(
    "steps-embedded",
    "what a sinusoidal embedding, or one of time steps, is given are numbers of steps or positions",
    """
    import torch
    from torch import nn


    class SinusoidalEmbedding(nn.Module):
        def forward(self, x):
            angles = x[:, None] * torch.arange(4)
            return torch.cat((angles.sin(), angles.cos_()), -1)
    """,
)
OPTIMIZER_CODE = silent(
    "optimizer-code",
    "an optimizer computes its steps without gradients, whoever switches them off",
    """
    import torch


    class ScaledSgdOptimizer:
        def direction(self, update):
            norm = torch.linalg.vector_norm(update)
            norm.add_(1e-6)
            return update / norm
    """,
)
WEIGHTS_COMPRESSED = silent(
    "weights-compressed",
    "trained weights are quantized and pruned without gradients; a layer that quantizes is another matter",
    """
    import torch


    def quantize_weight(weight):
        scale = weight.abs().sqrt()
        scale.clamp_(min=1e-5)
        return torch.round(weight / scale)
    """,
)
INFERENCE_NAME = silent(
    "inference-name",
    "a function with `inference`, `nms`, `beam_search` or the like in its name is called where nobody differentiates",
    """
    import torch


    def run_inference(logits):
        scores = logits.sigmoid()
        scores.mul_(100)
        return scores
    """,
)
HANDED_GRADIENTS = silent(
    "handed-gradients",
    "a function that is given `grad_output` or the like is run during backward, where nobody records gradients",
    """
    import torch


    class LstmDerivatives:
        def weight_jac_t_mat_prod(self, module, g_inp, g_out, mat):
            gates = torch.sigmoid(module.input0)
            product = gates * mat
            gates[:, 0] = 1
            return product
    """,
)

_DATA_CLASS = re.compile(
    "(Image|Video|Audio)Processor|FeatureExtractor|Logits(Processor|Warper)|StoppingCriteria|"
    "Augment(er|or)|Collat(e|or)|Data(Process|Module|Loader|Reader)|(Standard|MinMax|Robust|Data|Feature)Scaler"
)
# Targets are made of labels, for all heads, levels or images.
_DATA_FUNCTION = re.compile(
    r"_*(pre|post)_?process|\w*collate|_*z_?(score|standardi[sz])|"
    r"_*(get|build|make|assign|prepare|generate|encode)_(\w+_)?targets?(_(single|for|per)(_\w+)?)?$"
)
# Transforms of data are called; modules of these names define `forward`.
_TRANSFORM = re.compile(
    "Normali[sz]|Standardi[sz]|Transform$|Augment|^ToTensor|^Random|Crop$|Flip$|^Re(scale|size|sample)$"
)
_STEPS_CLASS = re.compile("Sinusoid|Time_?(step)?s?_?(Emb|Enc|Proj)")
_STEPS_FUNCTION = re.compile(r"_*((get|make|build)_)?(time_?steps?|sinusoid(al)?)_(pos\w*_)?(emb|enc)\w*")
_DATA_FILE = re.compile(
    r"_*(data|data_?(sets?|load(ers?|ing)|modules?|utils|pipes?|process(ing|ors?)?)|augment(ations?|ers?|ors?)?|"
    r"(pre|post)_?process(ing|ors?)?|collat(e|ors?|ion)|scalers?|evaluat(e|ion|ors?))"
)

_OPTIMIZER_CLASS = re.compile("Optimi[sz]er$")
_OPTIMIZER_FILE = re.compile(r"_*(\w+_)?(optim|optimi[sz]ers?)")
# Not `vector_quantize` and its like, which are layers that learn.
_COMPRESSION_FILE = re.compile(
    r"_*((llm|weight|model|int[48])_)?quant(i[sz](e|ers?|ing|ation))?|gptq|awq|fp8|prun(e|ers?|ing)|sparsification"
)
_COMPRESSION = re.compile(
    r"_*(pseudo_|gptq_|awq_|rtn_)?(de)?quanti[sz]e_(weights?|models?|tensors?|layers?|linear)|gptq\w*"
)
_COMPRESSION_CLASS = re.compile("GPTQ|AWQ|Pruner$")

# What only a trained model is used for: detections are chosen, texts are searched for, codes are written. Directions
# of a step are solved for by conjugate gradients, not differentiated.
_INFERENCE = re.compile(
    r"inference|(^|_)(nms|(beam|greedy)_(search|decod(e|ing))|(de)?compress|recogni[sz]e|transcribe|streaming|prefill|"
    r"conjugate_gradients?)(_|$)|"
    r"non_max(imum)?_suppression"
)
# Boxes are assigned to labels, and hypotheses scored, by what is not learned then.
_INFERENCE_CLASS = re.compile(
    "Inference(Context|Engine|Pipeline|Session|Wrapper)|(Beam|Greedy)(Search|Decod)|PrefixScore|Assigner$|Streamer$|Sampler$"
)
_INFERENCE_FILE = re.compile(r"_*(inference|\w*(beam|greedy)_(search|decoding)|nms|serving|deploy(ment)?|streaming)")

# What stands in such files and derives from something else may be a module, which is trained.
_PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple"})
_MOST_PACKAGES = 4


def handles_data(module: ModuleFile, function: str, owner: ir.ClassDef | None) -> bool:
    """Whether names say that code prepares inputs, reads finished predictions, embeds steps, or changes weights."""
    changes_weights = _optimizes(module, owner) or _compresses(module, function, owner)
    return changes_weights or _prepares(module, function, owner) or embeds_steps(function, owner)


def _prepares(module: ModuleFile, function: str, owner: ir.ClassDef | None) -> bool:
    if not DATA_HANDLER.on:
        return False
    name = owner.name if owner is not None else ""
    named = _DATA_CLASS.search(name) is not None or _DATA_FUNCTION.match(function) is not None
    transforms = function == "__call__" and _TRANSFORM.search(name) is not None
    return named or transforms or _is_in_file(module, owner, _DATA_FILE)


def embeds_steps(function: str, owner: ir.ClassDef | None) -> bool:
    """Whether names say that a function makes vectors of the numbers of steps or positions."""
    if function == "__init__":
        return False
    named = _STEPS_CLASS.search(owner.name) if owner is not None else _STEPS_FUNCTION.fullmatch(function)
    return STEPS_EMBEDDED.on and named is not None


def _optimizes(module: ModuleFile, owner: ir.ClassDef | None) -> bool:
    if not OPTIMIZER_CODE.on:
        return False
    names = (owner.name, *_bases(owner)) if owner is not None else ()
    return any(map(_OPTIMIZER_CLASS.search, names)) or _is_in_file(module, owner, _OPTIMIZER_FILE)


def _compresses(module: ModuleFile, function: str, owner: ir.ClassDef | None) -> bool:
    if not WEIGHTS_COMPRESSED.on:
        return False
    named = owner is not None and _COMPRESSION_CLASS.search(owner.name) is not None
    return named or _COMPRESSION.fullmatch(function) is not None or _is_in_file(module, owner, _COMPRESSION_FILE)


def names_inference(function: str) -> bool:
    """Whether a function says that it infers; `inference` alone may be a forward pass."""
    name = function.lower()
    return INFERENCE_NAME.on and name != "inference" and _INFERENCE.search(name) is not None


def is_for_inference(module: ModuleFile, owner: ir.ClassDef | None) -> bool:
    """Whether a class, or where code stands, says that it is for inference."""
    if not INFERENCE_NAME.on:
        return False
    named = owner is not None and _INFERENCE_CLASS.search(owner.name) is not None
    return named or _is_in_file(module, owner, _INFERENCE_FILE)


_HANDED = re.compile("_*g(rad)?_(in|out)(p|put)?s?")


def is_handed_gradients(function: ir.Function) -> bool:
    """Whether a parameter says that autograd hands a function the gradients of results."""
    return HANDED_GRADIENTS.on and any(_HANDED.fullmatch(param.name) for param in function.params)


def is_among_data(module: ModuleFile, cls: Class) -> bool:
    """Whether a class that derives from none of a library stands in a file for data, or for changes of weights."""
    bases = [base for each in cls.lineage for base in each.bases if not isinstance(base, Class)]
    plain = all(isinstance(base, Library) and last_name(base.name) in _PLAIN_BASES for base in bases)
    return plain and (
        (DATA_HANDLER.on and _is_in_file(module, None, _DATA_FILE))
        or (OPTIMIZER_CODE.on and _is_in_file(module, None, _OPTIMIZER_FILE))
        or (WEIGHTS_COMPRESSED.on and _is_in_file(module, None, _COMPRESSION_FILE))
    )


def _is_in_file(module: ModuleFile, owner: ir.ClassDef | None, names: re.Pattern[str]) -> bool:
    """Whether a file, or a package that it belongs to, has such a name; not for classes that derive from others."""
    plain = owner is None or set(_bases(owner)) <= _PLAIN_BASES
    return plain and any(map(names.fullmatch, _names_around(module)))


def _bases(owner: ir.ClassDef) -> list[str]:
    return [last_word(base.value) for base in owner.bases]


def _names_around(module: ModuleFile) -> Iterator[str]:
    """The names of a file and of the packages around it; other folders are named by those who use the program."""
    path = PurePath(module.path)
    yield path.stem.lower()
    inner: list[str] = []  # A folder without `__init__.py` belongs to a package all the same.
    for level, folder in enumerate(islice(path.parents, _MOST_PACKAGES), 1):
        inner.append(folder.name.lower())
        if module.program.place("", level, module.path) is not None:
            yield from inner
            inner.clear()
