"""Runs FrEIA 0.2 (with scipy, which one of its modules draws a matrix from)."""

from typing import Any

from torch import nn, randn


def _subnet(before: int, after: int) -> nn.Module:
    return nn.Sequential(nn.Linear(before, 8), nn.ReLU(), nn.Linear(8, after))


def _convolutions(before: int, after: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(before, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, after, 3, padding=1))


def _both(layer: nn.Module, *conditions: Any) -> Any:
    """Forward and back, each with a tensor of its own."""
    more = {"c": list(conditions)} if conditions else {}
    return lambda x: (layer([x * 1.0], **more), layer([x * 2.0], rev=True, **more))


def nice() -> tuple[Any, ...]:
    from FrEIA.modules import NICECouplingBlock

    return _both(NICECouplingBlock([(4,)], subnet_constructor=_subnet)), randn(3, 4)


def real_nvp() -> tuple[Any, ...]:
    from FrEIA.modules import RNVPCouplingBlock

    layer = RNVPCouplingBlock([(4,)], [(2,)], subnet_constructor=_subnet)
    return _both(layer, randn(3, 2)), randn(3, 4)


def glow() -> tuple[Any, ...]:
    from FrEIA.modules import GLOWCouplingBlock

    layer = GLOWCouplingBlock([(4, 4, 4)], subnet_constructor=_convolutions, clamp_activation="TANH")
    return _both(layer), randn(2, 4, 4, 4)


def gin() -> tuple[Any, ...]:
    from FrEIA.modules import GINCouplingBlock

    return _both(GINCouplingBlock([(4,)], subnet_constructor=_subnet, clamp_activation="SIGMOID")), randn(3, 4)


def one_sided() -> tuple[Any, ...]:
    from FrEIA.modules import AffineCouplingOneSided

    return _both(AffineCouplingOneSided([(5,)], subnet_constructor=_subnet, split_len=2)), randn(3, 5)


def clamped() -> tuple[Any, ...]:
    from FrEIA.modules import AffineCouplingOneSided, GINCouplingBlock, RNVPCouplingBlock

    kinds = [AffineCouplingOneSided, GINCouplingBlock, RNVPCouplingBlock]
    layers = [
        kind([(4,)], subnet_constructor=_subnet, clamp_activation=how)
        for kind in kinds
        for how in ("ATAN", "TANH", "SIGMOID")
    ]
    return lambda x: [(layer([x * 1.0]), layer([x * 2.0], rev=True)) for layer in layers], randn(3, 4)


def conditional() -> tuple[Any, ...]:
    from FrEIA.modules import ConditionalAffineTransform

    layer = ConditionalAffineTransform([(4,)], [(2,)], subnet_constructor=_subnet)
    return _both(layer, randn(3, 2)), randn(3, 4)


def all_in_one() -> tuple[Any, ...]:
    from FrEIA.modules import AllInOneBlock

    return _both(AllInOneBlock([(4,)], subnet_constructor=_subnet, permute_soft=True)), randn(3, 4)


def all_in_one_of_images() -> tuple[Any, ...]:
    from FrEIA.modules import AllInOneBlock

    layer = AllInOneBlock(
        [(4, 4, 4)],
        [(2, 4, 4)],
        subnet_constructor=_convolutions,
        gin_block=True,
        learned_householder_permutation=2,
        reverse_permutation=True,
    )
    return _both(layer, randn(2, 2, 4, 4)), randn(2, 4, 4, 4)


def all_in_one_scaled() -> tuple[Any, ...]:
    from FrEIA.modules import AllInOneBlock

    one, other = (
        AllInOneBlock([(4,)], subnet_constructor=_subnet, global_affine_type=kind, global_affine_init=0.7)
        for kind in ("SIGMOID", "EXP")
    )
    return lambda x: (one([x * 1.0]), one([x * 2.0], rev=True), other([x * 3.0])), randn(3, 4)


def activations() -> tuple[Any, ...]:
    from FrEIA.modules import InvAutoAct, InvAutoActTwoSided, LearnedElementwiseScaling

    one, two, scaled = InvAutoAct([(4,)]), InvAutoActTwoSided([(4,)]), LearnedElementwiseScaling([(4,)])

    def run(x: Any) -> Any:
        return [(each([x * 1.0]), each([x * 2.0], rev=True)) for each in (one, two, scaled)]

    return run, randn(3, 4)


def auto_layers() -> tuple[Any, ...]:
    from FrEIA.modules import InvAutoConv2D, InvAutoFC

    linear, convolution = InvAutoFC([(16,)]), InvAutoConv2D([(4, 2, 2)])

    def run(x: Any) -> Any:
        flat = x.flatten(1)
        return linear([flat]), linear([flat * 2], rev=True), convolution([x * 1.0]), convolution([x * 2], rev=True)

    return run, randn(3, 4, 2, 2)


def mixture() -> tuple[Any, ...]:
    from FrEIA.modules import GaussianMixtureModel

    layer = GaussianMixtureModel([(3,)], [(2,), (2, 3), (2, 6), ()])

    def run(x: Any, weights: Any, mu: Any, entries: Any) -> Any:
        w = layer.normalize_weights(weights)
        (z,), jacobian = layer([x * 1.0], [w, mu, entries, None])
        back = layer([z], [w, mu, entries, None], rev=True)
        fixed = layer([x * 1.0], [w, mu, entries, 3])
        fixed_back = layer([x * 2.0], [w, mu, entries, 3], rev=True)
        losses = layer.nll_loss(w, z, jacobian), layer.nll_upper_bound(w, z, jacobian)
        return z, jacobian, back, fixed, fixed_back, losses

    return run, randn(4, 3), randn(4, 2), randn(4, 2, 3), randn(4, 2, 6) * 0.3


