"""Runs SpikingJelly 2.0.0."""

from typing import Any

from torch import nn, ones, rand, randn, tensor

NOT_INSTALLED = [
    "h5py",
    "tensorboard",
    "torch.utils.tensorboard",
    "torchvision",
    "torchvision.models",
    "torchvision.models.utils",
]


def _reset(*layers: Any) -> None:
    from spikingjelly.activation_based import functional

    for each in layers:
        functional.reset_net(each)


def _stepped(*layers: Any, shape: tuple[int, ...] = (2, 4)) -> Any:
    """Each by itself, over three steps of time."""
    every = nn.ModuleList(layers)

    def run(x: Any) -> Any:
        _reset(every)
        return [[each(part) for part in x] for each in every]

    return run, randn(3, *shape) + 0.5


def _sequenced(*layers: Any, shape: tuple[int, ...] = (3, 2, 4)) -> Any:
    """Each of all steps at once."""
    every = nn.ModuleList(layers)

    def run(x: Any) -> Any:
        _reset(every)
        return [each(x) for each in every]

    return run, randn(shape) + 0.5


def integrating() -> Any:
    from spikingjelly.activation_based import neuron as n

    kinds = n.SimpleIFNode(), n.IFNode(), n.IFNode(v_reset=None, detach_reset=True), n.HalfThresholdIFNode()
    return _stepped(*kinds, n.ActivationAwareIFNode(0.8, 0.1), n.TernaryIFNode(), n.TernaryIFNode(v_reset=None))


def leaking() -> Any:
    from spikingjelly.activation_based import neuron as n

    kinds = [n.SimpleLIFNode(2.0, True), n.SimpleLIFNode(2.0, False), n.LIFNode(), n.LIFNode(v_reset=None)]
    kinds += [n.LIFNode(decay_input=False), n.LIFNode(decay_input=False, v_reset=0.1), n.ILIFNode(), n.TernaryLIFNode()]
    kinds += [n.ParametricLIFNode(), n.ParametricLIFNode(decay_input=False), n.ParametricLIFNode(v_reset=None)]
    return _stepped(*kinds, n.LIAFNode(nn.Tanh(), True), n.LIAFNode(nn.Tanh(), False))


def leaking_variants() -> Any:
    from spikingjelly.activation_based import neuron as n

    kinds = [n.KLIFNode(), n.KLIFNode(True, decay_input=False), n.ComplementaryLIFNode(), n.CUBALIFNode()]
    return _stepped(*kinds, n.QIFNode(), n.EIFNode(), n.IzhikevichNode(), n.RAFNode())


def sequences() -> Any:
    from spikingjelly.activation_based import neuron as n

    many = {"step_mode": "m", "store_v_seq": True}
    kinds = [n.IFNode(**many), n.LIFNode(**many), n.ParametricLIFNode(**many), n.QIFNode(**many), n.EIFNode(**many)]
    kinds += [n.IzhikevichNode(**many), n.RAFNode(**many), n.ILIFNode(**many), n.KLIFNode(**many)]
    return _sequenced(*kinds, n.TernaryIFNode(**many), n.TernaryLIFNode(**many), n.HalfThresholdIFNode(**many))


def sequences_more() -> Any:
    from spikingjelly.activation_based import neuron as n

    kinds = [n.DSRIFNode(3), n.DSRLIFNode(3), n.GatedLIFNode(3), n.GatedLIFNode(3, inplane=2)]
    kinds += [n.ComplementaryLIFNode(step_mode="m", store_state_seqs=True), n.ActivationAwareIFNode(step_mode="m")]
    return _sequenced(*kinds, shape=(3, 2, 2, 3, 3))


def parallel() -> Any:
    from spikingjelly.activation_based import neuron as n

    kinds = n.PSN(3), n.MaskedPSN(2, 3, step_mode="m", lambda_init=0.3), n.SlidingPSN(2, step_mode="m")
    return _sequenced(*kinds, n.SlidingPSN(2, exp_init=False, step_mode="m"))


def parallel_by_steps() -> Any:
    from spikingjelly.activation_based import neuron as n

    return _stepped(n.MaskedPSN(2, 3, lambda_init=1.0), n.SlidingPSN(2))


