"""Runs torchfm 0.7.0."""

from typing import Any

from torch import randint, randn

_FIELDS = [5, 4, 6]


def _x(size: int = 6) -> Any:
    return randint(0, 4, (size, 3))


def linear_parts() -> Any:
    from torchfm.layer import FeaturesEmbedding, FeaturesLinear

    one, other = FeaturesLinear(_FIELDS, 2), FeaturesEmbedding(_FIELDS, 4)
    return lambda x: (one(x), other(x)), _x()


def field_aware() -> Any:
    from torchfm.layer import FieldAwareFactorizationMachine

    return FieldAwareFactorizationMachine(_FIELDS, 4), _x()


def factorization() -> Any:
    from torchfm.layer import FactorizationMachine

    one, other = FactorizationMachine(), FactorizationMachine(reduce_sum=False)
    return lambda x: (one(x), other(x)), randn(5, 3, 4)


def perceptron() -> Any:
    from torchfm.layer import MultiLayerPerceptron

    one, other = MultiLayerPerceptron(6, [5, 4], 0.2), MultiLayerPerceptron(6, [5], 0.1, output_layer=False)
    return lambda x: (one(x), other(x)), randn(5, 6)


def products() -> Any:
    from torchfm.layer import InnerProductNetwork, OuterProductNetwork

    one, two = InnerProductNetwork(), OuterProductNetwork(3, 4)
    three, four = OuterProductNetwork(3, 4, "vec"), OuterProductNetwork(3, 4, "num")
    return lambda x: (one(x), two(x), three(x), four(x)), randn(5, 3, 4)


def crossed() -> Any:
    from torchfm.layer import CrossNetwork

    return CrossNetwork(6, 3), randn(5, 6)


def attentional() -> Any:
    from torchfm.layer import AttentionalFactorizationMachine

    return AttentionalFactorizationMachine(4, 5, [0.2, 0.1]), randn(5, 3, 4)


def compressed() -> Any:
    from torchfm.layer import CompressedInteractionNetwork

    one, other = CompressedInteractionNetwork(3, [4, 6, 4]), CompressedInteractionNetwork(3, [4, 2], split_half=False)
    return lambda x: (one(x), other(x)), randn(5, 3, 4)


def lr() -> Any:
    from torchfm.model.lr import LogisticRegressionModel

    return LogisticRegressionModel(_FIELDS), _x()


def fm() -> Any:
    from torchfm.model.fm import FactorizationMachineModel

    return FactorizationMachineModel(_FIELDS, 4), _x()


def ffm() -> Any:
    from torchfm.model.ffm import FieldAwareFactorizationMachineModel

    return FieldAwareFactorizationMachineModel(_FIELDS, 4), _x()


def afm() -> Any:
    from torchfm.model.afm import AttentionalFactorizationMachineModel

    return AttentionalFactorizationMachineModel(_FIELDS, 4, 5, (0.2, 0.1)), _x()


def afn() -> Any:
    from torchfm.model.afn import AdaptiveFactorizationNetwork

    return AdaptiveFactorizationNetwork(_FIELDS, 4, 5, (6, 4), (0, 0)), _x()


def lnn() -> Any:
    from torchfm.model.afn import LNN

    return LNN(3, 4, 5, bias=True), randn(5, 3, 4)


def afi() -> Any:
    from torchfm.model.afi import AutomaticFeatureInteractionModel

    return AutomaticFeatureInteractionModel(_FIELDS, 4, 6, 2, 2, (6, 4), (0.1, 0.1)), _x()


def dcn() -> Any:
    from torchfm.model.dcn import DeepCrossNetworkModel

    return DeepCrossNetworkModel(_FIELDS, 4, 2, (6, 4), 0.1), _x()


def dfm() -> Any:
    from torchfm.model.dfm import DeepFactorizationMachineModel

    return DeepFactorizationMachineModel(_FIELDS, 4, (6, 4), 0.1), _x()


def fnfm() -> Any:
    from torchfm.model.fnfm import FieldAwareNeuralFactorizationMachineModel

    return FieldAwareNeuralFactorizationMachineModel(_FIELDS, 4, (6, 4), (0.1, 0.1)), _x()


def fnn() -> Any:
    from torchfm.model.fnn import FactorizationSupportedNeuralNetworkModel

    return FactorizationSupportedNeuralNetworkModel(_FIELDS, 4, (6, 4), 0.1), _x()


def ncf() -> Any:
    from torchfm.model.ncf import NeuralCollaborativeFiltering

    return NeuralCollaborativeFiltering(_FIELDS, 0, 1, 4, (6, 4), 0.1), _x()


def nfm() -> Any:
    from torchfm.model.nfm import NeuralFactorizationMachineModel

    return NeuralFactorizationMachineModel(_FIELDS, 4, (6, 4), (0.1, 0.1)), _x()


def pnn() -> Any:
    from torchfm.model.pnn import ProductNeuralNetworkModel

    one = ProductNeuralNetworkModel(_FIELDS, 4, (6, 4), 0.1)
    other = ProductNeuralNetworkModel(_FIELDS, 4, (6, 4), 0.1, method="outer")
    return lambda x: (one(x), other(x)), _x()


def wd() -> Any:
    from torchfm.model.wd import WideAndDeepModel

    return WideAndDeepModel(_FIELDS, 4, (6, 4), 0.1), _x()


def xdfm() -> Any:
    from torchfm.model.xdfm import ExtremeDeepFactorizationMachineModel

    return ExtremeDeepFactorizationMachineModel(_FIELDS, 4, (6, 4), 0.1, (4, 4)), _x()
