"""Runs gpytorch 1.15.2 (with linear_operator 0.6.1)."""

from typing import Any

from torch import eye, linalg, nn, ones, rand, randint, randn, tensor


def _kernels(*every: Any, batch: tuple[int, ...] = (), others: int = 5) -> tuple[Any, ...]:
    """The matrices of the kernels, of points among themselves and with others."""
    kernels = nn.ModuleList(every)

    def run(x: Any, y: Any) -> Any:
        made = [(each(x).to_dense(), each(x, y).to_dense()) for each in kernels]
        return made, [each(x, diag=True) for each in kernels]

    return run, randn(*batch, 4, 3), randn(*batch, others, 3)


def _model(kernel: Any, *, mean: Any = None, likelihood: Any = None, tasks: int = 0) -> Any:
    """An exact model, with a size of three."""
    import gpytorch as g

    mean = mean or g.means.ConstantMean()
    kinds = g.distributions
    made = kinds.MultitaskMultivariateNormal if tasks else kinds.MultivariateNormal

    class Model(g.models.ExactGP):
        def __init__(self) -> None:
            super().__init__(randn(5, 3), randn(5, tasks) if tasks else randn(5), likelihood or _gaussian())
            self.mean_module, self.covar_module = mean, kernel

        def forward(self, x: Any) -> Any:
            return made(self.mean_module(x), self.covar_module(x))

    return Model()


def _gaussian() -> Any:
    from gpytorch.likelihoods import GaussianLikelihood

    return GaussianLikelihood()


def _fitted(model: Any, *losses: Any, tasks: int = 0, **settings: Any) -> tuple[Any, ...]:
    """What it gives while it learns, and what it says of other points."""
    likelihood = model.likelihood

    def run(x: Any, y: Any, other: Any) -> Any:
        model.train()
        model.set_train_data(x, y, strict=False)
        learned = [loss(model(x), y) for loss in losses]
        model.eval()
        told = likelihood(model(other))
        return learned, told.mean, told.variance, told.covariance_matrix

    return run, randn(5, 3), randn(5, tasks) if tasks else randn(5), randn(2, 3)


def _approximate(strategy: Any, distribution: Any, **given: Any) -> Any:
    """A model of inducing points, with a size of three."""
    import gpytorch as g

    class Model(g.models.ApproximateGP):
        def __init__(self) -> None:
            super().__init__(strategy(self, randn(4, 3), distribution(4), learn_inducing_locations=True, **given))
            self.mean_module, self.covar_module = g.means.ConstantMean(), g.kernels.ScaleKernel(g.kernels.RBFKernel())

        def forward(self, x: Any) -> Any:
            return g.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    return Model()


def _learned(model: Any, likelihood: Any, loss: Any, target: Any = None) -> tuple[Any, ...]:
    def run(x: Any, other: Any) -> Any:
        model.train()
        learned = loss(model(x), x[:, 0].sin() if target is None else target)
        model.eval()
        told = model(other)
        return learned, told.mean, told.variance, getattr(likelihood(told), "mean", None)

    return run, randn(5, 3), randn(2, 3)


def kernels() -> Any:
    from gpytorch import kernels as k

    return _kernels(
        k.RBFKernel(),
        k.RBFKernel(ard_num_dims=3),
        k.MaternKernel(nu=0.5),
        k.MaternKernel(nu=1.5, ard_num_dims=3),
        k.MaternKernel(nu=2.5),
        k.RQKernel(),
        k.PeriodicKernel(ard_num_dims=3),
        k.CosineKernel(),
    )


def kernels_of_products() -> Any:
    from gpytorch import kernels as k

    return _kernels(
        k.LinearKernel(),
        k.PolynomialKernel(power=2),
        k.ConstantKernel(),
        k.PiecewisePolynomialKernel(q=2),
        k.ScaleKernel(k.RBFKernel() + k.LinearKernel()),
        k.RBFKernel() * k.MaternKernel(active_dims=[0, 2]),
        k.RFFKernel(num_samples=3, num_dims=3),
    )


