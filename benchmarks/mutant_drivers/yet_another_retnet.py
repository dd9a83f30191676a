"""Runs yet-another-retnet 0.5.1 (with einops, which it needs), all but its data and its benchmarks."""

from typing import Any

from torch import randint, randn


def _model(**more: Any) -> Any:
    from yet_another_retnet.retnet import RetNet

    return RetNet(num_tokens=9, d_model=16, nhead=2, num_layers=2, dim_feedforward=24, **more)


def _layer(**more: Any) -> Any:
    from yet_another_retnet.retention import MultiScaleRetention

    return MultiScaleRetention(16, 2, **more)


def loss() -> tuple[Any, ...]:
    model, tokens = _model(), randint(0, 9, (2, 6))
    return (lambda: model(tokens[:, :-1], tokens[:, 1:]),)


def loss_with_late_norms() -> tuple[Any, ...]:
    model, tokens = _model(norm_first=False, activation="gelu", dropout=0.0), randint(0, 9, (2, 6))
    return (lambda: model(tokens[:, :-1], tokens[:, 1:]),)


def logits_in_eval() -> tuple[Any, ...]:
    model, tokens = _model(activation="relu").eval(), randint(0, 9, (2, 6))
    return (lambda: model.forward_parallel(tokens),)


def _steps(model: Any) -> tuple[Any, ...]:
    tokens = randint(0, 9, (2, 4))

    def run() -> Any:
        made, states = [], ()
        for at in range(4):
            logits, states = model.forward_recurrent(tokens[:, at], at, states)
            made.append(logits)
        return made, states

    return (run,)


def steps() -> tuple[Any, ...]:
    return _steps(_model())


def steps_with_late_norms() -> tuple[Any, ...]:
    return _steps(_model(norm_first=False, activation="relu").eval())


def _chunks(model: Any) -> tuple[Any, ...]:
    tokens = randint(0, 9, (2, 6))

    def run() -> Any:
        first, states = model.forward_chunkwise(tokens[:, :3], 0)
        second, states = model.forward_chunkwise(tokens[:, 3:], 3, prev_states=states)
        return first, second, states

    return (run,)


def chunks() -> tuple[Any, ...]:
    return _chunks(_model())


def chunks_with_late_norms() -> tuple[Any, ...]:
    return _chunks(_model(norm_first=False, activation="gelu"))


def decoder() -> tuple[Any, ...]:
    from yet_another_retnet.retnet import RetNetDecoder, RetNetDecoderLayer

    return RetNetDecoder(RetNetDecoderLayer(16, 2, 24), 2), randn(2, 5, 16)


def layer_with_weights() -> tuple[Any, ...]:
    layer = _layer(dropout=0.1)
    return lambda q, k, v: layer(q, k, v, need_weights=True), *(randn(2, 5, 16) for _ in range(3))


def layer_without_positions() -> tuple[Any, ...]:
    return _layer(relative_position=False, bias=False, activation="gelu"), *(randn(2, 5, 16) for _ in range(3))


def layer_of_chunks() -> tuple[Any, ...]:
    layer = _layer(relative_position=False)

    def run(x: Any) -> Any:
        made, state = layer.forward_chunkwise(x, x, x, 0, None)
        return made, layer.forward_chunkwise(x, x, x, 5, state)

    return run, randn(2, 5, 16)


def layer_of_steps() -> tuple[Any, ...]:
    layer = _layer(dropout=0.1)

    def run(x: Any) -> Any:
        made, state = layer.forward_recurrent(x[:, 0], x[:, 0], x[:, 0], 0, None)
        return made, layer.forward_recurrent(x[:, 1], x[:, 1], x[:, 1], 1, state)

    return run, randn(2, 2, 16)


def parallel() -> tuple[Any, ...]:
    def run(q: Any, k: Any, v: Any) -> Any:
        from yet_another_retnet.retention import retention_parallel

        return retention_parallel(q, k, v, need_weights=True), retention_parallel(q, k, v, scale=2.0)[0]

    return run, *(randn(2, 2, 5, 8) for _ in range(3))


def recurrent() -> tuple[Any, ...]:
    def run(q: Any, k: Any, v: Any) -> Any:
        from yet_another_retnet.retention import retention_recurrent

        made, state = [], None
        for at in range(3):
            each, state = retention_recurrent(q[:, :, at], k[:, :, at], v[:, :, at], state)
            made.append(each)
        return made, state

    return run, *(randn(2, 2, 3, 8) for _ in range(3))


def chunkwise() -> tuple[Any, ...]:
    def run(q: Any, k: Any, v: Any) -> Any:
        from yet_another_retnet.retention import retention_chunkwise

        first, state = retention_chunkwise(q[:, :, :3], k[:, :, :3], v[:, :, :3], None)
        return first, retention_chunkwise(q[:, :, 3:], k[:, :, 3:], v[:, :, 3:], state, scale=1.5)

    return run, *(randn(2, 2, 6, 8) for _ in range(3))
