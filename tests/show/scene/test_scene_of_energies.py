"""Scenes of energies: what is drawn moves as the energies say, and parameters move it."""

import json
import subprocess

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.tools import require
from visviva.show.scene.of import scene_of

H = 1e-5  # of central differences: their error is of order H²
NEAR = 1e-8
SEEN = "bead_on_rotating_wire rotating_frame_particle spherical_pendulum follower_column".split()


def random_state(system, seed=0):
    q, v = np.random.default_rng(seed).normal(size=(2, system.nv))
    return q, v


def carrier_rate(scene, name, q, v, t=0.4):
    """[A | p] and its rate along the motion with the velocity v."""
    k = scene.carrier(name)
    before, after = (scene.at(q + s * H * v, t + s * H)[k] for s in (-1, 1))
    return scene.at(q, t)[k], (after - before) / (2 * H)


def speed(scene, name, q, v):
    return np.linalg.norm(carrier_rate(scene, name, q, v)[1][:, 3])


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("name", "masses"),
    [
        ("bead_on_rotating_wire", {"bead": "m"}),
        ("rotating_frame_particle", {"particle": "m"}),
        ("spherical_pendulum", {"bob": "m"}),
        ("point_on_circle", {"point": "m"}),
        ("point_on_sphere", {"point": "m"}),
        ("follower_column", {"elbow": "2*m", "tip": "m"}),
        ("charged_particle", {"particle": "m"}),
    ],
)
def test_points_move_with_the_kinetic_energy(name, masses):
    """Σ ½ m |ṙ|² of the points that are drawn is the energy that was stated."""
    system = vv.catalog.build(name)
    scene, (q, v) = scene_of(system), random_state(system)
    values = {k: system.parameters[k] for k in system.parameters}
    sizes = {k: float(sympy.sympify(m).subs(values)) for k, m in masses.items()}
    drawn = sum(m * speed(scene, k, q, v) ** 2 / 2 for k, m in sizes.items())
    stated = system.kinetic_energy(*([q, v] if len(system.kinetic_energy.inputs) == 2 else [v]))
    assert drawn == pytest.approx(float(stated), rel=NEAR)


@pytest.mark.parametrize(("name", "mass"), [("heavy_top", "M"), ("gyroscope", "m")])
def test_centres_of_tops_are_as_high_as_their_potential_says(name, mass):
    top = vv.catalog.build(name)
    scene, (q, _) = scene_of(top), random_state(top)
    m, g = top.parameters[mass], top.parameters["g"]
    X = scene.at(q)[scene.carrier("centre")]
    assert m * g * X[2, 3] == pytest.approx(float(top.potential_energy(q)), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "carrier", "moments"),
    [
        ("heavy_top", "centre'", ("I1", "I1", "I3")),
        ("gyroscope", "centre'", ("I", "I", "J")),
        ("euler_body", "body", ("Ix", "Iy", "Iz")),
    ],
)
def test_solids_turn_with_the_kinetic_energy(name, carrier, moments):
    """½ ω · I ω, with ω in the axes of the solid from Rᵀ Ṙ."""
    system = vv.catalog.build(name)
    scene, (q, v) = scene_of(system), random_state(system)
    X, rate = carrier_rate(scene, carrier, q, v)
    W = X[:, :3].T @ rate[:, :3]
    w = np.array([W[2, 1], W[0, 2], W[1, 0]])
    drawn = sum(system.parameters[k] * x**2 / 2 for k, x in zip(moments, w, strict=True))
    assert drawn == pytest.approx(float(system.kinetic_energy(q, v)), rel=NEAR)


@pytest.mark.parametrize(
    ("name", "wheels"),
    [("rolling_disc", ["centre"]), ("differential_drive", ["right", "left"])],
)
def test_wheels_do_not_slip_where_they_touch(name, wheels):
    """In motions that the constraints admit, the lowest point of a wheel stands still."""
    system = vv.catalog.build(name)
    scene, (q, v) = scene_of(system), random_state(system)
    v, r = np.asarray(system.admitted_velocity(q, v)), system.parameters["r"]
    for wheel in wheels:
        X, rate = carrier_rate(scene, f"{wheel}'", q, v)
        lowest = X[:, :3].T @ [0.0, 0.0, -r]  # a point of the wheel
        assert X[2, 3] == pytest.approx(r)
        np.testing.assert_allclose(rate[:, :3] @ lowest + rate[:, 3], 0, atol=NEAR)


