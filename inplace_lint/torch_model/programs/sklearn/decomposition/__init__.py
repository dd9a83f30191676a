"""Scikit-learn's decompositions: with `copy=False`, they centre the array that they are given, or a tensor's memory."""

import numpy as np

from inplace_lint.intrinsics import surely, unknown


class _Decomposition:
    """What is fitted to data, and finds the components of other data."""

    centres = True

    def __init__(self, n_components=None, *, copy=True, **options):
        self.copy = copy
        self.components_ = unknown(is_data=True)

    def fit(self, X, y=None):
        array = np.array(X) if self.copy else np.asarray(X)
        if self.centres:
            array -= 1
        return self

    def transform(self, X):
        return unknown(is_data=True)

    def fit_transform(self, X, y=None):
        self.fit(X)
        return self.transform(X)

    def inverse_transform(self, X):
        return unknown(is_data=True)


class PCA(_Decomposition):
    def __init__(self, n_components=None, *, copy=True, whiten=False, svd_solver="auto", **options):
        super().__init__(n_components, copy=copy)
        self.centres = not surely(svd_solver == "covariance_eigh")


class IncrementalPCA(_Decomposition):
    def __init__(self, n_components=None, *, whiten=False, copy=True, batch_size=None):
        super().__init__(n_components, copy=copy)

    def partial_fit(self, X, y=None, check_input=True):
        return self.fit(X)