def kernels_of_spectra() -> Any:
    from gpytorch import kernels as k

    return _kernels(k.SpectralMixtureKernel(num_mixtures=2, ard_num_dims=3), k.SpectralDeltaKernel(3, num_deltas=4))


def kernels_of_spaces() -> Any:
    from gpytorch import kernels as k

    angular = k.CylindricalKernel(3, k.MaternKernel(nu=1.5))
    arcs = k.ArcKernel(k.MaternKernel(nu=2.5), ard_num_dims=3)

    def run(x: Any, y: Any) -> Any:
        x, y = x.sigmoid() * 0.5, y.sigmoid() * 0.5
        return [(each(x).to_dense(), each(x, y).to_dense()) for each in (angular, arcs)]

    return run, randn(4, 3), randn(5, 3)


def kernels_of_batches() -> Any:
    from gpytorch import kernels as k
    from torch import Size

    batch = Size([2])
    return _kernels(
        k.ScaleKernel(k.RBFKernel(batch_shape=batch, ard_num_dims=3), batch_shape=batch),
        k.MaternKernel(batch_shape=batch),
        k.PeriodicKernel(batch_shape=batch),
        k.RQKernel(batch_shape=batch),
        k.LinearKernel(batch_shape=batch),
        batch=(2,),
    )


def kernels_of_slopes() -> Any:
    from gpytorch import kernels as k

    every = k.RBFKernelGrad(), k.Matern52KernelGrad(), k.PolynomialKernelGrad(power=3), k.RBFKernelGradGrad()
    return _kernels(*every, others=4)


def kernels_of_sums() -> Any:
    from gpytorch import kernels as k

    every = k.AdditiveStructureKernel(k.RBFKernel(), 3), k.ProductStructureKernel(k.RBFKernel(), 3)
    one, other = every
    last = k.NewtonGirardAdditiveKernel(k.RBFKernel(), num_dims=3, max_degree=2)

    def run(x: Any, y: Any) -> Any:
        return [(each(x).to_dense(), each(x, y).to_dense()) for each in (one, other, last)]

    return run, randn(4, 3), randn(5, 3)


def kernels_of_tasks() -> Any:
    from gpytorch import kernels as k

    one = k.MultitaskKernel(k.RBFKernel(), num_tasks=2, rank=1)
    other = k.LCMKernel([k.RBFKernel(), k.MaternKernel()], num_tasks=2, rank=1)
    index = k.IndexKernel(num_tasks=3, rank=2)
    of, to = randint(0, 3, (4, 1)), randint(0, 3, (5, 1))

    def run(x: Any, y: Any) -> Any:
        made = [(each(x).to_dense(), each(x, y).to_dense()) for each in (one, other)]
        return made, index(of, to).to_dense(), index(of).to_dense()

    return run, randn(4, 3), randn(5, 3)


def kernels_of_grids() -> Any:
    from gpytorch import kernels as k
    from gpytorch.utils.grid import create_data_from_grid

    steps = [tensor([0.0, 0.5, 1.0]), tensor([0.0, 0.3, 0.6])]
    interpolated = k.GridInterpolationKernel(k.RBFKernel(), grid_size=6, num_dims=2, grid_bounds=[(-2, 2), (-2, 2)])
    of_grid = k.GridKernel(k.RBFKernel(), grid=steps)
    points = create_data_from_grid(steps)

    def run(x: Any, y: Any) -> Any:
        x, y = x.tanh(), y.tanh()
        return interpolated(x, y).to_dense(), interpolated(x).to_dense(), of_grid(points).to_dense()

    return run, randn(4, 2), randn(5, 2)


def kernels_of_distributions() -> Any:
    from gpytorch import kernels as k

    kernel, tokens = k.GaussianSymmetrizedKLKernel(), k.HammingIMQKernel(vocab_size=4)
    words = eye(4)[randint(0, 4, (5, 3))].flatten(1)

    def run(x: Any, y: Any) -> Any:
        return kernel(x, y).to_dense(), kernel(x).to_dense(), tokens(words).to_dense()

    return run, randn(4, 4), randn(5, 4)


