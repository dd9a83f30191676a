"""Runs entmax 1.3."""

from typing import Any

from torch import rand, randint, randn, tensor


def sparse() -> tuple[Any, ...]:
    from entmax import Sparsemax, sparsemax

    layer = Sparsemax(dim=-1)
    return lambda x: (layer(x), sparsemax(x, dim=1), sparsemax(x, dim=0)), randn(2, 5, 6)


def sparse_of_top() -> tuple[Any, ...]:
    from entmax import Sparsemax, sparsemax

    layer = Sparsemax(dim=-1, k=2)
    return lambda x: (layer(x * 0.3), sparsemax(x, dim=1, k=3), sparsemax(x * 0.1, dim=1, k=1)), randn(2, 5, 6)


def half() -> tuple[Any, ...]:
    from entmax import Entmax15, entmax15

    layer = Entmax15(dim=-1)
    return lambda x: (layer(x), entmax15(x, dim=1), entmax15(x, dim=0)), randn(2, 5, 6)


def half_of_top() -> tuple[Any, ...]:
    from entmax import Entmax15, entmax15

    layer = Entmax15(dim=-1, k=2)
    return lambda x: (layer(x * 0.3), entmax15(x, dim=1, k=3), entmax15(x * 0.1, dim=1, k=1)), randn(2, 5, 6)


def bisected() -> tuple[Any, ...]:
    from entmax import EntmaxBisect, entmax_bisect

    layer = EntmaxBisect(alpha=1.3, n_iter=20)
    return lambda x: (layer(x), entmax_bisect(x, alpha=1.7, dim=1, ensure_sum_one=False)), randn(2, 5, 6)


def bisected_by_powers() -> tuple[Any, ...]:
    from entmax import entmax_bisect

    return lambda x, alpha: entmax_bisect(x, alpha + 1.1, dim=1), randn(2, 5, 6), rand(2, 1, 6)


def bisected_by_one_power() -> tuple[Any, ...]:
    from entmax import EntmaxBisect

    layers = [EntmaxBisect(alpha=1.25), EntmaxBisect(alpha=2.5, dim=0)]

    def run(x: Any, alpha: Any) -> Any:
        for layer in layers:
            layer.alpha = alpha.sigmoid() + 1.1
        return [layer(x) for layer in layers]

    return run, randn(3, 6), randn(())


def bisected_sparse() -> tuple[Any, ...]:
    from entmax import SparsemaxBisect, sparsemax_bisect

    layer = SparsemaxBisect(n_iter=30)
    return lambda x: (layer(x), sparsemax_bisect(x, dim=1, ensure_sum_one=False, n_iter=10)), randn(2, 5, 6)


def normed() -> tuple[Any, ...]:
    from entmax import NormmaxBisect, normmax_bisect

    layer = NormmaxBisect(alpha=3)
    return lambda x: (layer(x), normmax_bisect(x, dim=1, n_iter=30)), randn(2, 5, 6)


def normed_by_powers() -> tuple[Any, ...]:
    from entmax import normmax_bisect

    alphas = tensor([[2.0], [3.0], [5.0]])
    return lambda x: normmax_bisect(x, alpha=alphas), randn(3, 6)


def budgeted() -> tuple[Any, ...]:
    from entmax import BudgetBisect, budget_bisect

    layer, budgets = BudgetBisect(budget=2), tensor([[1.0], [2.0], [3.0]])
    return lambda x: (layer(x), budget_bisect(x, budgets), budget_bisect(x, dim=0, n_iter=20)), randn(3, 6)


def losses() -> tuple[Any, ...]:
    from entmax import entmax15_loss, entmax_bisect_loss, normmax_bisect_loss, sparsemax_bisect_loss, sparsemax_loss

    target = randint(0, 6, (4,))

    def run(x: Any) -> Any:
        return (
            sparsemax_loss(x, target),
            sparsemax_bisect_loss(x, target, n_iter=20),
            entmax15_loss(x, target),
            entmax_bisect_loss(x, target, alpha=1.3),
            normmax_bisect_loss(x, target, alpha=3),
        )

    return run, randn(4, 6)


def losses_of_top() -> tuple[Any, ...]:
    from entmax import entmax15_loss, sparsemax_loss

    target = randint(0, 6, (4,))
    return lambda x: (sparsemax_loss(x, target, k=2), entmax15_loss(x * 0.3, target, k=2)), randn(4, 6)


def _reduced(reduction: str) -> tuple[Any, ...]:
    import entmax

    kinds = [
        entmax.SparsemaxLoss(k=3, ignore_index=1, reduction=reduction),
        entmax.SparsemaxBisectLoss(n_iter=20, ignore_index=1, reduction=reduction),
        entmax.Entmax15Loss(ignore_index=1, reduction=reduction),
        entmax.EntmaxBisectLoss(alpha=1.7, n_iter=20, ignore_index=1, reduction=reduction),
        entmax.NormmaxBisectLoss(alpha=2, n_iter=20, ignore_index=1, reduction=reduction),
    ]
    target = tensor([0, 1, 3, 5, 1])
    return lambda x: [kind(x, target) for kind in kinds], randn(5, 6)


def losses_each() -> tuple[Any, ...]:
    return _reduced("none")


def losses_summed() -> tuple[Any, ...]:
    return _reduced("sum")


def losses_averaged() -> tuple[Any, ...]:
    return _reduced("elementwise_mean")
