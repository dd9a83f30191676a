"""Runs deepctr-torch 0.3.0 (with scikit-learn and tqdm)."""

from typing import Any

import sklearn.metrics  # noqa: F401 - the package imports it, and it takes seconds: once for all changes
from torch import cat, ones, randint, randn, tensor
from torch.nn import ModuleList

# The package asks a registry for its newest version.
NOT_INSTALLED = ("requests",)


def _columns(dense: bool = True) -> list[Any]:
    from deepctr_torch.inputs import DenseFeat, SparseFeat, VarLenSparseFeat

    sparse = [SparseFeat(name, 5, embedding_dim=4) for name in ("a", "b", "c")]
    several = [VarLenSparseFeat(SparseFeat("v", 5, embedding_dim=4), maxlen=3, combiner="mean")]
    return [*sparse, *([DenseFeat("d", 2)] if dense else []), *several]


def _rows(model: Any, dense: bool = True) -> tuple[Any, ...]:
    given = randint(0, 5, (6, 3)).float()
    several = randint(0, 5, (6, 3)).float()
    several[:, 0] = 2

    def run(d: Any) -> Any:
        out = model(cat([given, *([d] if dense else []), several], 1))
        return out if dense else out * d[:, :1], model.get_regularization_loss()

    return run, randn(6, 2)


_SMALL = {"dnn_hidden_units": (6, 4)}


def deep_fm() -> tuple[Any, ...]:
    from deepctr_torch.models import DeepFM

    return _rows(DeepFM(_columns(), _columns(), dnn_dropout=0.1, dnn_use_bn=True, l2_reg_dnn=0.1, **_SMALL))


def wide_and_deep() -> tuple[Any, ...]:
    from deepctr_torch.models import WDL

    return _rows(WDL(_columns(), _columns(), dnn_activation="prelu", task="regression", **_SMALL))


def extreme() -> tuple[Any, ...]:
    from deepctr_torch.models import xDeepFM

    return _rows(xDeepFM(_columns(), _columns(), cin_layer_size=(4, 4), l2_reg_cin=0.1, **_SMALL))


def extreme_without_halves() -> tuple[Any, ...]:
    from deepctr_torch.models import xDeepFM

    options = {"cin_split_half": False, "cin_activation": "linear"}
    return _rows(xDeepFM(_columns(), _columns(), cin_layer_size=(4, 3), **options, **_SMALL))


def neural_fm() -> tuple[Any, ...]:
    from deepctr_torch.models import NFM

    return _rows(NFM(_columns(), _columns(), bi_dropout=0.1, **_SMALL))


def attentional_fm() -> tuple[Any, ...]:
    from deepctr_torch.models import AFM

    return _rows(AFM(_columns(), _columns(False), afm_dropout=0.1))


def bilinear() -> tuple[Any, ...]:
    from deepctr_torch.models import FiBiNET

    kinds = ("all", "each", "interaction")
    models = ModuleList(FiBiNET(_columns(), _columns(), bilinear_type=kind, **_SMALL) for kind in kinds)
    runs = [_rows(model)[0] for model in models]
    return lambda d: [(model.training, run(d)) for model, run in zip(models, runs, strict=True)], randn(6, 2)


def convolutional() -> tuple[Any, ...]:
    from deepctr_torch.models import CCPM

    options = {"conv_kernel_width": (3, 2), "conv_filters": (2, 2)}
    return _rows(CCPM(_columns(False), _columns(False), **options, dnn_hidden_units=(4,)), dense=False)


def input_aware() -> tuple[Any, ...]:
    from deepctr_torch.models import IFM

    return _rows(IFM(_columns(), _columns(), **_SMALL))


def dual_input_aware() -> tuple[Any, ...]:
    from deepctr_torch.models import DIFM

    return _rows(DIFM(_columns(), _columns(), att_head_num=2, **_SMALL))


def operation_aware() -> tuple[Any, ...]:
    from deepctr_torch.models import ONN

    return _rows(ONN(_columns(), _columns(), dnn_use_bn=True, **_SMALL))


def product_based() -> tuple[Any, ...]:
    from deepctr_torch.models import PNN

    models = ModuleList(
        PNN(_columns(), use_outter=True, kernel_type=kind, use_inner=kind != "vec", **_SMALL)
        for kind in ("mat", "vec", "num")
    )
    runs = [_rows(model)[0] for model in models]
    return lambda d: [(model.training, run(d)) for model, run in zip(models, runs, strict=True)], randn(6, 2)


def cross() -> tuple[Any, ...]:
    from deepctr_torch.models import DCN

    return _rows(DCN(_columns(), _columns(), l2_reg_dnn=0.1, **_SMALL))


def cross_of_matrices() -> tuple[Any, ...]:
    from deepctr_torch.models import DCN

    return _rows(DCN(_columns(), _columns(), cross_parameterization="matrix", **_SMALL))


def cross_of_experts() -> tuple[Any, ...]:
    from deepctr_torch.models import DCNMix

    return _rows(DCNMix(_columns(), _columns(), low_rank=3, num_experts=2, **_SMALL))


def logarithmic() -> tuple[Any, ...]:
    from deepctr_torch.models import AFN

    return _rows(AFN(_columns(False), _columns(False), ltl_hidden_size=4, afn_dnn_hidden_units=(4,)), dense=False)


