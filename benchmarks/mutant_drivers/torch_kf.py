"""Runs torch-kf 0.4.3."""

from typing import Any

from torch import eye, rand, randn, tensor, where


def _covariance(a: Any) -> Any:
    return a @ a.mT + eye(a.shape[-1])


def _filter(**options: Any) -> Any:
    from torch_kf import KalmanFilter

    f = tensor([[1.0, 0.5, 0.1, 0.0], [0.0, 1.0, 0.0, 0.1], [0.1, 0.0, 1.0, 0.5], [0.0, 0.2, 0.0, 1.0]])
    return KalmanFilter(f, eye(2, 4), eye(4) * 0.1, eye(2) * 0.2, **options)


def predicted() -> tuple[Any, ...]:
    from torch_kf import GaussianState

    kalman = _filter()

    def run(mean: Any, a: Any, f: Any, q: Any) -> Any:
        state = GaussianState(mean, _covariance(a))
        other = kalman.predict(state, process_matrix=f, process_noise=_covariance(q))
        once = kalman.predict(state)
        return once, other, once[1:].clone(), once.to(once.mean.dtype)

    return run, randn(3, 4, 1), randn(3, 4, 4), randn(4, 4), randn(4, 4)


def projected() -> tuple[Any, ...]:
    from torch_kf import GaussianState

    one, other = _filter(), _filter(inv_t=True)

    def run(mean: Any, a: Any, h: Any, r: Any) -> Any:
        state = GaussianState(mean, _covariance(a))
        given = other.project(state, measurement_matrix=h, measurement_noise=_covariance(r))
        return one.project(state), given, one.project(state, precompute_precision=False)

    return run, randn(3, 4, 1), randn(3, 4, 4), randn(2, 4), randn(2, 2)


def _updated(**options: Any) -> tuple[Any, ...]:
    from torch_kf import GaussianState

    kalman = _filter(**options)

    def run(mean: Any, a: Any, z: Any, h: Any, r: Any) -> Any:
        state = GaussianState(mean, _covariance(a))
        noise = _covariance(r)
        given = kalman.update(state, z, measurement_matrix=h, measurement_noise=noise)
        slow = kalman.update(state, z, projection=kalman.project(state, precompute_precision=False))
        return kalman.update(state, z), given, slow

    return run, randn(3, 4, 1), randn(3, 4, 4), randn(3, 2, 1), randn(2, 4), randn(2, 2)


def updated() -> tuple[Any, ...]:
    return _updated()


def updated_by_joseph() -> tuple[Any, ...]:
    return _updated(joseph_update=True, inv_t=True)


def likelihood() -> tuple[Any, ...]:
    from torch_kf import GaussianState

    def run(mean: Any, a: Any, z: Any) -> Any:
        state = GaussianState(mean, _covariance(a))
        return state.mahalanobis(z), state.log_likelihood(z), state.likelihood(z), state.precision

    return run, randn(3, 2, 1), randn(3, 2, 2), randn(3, 2, 1)


def _filtered(**options: Any) -> tuple[Any, ...]:
    from torch_kf import GaussianState

    kalman = _filter(**options)

    def run(mean: Any, a: Any, z: Any) -> Any:
        every = kalman.filter(GaussianState(mean, _covariance(a)), z, return_all=True)
        return every, kalman.filter(GaussianState(mean, _covariance(a)), z, update_first=False)

    return run, randn(3, 4, 1), randn(3, 4, 4), randn(5, 3, 2, 1)


def filtered() -> tuple[Any, ...]:
    return _filtered()


def filtered_by_joseph() -> tuple[Any, ...]:
    return _filtered(joseph_update=True)


def filtered_with_gaps() -> tuple[Any, ...]:
    from torch_kf import GaussianState

    kalman = _filter()
    gaps = where(rand(5, 3, 1, 1) > 0.7, float("nan"), 0.0)

    def run(mean: Any, a: Any, z: Any) -> Any:
        state = GaussianState(mean * 1.0, _covariance(a))
        return kalman.filter(state, z + gaps, return_all=True)

    return run, randn(3, 4, 1), randn(3, 4, 4), randn(5, 3, 2, 1)


def smoothed() -> tuple[Any, ...]:
    from torch_kf import GaussianState

    one, other = _filter(), _filter(inv_t=True)

    def run(mean: Any, a: Any, z: Any) -> Any:
        every = one.filter(GaussianState(mean, _covariance(a)), z, return_all=True)
        return every, one.rts_smooth(every), other.rts_smooth(every)

    return run, randn(3, 4, 1), randn(3, 4, 4), randn(5, 3, 2, 1)


def smoothed_of_data() -> tuple[Any, ...]:
    from torch import no_grad
    from torch_kf import GaussianState

    one, other = _filter(), _filter(inv_t=True)

    @no_grad()
    def data(mean: Any, a: Any, z: Any) -> Any:
        every = one.filter(GaussianState(mean, _covariance(a)), z, return_all=True)
        apart = one.rts_smooth(every)
        return every.clone(), apart, other.rts_smooth(every.clone(), inplace=True)

    return data, randn(3, 4, 1), randn(3, 4, 4), randn(5, 3, 2, 1)


def steady() -> tuple[Any, ...]:
    from torch_kf import KalmanFilter

    def run(f: Any, q: Any, r: Any) -> Any:
        every = [
            KalmanFilter(f, eye(2, 4), _covariance(q), _covariance(r), joseph_update=joseph, inv_t=joseph)
            for joseph in (False, True)
        ]
        return [
            each.steady_state_covariance(3, predicted=predicted, projected=predicted)
            for each in every
            for predicted in (False, True)
        ]

    return run, randn(4, 4) * 0.4, randn(4, 4), randn(2, 2)


def constant() -> tuple[Any, ...]:
    from torch_kf import GaussianState
    from torch_kf.ckf import constant_kalman_filter, interleave

    one = constant_kalman_filter(0.3, 0.5, dim=2, order=2, dt=0.5)
    other = constant_kalman_filter(tensor([0.3, 0.2]), 0.5, order=2, expected_model=True, order_by_dim=True)
    rough = constant_kalman_filter(0.3, 0.5, order=2, approximate=True)

    def run(mean: Any, a: Any, z: Any) -> Any:
        state = GaussianState(mean, _covariance(a))
        parts = [each.filter(state, z) for each in (one, other, rough)]
        made = [each.process_noise.float() for each in (one, other, rough)]
        return parts, made, interleave(mean.flatten(1).t(), 3), one.process_matrix, rough.process_matrix

    return run, randn(3, 6, 1), randn(3, 6, 6), randn(4, 3, 2, 1)


def learned() -> tuple[Any, ...]:
    """The matrices of the filter are learned."""
    from torch_kf import GaussianState, KalmanFilter

    def run(f: Any, h: Any, q: Any, r: Any, z: Any) -> Any:
        kalman = KalmanFilter(f, h, _covariance(q), _covariance(r)).to(f.dtype)
        state = GaussianState(z.new_zeros(3, 4, 1), eye(4).expand(3, 4, 4))
        projection = kalman.project(state)
        return kalman.filter(state, z), projection.log_likelihood(z[0])

    return run, randn(4, 4) * 0.4, randn(2, 4), randn(4, 4), randn(2, 2), randn(4, 3, 2, 1)
