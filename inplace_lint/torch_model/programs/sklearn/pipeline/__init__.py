"""Scikit-learn's pipelines: the last step is fitted to what the others make of the data, which trains a network."""

from inplace_lint.intrinsics import unknown


class Pipeline:
    def __init__(self, steps, memory=None, verbose=False, **options):
        self.steps = steps

    @property
    def _final_estimator(self):
        return self.steps[-1][1]

    def fit(self, X, y=None, **params):
        self._final_estimator.fit(unknown(is_data=True), y, **params)
        return self

    def predict(self, X, **params):
        return self._final_estimator.predict(unknown(is_data=True), **params)

    def predict_proba(self, X, **params):
        return self._final_estimator.predict_proba(unknown(is_data=True), **params)

    def score(self, X, y=None, **params):
        self._final_estimator.predict(unknown(is_data=True))
        return unknown(is_data=True)


def make_pipeline(*steps, memory=None, verbose=False, **options):
    return Pipeline([(str(i), step) for i, step in enumerate(steps)])
