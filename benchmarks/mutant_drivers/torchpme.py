"""Runs torch-pme 0.5.0 (with scipy, which its splines need), all but its bindings to metatensor and its timings."""

from typing import Any

import torch
from torch import Tensor, eye, float64, linspace, ones, rand, randn, stack, tensor

_SIZE = 3.0


def _pairs(full: bool = False) -> Tensor:
    return tensor([(i, j) for i in range(4) for j in range(4) if (i != j if full else i < j)])


def _positions() -> Tensor:
    grid = tensor([[0.0, 0.0, 0.0], [1.0, 1.0, 0.2], [1.1, 0.1, 1.3], [0.2, 1.2, 1.2]], dtype=float64)
    return grid + 0.3 * rand(4, 3, dtype=float64)


def _cell() -> Tensor:
    return eye(3, dtype=float64) * _SIZE + 0.1 * randn(3, 3, dtype=float64)


def _charges(channels: int = 1) -> Tensor:
    return randn(4, channels, dtype=float64)


def _energy(calculator: Any, full: bool = False, channels: int = 1, **more: Any) -> tuple[Any, ...]:
    """What charges, a cell and positions give, of which forces, stresses and charges are learnt."""
    calculator, pairs = calculator.to(float64), _pairs(full)

    def run(charges: Tensor, cell: Tensor, positions: Tensor) -> Any:
        distances = (positions[pairs[:, 1]] - positions[pairs[:, 0]]).norm(dim=1)
        given = {"neighbor_indices": pairs, "neighbor_distances": distances, **more}
        potential = calculator(charges=charges, cell=cell, positions=positions, **given)
        return (charges * potential).sum(), potential

    return run, _charges(channels), _cell(), _positions()


def direct() -> tuple[Any, ...]:
    from torchpme import Calculator, CoulombPotential

    return _energy(Calculator(CoulombPotential()), channels=2)


def direct_with_exclusion() -> tuple[Any, ...]:
    from torchpme import Calculator, InversePowerLawPotential

    potential = InversePowerLawPotential(exponent=2, exclusion_radius=2.0, exclusion_degree=2)
    mask = ones(12, dtype=torch.bool)
    mask[3] = False
    return _energy(Calculator(potential, full_neighbor_list=True), full=True, pair_mask=mask)


def ewald() -> tuple[Any, ...]:
    from torchpme import CoulombPotential, EwaldCalculator

    return _energy(EwaldCalculator(CoulombPotential(smearing=0.5), lr_wavelength=0.8), channels=2)


def ewald_of_slab() -> tuple[Any, ...]:
    from torchpme import CoulombPotential, EwaldCalculator, prefactors

    potential = CoulombPotential(smearing=0.5, exclusion_radius=1.5, prefactor=prefactors.eV_A)
    calculator = EwaldCalculator(potential, lr_wavelength=0.8, full_neighbor_list=True)
    return _energy(calculator, full=True, periodic=tensor([True, True, False]))


def ewald_with_masks() -> tuple[Any, ...]:
    from torchpme import CoulombPotential, EwaldCalculator
    from torchpme.lib import compute_batched_kvectors

    pairs, nodes = ones(6, dtype=torch.bool), ones(4, dtype=torch.bool)
    pairs[2], nodes[3] = False, False
    calculator = EwaldCalculator(CoulombPotential(smearing=0.5), lr_wavelength=0.8).to(float64)
    indices = _pairs()

    def run(charges: Tensor, cell: Tensor, positions: Tensor) -> Any:
        kvectors = compute_batched_kvectors(lr_wavelength=0.8, cells=stack([cell, cell * 1.2]))
        distances = (positions[indices[:, 1]] - positions[indices[:, 0]]).norm(dim=1)
        return [calculator(charges, cell, positions, indices, distances, None, nodes, pairs, each) for each in kvectors]

    return run, _charges(), _cell(), _positions()


def _power(exponent: int, **more: Any) -> tuple[Any, ...]:
    from torchpme import EwaldCalculator, InversePowerLawPotential

    potential = InversePowerLawPotential(exponent=exponent, smearing=0.6, **more)
    return _energy(EwaldCalculator(potential, lr_wavelength=1.0))


def power_1() -> tuple[Any, ...]:
    return _power(1)


def power_2() -> tuple[Any, ...]:
    return _power(2, exclusion_radius=1.5)


