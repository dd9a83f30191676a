"""Runs losses, miners, distances and regularizers of pytorch-metric-learning 2.9.0."""

from typing import Any

from torch import arange, nn, randn, tensor

NOT_INSTALLED = ("sklearn", "sklearn.cluster", "sklearn.preprocessing", "tqdm", "faiss", "faiss.contrib", "torchvision")
_LABELS = arange(4).repeat(3)


def _lost(*names: str, **given: Any) -> tuple[Any, ...]:
    from pytorch_metric_learning import losses

    made = nn.ModuleList([getattr(losses, name)(**given) for name in names])
    return lambda x: [loss(x, _LABELS) for loss in made], randn(12, 6)


def _classes(*names: str, **given: Any) -> tuple[Any, ...]:
    from pytorch_metric_learning import losses

    made = nn.ModuleList([getattr(losses, name)(num_classes=4, embedding_size=6, **given) for name in names])
    return lambda x: [loss(x, _LABELS) for loss in made], randn(12, 6)


def pairs() -> tuple[Any, ...]:
    return _lost("ContrastiveLoss", "IntraPairVarianceLoss", "LiftedStructureLoss", "GeneralizedLiftedStructureLoss")


def similarities() -> tuple[Any, ...]:
    return _lost("MultiSimilarityLoss", "CircleLoss", "NTXentLoss", "SupConLoss", "TupletMarginLoss")


def triplets() -> tuple[Any, ...]:
    return _lost("TripletMarginLoss", swap=True, smooth_loss=True)


def triplets_plain() -> tuple[Any, ...]:
    return _lost("TripletMarginLoss", "AngularLoss", "NCALoss", "NPairsLoss")


def margins() -> tuple[Any, ...]:
    return _lost("MarginLoss", learn_beta=True, num_classes=4, nu=0.1)


def rankings() -> tuple[Any, ...]:
    return _lost("FastAPLoss", "SmoothAPLoss", "PNPLoss", "InstanceLoss")


def histograms() -> tuple[Any, ...]:
    return _lost("HistogramLoss", n_bins=10)


def ranked_lists() -> tuple[Any, ...]:
    return _lost("RankedListLoss", margin=0.4, Tn=10, Tp=5)


def thresholds() -> tuple[Any, ...]:
    return _lost("ThresholdConsistentMarginLoss", margin_plus=0.1, margin_minus=-0.2)


def snr() -> tuple[Any, ...]:
    return _lost("SignalToNoiseRatioContrastiveLoss")


def vicreg() -> tuple[Any, ...]:
    from pytorch_metric_learning.losses import VICRegLoss

    loss = VICRegLoss()
    return lambda x, y: loss(x, ref_emb=y), randn(8, 6), randn(8, 6)


def faces() -> tuple[Any, ...]:
    return _classes("ArcFaceLoss", "CosFaceLoss", "SubCenterArcFaceLoss")


def softmaxes() -> tuple[Any, ...]:
    return _classes("LargeMarginSoftmaxLoss", "SphereFaceLoss", "NormalizedSoftmaxLoss")


def proxies() -> tuple[Any, ...]:
    return _classes("ProxyAnchorLoss", "ProxyNCALoss", "SoftTripleLoss")


def descriptors() -> tuple[Any, ...]:
    from pytorch_metric_learning.losses import P2SGradLoss

    loss = P2SGradLoss(descriptors_dim=6, num_classes=4)
    return lambda x: loss(x, _LABELS), randn(12, 6)


def manifold() -> tuple[Any, ...]:
    from pytorch_metric_learning.losses import ManifoldLoss

    loss = ManifoldLoss(l=6, K=3)
    return lambda x: loss(x), randn(12, 6)


def memory() -> tuple[Any, ...]:
    from pytorch_metric_learning.losses import ContrastiveLoss, CrossBatchMemory

    loss = CrossBatchMemory(ContrastiveLoss(), 6, memory_size=20)
    return lambda x: loss(x, _LABELS), randn(12, 6)


def self_supervised() -> tuple[Any, ...]:
    from pytorch_metric_learning.losses import NTXentLoss, SelfSupervisedLoss

    loss = SelfSupervisedLoss(NTXentLoss())
    return lambda x, y: loss(x, y), randn(12, 6), randn(12, 6)


def several() -> tuple[Any, ...]:
    from pytorch_metric_learning import losses, miners

    loss = losses.MultipleLosses(
        [losses.TripletMarginLoss(), losses.ContrastiveLoss()], [miners.TripletMarginMiner(), None], [0.3, 0.7]
    )
    return lambda x: loss(x, _LABELS), randn(12, 6)


def _mined(*miners: Any) -> tuple[Any, ...]:
    from pytorch_metric_learning.losses import ContrastiveLoss

    loss = ContrastiveLoss()
    return lambda x: [loss(x, _LABELS, miner(x, _LABELS)) for miner in miners], randn(12, 6)


def mined() -> tuple[Any, ...]:
    from pytorch_metric_learning import miners

    return _mined(
        miners.AngularMiner(),
        miners.BatchHardMiner(),
        miners.BatchEasyHardMiner(),
        miners.MultiSimilarityMiner(),
        miners.PairMarginMiner(),
        miners.TripletMarginMiner(type_of_triplets="semihard"),
    )


def mined_by_chance() -> tuple[Any, ...]:
    from pytorch_metric_learning import miners

    kinds = [miners.DistanceWeightedMiner(), miners.HDCMiner(), miners.UniformHistogramMiner(num_bins=5)]
    return _mined(*kinds)


def distances() -> tuple[Any, ...]:
    from pytorch_metric_learning import distances as kinds

    made = [kinds.CosineSimilarity(), kinds.DotProductSimilarity(), kinds.SNRDistance(), kinds.LpDistance(power=2)]
    made += [kinds.LpDistance(p=1, normalize_embeddings=False)]

    def run(x: Any, y: Any) -> Any:
        return [(each(x, y), each(x), each.pairwise_distance(x, y), each.margin(x[0, 0], y[0, 0])) for each in made]

    return run, randn(5, 6), randn(5, 6)


def regularized() -> tuple[Any, ...]:
    from pytorch_metric_learning import losses, regularizers

    of_weights = [
        regularizers.CenterInvariantRegularizer(),
        regularizers.RegularFaceRegularizer(),
        regularizers.LpRegularizer(),
    ]
    made = nn.ModuleList(
        losses.NormalizedSoftmaxLoss(
            4, 6, weight_regularizer=each, embedding_regularizer=regularizers.ZeroMeanRegularizer()
        )
        for each in of_weights
    )
    return lambda x: [loss(x, _LABELS) for loss in made], randn(12, 6)


def regularized_centers() -> tuple[Any, ...]:
    from pytorch_metric_learning import losses, regularizers

    sparse = regularizers.SparseCentersRegularizer(4, 2)
    loss = losses.SoftTripleLoss(4, 6, centers_per_class=2, weight_regularizer=sparse)
    return lambda x: loss(x, _LABELS), randn(12, 6)


def reduced() -> tuple[Any, ...]:
    from pytorch_metric_learning import losses, reducers

    kinds = [
        reducers.ThresholdReducer(low=0.1, high=2),
        reducers.ClassWeightedReducer(tensor([0.5, 1.0, 2.0, 0.1])),
        reducers.PerAnchorReducer(),
        reducers.AvgNonZeroReducer(),
        reducers.SumReducer(),
    ]
    made = nn.ModuleList(losses.ContrastiveLoss(reducer=each) for each in kinds)
    return lambda x: [loss(x, _LABELS) for loss in made], randn(12, 6)
