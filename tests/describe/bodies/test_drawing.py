"""Pictures of bodies: an equivalent shape moves as the body does, and is it if it is such."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.describe.bodies.drawing import half_sizes
from visviva.errors import ArgumentError, UnknownNameError

R = vv.space.euler_matrix([0.3, 0.4, 0.5], "ZYX")


def mesh_inertia(trace, mass):
    vertices = np.array([trace.x, trace.y, trace.z], dtype=float).T
    faces = np.array([trace.i, trace.j, trace.k]).T
    return vv.Inertia.from_mesh((vertices, faces), mass=mass)


def test_a_box_is_drawn_as_itself():
    body = vv.Inertia.box(2.0, x=1.0, y=0.4, z=0.1).moved(R, [1.0, 2.0, 3.0])
    assert sorted(2 * half_sizes(body, "box")) == pytest.approx([0.1, 0.4, 1.0])
    drawn = mesh_inertia(body.plot(shape="box").data[0], 2.0)
    assert np.allclose(drawn.com, body.com)
    assert np.allclose(drawn.tensor, body.tensor)


def test_an_ellipsoid_is_drawn_as_itself():
    body = vv.Inertia.ellipsoid(2.0, ax=0.5, ay=0.3, az=0.2).moved(R, [0.1, 0.0, 0.0])
    assert sorted(half_sizes(body, "ellipsoid")) == pytest.approx([0.2, 0.3, 0.5])
    drawn = mesh_inertia(body.plot().data[0], 2.0)
    assert np.allclose(drawn.com, body.com)
    assert np.allclose(drawn.tensor, body.tensor, rtol=0.06, atol=0.06 * body.tensor.max())


def test_principal_axes_and_moments():
    body = vv.Inertia.box(2.0, x=1.0, y=0.4, z=0.1).moved(R)
    found = {t.name: t for t in body.plot().data if (t.name or "").startswith("I")}
    principal = body.principal()
    for k, (name, line) in enumerate(found.items()):
        assert name == f"I{'₁₂₃'[k]} = {principal.moments[k]:.4g} kg m²"
        a, b = np.array([line.x, line.y, line.z], dtype=float).T
        assert abs((b - a) @ principal.axes[:, k]) == pytest.approx(np.linalg.norm(b - a))


def test_parts_are_drawn_instead_of_the_whole():
    post = vv.Inertia.cylinder(2.0, radius=0.1, height=0.5)
    arm = vv.Inertia.box(1.0, x=0.6, y=0.1, z=0.1).moved(p=[0.4, 0, 0.1])
    names = [t.name for t in (post + arm).plot({"post": post, "arm": arm}).data]
    assert {"post", "arm", "centre of mass"} <= set(names)
    assert "equivalent ellipsoid" not in names


@pytest.mark.parametrize(
    "body", [vv.Inertia.rod(1.0, length=1.0), vv.Inertia.point(1.0, [1, 0, 0])]
)
def test_thin_bodies_and_points_have_pictures(body):
    assert len(body.plot().data) > 4


def test_refusals():
    m = sympy.Symbol("m")
    with pytest.raises(ArgumentError, match="the body has symbols"):
        vv.Inertia.box(m, x=1.0, y=1.0, z=1.0).plot()
    body = vv.Inertia.box(1.0, x=1.0, y=1.0, z=1.0)
    with pytest.raises(ArgumentError, match=r"part 'lid' is a vv\.Inertia, got float"):
        body.plot({"lid": 1.0})
    with pytest.raises(ArgumentError, match="has no mass"):
        (body - body).plot()
    with pytest.raises(UnknownNameError, match="shape of a body 'cone'"):
        body.plot(shape="cone")