def self_attention() -> tuple[Any, ...]:
    from deepctr_torch.models import AutoInt

    return _rows(AutoInt(_columns(), _columns(), att_layer_num=2, **_SMALL))


def piecewise() -> tuple[Any, ...]:
    from deepctr_torch.models import MLR

    return _rows(MLR(_columns(), _columns(), bias_feature_columns=_columns()))


def _history() -> tuple[list[Any], Any]:
    from deepctr_torch.inputs import DenseFeat, SparseFeat, VarLenSparseFeat

    user, item, pay = (
        SparseFeat("user", 5, embedding_dim=4),
        SparseFeat("item", 5, embedding_dim=4),
        DenseFeat("pay", 1),
    )
    seen, not_seen = (
        VarLenSparseFeat(
            SparseFeat(name, 5, embedding_dim=4, embedding_name="item"), maxlen=4, length_name="seq_length"
        )
        for name in ("hist_item", "neg_hist_item")
    )
    ids, before, others = randint(1, 5, (6, 2)).float(), randint(1, 5, (6, 4)).float(), randint(1, 5, (6, 4)).float()
    length = tensor([[4.0], [2.0], [3.0], [1.0], [4.0], [2.0]])

    def rows(d: Any, negative: bool) -> Any:
        return cat([ids, d, before, length, *([others] if negative else [])], 1)

    return [user, item, pay, seen, not_seen], rows


def interest() -> tuple[Any, ...]:
    from deepctr_torch.models import DIN

    columns, rows = _history()
    models = [
        DIN(columns[:4], ["item"], dnn_hidden_units=(4,), att_hidden_size=(4,), **options)
        for options in ({}, {"att_weight_normalization": True, "att_activation": "sigmoid", "dnn_use_bn": True})
    ]
    one, other = models
    return lambda d: (one(rows(d, False)), other(rows(d, False)), one.get_regularization_loss()), randn(6, 1)


def _evolution(kind: str, negative: bool) -> tuple[Any, ...]:
    from deepctr_torch.models import DIEN

    columns, rows = _history()
    options = {"gru_type": kind, "use_negsampling": negative, "dnn_hidden_units": (4,), "att_hidden_units": (4,)}
    model = DIEN(columns if negative else columns[:4], ["item"], **options)
    return lambda d: (model(rows(d, negative)), model.aux_loss, model.get_regularization_loss()), randn(6, 1)


def evolution() -> tuple[Any, ...]:
    return _evolution("GRU", True)


def evolution_of_attention() -> tuple[Any, ...]:
    return _evolution("AIGRU", False)


def evolution_by_cells() -> tuple[Any, ...]:
    return _evolution("AGRU", False)


def evolution_by_gates() -> tuple[Any, ...]:
    return _evolution("AUGRU", False)


def mixture_of_tasks() -> tuple[Any, ...]:
    from deepctr_torch.models import MMOE

    hidden = {"expert_dnn_hidden_units": (4,), "gate_dnn_hidden_units": (4,), "tower_dnn_hidden_units": (4,)}
    return _rows(MMOE(_columns(), num_experts=2, task_types=("binary", "regression"), **hidden))


def extraction_of_tasks() -> tuple[Any, ...]:
    from deepctr_torch.models import PLE

    hidden = {"expert_dnn_hidden_units": (4,), "gate_dnn_hidden_units": (4,), "tower_dnn_hidden_units": (4,)}
    return _rows(PLE(_columns(), **hidden))


def shared_tasks() -> tuple[Any, ...]:
    from deepctr_torch.models import ESMM, SharedBottom

    one = SharedBottom(_columns(), bottom_dnn_hidden_units=(4,), tower_dnn_hidden_units=(4,))
    other = ESMM(_columns(), tower_dnn_hidden_units=(4,))
    runs = [(model, _rows(model)[0]) for model in (one, other)]
    return lambda d: [(one.training, other.training, run(d)) for _, run in runs], randn(6, 2)


def pooled() -> tuple[Any, ...]:
    from deepctr_torch.layers.sequence import SequencePoolingLayer

    layers = [SequencePoolingLayer(mode) for mode in ("sum", "mean")]
    masked = [SequencePoolingLayer(mode, supports_masking=True) for mode in ("mean", "max")]
    length, mask = tensor([[1], [3]]), tensor([[1, 0, 0], [1, 1, 1]])
    return lambda x: ([each([x, length]) for each in layers], [each([x, mask]) for each in masked]), randn(2, 3, 4)


def activated() -> tuple[Any, ...]:
    from deepctr_torch.layers.activation import Dice

    flat, deep = Dice(4), Dice(4, dim=3)
    return lambda x, y: (flat(x), deep(y)), randn(5, 4), randn(5, 3, 4)


def attended() -> tuple[Any, ...]:
    from deepctr_torch.layers.interaction import InteractingLayer
    from deepctr_torch.layers.sequence import AttentionSequencePoolingLayer

    scaled = InteractingLayer(4, scaling=True)
    pooling = AttentionSequencePoolingLayer((4,), weight_normalization=True, return_score=True, embedding_dim=4)
    length = tensor([[1], [3]])
    return lambda q, k: (scaled(k), pooling(q, k, length), ones(1)), randn(2, 1, 4), randn(2, 3, 4)