def not_spiking() -> Any:
    from spikingjelly.activation_based import neuron as n

    kinds = [n.NonSpikingIFNode(each) for each in ("last-mem", "max-mem", "max-abs-mem", "mean-mem")]
    return _sequenced(*kinds, n.NonSpikingLIFNode(), n.NonSpikingLIFNode(3.0, "mean-mem"))


def connected() -> Any:
    from spikingjelly.activation_based import neuron as n

    return _sequenced(n.ILCIFNode(2, 3), n.ILCLIFNode(2, 3), n.ILCCUBALIFNode(2, 3), shape=(3, 2, 6))


def noisy() -> Any:
    from spikingjelly.activation_based import neuron as n

    layers = n.NoisyCUBALIFNode(6, T=3), n.NoisyILCCUBALIFNode(2, 3, T=3), n.NoisyNonSpikingIFNode(6, T=3)
    every = nn.ModuleList(layers)

    def run(x: Any) -> Any:
        for each in every:
            each.load_colored_noise(randn(2, 3, 6 if each is every[2] else 12))
        return [each(x) for each in every]

    return run, randn(3, 2, 6)


def batch_normed() -> Any:
    from spikingjelly.activation_based import neuron as n

    made = {"out_features": 4, "learnable_vth": True}
    return _stepped(n.MPBNLIFNode(**made), n.MPBNLIFNode(out_features=4, decay_input=True, v_reset=None))


def online() -> Any:
    from spikingjelly.activation_based import layer as la
    from spikingjelly.activation_based import neuron as n

    net = la.OTTTSequential(nn.Linear(4, 5), n.OTTTLIFNode(), nn.Linear(5, 3), n.OTTTLIFNode(decay_input=True))
    other = nn.Sequential(nn.Linear(4, 5), n.SLTTLIFNode())
    return _stepped(net, other)


def few_spikes() -> Any:
    from spikingjelly.activation_based import neuron as n

    one = n.FewSpikeTable([1.0, 0.5, 0.2], [1.0, 0.5, 0.2], [1.0, 0.5, 0.3])
    other = n.FewSpikeTable([4.0, 2.0, 1.0], [4.0, 2.0, 1.0], [4.0, 2.0, 1.0])
    kinds = n.FewSpikeNode(one), n.OutlierAwareThresholdNode(one, other, 1.0)
    return _stepped(*kinds, n.HGNode([one, other], [0.5]))


def surrogates() -> Any:
    from spikingjelly.activation_based import surrogate as s

    kinds = (
        s.PiecewiseQuadratic,
        s.PiecewiseExp,
        s.Sigmoid,
        s.SoftSign,
        s.SuperSpike,
        s.ATan,
        s.NonzeroSignLogAbs,
        s.Erf,
    )
    layers = nn.ModuleList([each() for each in (*kinds, s.PiecewiseLeakyReLU)])
    return lambda x: [each(x) for each in layers], randn(3, 4)


def surrogates_more() -> Any:
    from spikingjelly.activation_based import surrogate as s

    kinds = s.SquarewaveFourierSeries, s.S2NN, s.QPseudoSpike, s.LeakyKReLU, s.FakeNumericalGradient, s.LogTailedReLU
    layers = nn.ModuleList([each() for each in (*kinds, s.DeterministicPass, s.PoissonPass, s.Rect)])
    levels = s.MultiLevelSpikeCount(3)
    return lambda x: ([each(x.sigmoid()) for each in layers], levels(x * 2)), randn(3, 4)


def surrogates_smooth() -> Any:
    from spikingjelly.activation_based import surrogate as s

    kinds = s.PiecewiseQuadratic, s.PiecewiseExp, s.Sigmoid, s.SoftSign, s.ATan, s.NonzeroSignLogAbs, s.Erf
    kinds += s.PiecewiseLeakyReLU, s.SquarewaveFourierSeries, s.S2NN, s.QPseudoSpike, s.LeakyKReLU, s.LogTailedReLU
    layers = nn.ModuleList([each(spiking=False) for each in kinds])
    return lambda x: [each(x) for each in layers], randn(3, 4)