def means() -> Any:
    from gpytorch import means as m

    every = [m.ConstantMean(), m.LinearMean(3), m.ConstantMeanGrad(), m.LinearMeanGrad(3), m.LinearMeanGradGrad(3)]
    means = nn.ModuleList([*every, m.ZeroMean(), m.MultitaskMean([m.LinearMean(3), m.ConstantMean()], num_tasks=2)])
    return lambda x: [each(x) for each in means], randn(4, 3)


def exact() -> Any:
    from gpytorch import kernels as k
    from gpytorch.mlls import ExactMarginalLogLikelihood, LeaveOneOutPseudoLikelihood
    from gpytorch.priors import GammaPrior, LogNormalPrior

    kernel = k.ScaleKernel(k.RBFKernel(lengthscale_prior=GammaPrior(3.0, 6.0)), outputscale_prior=LogNormalPrior(0, 1))
    model = _model(kernel)
    losses = [kind(model.likelihood, model) for kind in (ExactMarginalLogLikelihood, LeaveOneOutPseudoLikelihood)]
    return _fitted(model, *losses)


def exact_by_iterations() -> Any:
    import gpytorch as g

    model = _model(g.kernels.ScaleKernel(g.kernels.MaternKernel(nu=2.5)))
    called, *given = _fitted(model, g.mlls.ExactMarginalLogLikelihood(model.likelihood, model))

    def run(*given: Any) -> Any:
        fast, few = g.settings.fast_computations(), g.settings.max_cholesky_size(1)
        with fast, few, g.settings.min_preconditioning_size(1), g.settings.fast_pred_var():
            return model and called(*given)

    return run, *given


def exact_linear() -> Any:
    import gpytorch as g

    model = _model(g.kernels.LinearKernel(), mean=g.means.LinearMean(3))
    return _fitted(model, g.mlls.ExactMarginalLogLikelihood(model.likelihood, model))


def exact_interpolated() -> Any:
    import gpytorch as g

    bounds = [(-4.0, 4.0)]
    kernel = g.kernels.GridInterpolationKernel(g.kernels.RBFKernel(), 8, num_dims=1, grid_bounds=bounds)
    model = _model(g.kernels.ScaleKernel(g.kernels.AdditiveStructureKernel(kernel, 3)))
    called, *given = _fitted(model, g.mlls.ExactMarginalLogLikelihood(model.likelihood, model))

    def run(*given: Any) -> Any:
        with g.settings.fast_pred_var():
            return model and called(*given)

    return run, *given


def exact_with_inducing() -> Any:
    import gpytorch as g

    likelihood = _gaussian()
    kernel = g.kernels.InducingPointKernel(g.kernels.RBFKernel(), randn(3, 3), likelihood)
    model = _model(kernel, likelihood=likelihood)
    return _fitted(model, g.mlls.ExactMarginalLogLikelihood(likelihood, model))


def exact_with_noises() -> Any:
    import gpytorch as g

    fixed = g.likelihoods.FixedNoiseGaussianLikelihood(rand(5) + 0.1, learn_additional_noise=True)
    model = _model(g.kernels.RBFKernel(), likelihood=fixed)
    loss = g.mlls.ExactMarginalLogLikelihood(fixed, model)

    def run(x: Any, y: Any, other: Any) -> Any:
        model.train()
        model.set_train_data(x, y, strict=False)
        learned = loss(model(x), y)
        told = fixed(model.eval()(other), noise=ones(2) * 0.2)
        return learned, told.mean, told.variance

    return run, randn(5, 3), randn(5), randn(2, 3)


def exact_of_tasks() -> Any:
    import gpytorch as g

    likelihood = g.likelihoods.MultitaskGaussianLikelihood(num_tasks=2, rank=1)
    kernel = g.kernels.MultitaskKernel(g.kernels.RBFKernel(), num_tasks=2, rank=1)
    mean = g.means.MultitaskMean(g.means.ConstantMean(), num_tasks=2)
    model = _model(kernel, mean=mean, likelihood=likelihood, tasks=2)
    return _fitted(model, g.mlls.ExactMarginalLogLikelihood(likelihood, model), tasks=2)