def fixed() -> tuple[Any, ...]:
    from FrEIA.modules import Fixed1x1Conv, FixedLinearTransform, InvertibleSigmoid, PermuteRandom

    layers = PermuteRandom([(4,)], seed=1), FixedLinearTransform([(4,)], M=randn(4, 4), b=randn(4))
    convolution, bent = Fixed1x1Conv([(4, 2, 2)], M=randn(4, 4)), InvertibleSigmoid([(4,)])

    def run(x: Any) -> Any:
        flat = x[:, :, 0, 0]
        ways = [(each([flat * 1.0]), each([flat * 2.0], rev=True)) for each in layers]
        inside = flat.sigmoid() * 0.9 + 0.05
        return ways, convolution([x * 1.0]), convolution([x], rev=True), bent([flat * 1.0]), bent([inside], rev=True)

    return run, randn(3, 4, 2, 2)


def act_norm() -> tuple[Any, ...]:
    from FrEIA.modules import ActNorm

    return _both(ActNorm([(4, 2, 2)])), randn(3, 4, 2, 2)


def residual() -> tuple[Any, ...]:
    from FrEIA.modules import IResNetLayer

    layer = IResNetLayer([(4,)], jacobian_iterations=3, hutchinson_samples=2, fixed_point_iterations=4)

    def run(x: Any) -> Any:
        layer.lipschitz_correction()
        return layer([x * 1.0]), layer([x * 2.0], rev=True)

    return run, randn(3, 4)


def residual_of_data() -> tuple[Any, ...]:
    from FrEIA.modules import IResNetLayer

    layer, data = IResNetLayer([(4,)], jacobian_iterations=2, fixed_point_iterations=4), randn(3, 4)
    return lambda scale: (layer([data.clone()])[0][0] * scale, layer([data.clone()], rev=True)), randn(1)


def residual_of_images() -> tuple[Any, ...]:
    from FrEIA.modules import IResNetLayer

    layer = IResNetLayer([(2, 3, 3)], jacobian_iterations=2, fixed_point_iterations=3, lipschitz_batchsize=2)

    def run(x: Any) -> Any:
        layer.lipschitz_correction()
        return layer([x * 1.0]), layer([x * 2.0], rev=True)

    return run, randn(2, 2, 3, 3)


def orthogonal() -> tuple[Any, ...]:
    from FrEIA.modules import HouseholderPerm

    one, other = HouseholderPerm([(4,)], n_reflections=3), HouseholderPerm([(4,)], n_reflections=2, fixed=True)
    given = HouseholderPerm([(4,)], [(16,)], n_reflections=4)

    def run(x: Any, c: Any) -> Any:
        flat = given([x[:1] * 1.0], [c])[0] if len(c) == 1 else x
        return one([x * 1.0]), one([x * 2.0], rev=True), other([x * 1.0]), flat

    return run, randn(3, 4), randn(2, 16)


def corrected() -> tuple[Any, ...]:
    from FrEIA.modules import OrthogonalTransform
    from FrEIA.modules.orthogonal import orth_correction

    layer = OrthogonalTransform([(4,)])

    def run(x: Any) -> Any:
        orth_correction(layer.weights.data)
        return layer([x * 1.0]), layer([x * 2.0], rev=True)

    return run, randn(3, 4)


def shapes() -> tuple[Any, ...]:
    from FrEIA.modules import (
        Concat,
        Flatten,
        HaarDownsampling,
        HaarUpsampling,
        IRevNetDownsampling,
        IRevNetUpsampling,
        Reshape,
        Split,
    )

    sizes = [(4, 4, 4)]
    one, other = HaarDownsampling(sizes, order_by_wavelet=True, rebalance=0.5), HaarUpsampling(sizes)
    down, up, old = IRevNetDownsampling(sizes), IRevNetUpsampling(sizes), IRevNetDownsampling(sizes, None, True)
    flat, shaped, split = Flatten(sizes), Reshape(sizes, output_dims=(8, 2, 4)), Split(sizes)
    joined = Concat([(2, 4, 4), (2, 4, 4)])

    def run(x: Any) -> Any:
        small = [(each([x * 1.0]), each([each([x * 2.0])[0][0]], rev=True)) for each in (one, other, down, up, old)]
        parts = split([x * 1.0])[0]
        return small, flat([x]), shaped([x]), parts, joined(parts), split(parts, rev=True)

    return run, randn(2, 4, 4, 4)


def graph() -> tuple[Any, ...]:
    from FrEIA.framework import ConditionNode, GraphINN, InputNode, Node, OutputNode
    from FrEIA.modules import GLOWCouplingBlock, HouseholderPerm, Split

    start, condition = InputNode(4, name="in"), ConditionNode(2, name="c")
    first = Node(start, GLOWCouplingBlock, {"subnet_constructor": _subnet}, conditions=condition)
    turned = Node(first, HouseholderPerm, {"n_reflections": 2})
    split = Node(turned, Split, {})
    ends = [OutputNode(split.out0, name="a"), OutputNode(split.out1, name="b")]
    model = GraphINN([start, condition, first, turned, split, *ends])
    c = randn(3, 2)

    def run(x: Any) -> Any:
        out, jacobian = model(x, c=[c])
        return out, jacobian, model([each * 2 for each in out], c=[c], rev=True)

    return run, randn(3, 4)


def sequence() -> tuple[Any, ...]:
    from FrEIA.framework import SequenceINN
    from FrEIA.modules import AllInOneBlock

    model = SequenceINN(4)
    for _ in range(2):
        model.append(AllInOneBlock, subnet_constructor=_subnet)

    def run(x: Any) -> Any:
        z, jacobian = model(x)
        return z, jacobian, model(z * 2, rev=True)

    return run, randn(3, 4)