def layers_normalized() -> Any:
    from spikingjelly.activation_based import layer as la

    kinds = [
        la.BatchNorm2d(2, step_mode="m"),
        la.ThresholdDependentBatchNorm2d(1.0, 0.5, 2),
        la.GroupNorm(2, 2, step_mode="m"),
    ]
    kinds += [la.TemporalEffectiveBatchNorm2d(3, 2), la.BatchNormThroughTime2d(3, 2, step_mode="m")]
    kinds += [la.NeuNorm(2, 4, 4, step_mode="m"), la.NeuNorm(2, 4, 4, 0.7, True, step_mode="m")]
    return _sequenced(*kinds, shape=(3, 2, 2, 4, 4))


def layers_attending() -> Any:
    from spikingjelly.activation_based import layer as la

    kinds = [la.TemporalWiseAttention(4, 2), la.MultiDimensionalAttention(4, 4, 2, 2)]
    return _sequenced(*kinds, shape=(4, 2, 4, 3, 3))


def layers_of_transformers() -> Any:
    from spikingjelly.activation_based import layer as la

    one = nn.ModuleList([la.SpikingSelfAttention(4, 2), la.TokenQKAttention(4, 2), la.ChannelQKAttention(4, 2)])
    other = la.SpikeDrivenSelfAttention(4, 2)

    def run(x: Any) -> Any:
        _reset(one, other)
        return [each(x.flatten(3)) for each in one], other(x)

    return run, randn(2, 2, 4, 3, 3) * 2


def layers_dropping() -> Any:
    from spikingjelly.activation_based import layer as la

    kinds = la.Dropout(0.3, step_mode="m"), la.DropConnectLinear(4, 3, p=0.3, samples_num=8, step_mode="m")
    return _sequenced(*kinds, la.DropConnectLinear(4, 3, p=0.4, invariant=True, step_mode="m"))


def layers_of_time() -> Any:
    from spikingjelly.activation_based import layer as la
    from spikingjelly.activation_based import neuron as n

    kinds = [la.SynapseFilter(3.0, learnable=True, step_mode="m"), la.SynapseFilter(3.0, step_mode="m")]
    kinds += [
        la.VotingLayer(2, step_mode="m"),
        la.Delay(1, step_mode="m"),
        la.MultiStepContainer(nn.Linear(4, 4), n.IFNode()),
    ]
    kinds += [la.SeqToANNContainer(nn.Linear(4, 3)), la.Linear(4, 3, step_mode="m"), la.WSLinear(4, 3, step_mode="m")]
    recurrent = la.LinearRecurrentContainer(n.LIFNode(), 4, 4, step_mode="m")
    other = la.ElementWiseRecurrentContainer(n.LIFNode(), lambda x, y: x + y * 0.5, step_mode="m")
    return _sequenced(*kinds, recurrent, other)


def layers_by_steps() -> Any:
    from spikingjelly.activation_based import layer as la
    from spikingjelly.activation_based import neuron as n

    kinds = (
        la.SynapseFilter(3.0, learnable=True),
        la.Delay(1),
        la.Dropout(0.3),
        la.LinearRecurrentContainer(n.IFNode(), 4, 4),
    )
    return _stepped(*kinds, la.DropConnectLinear(4, 3, p=0.3, samples_num=8), la.VotingLayer(2))


def layers_of_images() -> Any:
    from spikingjelly.activation_based import layer as la

    many = {"step_mode": "m"}
    kinds = [la.Conv2d(2, 3, 3, **many), la.WSConv2d(2, 3, 3, **many), la.ConvTranspose2d(2, 3, 3, **many)]
    kinds += [la.MaxPool2d(2, **many), la.AvgPool2d(2, **many), la.AdaptiveAvgPool2d(1, **many), la.Flatten(**many)]
    return _sequenced(*kinds, la.Upsample(scale_factor=2, **many), shape=(3, 2, 2, 4, 4))


def encoders() -> Any:
    from spikingjelly.activation_based import encoding as e

    one, two, three = e.PoissonEncoder(), e.LatencyEncoder(4), e.WeightedPhaseEncoder(4)
    four, five = e.LatencyEncoder(4, "log"), e.PeriodicEncoder(tensor([[1.0, 0.0], [0.0, 1.0]]))

    def run(x: Any) -> Any:
        x = x.clamp(0.05, 0.9)
        _reset(two, three, four, five)
        return one(x), [(two(x), three(x), four(x), five(x)) for _ in range(3)]

    return run, rand(2, 3)