def fantasies() -> Any:
    import gpytorch as g

    model = _model(g.kernels.ScaleKernel(g.kernels.RBFKernel()))

    def run(x: Any, y: Any, other: Any, more: Any) -> Any:
        model.train()
        model.set_train_data(x, y, strict=False)
        model.eval()
        first = model(other).mean
        told = model.get_fantasy_model(other, more)(other + 0.3)
        return first, told.mean, told.variance

    return run, randn(5, 3), randn(5), randn(2, 3), randn(2)


def variational() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model, likelihood = _approximate(v.VariationalStrategy, v.CholeskyVariationalDistribution), _gaussian()
    return _learned(model, likelihood, g.mlls.VariationalELBO(likelihood, model, num_data=5, beta=0.5))


def variational_unwhitened() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model, likelihood = _approximate(v.UnwhitenedVariationalStrategy, v.MeanFieldVariationalDistribution), _gaussian()
    return _learned(model, likelihood, g.mlls.PredictiveLogLikelihood(likelihood, model, num_data=5))


def variational_by_quadrature() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model, likelihood = _approximate(v.CiqVariationalStrategy, v.CholeskyVariationalDistribution), _gaussian()
    return _learned(model, likelihood, g.mlls.GammaRobustVariationalELBO(likelihood, model, num_data=5))


def variational_natural() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model, likelihood = _approximate(v.VariationalStrategy, v.NaturalVariationalDistribution), _gaussian()
    return _learned(model, likelihood, g.mlls.VariationalELBO(likelihood, model, num_data=5))


def variational_in_triangles() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model = _approximate(v.LargeBatchVariationalStrategy, v.TrilNaturalVariationalDistribution)
    likelihood = g.likelihoods.StudentTLikelihood()
    return _learned(model, likelihood, g.mlls.VariationalELBO(likelihood, model, num_data=5))


def variational_decoupled() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model = _approximate(v.BatchDecoupledVariationalStrategy, v.CholeskyVariationalDistribution)
    likelihood = _gaussian()
    return _learned(model, likelihood, g.mlls.VariationalELBO(likelihood, model, num_data=5))


def variational_of_classes() -> Any:
    import gpytorch as g
    from gpytorch import variational as v

    model = _approximate(v.VariationalStrategy, v.DeltaVariationalDistribution)
    likelihood = g.likelihoods.BernoulliLikelihood()
    loss = g.mlls.VariationalELBO(likelihood, model, num_data=5)
    return _learned(model, likelihood, loss, tensor([0.0, 1.0, 1.0, 0.0, 1.0]))


def likelihoods() -> Any:
    from gpytorch import likelihoods as k
    from gpytorch.distributions import MultivariateNormal

    every = [k.BetaLikelihood(), k.LaplaceLikelihood(), k.StudentTLikelihood(), k.BernoulliLikelihood()]
    likelihoods = nn.ModuleList([*every, k.PoissonLikelihood()])

    def run(mean: Any, root: Any) -> Any:
        given = MultivariateNormal(mean, root @ root.mT + eye(4))
        target = mean.detach().abs().clamp(0.1, 0.9)
        targets = [target, target, target, target.round(), target.round()]
        every = zip(likelihoods, targets, strict=True)
        return [(each.expected_log_prob(y, given), each.log_marginal(y, given)) for each, y in every]

    return run, randn(4), randn(4, 4)


def softmax() -> Any:
    from gpytorch.distributions import MultitaskMultivariateNormal, MultivariateNormal
    from gpytorch.likelihoods import SoftmaxLikelihood

    likelihood, target = SoftmaxLikelihood(num_features=2, num_classes=3), tensor([0, 2, 1, 1])

    def run(mean: Any, root: Any) -> Any:
        every = [MultivariateNormal(mean[:, i], root[i] @ root[i].mT + eye(4)) for i in range(2)]
        return likelihood.expected_log_prob(target, MultitaskMultivariateNormal.from_independent_mvns(every))

    return run, randn(4, 2), randn(2, 4, 4)


