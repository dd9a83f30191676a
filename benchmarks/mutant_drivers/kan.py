"""Runs pykan 0.2.8."""

from typing import Any

from torch import float64, linspace, nn, rand, randn, tensor


def _kan(**given: Any) -> Any:
    from kan import KAN

    model = KAN(**{"width": [2, 3, 1], "grid": 3, "k": 2, "auto_save": False, "seed": 0, **given})
    _settle(*model.act_fun)
    return model


def _settle(*layers: Any) -> None:
    """Give splines coefficients that do not come from a system without one solution, which vary a bit."""
    for each in layers:
        each.coef.data = randn(each.coef.shape) * 0.2


def plain() -> tuple[Any, ...]:
    return _kan(symbolic_enabled=False, save_act=False), randn(6, 2)


def saved() -> tuple[Any, ...]:
    model = _kan(scale_base_mu=0.5, affine_trainable=True, base_fun="identity")
    return lambda x: (model(x), model.acts_scale, model.edge_actscale, model.spline_postacts), randn(6, 2)


def products() -> tuple[Any, ...]:
    return _kan(width=[2, [2, 2], [1, 1]], mult_arity=3, sparse_init=True), randn(6, 2)


def products_of_several() -> tuple[Any, ...]:
    return _kan(width=[2, [1, 2], 1], mult_arity=[[], [2, 3], []], base_fun="zero"), randn(6, 2)


def symbolic() -> tuple[Any, ...]:
    model = _kan(affine_trainable=True)
    model.fix_symbolic(0, 0, 0, "sin", fit_params_bool=False, log_history=False)
    model.fix_symbolic(0, 1, 2, "x^2", fit_params_bool=False, random=True, log_history=False)
    model.fix_symbolic(1, 1, 0, "1/x", fit_params_bool=False, log_history=False)
    return lambda x: model(x, singularity_avoiding=True, y_th=5.0), randn(6, 2)


def symbolic_functions() -> tuple[Any, ...]:
    from kan.utils import SYMBOLIC_LIB

    names = [name for name in SYMBOLIC_LIB if name not in ("arcsin", "arccos", "arctanh")]

    def run(x: Any) -> Any:
        x = x.abs() + 0.3
        plain = [SYMBOLIC_LIB[name][0](x) for name in names]
        return plain, [SYMBOLIC_LIB[name][3](x, tensor(2.0))[1] for name in names]

    return run, rand(6)


def symbolic_layer() -> tuple[Any, ...]:
    from kan.Symbolic_KANLayer import Symbolic_KANLayer

    layer = Symbolic_KANLayer(3, 2)
    layer.mask.data += 1
    for i, j, name in ((0, 0, "sin"), (1, 0, "tanh"), (2, 1, "exp"), (0, 1, "gaussian")):
        layer.fix_symbolic(i, j, name, random=i == 1)

    def run(x: Any) -> Any:
        return layer(x), layer.get_subset([0, 2], [1])(x[:, [0, 2]])

    return run, randn(5, 3)


def fitted_functions() -> tuple[Any, ...]:
    from kan.utils import fit_params

    def run(x: Any) -> Any:
        y = (x * 1.5).sin() * 2 + 0.3
        return fit_params(x, y, lambda x: x.sin(), (-3, 3), (-3, 3), grid_number=11, iteration=2, verbose=False)

    return run, randn(12)


def layer() -> tuple[Any, ...]:
    from kan.KANLayer import KANLayer

    one = KANLayer(3, 2, num=4, k=3, scale_base_mu=0.2, base_fun=nn.SiLU())
    _settle(one)
    return lambda x: (one(x), one.get_subset([0, 2], [1])(x[:, [0, 2]])), randn(5, 3)


def layer_updated() -> tuple[Any, ...]:
    from kan.KANLayer import KANLayer

    one, other = KANLayer(2, 2, num=3, k=2, grid_eps=0.5), KANLayer(2, 2, num=5, k=2)
    _settle(one, other)

    def run(x: Any) -> Any:
        before = one(x)
        one.update_grid_from_samples(x.detach(), mode="grid")
        other.initialize_grid_from_parent(one, x.detach(), mode="sample")
        other.swap(0, 1, mode="in")
        return before[0].detach(), one(x), other(x)

    return run, randn(60, 2)


def splines() -> tuple[Any, ...]:
    from kan.spline import B_batch, coef2curve, curve2coef, extend_grid

    grid = extend_grid(linspace(-2, 2, 5)[None].expand(2, 5), k_extend=3)
    even = linspace(-1.99, 1.99, 40)[:, None].expand(40, 2)

    def run(x: Any, coefficients: Any) -> Any:
        x = x.tanh() * 1.9
        made = coef2curve(x, grid, coefficients, 3)
        back = curve2coef(even, coef2curve(even, grid, coefficients, 3), grid, 3)
        return B_batch(x, grid, 3), made, back, B_batch(x, grid, 0)

    return run, randn(25, 2), randn(2, 2, 7)