def encoders_of_populations() -> Any:
    from spikingjelly.activation_based import encoding as e

    def run(x: Any) -> Any:
        kinds = e.PopSpikeEncoderDeterministic, e.PopSpikeEncoderRandom, e.PopEncoder
        return [each(2, 3, 4, (-1, 1), 0.4)(x) for each in kinds]

    return run, randn(2, 2) * 0.5


def recurrent() -> Any:
    from spikingjelly.activation_based import rnn as r

    kinds = [r.SpikingLSTM(4, 3, 2, dropout_p=0.2), r.SpikingGRU(4, 3, 2, dropout_p=0.2, invariant_dropout_mask=True)]
    kinds += [
        r.SpikingVanillaRNN(4, 3, 2),
        r.SpikingLSTM(4, 3, 1, bidirectional=True),
        r.SpikingGRU(4, 3, 1, bidirectional=True),
    ]
    layers = nn.ModuleList(kinds)
    return lambda x: [each(x) for each in layers], randn(3, 2, 4)


def recurrent_cells() -> Any:
    from spikingjelly.activation_based import rnn as r
    from spikingjelly.activation_based import surrogate as s

    one, two = (
        r.SpikingLSTMCell(4, 3),
        r.SpikingLSTMCell(4, 3, surrogate_function1=s.ATan(), surrogate_function2=s.Erf()),
    )
    three, four = (
        r.SpikingGRUCell(4, 3, surrogate_function1=s.ATan(), surrogate_function2=s.Erf()),
        r.SpikingVanillaRNNCell(4, 3),
    )

    def run(x: Any, h: Any, c: Any) -> Any:
        return one(x, (h, c)), two(x, (h, c)), three(x, h), four(x, h), one(x), three(x), four(x)

    return run, randn(2, 4), randn(2, 3), randn(2, 3)


def functions_of_neurons() -> Any:
    from spikingjelly.activation_based import surrogate as s
    from spikingjelly.activation_based.functional import neuron as f

    fire = s.Sigmoid()

    def run(x: Any, v: Any, w: Any) -> Any:
        made = [f.if_step(x, v, 1.0, each, fire) for each in (None, 0.0)]
        made += [f.lif_step(x, v, 2.0, each, 1.0, 0.1, fire, True) for each in (True, False)]
        made += [
            f.qif_step(x, v, 2.0, 1.0, 0.0, 0.8, 1.0, -0.1, fire),
            f.eif_step(x, v, 2.0, 1.0, 0.8, 0.0, 1.0, -0.1, fire),
        ]
        made += [f.izhikevich_step(x, v, w, 2.0, 1.0, 0.0, 0.8, 2.0, 0.1, 0.2, 1.0, 0.0, fire)]
        made += [
            f.raf_step(x, w, v, -0.2, 1.0, 1.0, 1.0, 0.0, fire),
            f.cuba_lif_step(x, w, v, 0.5, 0.7, 0.5, 0.0, fire),
        ]
        made += [f.clif_step(x, v, w, 2.0, 1.0, fire), f.klif_step(x, v, w.mean(), 2.0, True, True, 1.0, 0.0, fire)]
        return made, f.lif_charge(x, v, 2.0, True, 0.0), f.plif_step(x, v, w.mean(), True, 1.0, None, fire)

    return run, randn(2, 4) + 0.5, randn(2, 4), randn(2, 4)


def functions_of_sequences() -> Any:
    from spikingjelly.activation_based.functional import neuron as f
    from spikingjelly.activation_based.surrogate import Sigmoid

    def run(x: Any, v: Any, w: Any) -> Any:
        given = {"surrogate_function": Sigmoid(), "store_v_seq": True}
        made = [each(x, v, **given) for each in (f.if_multi_step, f.lif_multi_step, f.qif_multi_step, f.eif_multi_step)]
        made += [f.plif_multi_step(x, v, w.mean(), **given), f.ilif_multi_step(x, v)]
        return made, f.izhikevich_multi_step(x, v, w, surrogate_function=Sigmoid(), store_state_seq=True)

    return run, randn(3, 2, 4) + 0.5, randn(2, 4), randn(2, 4)