def normals() -> Any:
    from gpytorch.distributions import MultitaskMultivariateNormal, MultivariateNormal
    from torch.distributions import kl_divergence

    def run(mean: Any, root: Any, y: Any) -> Any:
        one, other = MultivariateNormal(mean, root @ root.mT + eye(4)), MultivariateNormal(y, eye(4) * 2)
        both = one + other, one * 2.0, one + 1.5
        several = MultitaskMultivariateNormal.from_independent_mvns([one, other])
        told = one.log_prob(y), one.rsample(), one.entropy(), kl_divergence(one, other)
        return told, [each.variance for each in both], several.mean, several.variance, several.rsample(), one[1:3].mean

    return run, randn(4), randn(4, 4), randn(4)


def priors() -> Any:
    from gpytorch import priors as p
    from gpytorch.priors.wishart_prior import InverseWishartPrior, WishartPrior

    lkj, smooth, horseshoe = p.LKJCholeskyFactorPrior(3, 0.7), p.SmoothedBoxPrior(0.1, 2.0), p.HorseshoePrior(0.5)
    wishart, inverse = WishartPrior(5, eye(3)), InverseWishartPrior(5, eye(3))

    def run(x: Any, root: Any) -> Any:
        square = root @ root.mT + eye(3)
        sizes = square.diagonal().sqrt()
        factor = linalg.cholesky(square / sizes.outer(sizes))
        return (
            smooth.log_prob(x),
            horseshoe.log_prob(x),
            wishart.log_prob(square),
            inverse.log_prob(square),
            (
                lkj.log_prob(factor),
                p.LKJCovariancePrior(3, 0.7, p.SmoothedBoxPrior(0.1, 2.0)).log_prob(square),
            ),
        )

    return run, randn(3), randn(3, 3)


def constraints() -> Any:
    from gpytorch import constraints as c

    kinds = c.Interval(0.2, 3.0), c.GreaterThan(0.1), c.LessThan(2.0), c.Positive()

    def run(x: Any) -> Any:
        made = [each.transform(x) for each in kinds]
        return made, [each.inverse_transform(y) for each, y in zip(kinds, made, strict=True)]

    return run, randn(4)


def deep() -> Any:
    import gpytorch as g
    from gpytorch import variational as v
    from gpytorch.models.deep_gps import DeepGP, DeepGPLayer

    class Layer(DeepGPLayer):
        def __init__(self, inputs: int, outputs: int | None) -> None:
            from torch import Size

            batch = Size([outputs] if outputs else [])
            distribution = v.CholeskyVariationalDistribution(4, batch_shape=batch)
            strategy = v.VariationalStrategy(self, randn(*batch, 4, inputs), distribution)
            super().__init__(strategy, inputs, outputs)
            self.mean_module = g.means.LinearMean(inputs, batch_shape=batch)
            self.covar_module = g.kernels.RBFKernel(batch_shape=batch, ard_num_dims=inputs)

        def forward(self, x: Any) -> Any:
            return g.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    class Model(DeepGP):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last, self.likelihood = Layer(3, 2), Layer(2, None), _gaussian()

        def forward(self, x: Any) -> Any:
            return self.last(self.first(x))

    model = Model()
    loss = g.mlls.DeepApproximateMLL(g.mlls.VariationalELBO(model.likelihood, model, num_data=5))

    def run(x: Any, y: Any) -> Any:
        with g.settings.num_likelihood_samples(2):
            return model and loss(model(x), y)

    return run, randn(5, 3), randn(5)


def helpers() -> Any:
    from gpytorch.functions import log_normal_cdf
    from gpytorch.utils.interpolation import Interpolation
    from gpytorch.utils.quadrature import GaussHermiteQuadrature1D
    from gpytorch.utils.sum_interaction_terms import sum_interaction_terms
    from torch.distributions import Normal

    grid = [tensor([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0])]

    def run(x: Any, covariances: Any) -> Any:
        _, values = Interpolation().interpolate(grid, x.tanh().unsqueeze(-1))
        quadrature = GaussHermiteQuadrature1D(5)(lambda f: f.sin(), Normal(x, x.abs() + 0.1))
        return values, quadrature, log_normal_cdf(x * 3), sum_interaction_terms(covariances, max_degree=2)

    return run, randn(5), randn(3, 4, 4)
