"""Scikit-learn's scalers: with `copy=False`, they write the array that they are given, or the memory of a tensor."""

import numpy as np

from inplace_lint.intrinsics import unknown


def _scaled(X, copy):
    array = np.array(X) if copy else np.asarray(X)
    array *= 1
    return array


def normalize(X, norm="l2", *, axis=1, copy=True, return_norm=False):
    array = _scaled(X, copy)
    return (array, unknown(is_data=True)) if return_norm else array


def scale(X, *, axis=0, with_mean=True, with_std=True, copy=True):
    return _scaled(X, copy)


def robust_scale(X, *, axis=0, with_centering=True, with_scaling=True, quantile_range=(25.0, 75.0), copy=True, **more):
    return _scaled(X, copy)


def binarize(X, *, threshold=0.0, copy=True):
    return _scaled(X, copy)


class _Scaler:
    """What is fitted to data, and scales other data."""

    def __init__(self, *args, copy=True, **options):
        self.copy = copy

    def fit(self, X, y=None, **params):
        return self

    def partial_fit(self, X, y=None, **params):
        return self

    def transform(self, X):
        return _scaled(X, self.copy)

    def fit_transform(self, X, y=None, **params):
        return _scaled(X, self.copy)

    def inverse_transform(self, X):
        return _scaled(X, self.copy)


class StandardScaler(_Scaler):
    pass


class MinMaxScaler(_Scaler):
    pass


class MaxAbsScaler(_Scaler):
    pass


class RobustScaler(_Scaler):
    pass
