"""Runs snntorch 1.0.0."""

from typing import Any

import torch._dynamo  # noqa: F401 - an optimizer imports it, and it takes seconds: once for all changes
from torch import arange, rand, randn, tensor
from torch.nn import Conv2d, Linear


def _over_time(neuron: Any, count: int = 2, **options: Any) -> Any:
    """The neuron with states of its own that callers hand on, as in its documentation."""

    def run(x: Any) -> Any:
        neuron.reset_mem()
        states = [None] * count
        spikes = []
        for step in x:
            spike, *states = neuron(step, *states, **options)
            spikes.append(spike)
        return spikes, states

    return run


def _hidden(neuron: Any) -> Any:
    """The neuron that keeps its states."""

    def run(x: Any) -> Any:
        type(neuron).reset_hidden()
        return [neuron(step) for step in x]

    return run


def _kinds(made: Any, count: int) -> tuple[Any, ...]:
    from torch.nn import ModuleList

    neurons = ModuleList(made(how, delay) for how in ("subtract", "zero", "none") for delay in (True, False))
    runs = [_over_time(neuron, count) for neuron in neurons]
    return lambda x: (neurons.training, [run(x) for run in runs]), randn(4, 3, 5)


def leaky() -> tuple[Any, ...]:
    from snntorch import Leaky

    def made(how: str, delay: bool) -> Any:
        return Leaky(0.9, 0.3, learn_beta=True, learn_threshold=True, reset_mechanism=how, reset_delay=delay)

    return _kinds(made, 1)


def leaky_hidden() -> tuple[Any, ...]:
    from snntorch import Leaky
    from snntorch.surrogate import fast_sigmoid

    neuron = Leaky(
        0.9, 0.3, fast_sigmoid(), init_hidden=True, graded_spikes_factor=1.5, learn_graded_spikes_factor=True
    )
    return _hidden(neuron), randn(4, 3, 5)


def leaky_inhibited() -> tuple[Any, ...]:
    from snntorch import Leaky
    from snntorch.functional.quant import state_quant

    neuron = Leaky(0.8, 0.3, inhibition=True, state_quant=state_quant(4), learn_beta=True)
    return _over_time(neuron, 1), randn(4, 3, 5)


def leaky_of_differences() -> tuple[Any, ...]:
    from snntorch import DeltaLeaky

    neuron = DeltaLeaky(0.5, 0.9, 0.3, learn_beta=True)

    def run(x: Any) -> Any:
        state = (None, None)
        spikes = []
        for step in x:
            spike, state = neuron(step, state)
            spikes.append(spike)
        return spikes, state

    return run, randn(4, 3, 5)


def synaptic() -> tuple[Any, ...]:
    from snntorch import Synaptic

    def made(how: str, delay: bool) -> Any:
        learned = {"learn_alpha": True, "learn_beta": True, "learn_threshold": True}
        return Synaptic(0.8, 0.9, 0.3, reset_mechanism=how, reset_delay=delay, **learned)

    return _kinds(made, 2)


def lapicque() -> tuple[Any, ...]:
    from snntorch import Lapicque

    def made(how: str, delay: bool) -> Any:
        return Lapicque(R=5.1, C=0.5, threshold=0.3, learn_threshold=True, reset_mechanism=how)

    return _kinds(made, 1)


def alpha() -> tuple[Any, ...]:
    from snntorch import Alpha

    def made(how: str, delay: bool) -> Any:
        return Alpha(0.9, 0.8, 0.3, learn_beta=True, learn_threshold=True, reset_mechanism=how)

    return _kinds(made, 3)


def recurrent() -> tuple[Any, ...]:
    from snntorch import RLeaky

    def made(how: str, delay: bool) -> Any:
        return RLeaky(0.9, linear_features=5, threshold=0.3, learn_beta=True, reset_mechanism=how, reset_delay=delay)

    return _kinds(made, 2)


def recurrent_one_to_one() -> tuple[Any, ...]:
    from snntorch import RLeaky

    neuron = RLeaky(0.9, 0.5, all_to_all=False, threshold=0.3, learn_threshold=True, init_hidden=True)
    return _hidden(neuron), randn(4, 3, 5)


def recurrent_synaptic() -> tuple[Any, ...]:
    from snntorch import RSynaptic

    def made(how: str, delay: bool) -> Any:
        return RSynaptic(0.8, 0.9, linear_features=5, threshold=0.3, learn_alpha=True, reset_mechanism=how)

    return _kinds(made, 3)


def recurrent_of_images() -> tuple[Any, ...]:
    from snntorch import RSynaptic

    neuron = RSynaptic(0.8, 0.9, conv2d_channels=2, kernel_size=3, threshold=0.3)
    return _over_time(neuron, 3), randn(3, 2, 2, 4, 4)


