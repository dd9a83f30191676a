"""Public names of what PyTorch's packages define in modules of their own: `torch.optim.sgd.SGD` is `torch.optim.SGD`.

Source: the `__init__.py` of each package; `tests/test_public_names.py` compares with the installed PyTorch.
"""

from __future__ import annotations

# Where modules lie, the package that offers their public names, and the modules.
_DEFINED = (
    ("torch", "torch", "functional"),
    ("torch.autograd", "torch", "grad_mode"),
    ("torch.amp", "torch.amp", "autocast_mode grad_scaler"),
    ("torch.autograd", "torch.autograd", "anomaly_mode function gradcheck variable"),
    (
        "torch.distributions",
        "torch.distributions",
        "bernoulli beta binomial categorical cauchy chi2 continuous_bernoulli dirichlet distribution "
        "exp_family exponential fishersnedecor gamma geometric gumbel half_cauchy half_normal independent "
        "inverse_gamma kl kumaraswamy laplace lkj_cholesky log_normal logistic_normal "
        "lowrank_multivariate_normal mixture_same_family multinomial multivariate_normal negative_binomial "
        "normal one_hot_categorical pareto poisson relaxed_bernoulli relaxed_categorical studentT "
        "transformed_distribution transforms uniform von_mises weibull wishart",
    ),
    ("torch.nn", "torch.nn", "modules parameter"),
    (
        "torch.nn.modules",
        "torch.nn",
        "activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold "
        "instancenorm linear loss module normalization padding pixelshuffle pooling rnn sparse transformer "
        "upsampling",
    ),
    ("torch.nn.parallel", "torch.nn.parallel", "data_parallel distributed parallel_apply replicate scatter_gather"),
    (
        "torch.nn.utils",
        "torch.nn.utils",
        "clip_grad convert_parameters fusion init memory_format spectral_norm weight_norm",
    ),
    (
        "torch.optim",
        "torch.optim",
        "adadelta adagrad adam adamax adamw asgd lbfgs nadam optimizer radam rmsprop rprop sgd sparse_adam",
    ),
    ("torch.utils.data", "torch.utils.data", "dataloader dataset distributed sampler"),
)
# The package that offers what a module defines.
OFFERED_BY = {f"{folder}.{module}": package for folder, package, modules in _DEFINED for module in modules.split()}


def public_name(name: str) -> str:
    """The name by which a package of PyTorch offers a function or class; the same name if it has no other.

    What PyTorch's modules have imported is found in them, too: `torch.nn.functional.torch` is `torch`.
    """
    module, _, last = name.rpartition(".")
    if last == "torch" and module.partition(".")[0] == "torch":
        return last
    package = OFFERED_BY.get(module)
    defined = package is not None and last[:1] != "_" and name not in OFFERED_BY
    return f"{package}.{last}" if defined else name
