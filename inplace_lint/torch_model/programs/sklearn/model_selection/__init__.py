"""Scikit-learn's searches and cross validations: they fit what they are given, and ask it for predictions."""

from inplace_lint.intrinsics import unknown


class GridSearchCV:
    def __init__(self, estimator, param_grid, **options):
        self.estimator = estimator
        self.best_estimator_ = estimator

    def fit(self, X, y=None, **params):
        _tried(self.estimator, X, y)
        self.best_estimator_.fit(X, y, **params)
        return self

    def predict(self, X):
        return self.best_estimator_.predict(X)

    def predict_proba(self, X):
        return self.best_estimator_.predict_proba(X)


class RandomizedSearchCV(GridSearchCV):
    pass


def cross_val_score(estimator, X, y=None, **options):
    _tried(estimator, X, y)
    return unknown(is_data=True)


def cross_val_predict(estimator, X, y=None, **options):
    _tried(estimator, X, y)
    return unknown(is_data=True)


def cross_validate(estimator, X, y=None, **options):
    _tried(estimator, X, y)
    return unknown(is_data=True)


def _tried(estimator, X, y):
    estimator.fit(X, y)
    estimator.predict(X)