def functions() -> Any:
    from spikingjelly.activation_based import functional as f

    net, target = nn.Linear(4, 3), tensor([0, 2])

    def run(x: Any, y: Any) -> Any:
        kernels = [
            f.kernel_dot_product(x, y),
            f.kernel_dot_product(x, y, "sigmoid", 0.5),
            f.kernel_dot_product(x, y, "gaussian", 1.0),
        ]
        spikes = x.sigmoid()[:, None].repeat(1, 3, 1)
        similar = [
            f.spike_similar_loss(spikes, target[:, None] == target[None], "linear", each)
            for each in ("mse", "l1", "bce")
        ]
        steps = f.multi_step_forward(y[None].repeat(3, 1, 1), net), f.seq_to_ann_forward(y[None].repeat(3, 1, 1), net)
        trained = f.temporal_efficient_training_cross_entropy(net(y)[None].repeat(3, 1, 1), target)
        margin = f.delay(y[:, None], 1)
        return kernels, similar, steps, trained, margin

    return run, randn(2, 4), randn(2, 4)


def quantized() -> Any:
    from spikingjelly.activation_based import quantize as q

    def run(x: Any, w: Any, b: Any) -> Any:
        made = q.round(x), q.ceil(x), q.floor(x), q.clamp(x, -0.5, 0.5), q.step_quantize(x, 0.3)
        small = x.sigmoid()
        return made, q.k_bit_quantize(small, 3), q.affine_k_bit_quantize(small, 3, w, b), q.clamp_by_linear(x)

    return run, randn(3, 4), randn(1), randn(1)


def learned_by_spikes() -> Any:
    from spikingjelly.activation_based import learning, neuron

    nets = [nn.Sequential(nn.Linear(4, 3), neuron.IFNode()), nn.Sequential(nn.Conv2d(1, 2, 2), neuron.IFNode())]
    one = learning.STDPLearner("s", nets[0][0], nets[0][1], 2.0, 3.0)
    two = learning.STDPLearner("s", nets[1][0], nets[1][1], 2.0, 3.0)
    every = nn.ModuleList(nets)

    def run(x: Any, y: Any) -> Any:
        _reset(every, one, two)
        made = []
        for _ in range(3):
            made.append((every[0](x.detach()).detach(), every[1](y.detach()).detach()))
            made.append((one.step(on_grad=False), two.step(on_grad=False)))
        return made, x

    return run, rand(2, 4) * 2, rand(2, 1, 4, 4) * 2


def converted() -> Any:
    from spikingjelly.activation_based.ann2snn import operators as o

    kinds = o.TDSoftmax(-1), o.TDLayerNorm(4), o.TDRMSNorm(4), o.TDSiLU(), o.TDGELU(), o.TDLinear(4, 3)
    return _stepped(*kinds)


def converted_sequences() -> Any:
    from spikingjelly.activation_based.ann2snn import operators as o

    kinds = [o.TDSoftmax(-1), o.TDLayerNorm(4), o.TDRMSNorm(4), o.TDSiLU(), o.TDGELU(), o.TDLinear(4, 3)]
    for each in kinds:
        each.step_mode = "m"
    return _sequenced(*kinds)


def resnet() -> Any:
    from spikingjelly.activation_based import functional, neuron
    from spikingjelly.activation_based.model import sew_resnet, spiking_resnet

    given = {"num_classes": 3, "width_per_group": 64, "spiking_neuron": neuron.IFNode}
    one = spiking_resnet.SpikingResNet(spiking_resnet.BasicBlock, [1, 1, 1, 1], **given)
    other = sew_resnet.SEWResNet(sew_resnet.BasicBlock, [1, 1, 1, 1], **given, cnf="ADD")
    nets = nn.ModuleList([one, other])
    functional.set_step_mode(nets, "m")
    return _sequenced(*nets, shape=(2, 2, 3, 16, 16))


