"""Runs ncps 1.0.1."""

from typing import Any

from torch import randn


def closed_form() -> tuple[Any, ...]:
    from ncps.torch import CfC

    return CfC(4, 6, proj_size=2, backbone_dropout=0.1), randn(2, 5, 4)


def closed_form_without_gate() -> tuple[Any, ...]:
    from ncps.torch import CfC

    return CfC(4, 6, mode="no_gate", activation="silu", backbone_layers=2), randn(2, 5, 4)


def closed_form_pure() -> tuple[Any, ...]:
    from ncps.torch import CfC

    return CfC(4, 6, mode="pure", activation="relu", mixed_memory=True), randn(2, 5, 4)


def with_times() -> tuple[Any, ...]:
    from ncps.torch import CfC

    model = CfC(4, 6, activation="lecun_tanh")
    return lambda x, t: model(x, timespans=t), randn(1, 5, 4), randn(1, 5).abs()


def wired() -> tuple[Any, ...]:
    from ncps.torch import CfC
    from ncps.wirings import AutoNCP

    return CfC(4, AutoNCP(12, 3)), randn(2, 5, 4)


def liquid() -> tuple[Any, ...]:
    from ncps.torch import LTC
    from ncps.wirings import AutoNCP

    return LTC(4, AutoNCP(12, 3), mixed_memory=True), randn(2, 3, 4)


def liquid_implicit() -> tuple[Any, ...]:
    from ncps.torch import LTC

    return LTC(4, 6, implicit_param_constraints=True, return_sequences=False), randn(2, 3, 4)


def lstm() -> tuple[Any, ...]:
    from ncps.torch.lstm import LSTMCell

    cell = LSTMCell(4, 6)
    return lambda x, h, c: cell(x, (h, c)), randn(2, 4), randn(2, 6), randn(2, 6)


def liquid_explicit() -> tuple[Any, ...]:
    from ncps.torch import LTC

    return LTC(4, 6, implicit_param_constraints=False), randn(2, 3, 4)