def memory() -> tuple[Any, ...]:
    from snntorch import SLSTM

    def made(how: str, delay: bool) -> Any:
        return SLSTM(5, 5, threshold=0.05, learn_threshold=True, reset_mechanism=how)

    return _kinds(made, 2)


def memory_of_images() -> tuple[Any, ...]:
    from snntorch import SConv2dLSTM

    plain = SConv2dLSTM(2, 3, 3, threshold=0.05, max_pool=2)
    pooled = SConv2dLSTM(2, 3, 3, threshold=0.05, avg_pool=2, reset_mechanism="zero")
    runs = [_over_time(plain), _over_time(pooled)]
    return lambda x: (plain.training, pooled.training, [run(x) for run in runs]), randn(3, 2, 2, 4, 4)


def parallel() -> tuple[Any, ...]:
    from snntorch import LeakyParallel

    neuron = LeakyParallel(4, 5, beta=0.9, learn_threshold=True, threshold=0.1)
    return neuron, randn(4, 3, 4)


def states() -> tuple[Any, ...]:
    from snntorch import LinearLeaky, StateLeaky

    plain = StateLeaky(0.9, 5, learn_beta=True, output=True)
    linear = LinearLeaky(0.9, 5, 4, learn_beta=True, output=True)
    return lambda x: (plain(x), linear(x)), randn(4, 3, 5)


def associative() -> tuple[Any, ...]:
    from snntorch import AssociativeLeaky

    neuron = AssociativeLeaky(in_dim=4, d_value=3, d_key=2, num_spiking_neurons=6)
    return neuron, randn(4, 2, 4)


def surrogates() -> tuple[Any, ...]:
    from snntorch import surrogate

    every = [
        surrogate.straight_through_estimator(),
        surrogate.triangular(),
        surrogate.fast_sigmoid(),
        surrogate.atan(),
        surrogate.heaviside(),
        surrogate.sigmoid(),
        surrogate.spike_rate_escape(),
        surrogate.SFS(),
        surrogate.custom_surrogate(lambda x, grad, out: grad / (1 + x.abs() * 5) ** 2 + out * 0.1),
    ]
    return lambda x: [each(x) * x for each in every], randn(4, 5)


def stochastic() -> tuple[Any, ...]:
    from snntorch.surrogate import SSO

    fire = SSO()
    return lambda x: fire(x) * x, randn(4, 5)


def losses_of_rates() -> tuple[Any, ...]:
    from snntorch.functional import ce_count_loss, ce_rate_loss, mse_count_loss
    from snntorch.functional.reg import l1_rate_sparsity

    weight, targets = tensor([0.2, 0.3, 0.5]), tensor([0, 2, 1, 1])
    every = [ce_rate_loss(), ce_rate_loss(weight=weight), ce_count_loss(), ce_count_loss(weight=weight)]
    every.append(mse_count_loss(0.8, 0.2))
    several = [ce_count_loss(True, 3), mse_count_loss(0.8, 0.2, population_code=True, num_classes=3)]
    sparse = l1_rate_sparsity(0.1)

    def run(x: Any, y: Any) -> Any:
        return [each(x, targets) for each in every], [each(y, targets) for each in several], sparse(x)

    return run, randn(5, 4, 3), randn(5, 4, 6)


def losses_of_membranes() -> tuple[Any, ...]:
    from snntorch.functional import ce_max_membrane_loss, mse_membrane_loss

    weight, targets = tensor([0.2, 0.3, 0.5]), tensor([0, 2, 1, 1])
    every = [ce_max_membrane_loss(), ce_max_membrane_loss(weight=weight), mse_membrane_loss(on_target=0.9)]
    return lambda x: [each(x, targets) for each in every], randn(5, 4, 3)


def losses_of_times() -> tuple[Any, ...]:
    from snntorch import Leaky
    from snntorch.functional import ce_temporal_loss, mse_temporal_loss

    targets = tensor([0, 2, 1])
    neuron = Leaky(0.9, 0.3)
    run_neuron = _over_time(neuron, 1)
    every = [mse_temporal_loss(), mse_temporal_loss(on_target=1, off_target=-2, tolerance=2), ce_temporal_loss()]
    every.append(ce_temporal_loss("reciprocal"))
    several = mse_temporal_loss(on_target=[0, 1], off_target=[3, 4], multi_spike=True)

    def run(x: Any) -> Any:
        from torch import stack

        spikes = stack(run_neuron(x)[0])
        return neuron.training, [each(spikes, targets.clone()) for each in every], several(spikes, targets.clone())

    return run, randn(5, 3, 3)