def test_the_start_of_wheels_is_a_motion_that_they_can_make():
    for name in ("rolling_disc", "differential_drive", "chaplygin_sleigh", "unicycle"):
        system = vv.catalog.build(name)
        scene = scene_of(system)
        assert np.abs(scene.velocity).max() > 0
        rows = system.constraint_velocity(scene.start, scene.velocity)
        np.testing.assert_allclose(rows, 0, atol=1e-12)


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", SEEN)
def test_a_pull_does_the_work_of_its_force(name):
    """τ · v = F · ∂r/∂q v: what the time does besides is not work on the coordinates."""
    system = vv.catalog.build(name)
    scene, (q, v) = scene_of(system), random_state(system)
    k, (r, F), t = 1, np.random.default_rng(1).normal(size=(2, 3)), 0.4
    before, after = (scene.at(q + s * H * v, t)[k] for s in (-1, 1))
    moved = (after - before)[:, :3] @ r + (after - before)[:, 3]
    pull = scene.pull(k)
    time = [t] if scene.is_timed else []
    assert list(pull.inputs) == (["q", "t", "r", "F"] if time else ["q", "r", "F"])
    tau = pull(q, *time, r, F)
    assert tau @ v == pytest.approx(F @ moved / (2 * H), abs=1e-7)


def test_javascript_places_them_at_the_same_places():
    node = require("node", "nodejs")
    scene = scene_of(vv.catalog.bead_on_rotating_wire())
    f, q = scene.places(["k"]), scene.start
    assert list(f.inputs) == ["q", "t", "parameters"]
    call = f"places({q.tolist()}, 0.3, [1.7])"
    script = f"{f.js_source('places')}\nconsole.log(JSON.stringify({call}))"
    run = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True)
    np.testing.assert_allclose(json.loads(run.stdout), f(q, 0.3, [1.7]), atol=1e-14)


def pendulum(**more):
    return vv.Lagrangian(
        "theta",
        "m*l^2*theta'^2/2",
        "-m*g*l*cos(theta)",
        parameters={"m": 2.0, "l": 0.5, "g": 9.81},
        points={"bob": ["l*sin(theta)", "-l*cos(theta)"]},
        lines=[("origin", "bob")],
        **more,
    )


def test_lengths_and_radii_are_inputs():
    """A wheel grows with its radius: its carrier stretches from what was stated."""
    system = pendulum(solids={"wheel": {"disc": "l/5", "at": "bob", "angle": "theta"}})
    scene = scene_of(system)
    X = dict(zip(scene.carriers[1:], scene.places(["l"])([0.3], [1.5]), strict=True))
    np.testing.assert_allclose(X["bob"][:, 3], [1.5 * np.sin(0.3), 0, -1.5 * np.cos(0.3)])
    grown = np.linalg.norm(X["wheel"][:, :3], axis=0)
    np.testing.assert_allclose(grown, 3.0)
    (disc,) = (s for s in scene.shapes if s.kind == "disc")
    assert disc.radius == pytest.approx(0.1)
    np.testing.assert_allclose(np.linalg.norm(scene.at([0.3])[disc.on][:, :3], axis=0), 1.0)


def test_two_components_are_right_and_up_and_angles_turn_right_to_up():
    rod = {"rod": 1, "at": "origin", "angle": "theta"}
    scene = scene_of(pendulum(solids={"rod": rod}))
    X = scene.at([0.3])[scene.carrier("rod")]
    np.testing.assert_allclose(X[:, 0], [np.cos(0.3), 0, np.sin(0.3)], atol=1e-15)
    assert scene.plane == (0, 2)


