"""What is done with pencil and paper: virtual work, energies and co-energies, potentials, one body.

The names come in five families.

- The theory of a `vv.Lagrangian`, in SymPy: `equations`, `formula`, `kind`, `kinetic_parts`,
  `cyclic_coordinates`, `conserved_momenta`, `invariant_coordinates`, `power_balance`,
  `leading_minors`, `where_singular`.
- Virtual work: `d_alembert` and `virtual_work` of `Particle`s and `Turning` bodies in coordinates
  that `Names` has, their `kinetic_energy`, the `rate` of an expression; `in_coordinates` for
  generalized forces in other coordinates.
- Energies: `energy` and `co_energy` of a law, `legendre` (by `legendre_at` in numbers), `spring`,
  `gravity_potential`, `relativistic_energy` and `relativistic_co_energy`, `charged_potential`,
  `lorentz_force`, the `generalized_force` of a potential that depends on velocity, and both
  energies of a law as areas: `plot_energies`.
- Potentials: `curl`, `circulations`, `is_conservative`, `classify`, `potential`.
- One rigid body, over any scalar: `euler_torque`, `euler_acceleration`, `turning_rates`,
  `newton_euler` with `newton_euler_loads` and `newton_euler_acceleration` about any point,
  `wrench`, `twist_rate` and `seen_from` for twists, `center_acceleration`, `missing_force`,
  `moment`, `resultant`, `fixed_rate`, `moving_rate`.

Examples:
    >>> import sympy
    >>> import visviva as vv
    >>> k, e = sympy.symbols("k e", positive=True)
    >>> vv.pencil.spring(k, e).potential
    e**2*k/2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.doors import door

if TYPE_CHECKING:
    from visviva.describe.energies.formulas import Names as Names
    from visviva.equations.forces.forces import in_coordinates as in_coordinates
    from visviva.equations.pencil.legendre import Elastic as Elastic
    from visviva.equations.pencil.legendre import charged_potential as charged_potential
    from visviva.equations.pencil.legendre import co_energy as co_energy
    from visviva.equations.pencil.legendre import energy as energy
    from visviva.equations.pencil.legendre import generalized_force as generalized_force
    from visviva.equations.pencil.legendre import gravity_potential as gravity_potential
    from visviva.equations.pencil.legendre import legendre as legendre
    from visviva.equations.pencil.legendre import legendre_at as legendre_at
    from visviva.equations.pencil.legendre import lorentz_force as lorentz_force
    from visviva.equations.pencil.legendre import plot_energies as plot_energies
    from visviva.equations.pencil.legendre import relativistic_co_energy as relativistic_co_energy
    from visviva.equations.pencil.legendre import relativistic_energy as relativistic_energy
    from visviva.equations.pencil.legendre import spring as spring
    from visviva.equations.pencil.potentials import circulations as circulations
    from visviva.equations.pencil.potentials import classify as classify
    from visviva.equations.pencil.potentials import curl as curl
    from visviva.equations.pencil.potentials import is_conservative as is_conservative
    from visviva.equations.pencil.potentials import potential as potential
    from visviva.equations.pencil.single_body import center_acceleration as center_acceleration
    from visviva.equations.pencil.single_body import euler_acceleration as euler_acceleration
    from visviva.equations.pencil.single_body import euler_torque as euler_torque
    from visviva.equations.pencil.single_body import fixed_rate as fixed_rate
    from visviva.equations.pencil.single_body import missing_force as missing_force
    from visviva.equations.pencil.single_body import moment as moment
    from visviva.equations.pencil.single_body import moving_rate as moving_rate
    from visviva.equations.pencil.single_body import newton_euler as newton_euler
    from visviva.equations.pencil.single_body import (
        newton_euler_acceleration as newton_euler_acceleration,
    )
    from visviva.equations.pencil.single_body import newton_euler_loads as newton_euler_loads
    from visviva.equations.pencil.single_body import resultant as resultant
    from visviva.equations.pencil.single_body import seen_from as seen_from
    from visviva.equations.pencil.single_body import turning_rates as turning_rates
    from visviva.equations.pencil.single_body import twist_rate as twist_rate
    from visviva.equations.pencil.single_body import wrench as wrench
    from visviva.equations.pencil.theory import Kind as Kind
    from visviva.equations.pencil.theory import KineticParts as KineticParts
    from visviva.equations.pencil.theory import conserved_momenta as conserved_momenta
    from visviva.equations.pencil.theory import cyclic_coordinates as cyclic_coordinates
    from visviva.equations.pencil.theory import equations as equations
    from visviva.equations.pencil.theory import formula as formula
    from visviva.equations.pencil.theory import invariant_coordinates as invariant_coordinates
    from visviva.equations.pencil.theory import kind as kind
    from visviva.equations.pencil.theory import kinetic_parts as kinetic_parts
    from visviva.equations.pencil.theory import leading_minors as leading_minors
    from visviva.equations.pencil.theory import power_balance as power_balance
    from visviva.equations.pencil.theory import where_singular as where_singular
    from visviva.equations.pencil.virtual_work import Particle as Particle
    from visviva.equations.pencil.virtual_work import Turning as Turning
    from visviva.equations.pencil.virtual_work import d_alembert as d_alembert
    from visviva.equations.pencil.virtual_work import kinetic_energy as kinetic_energy
    from visviva.equations.pencil.virtual_work import rate as rate
    from visviva.equations.pencil.virtual_work import virtual_work as virtual_work

_NAMES = {
    "visviva.describe.energies.formulas": "Names",
    "visviva.equations.pencil.legendre": """Elastic charged_potential co_energy energy
        generalized_force gravity_potential legendre legendre_at lorentz_force plot_energies
        relativistic_co_energy relativistic_energy spring""",
    "visviva.equations.forces.forces": "in_coordinates",
    "visviva.equations.pencil.theory": """Kind KineticParts conserved_momenta cyclic_coordinates
        equations formula invariant_coordinates kind kinetic_parts leading_minors power_balance
        where_singular""",
    "visviva.equations.pencil.potentials": "circulations classify curl is_conservative potential",
    "visviva.equations.pencil.single_body": """center_acceleration euler_acceleration euler_torque
        fixed_rate missing_force moment moving_rate newton_euler newton_euler_acceleration
        newton_euler_loads resultant seen_from turning_rates twist_rate wrench""",
    "visviva.equations.pencil.virtual_work": """Particle Turning d_alembert kinetic_energy rate
        virtual_work""",
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}

__getattr__, __dir__ = door(
    "visviva.pencil", _WHERE, globals(), others="visviva.describe.package_names:in_pencil"
)
