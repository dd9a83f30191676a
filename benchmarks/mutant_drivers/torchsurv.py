"""Runs torchsurv 0.2.0."""

from typing import Any

import torch
from torch import nn, rand, randn

NOT_INSTALLED = ("pandas",)


def _times(n: int, ties: bool = False) -> tuple[Any, Any]:
    event = torch.arange(n) % 3 != 1
    time = torch.arange(1, n + 1).float() * 2
    return event, (time / 4).ceil() if ties else time


def cox() -> tuple[Any, ...]:
    from torchsurv.loss.cox import baseline_survival_function, neg_partial_log_likelihood, survival_function_cox

    event, time = _times(8)
    strata = torch.arange(8) % 2

    def run(x: Any) -> Any:
        base = baseline_survival_function(x, event, time)
        two = baseline_survival_function(x, event, time, strata)
        return (
            neg_partial_log_likelihood(x, event, time),
            neg_partial_log_likelihood(x, event, time, strata=strata, reduction="sum"),
            base,
            *two.values(),
            survival_function_cox(base, x[:3], torch.tensor([2.0, 5.0])),
            survival_function_cox(two, x[:4], torch.tensor([3.0, 5.0]), torch.tensor([0, 1, 1, 0])),
        )

    return run, randn(8)


def cox_ties() -> tuple[Any, ...]:
    from torchsurv.loss.cox import baseline_survival_function, neg_partial_log_likelihood

    event, time = _times(8, ties=True)
    return lambda x: (
        neg_partial_log_likelihood(x, event, time, ties_method="efron"),
        neg_partial_log_likelihood(x, event, time, ties_method="breslow"),
        baseline_survival_function(x, event, time),
    ), randn(8, 1)


def cox_in_time() -> tuple[Any, ...]:
    from torchsurv.loss.cox import baseline_survival_function, neg_partial_log_likelihood, survival_function_cox

    event, time = _times(6)
    tied = torch.tensor([2.0, 2.0, 4.0, 5.0, 6.0, 7.0])

    def run(x: Any) -> Any:
        same = torch.cat((x[:, :1], x[:, :1], x[:, 2:]), 1)
        base = baseline_survival_function(x, event, time)
        every = torch.ones(6, dtype=torch.bool)
        return (
            neg_partial_log_likelihood(x, event, time),
            base,
            survival_function_cox(base, x[:2, :3], torch.tensor([2.0, 5.0, 6.0])),
            neg_partial_log_likelihood(same, every, tied),
            neg_partial_log_likelihood(same, every, tied, ties_method="breslow"),
        )

    return run, randn(6, 6)


def weibull() -> tuple[Any, ...]:
    from torchsurv.loss.weibull import log_hazard, neg_log_likelihood_weibull, survival_function_weibull

    event, time = _times(6)
    new = torch.tensor([1.0, 3.0])
    return (
        lambda x, y: (
            neg_log_likelihood_weibull(x, event, time),
            neg_log_likelihood_weibull(y, event, time, reduction="sum"),
            log_hazard(x, new),
            log_hazard(y, time),
            survival_function_weibull(x, new),
            log_hazard(x, time, respective_times=True),
        ),
        randn(6, 2),
        randn(6, 1),
    )


def hazards() -> tuple[Any, ...]:
    from torchsurv.loss.survival import neg_log_likelihood, survival_function

    event, time = _times(6)
    at = torch.linspace(0.0, 13.0, 9)
    return lambda x: (
        neg_log_likelihood(x, event, time, at),
        neg_log_likelihood(x, event, time, at, reduction="sum"),
        survival_function(x, torch.tensor([1.0, 4.0]), at),
    ), randn(6, 9)


def momentum() -> tuple[Any, ...]:
    from torchsurv.loss.cox import neg_partial_log_likelihood
    from torchsurv.loss.momentum import Momentum

    model = Momentum(
        nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)),
        neg_partial_log_likelihood,
        batchsize=8,
        steps=2,
        rate=0.9,
    )
    event, time = _times(8)

    def run(x: Any) -> Any:
        first = model(x, event, time)
        return first, model.infer(x)

    return run, randn(8, 3)


def area() -> tuple[Any, ...]:
    from torchsurv.metrics.auc import Auc
    from torchsurv.stats.ipcw import get_ipcw

    event, time = _times(14)
    event[-1] = False
    weight = get_ipcw(event, time)

    def run(x: Any) -> Any:
        one, other = Auc(), Auc()
        first = one(x, event, time)
        second = other(x * 2 + x**2, event, time, weight=weight)
        third = Auc()(x, event, time, auc_type="incident")
        more = [
            one.integral(),
            one.confidence_interval(),
            one.p_value(),
            one.compare(other),
        ]
        return first, second, third, more

    return run, randn(14)


def brier() -> tuple[Any, ...]:
    from torchsurv.metrics.brier_score import BrierScore
    from torchsurv.stats.ipcw import get_ipcw

    event, time = _times(10)
    weight = get_ipcw(event, time)

    def run(x: Any) -> Any:
        one, other = BrierScore(), BrierScore()
        first, second = (
            one(x.sigmoid(), event, time, weight=weight),
            other(x.tanh() / 2 + 0.5, event, time, weight=weight),
        )
        more = [
            one.integral(),
            one.confidence_interval(),
        ]
        return first, second, more

    return run, randn(10, 10)


def concordance() -> tuple[Any, ...]:
    from torchsurv.metrics.cindex import ConcordanceIndex
    from torchsurv.stats.ipcw import get_ipcw

    event, time = _times(10)
    weight = get_ipcw(event, time)

    def run(x: Any) -> Any:
        one, other = ConcordanceIndex(), ConcordanceIndex()
        first, second = one(x, event, time), other(x * 2 + x**2, event, time, weight=weight)
        more = [
            one.confidence_interval(),
            one.confidence_interval(method="conservative"),
            one.p_value(),
            one.compare(other),
        ]
        third = ConcordanceIndex()(x, event, time, tmax=torch.tensor(14.0))
        return first, second, third, more

    return run, randn(10)


def kaplan_meier() -> tuple[Any, ...]:
    from torchsurv.stats.ipcw import get_ipcw
    from torchsurv.stats.kaplan_meier import KaplanMeierEstimator

    event, time = _times(10, ties=True)
    event[-1] = False

    def run(x: Any) -> Any:
        made = KaplanMeierEstimator()
        made(event, time + x * 0)
        other = KaplanMeierEstimator()
        other(event, time, censoring_dist=True)
        return (
            made.km_est,
            made.time,
            made.predict(torch.tensor([1.0, 2.0])),
            other.km_est,
            get_ipcw(event, time, torch.tensor([1.0, 2.5])),
        )

    return run, rand(10)