def resnet_blocks() -> Any:
    from spikingjelly.activation_based import functional, neuron
    from spikingjelly.activation_based.model import sew_resnet, spiking_resnet

    kinds = [
        spiking_resnet.BasicBlock(4, 4, spiking_neuron=neuron.IFNode),
        spiking_resnet.Bottleneck(4, 1, spiking_neuron=neuron.IFNode),
    ]
    kinds += [sew_resnet.BasicBlock(4, 4, cnf=each, spiking_neuron=neuron.IFNode) for each in ("ADD", "AND", "IAND")]
    nets = nn.ModuleList([*kinds, sew_resnet.Bottleneck(4, 1, cnf="IAND", spiking_neuron=neuron.IFNode)])
    functional.set_step_mode(nets, "m")
    return _sequenced(*nets, shape=(2, 2, 4, 5, 5))


def membrane_resnet() -> Any:
    from spikingjelly.activation_based.model import MaxResNet, MSResNet

    given = {"num_classes": 3, "layers": (1, 1, 1), "base_channels": 4, "stem_kernel_size": 3, "stem_stride": 1}
    return _sequenced(MSResNet(2, **given), MaxResNet(2, **given), shape=(2, 2, 3, 8, 8))


def transformers() -> Any:
    from spikingjelly.activation_based.model import spikformer as s

    kinds = [s.SpikformerConv2dBN(4, 6, 3, padding=1, pool=True), s.SpikformerConv2dBNLIF(4, 6, 3, padding=1)]
    return _sequenced(*kinds, shape=(2, 2, 4, 6, 6))


def transformers_whole() -> Any:
    from spikingjelly.activation_based.model import MaxFormer, QKFormer, SpikeDrivenTransformer

    one = QKFormer(2, num_classes=3, embed_dims=8, num_heads=(1, 2, 2), depths=(1, 1, 1))
    two = MaxFormer(2, num_classes=3, embed_dims=8, depths=(1, 1, 1))
    three = SpikeDrivenTransformer(2, num_classes=3, embed_dims=8, num_heads=2, depths=1)
    return _sequenced(one, two, three, shape=(2, 2, 3, 32, 32))


def attended() -> Any:
    from spikingjelly.activation_based.model import MASNN

    net = MASNN(
        2, num_classes=3, input_size=(8, 8), channels=(4, 4), pools=(1, 2), fc_hidden=5, reduction_t=2, reduction_c=2
    )
    return _sequenced(net, shape=(2, 2, 2, 8, 8))


def nets() -> Any:
    from spikingjelly.activation_based import functional, neuron
    from spikingjelly.activation_based.model import parametric_lif_net as p

    nets = nn.ModuleList([p.MNISTNet(4, spiking_neuron=neuron.ParametricLIFNode)])
    functional.set_step_mode(nets, "m")
    return _sequenced(*nets, shape=(2, 2, 1, 28, 28))


def searched() -> Any:
    from spikingjelly.activation_based import functional
    from spikingjelly.activation_based.model import spike_dhs as d

    nets = nn.ModuleList(
        [d.SpikingConv2d(2, 3, 3, padding=1), d.DSpike(), d.SearchSpikingConv2d_stem(2, 3, 3, padding=1)]
    )
    functional.set_step_mode(nets, "m")
    return _sequenced(*nets, shape=(2, 2, 2, 6, 6))


def for_chips() -> Any:
    from spikingjelly.activation_based import lava_exchange as v

    one, other = v.CubaLIFNode(0.3, 0.4, step_mode="m"), v.BatchNorm2d(2)

    def run(x: Any) -> Any:
        _reset(one)
        return one(x), other(x[0]), v.quantize_8b(x, 64)

    return run, randn(3, 2, 2, 4, 4)


def timed() -> Any:
    from spikingjelly.timing_based import encoding

    tuning = encoding.GaussianTuning(2, 3, tensor([-1.0, -1.0]), tensor([1.0, 1.0]))
    return lambda x: tuning(x, 50.0), randn(2, 2, 4)


def smaller() -> Any:
    from spikingjelly.activation_based import functional as f

    return lambda x: f.redundant_one_hot(x.argmax(-1), 4, 2) * x.sum() * ones(1), randn(2, 4)