def grid_updated() -> tuple[Any, ...]:
    model = _kan(grid_eps=0.3)

    def run(x: Any) -> Any:
        model.update_grid(x.detach())
        return model(x), [each.grid for each in model.act_fun]

    return run, randn(60, 2)


def regularized() -> tuple[Any, ...]:
    model = _kan(width=[2, [2, 1], 1])

    def run(x: Any) -> Any:
        made = model(x)
        model.attribute()
        model.node_attribute()
        kinds = "edge_forward_spline_n", "edge_forward_sum", "edge_forward_spline_u", "edge_backward"
        return made, [model.get_reg(each, 1.0, 2.0, 0.5, 0.3) for each in kinds], model.feature_score

    return run, randn(8, 2)


def attributed() -> tuple[Any, ...]:
    model = _kan(width=[2, [1, 1], [1, 1], 2], mult_arity=[[], [2], [2], []])

    def run(x: Any) -> Any:
        made = model(x)
        scores = model.attribute(2, 1, tensor([1.0, 0.5]), plot=False)
        return made, scores, model.edge_scores_all, model.subnode_scores, model.connection_cost

    return run, randn(8, 2)


def pruned() -> tuple[Any, ...]:
    model = _kan(width=[3, 3, 1])

    def run(x: Any) -> Any:
        before = model(x)
        smaller = model.prune_node(threshold=0.05, log_history=False)
        smaller(x)
        smaller.attribute()
        smaller.prune_edge(threshold=0.03, log_history=False)
        inputs = model.prune_input(active_inputs=[0, 2], log_history=False)
        return before, smaller(x), inputs(x)

    return run, randn(8, 3)


def grown() -> tuple[Any, ...]:
    model = _kan()

    def run(x: Any) -> Any:
        made = _kan()
        made(x)
        made.expand_width(1, 2)
        wider = made(x)
        made.perturb(0.5, mode="all")
        made.swap(1, 0, 1, log_history=False)
        return model(x), wider, made(x), made.get_range(0, 0, 0, verbose=False)

    return run, randn(8, 2)


def _trained(model: Any, **given: Any) -> tuple[Any, ...]:
    def run(x: Any, y: Any) -> Any:
        x, y = x.detach(), y.detach()
        data = {"train_input": x, "train_label": y, "test_input": x + 0.1, "test_label": y}
        losses = model.fit(data, **{"steps": 2, "log": 10, **given})
        return [tensor([float(each) for each in losses[key]]) for key in ("train_loss", "test_loss")], model(x)

    return run, randn(40, 2), randn(40, 1)


def trained_by_adam() -> tuple[Any, ...]:
    given = {"opt": "Adam", "lr": 0.01, "lamb": 0.01, "reg_metric": "edge_backward"}
    return _trained(_kan(), **given, update_grid=False, singularity_avoiding=True)


def perceptron() -> tuple[Any, ...]:
    from kan.MLP import MLP

    model = MLP([2, 4, 1])

    def run(x: Any) -> Any:
        made = model(x)
        model.attribute()
        penalties = [model.get_reg(each, 1.0, 2.0) for each in ("act", "w")]
        return made, penalties, model.connection_cost

    return run, randn(8, 2)


def perceptron_trained() -> tuple[Any, ...]:
    from kan.MLP import MLP

    return _trained(MLP([2, 4, 1]), lamb=0.01)


def derivatives() -> tuple[Any, ...]:
    from kan.utils import batch_hessian, batch_jacobian

    model = _kan(save_act=False)

    def run(x: Any) -> Any:
        made = batch_jacobian(model, x, create_graph=True), batch_hessian(model, x)
        return made, batch_jacobian(lambda x: x.sin() * x[:, :1], x, create_graph=True, mode="vector")

    return run, randn(5, 2)


def optimized() -> tuple[Any, ...]:
    from kan.LBFGS import LBFGS

    net = nn.Linear(2, 1)

    def run(x: Any, y: Any) -> Any:
        optimizer = LBFGS(net.parameters(), lr=1, history_size=3, line_search_fn="strong_wolfe", max_iter=4)

        def loss() -> Any:
            optimizer.zero_grad()
            made = (net(x.detach()).sin() - y.detach()).square().mean()
            made.backward()
            return made

        return optimizer.step(loss).detach(), net(x)

    return run, randn(6, 2), randn(6, 1)


def datasets() -> tuple[Any, ...]:
    from kan.utils import create_dataset, create_dataset_from_data

    def run(x: Any) -> Any:
        made = create_dataset(lambda x: x[:, [0]].sin() + x[:, [1]], 2, train_num=6, test_num=4, normalize_input=True)
        return made, create_dataset_from_data(x, x * 2, train_ratio=0.5), x.to(float64)

    return run, randn(6, 2)
