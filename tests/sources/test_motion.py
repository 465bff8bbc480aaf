"""What a user of the sources expects of motions: S21, C14, C29, C57, C73, C80, C105."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from visviva.errors import AccountWarning
from visviva.space import rotations

SPIN = np.array([1e-6, 1.0, 0.0])  # about the middle axis of moments 1, 2, 3


def tumble(t, spin=SPIN):
    body = vv.catalog.tumbling_body()
    return body, body.simulate(body.neutral(), spin, t, rtol=1e-12, atol=1e-14)


def test_S21_tumbling_body():
    """K and h_s constant; perturbations of the middle axis grow as cosh(0.57735 t)."""
    _, run = tumble(np.linspace(0, 12, 121))
    I = np.array([1.0, 2.0, 3.0])  # noqa: E741
    close(run.kinetic_energy, np.full(121, run.kinetic_energy[0]), 1e-11)
    R = np.array([rotations.quaternion_matrix(q) for q in run.q])
    h = np.einsum("kij,kj->ki", R, I * run.v)
    assert np.abs(h - h[0]).max() < 1e-10
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-14
    early = (run.t > 3) & (run.t < 9)  # still small: 1e-6 cosh(0.57735 t)
    rates = np.arccosh(np.abs(run.v[early, 0]) / SPIN[0]) / run.t[early]
    close(rates, np.full(len(rates), np.sqrt((2 - 1) * (3 - 2) / (1 * 3))), 1e-6)
    assert abs(np.sqrt(1 / 3) - 0.57735) < 1e-5


def test_C80_what_is_conserved_when_nothing_acts():
    """K, h in space and the length of h; ω itself is not constant, and the body turns over."""
    body, run = tumble(40.0, np.array([0.01, 1.0, 0.02]))
    assert np.ptp(run.v[:, 1]) > 1.9, "from +1 to -1 and back"
    assert run.account.closes
    assert len(run.account.momenta) == 3
    assert max(run.account.momentum_drift.values()) < 1e-9
    assert np.abs(np.linalg.norm(run.q, axis=1) - 1).max() < 1e-14
    near = body.simulate(body.neutral(), [0.01, 0.02, 1.0], 40.0)
    assert np.ptp(near.v[:, 2]) < 0.01, "about the largest axis it does not"


def test_C14_geodesics_in_every_coordinates():
    """Unforced: polar coordinates bend, the plane says straight; by our own integrator."""
    s = vv.Lagrangian("r phi", "(r'^2 + r^2*phi'^2)/2", "0*r")
    run = s.simulate([1.0, 0.0], [0.3, 0.8], np.linspace(0, 2, 21), rtol=1e-12, atol=1e-13)
    r, phi = run.q.T
    close(r * np.cos(phi), 1 + 0.3 * run.t, 1e-10)
    close(r * np.sin(phi), 0.8 * run.t, 1e-10)
    point = vv.catalog.polar_point()
    same = point.simulate([0.0, 1.0], [0.8, 0.3], 2.0, rtol=1e-12, atol=1e-13)
    close(same.q[-1, ::-1], [r[-1], phi[-1]], 1e-10)


def test_C29_energy_jacobi_and_power_balance_along_a_motion():
    wire = vv.catalog.bead_on_rotating_wire()
    run = wire.simulate([0.4], [0.5], 3.0)
    assert run.account.closes
    assert np.ptp(run.account.jacobi) < 1e-7
    assert np.ptp(run.energy) > 0.01, "the turning wire does work"
    arm = vv.catalog.two_link().with_friction(damping=0.3)
    driven = arm.simulate([0.3, 0.2], [0.0, 0.0], 2.0, tau=lambda t, q, v: [1.0 - v[0], 0.2])
    assert driven.account.closes
    change = driven.energy[-1] - driven.energy[0]
    close(driven.account.total_work[-1], change, 1e-6)
    assert driven.account.work["friction and dampers"][-1] < -0.1
    assert abs(driven.account.work["actuators"][-1]) > 0.1


def test_C57_no_drift_along_a_motion():
    s = vv.catalog.four_bar()
    q = s.assembled([0.9, -0.5, 1.4])
    v = s.admitted_velocity(q, [3.0, 0.0, 0.0])
    with pytest.raises(vv.errors.AssemblyError, match="admitted_velocity"):
        s.simulate(q, [3.0, 0.0, 0.0], 1.0)
    for how in ({"dt": 0.01}, {}):
        run = s.simulate(q, v, 2.0, **how)
        assert np.abs(run.constraint_error).max() < 1e-12
        assert run.account.constraint_velocity < 1e-11


def test_C73_a_motion_near_the_singularity_of_euler_angles_is_warned_of():
    body = vv.catalog.euler_body()
    run = body.simulate([0.0, 0.0, 0.3], [0.0, 0.4, -0.30001], 1.0, rtol=1e-8)
    assert run.account.conditioning > 1e-8
    near = body.simulate([0.0, 0.0, 1e-5], [0.0, 0.4, 0.0], 0.1, rtol=1e-8)
    with pytest.warns(AccountWarning, match="nearly singular"):
        assert near.account.conditioning < 1e-8


def test_C105_direct_dynamics_gives_back_the_motion_whose_forces_it_got():
    """Forces by inverse dynamics along q(t) = A sin ωt, integrated: q(t) again."""
    arm, size, rate = vv.catalog.planar_3r(), np.array([0.6, -0.4, 0.8]), 2.5
    sin, cos = vv.generic.sin, vv.generic.cos

    def forces(t, q, v):
        s, c = sin(rate * t), cos(rate * t)
        return arm.inverse_dynamics(size * s, size * rate * c, -size * rate**2 * s)

    run = arm.simulate(np.zeros(3), size * rate, 1.0, tau=forces, rtol=1e-11, atol=1e-12)
    close(run.q[-1], size * np.sin(rate), 1e-8)
    close(run.v[-1], size * rate * np.cos(rate), 1e-8)