@pytest.mark.parametrize(
    ("rotation", "want"),
    [
        ({"axis": "y", "angle": "theta"}, vv.space.about_axis([0, 1, 0], 0.3)),
        ({"axis": [0, 3, 4], "angle": "theta"}, vv.space.about_axis([0, 0.6, 0.8], 0.3)),
        ({"rpy": [0, 0, "theta"]}, vv.space.about_axis([0, 0, 1], 0.3)),
        ({"euler": "ZXZ", "angles": [0, "theta", 0]}, vv.space.about_axis([1, 0, 0], 0.3)),
        (
            {
                "matrix": [
                    ["cos(theta)", "-sin(theta)", 0],
                    ["sin(theta)", "cos(theta)", 0],
                    [0, 0, 1],
                ]
            },
            vv.space.about_axis([0, 0, 1], 0.3),
        ),
    ],
)
def test_rotations_as_mechanism_files_state_them(rotation, want):
    scene = scene_of(pendulum(solids={"block": {"box": [1, 2, 3], "rotation": rotation}}))
    np.testing.assert_allclose(scene.at([0.3])[scene.carrier("block")][:, :3], want, atol=1e-15)


def test_curves_go_through_their_formulas():
    """Constant ones are one path, others follow parameters and coordinates."""
    curve = {"curve": ["u", "l*u^2"], "along": ["u", -1, "l"]}
    fixed = {"curve": ["u", "u^2"], "along": ["u", -1, 1], "angle": "theta"}
    scene = scene_of(pendulum(solids={"wire": curve, "fixed": fixed}))
    X = scene.at([0.3])
    ends = [x for s in scene.shapes if s.name == "wire" for x in s.outline()]
    points = np.array([X[k][:, 3] for k, _ in ends])
    np.testing.assert_allclose(points[:, 2], 0.5 * points[:, 0] ** 2, atol=1e-15)
    np.testing.assert_allclose([points[0, 0], points[-1, 0]], [-1, 0.5])
    (path,) = (s for s in scene.shapes if s.name == "fixed")
    assert path.kind == "path"
    assert path.on == scene.carrier("fixed")


def test_springs_arrows_and_feet_of_lines():
    system = vv.Lagrangian(
        "x",
        "x'^2/2",
        points={"cart": ["x", 0], "wall": [-1, 0], "force": ["x + 1", 0]},
        lines=[("wall", "cart", "spring"), ("cart", "force", "arrow"), ("wall", "cart", "string")],
    )
    scene = scene_of(system)
    kinds = [s.kind for s in scene.shapes]
    assert {"spring", "arrow", "segment"} <= {*kinds}
    assert any(s.role == "ground" and s.name == "wall" for s in scene.shapes)
    arrow = scene.shapes[kinds.index("arrow")]
    X = scene.at([0.7])[arrow.on]
    np.testing.assert_allclose(X[:, 3], [0.7, 0, 0])
    np.testing.assert_allclose(X[:, :3] @ arrow.along, [1, 0, 0], atol=1e-15)
    assert scene.coordinates[0].kind == "length"
    assert scene.coordinates[0].unit == "m"


def test_energies_without_points_are_sliders_and_dials():
    system = vv.Lagrangian("x theta", "x'^2 + theta'^2", angles="theta")
    scene = scene_of(system)
    assert scene.notes == ("no points are stated: coordinates are drawn as sliders and dials",)
    X = scene.at([0.4, 0.3])
    assert X[1][0, 3] == pytest.approx(0.4)
    np.testing.assert_allclose(X[2][:, 0], [np.cos(0.3), 0, np.sin(0.3)])
    assert scene.places()([0.4, 0.3]).shape == (2, 3, 4)


def test_what_has_no_value_is_drawn_as_one_and_said():
    system = vv.Lagrangian("x", "m*x'^2/2", parameters="m l", points={"p": ["x + l", 0]})
    scene = scene_of(system)
    assert scene.notes == ("drawn with l = 1, which has no value",)
    np.testing.assert_allclose(scene.at([0.5])[1][:, 3], [1.5, 0, 0])


def test_unknown_functions_have_no_picture_but_a_schematic():
    x = vv.coordinates("x")
    system = vv.Lagrangian([x], x.diff("t") ** 2 / 2, points={"p": [sympy.Function("f")(x), 0]})
    assert "cannot be computed" in scene_of(system).notes[0]
