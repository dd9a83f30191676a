"""Runs mambapy 1.2.0, all but what needs mamba_ssm."""

from typing import Any

from torch import randint, randn, zeros

NOT_INSTALLED = ("mamba_ssm", "mamba_ssm.ops", "mamba_ssm.ops.triton", "mamba_ssm.ops.triton.ssd_combined")


def _mamba(**given: Any) -> tuple[Any, ...]:
    from mambapy.mamba import Mamba, MambaConfig

    return Mamba(MambaConfig(d_model=8, n_layers=2, d_state=4, **given)), randn(2, 6, 8)


def mamba() -> tuple[Any, ...]:
    return _mamba()


def mamba_of_powers_of_two() -> tuple[Any, ...]:
    model, _ = _mamba(bias=True, dt_init="constant")
    return model, randn(2, 16, 8)


def mamba_one_by_one() -> tuple[Any, ...]:
    return _mamba(pscan=False, inner_layernorms=True, mup=True)


def mamba_steps() -> tuple[Any, ...]:
    model, _ = _mamba(inner_layernorms=True)

    def run(x: Any) -> Any:
        caches, given = [(None, zeros(2, 16, 3)) for _ in range(2)], []
        for turn in range(x.shape[1]):
            y, caches = model.step(x[:, turn], caches)
            given.append(y)
        return given, caches

    return run, randn(2, 3, 8)


def _vision(**given: Any) -> tuple[Any, ...]:
    from mambapy.vim import MambaConfig, VMamba

    return VMamba(MambaConfig(d_model=8, n_layers=2, d_state=4, **given)), randn(2, 6, 8)


def vision() -> tuple[Any, ...]:
    return _vision()


def vision_one_by_one() -> tuple[Any, ...]:
    return _vision(pscan=False, inner_layernorms=True, divide_output=False)


def vision_forward_only() -> tuple[Any, ...]:
    return _vision(bidirectional=False)


def vision_steps() -> tuple[Any, ...]:
    model, _ = _vision(bidirectional=False)

    def run(x: Any) -> Any:
        caches, given = [(None, zeros(2, 16, 3)) for _ in range(2)], []
        for turn in range(x.shape[1]):
            y, caches = model.step(x[:, turn], caches)
            given.append(y)
        return given, caches

    return run, randn(2, 3, 8)


def _jamba() -> Any:
    from mambapy.jamba import JambaLM, JambaLMConfig

    config = JambaLMConfig(
        d_model=8,
        n_layers=4,
        mlp_size=12,
        d_state=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_experts=4,
        attn_layer_offset=1,
        attn_layer_period=2,
        vocab_size=11,
    )
    return JambaLM(config)


def jamba() -> tuple[Any, ...]:
    from mambapy.jamba import load_balancing_loss

    model, tokens = _jamba(), randint(0, 11, (2, 6))

    def run(scale: Any) -> Any:
        logits, of_routers = model(tokens)
        return logits * scale, load_balancing_loss(of_routers, 4, 2)

    return run, randn(1)


def jamba_steps() -> tuple[Any, ...]:
    model, tokens = _jamba(), randint(0, 11, (2, 3))

    def run(scale: Any) -> Any:
        caches = [layer.get_empty_cache(2, tokens.device) for layer in model.jamba.layers]
        given = []
        for turn in range(3):
            logits, caches = model.step(tokens[:, [turn]], caches)
            given.append(logits * scale)
        return given

    return run, randn(1)


def language_model() -> tuple[Any, ...]:
    from mambapy.lm import LM
    from mambapy.mamba import MambaConfig

    models = [LM(MambaConfig(d_model=8, n_layers=1, d_state=4, mup=mup), 11) for mup in (False, True)]
    one, other = models
    tokens = randint(0, 11, (2, 5))
    return lambda scale: (one(tokens) * scale, other(tokens) * scale), randn(1)