def accuracies() -> tuple[Any, ...]:
    from snntorch.functional.acc import accuracy_rate, accuracy_temporal

    targets = tensor([0, 2, 1, 1])

    def run(x: Any) -> Any:
        fired = (x > 0.5).float()
        rates = accuracy_rate(fired, targets), accuracy_rate(fired, targets, True, 3)
        return tensor([*rates, accuracy_temporal(fired, targets)]), x * 2, fired

    return run, randn(5, 4, 6)


def encodings() -> tuple[Any, ...]:
    from snntorch import spikegen

    def run(x: Any) -> Any:
        data = x.sigmoid() * 0.9 + 0.05
        rates = spikegen.rate(data, 4, gain=0.8, offset=0.05), spikegen.rate(data, 4, first_spike_time=1)
        ways = [
            spikegen.latency(data, 6, tau=2.0, threshold=0.01, **options)
            for options in ({}, {"linear": True, "normalize": True}, {"clip": True, "bypass": True})
        ]
        return rates, ways, spikegen.delta(data, 0.1, padding=True, off_spike=True), data

    return run, randn(4, 5)


def targets() -> tuple[Any, ...]:
    from snntorch import spikegen

    labels = arange(4)

    def run(x: Any) -> Any:
        rates = (
            spikegen.targets_rate(labels, 4, num_steps=6),
            spikegen.targets_rate(labels, 4, firing_pattern="poisson"),
        )
        options = {"num_steps": 6, "normalize": True}
        times = (
            spikegen.targets_latency(labels, 4, **options),
            spikegen.targets_latency(labels, 4, interpolate=True, on_target=1.2, off_target=0.1, **options),
        )
        coded = spikegen.target_rate_code(6, first_spike_time=1, rate=0.5)[0]
        shapes = spikegen.to_one_hot(labels, 4), spikegen.to_one_hot_inverse(spikegen.to_one_hot(labels, 4))
        return [each.float() for each in (*rates, *times, coded, *shapes)], x * 2

    return run, randn(3)


def plasticity() -> tuple[Any, ...]:
    from snntorch.functional import stdp_learner

    flat, image = Linear(4, 3), Conv2d(2, 3, 3, padding=1)

    def run(before: Any, after: Any, images: Any, out: Any) -> Any:
        once = stdp_learner.stdp_linear_single_step(flat, before, after, None, None, 2.0, 3.0)
        twice = stdp_learner.stdp_linear_single_step(flat, before, after, once[0], once[1], 2.0, 3.0)
        other = stdp_learner.mstdp_linear_single_step(flat, before, after, None, None, 2.0, 3.0)
        of_images = stdp_learner.stdp_conv2d_single_step(image, images, out, None, None, 2.0, 3.0)
        return twice, other, of_images

    return run, rand(5, 4), rand(5, 3), rand(2, 2, 4, 4), rand(2, 3, 4, 4)


def learned_by_plasticity() -> tuple[Any, ...]:
    from snntorch import Leaky
    from snntorch.functional.stdp_learner import STDPLearner

    flat, neuron = Linear(4, 3), Leaky(0.9, 0.1, init_hidden=True)
    learner = STDPLearner(flat, neuron, tau_pre=2.0, tau_post=3.0)

    def run(x: Any) -> Any:
        Leaky.reset_hidden()
        learner.trace_pre = learner.trace_post = None
        out = [neuron(flat(step)) for step in x]
        return out, learner.step(on_grad=False)

    return run, randn(3, 2, 4)


def normalized() -> tuple[Any, ...]:
    from snntorch import BatchNormTT1d, BatchNormTT2d, GradedSpikes

    flat, image, graded = BatchNormTT1d(5, 3), BatchNormTT2d(2, 3), GradedSpikes(4, 0.5)

    def run(x: Any, y: Any) -> Any:
        ways = [norm(step) for norm, step in zip(flat, x, strict=True)]
        return ways, [norm(step) for norm, step in zip(image, y, strict=True)], graded(x)

    return run, randn(3, 4, 5), randn(3, 4, 2, 3, 3)


def trained_over_time() -> tuple[Any, ...]:
    from snntorch import Leaky
    from snntorch.backprop import BPTT
    from snntorch.functional import ce_rate_loss, mse_count_loss
    from torch.nn import Sequential
    from torch.optim import SGD

    net = Sequential(Linear(4, 3), Leaky(0.9, 0.3, init_hidden=True, output=True))
    data = [(randn(5, 2, 4), tensor([0, 2]))]

    def run(x: Any) -> Any:
        optimizer = SGD(net.parameters(), lr=0.01)
        one = BPTT(net, data, optimizer, ce_rate_loss(), time_var=True, time_first=True)
        other = BPTT(net, data, optimizer, mse_count_loss(), time_var=True, time_first=True)
        return one.detach(), other.detach(), x * 2, [each.detach().clone() for each in net.parameters()]

    return run, randn(2)
