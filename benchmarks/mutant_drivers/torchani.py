"""Runs torchani 2.9.0: features, networks, potentials and neighbors (with typing_extensions)."""

from typing import Any

from torch import arange, eye, nn, randn, tensor

NOT_INSTALLED = ("h5py", "ase", "ase.calculators", "ase.calculators.calculator", "tqdm", "huggingface_hub")
_SYMBOLS = ("H", "C", "N", "O")
_ELEMENTS = tensor([[1, 0, 0, 2, 0], [3, 0, 0, -1, -1]])
_NUMBERS = tensor([[6, 1, 1, 7, 1], [8, 1, 1, -1, -1]])


def _placed() -> Any:
    return arange(10.0).view(2, 5, 1) * tensor([0.9, 0.3, -0.4]) * 0.7 + randn(2, 5, 3) * 0.2


def _computer(**given: Any) -> Any:
    from torchani.aev import AEVComputer, ANIAngular, ANIRadial

    return AEVComputer(ANIRadial.like_1x(num_shifts=3), ANIAngular.like_1x(num_shifts=2, num_sections=2), 4, **given)


def features() -> tuple[Any, ...]:
    made = _computer()
    return lambda x: made(_ELEMENTS, x), _placed()


def features_smooth() -> tuple[Any, ...]:
    made = _computer(cutoff_fn="smooth", neighborlist="cell_list")
    return lambda x: made(_ELEMENTS[:1], x[:1]), _placed()


def features_in_a_cell() -> tuple[Any, ...]:
    kinds, periodic = [_computer(), _computer(neighborlist="cell_list")], tensor([True, True, True])

    def run(x: Any, skew: Any) -> Any:
        cell = eye(3) * 12 + skew * 0.05
        return [made(_ELEMENTS[:1], x[:1], cell, periodic) for made in kinds]

    return run, _placed(), randn(3, 3)


def cutoffs() -> tuple[Any, ...]:
    from torchani import cutoffs as kinds

    made = [kinds.CutoffBiweight(), kinds.CutoffTriweight(), kinds.CutoffCosine(), kinds.CutoffSmooth(order=4)]
    made += [kinds.CutoffDummy(), kinds.CutoffSmooth()]
    return lambda x: [each(x.sigmoid() * 4, 5.2) for each in made], randn(7)


def networks() -> tuple[Any, ...]:
    from torchani.nn import ANINetworks, AtomicNetwork, Ensemble

    made = [ANINetworks({each: AtomicNetwork((5, 4, 1)) for each in _SYMBOLS}) for _ in range(2)]
    both = Ensemble(made)
    return lambda x: (both(_ELEMENTS, x), both(_ELEMENTS, x, atomic=True), made[0](_ELEMENTS, x)), randn(2, 5, 5)


def networks_of_one_kind() -> tuple[Any, ...]:
    from torchani.nn import SingleNN

    made = nn.ModuleList(
        [SingleNN.build(_SYMBOLS, 5, (4,), 1), SingleNN.build(_SYMBOLS, 5, (4,), 1, activation="celu")]
    )
    return lambda x: [each(_ELEMENTS, x) for each in made], randn(2, 5, 5)


def embedded() -> tuple[Any, ...]:
    from torchani.nn import AtomicEmbedding, AtomicOneHot, TightCELU

    one, other, tight = AtomicEmbedding(_SYMBOLS, 3), AtomicOneHot(_SYMBOLS), TightCELU()
    elements = _ELEMENTS.clamp(min=0)
    return lambda x: (one(elements) * x, other(elements) * x, tight(x)), randn(1)


def _energies(name: str, *given: Any, **more: Any) -> tuple[Any, ...]:
    from torchani import potentials

    made = getattr(potentials, name)(_SYMBOLS, *given, **more)
    return lambda x: (made(_NUMBERS, x), made(_NUMBERS, x, atomic=True)), _placed()


def lennard_jones() -> tuple[Any, ...]:
    return _energies("LennardJones", trainable=("sigma", "eps"))


def dispersion_lj() -> tuple[Any, ...]:
    return _energies("DispersionLJ", cutoff=5.0)


def repulsion_lj() -> tuple[Any, ...]:
    return _energies("RepulsionLJ")


def repulsion_xtb() -> tuple[Any, ...]:
    return _energies("RepulsionXTB", cutoff=5.0, cutoff_fn="cosine")


def repulsion_zbl() -> tuple[Any, ...]:
    return _energies("RepulsionZBL")


def coulomb() -> tuple[Any, ...]:
    return _energies("FixedCoulomb", 2.0, (0.1, -0.2, 0.3, -0.4))


def mnok() -> tuple[Any, ...]:
    return _energies("FixedMNOK", 2.0, (0.1, -0.2, 0.3, -0.4), (0.5, 0.6, 0.7, 0.8))


def charges() -> tuple[Any, ...]:
    from torchani.electro import ChargeNormalizer, DipoleComputer

    plain, scaled = ChargeNormalizer(_SYMBOLS), ChargeNormalizer(_SYMBOLS, scale_weights_by_charges_squared=True)
    dipole, centered = DipoleComputer(), DipoleComputer(reference="center_of_geometry")

    def run(x: Any, q: Any) -> Any:
        made = plain(_ELEMENTS, q), scaled(_ELEMENTS, q, 1)
        return made, dipole(_NUMBERS, x, made[0]), centered(_NUMBERS, x, made[1])

    return run, _placed(), randn(2, 5)


def vibrations() -> tuple[Any, ...]:
    from torchani.grad import vibrational_analysis

    def run(x: Any, h: Any) -> Any:
        return tuple(vibrational_analysis(x.sigmoid() + 1, h + h.mT + eye(9) * 5))

    return run, randn(1, 3), randn(1, 9, 9)


def moved() -> tuple[Any, ...]:
    from torchani.neighbors import compute_bounding_cell
    from torchani.utils import map_to_central

    def run(x: Any, skew: Any) -> Any:
        cell = eye(3) * 2 + skew * 0.05
        central = map_to_central(x, cell, tensor([True, True, False]))
        return central, compute_bounding_cell(x, 0.1)

    return run, _placed(), randn(3, 3)


def shifted() -> tuple[Any, ...]:
    from torchani.tuples import SpeciesEnergies
    from torchani.utils import EnergyShifter

    made = EnergyShifter([0.1, 0.2, 0.3, 0.4])
    return lambda x: made(SpeciesEnergies(_ELEMENTS, x.double())).energies.float(), randn(2)