def power_3() -> tuple[Any, ...]:
    return _power(3)


def power_4() -> tuple[Any, ...]:
    return _power(4)


def power_5() -> tuple[Any, ...]:
    return _power(5, prefactor=2.0)


def power_6() -> tuple[Any, ...]:
    return _power(6)


def combined() -> tuple[Any, ...]:
    from torchpme import CombinedPotential, CoulombPotential, EwaldCalculator, InversePowerLawPotential

    parts = [CoulombPotential(smearing=0.5), InversePowerLawPotential(exponent=3, smearing=0.5)]
    potential = CombinedPotential(parts, smearing=0.5, initial_weights=tensor([1.0, 0.5]))
    calculate, *given = _energy(EwaldCalculator(potential, lr_wavelength=1.0))
    return lambda *each: (calculate(*each), potential.weights.sum()), *given


def combined_without_ranges() -> tuple[Any, ...]:
    from torchpme import Calculator, CombinedPotential, CoulombPotential, InversePowerLawPotential

    potential = CombinedPotential([CoulombPotential(), InversePowerLawPotential(exponent=2)])
    return _energy(Calculator(potential), channels=2)


def _spline(reciprocal: bool, **more: Any) -> tuple[Any, ...]:
    from torchpme import EwaldCalculator, SplinePotential

    r = linspace(0.1 if reciprocal else 0.0, 6.0, 12, dtype=float64)
    potential = SplinePotential(r_grid=r, y_grid=(-r).exp(), reciprocal=reciprocal, smearing=0.5, **more)
    return _energy(EwaldCalculator(potential, lr_wavelength=1.0))


def spline() -> tuple[Any, ...]:
    return _spline(False)


def spline_of_reciprocal() -> tuple[Any, ...]:
    return _spline(True, y_at_zero=1.0, yhat_at_zero=8.0)


def splines() -> tuple[Any, ...]:
    """Splines of values that are learnt."""
    x = linspace(0.1, 4.0, 6, dtype=float64)

    def run(y: Tensor, at: Tensor) -> Any:
        from torchpme.lib import CubicSpline, compute_second_derivatives, compute_spline_ft

        d2y = compute_second_derivatives(x, y)
        spline = CubicSpline(x, y)
        return spline(at.sigmoid() * 3 + 0.1), spline(at), d2y, compute_spline_ft(x, x, y.detach(), d2y.detach())

    return run, randn(6, dtype=float64), randn(5, dtype=float64)


def spline_on_reciprocal() -> tuple[Any, ...]:
    from torchpme.lib import CubicSplineReciprocal

    x = linspace(0.2, 4.0, 6, dtype=float64)
    spline = CubicSplineReciprocal(x, 1 / x)
    return spline, rand(5, dtype=float64) * 5


def _mesh(name: str, potential: Any, nodes: int, spacing: float = 0.9, **more: Any) -> tuple[Any, ...]:
    import torchpme

    calculator = getattr(torchpme, name)(potential, mesh_spacing=spacing, interpolation_nodes=nodes)
    return _energy(calculator, **more)


def pme_of_3() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    return _mesh("PMECalculator", CoulombPotential(smearing=0.6), 3)


def pme_of_4() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    slab = tensor([True, False, True])
    return _mesh("PMECalculator", CoulombPotential(smearing=0.6), 4, channels=2, periodic=slab)


def pme_of_5() -> tuple[Any, ...]:
    from torchpme import InversePowerLawPotential

    return _mesh("PMECalculator", InversePowerLawPotential(exponent=2, smearing=0.6), 5)


def pme_of_6() -> tuple[Any, ...]:
    from torchpme import InversePowerLawPotential

    return _mesh("PMECalculator", InversePowerLawPotential(exponent=6, smearing=0.6), 6)


def pme_of_7() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    return _mesh("PMECalculator", CoulombPotential(smearing=0.6, exclusion_radius=2.0), 7)


def p3m_of_1() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    return _mesh("P3MCalculator", CoulombPotential(smearing=0.6), 1)


def p3m_of_2() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    return _mesh("P3MCalculator", CoulombPotential(smearing=0.6), 2, channels=2)


def p3m_of_3() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    return _mesh("P3MCalculator", CoulombPotential(smearing=0.6), 3)


def p3m_of_4() -> tuple[Any, ...]:
    from torchpme import InversePowerLawPotential

    return _mesh("P3MCalculator", InversePowerLawPotential(exponent=3, smearing=0.6), 4)


def p3m_of_5() -> tuple[Any, ...]:
    from torchpme import CoulombPotential

    return _mesh("P3MCalculator", CoulombPotential(smearing=0.6), 5)


def filtered_by_p3m() -> tuple[Any, ...]:
    from torchpme import CoulombPotential
    from torchpme.lib import MeshInterpolator, P3MKSpaceFilter

    kernel, ns = CoulombPotential(smearing=0.6), tensor([4, 4, 8])

    def run(cell: Tensor, positions: Tensor, weights: Tensor) -> Any:
        mesh = MeshInterpolator(cell, ns, interpolation_nodes=3, method="P3M")
        mesh.compute_weights(positions)
        density = mesh.points_to_mesh(weights)
        applied = P3MKSpaceFilter(cell, ns, 3, kernel)
        applied.update(cell, ns)
        return mesh.mesh_to_points(applied(density)), density, mesh.get_mesh_xyz()

    return run, _cell(), _positions(), _charges(2)


def filtered_twice() -> tuple[Any, ...]:
    from torchpme import InversePowerLawPotential
    from torchpme.lib import KSpaceFilter

    kernel, ns = InversePowerLawPotential(exponent=1, smearing=0.6), tensor([4, 4, 8])

    def run(cell: Tensor, mesh: Tensor) -> Any:
        applied = KSpaceFilter(cell, ns, kernel, fft_norm="backward", ifft_norm="forward")
        applied.update()
        once = applied(mesh)
        applied.update(cell * 1.1)
        return once, applied(once)

    return run, _cell(), randn(2, 4, 4, 8, dtype=float64)


def _dipoles(full: bool = False, wavelength: float | None = None, **more: Any) -> tuple[Any, ...]:
    from torchpme import CalculatorDipole, PotentialDipole

    calculator = CalculatorDipole(PotentialDipole(**more), full_neighbor_list=full, lr_wavelength=wavelength)
    calculator, pairs = calculator.to(float64), _pairs(full)

    def run(dipoles: Tensor, cell: Tensor, positions: Tensor) -> Any:
        vectors = positions[pairs[:, 1]] - positions[pairs[:, 0]]
        potential = calculator(dipoles, cell, positions, pairs, vectors)
        return (dipoles * potential).sum(), potential

    return run, randn(4, 3, dtype=float64), _cell(), _positions()


def dipoles() -> tuple[Any, ...]:
    return _dipoles(full=True)


def dipoles_with_ranges() -> tuple[Any, ...]:
    return _dipoles(wavelength=0.8, smearing=0.6, epsilon=2.0)


def dipoles_with_exclusion() -> tuple[Any, ...]:
    return _dipoles(wavelength=0.8, smearing=0.6, exclusion_radius=2.0, exclusion_degree=2)


def functions() -> tuple[Any, ...]:
    def run(x: Tensor) -> Any:
        from torchpme.lib import exp1, gamma

        return exp1(x.exp()), gamma(x.exp())

    return run, randn(6, dtype=float64)


def error_bounds() -> tuple[Any, ...]:
    """Bounds that are made small by their parameters."""
    charges, cell, positions = _charges(), _cell(), _positions()

    def run(smearing: Tensor, spacing: Tensor, cutoff: Tensor) -> Any:
        from torchpme.tuning.ewald import EwaldErrorBounds
        from torchpme.tuning.p3m import P3MErrorBounds
        from torchpme.tuning.pme import PMEErrorBounds

        p3m, pme = P3MErrorBounds(charges, cell, positions), PMEErrorBounds(charges, cell, positions)
        ewald, four = EwaldErrorBounds(charges, cell, positions), tensor(4)
        return (
            p3m.err_kspace(smearing, spacing, four) + p3m.err_rspace(smearing, cutoff),
            pme.err_kspace(smearing, spacing, four) + pme.err_rspace(smearing, cutoff),
            ewald.err_kspace(smearing, spacing) + ewald.err_rspace(smearing, cutoff),
            p3m(0.5, 0.4, 2.0, 3),
            pme.error(2.0, 0.5, 0.4, 3),
            ewald(0.5, 0.4, 2.0),
        )

    return run, *(tensor(each, dtype=float64) for each in (0.5, 0.4, 2.0))
