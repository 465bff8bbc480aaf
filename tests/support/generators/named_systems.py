"""One small arm under any names, from every reader; and what it does, by hand.

A hinge about z with a point mass m at l along x, and on it a second one alike: two joints, names
for them and for the two parameters where the reader has parameters.
"""

import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import sympy

import visviva as vv
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.toml.read import loads_toml
from visviva.describe.files.urdf.read import loads_urdf

WORDS = "x phi2 th joint_1 cart_joint left_hip_pitch base_x u1 Q2 F kd rho M C g I1 e E".split()
WORDS += "θ φ₁ Ω α_2 ψψ μ 关节1 腕 épaule für ü Gelenk_groß угол ångström ñ q̈_ 角度_2".split()
WORDS += "lambda class double int for def import None static restrict main np parameters".split()
WORDS += "M_PI linux NAN gamma __debug__ __LINE__ j0 x0 x1 array print".split()
WORDS += "c_d y_1".split()
INJECTED = [r"\input{/etc/passwd}", "<script>alert(1)</script>", "![n](http://h)"]
HOSTILE = [*INJECTED, "a b", "z'", "cos q", "p + r", "a*b", "%s", "__import__('os').system('true')"]
HOSTILE += ["*/ int", '"""', "#", "$$", "&lt;", "_", "7", "g0", "force 1", "other 0", "constant 0"]
HOSTILE += ["s/2", "}{", "]]>", "`w`", "v;v", "⟦", "ﬁ", "k\u202ek", "\\", "^", "~", "|"]
JOINTS_ONLY = ["q1", "qA", "t"]  # a parameter so called would be coordinate 1

M, L, G = 2.0, 0.3, 9.81
Q, V, A = np.array([0.4, -0.7]), np.array([0.3, 1.1]), np.array([-0.5, 0.8])


def by_hand():
    """Joint forces at Q, V, A from Newton's law on the two points: no name enters here."""
    angle, speed, turn = (np.cumsum(x) for x in (Q, V, A))
    rods = L * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    normal = rods @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    acceleration = np.cumsum(turn[:, None] * normal - speed[:, None] ** 2 * rods, axis=0)
    force = M * (acceleration + np.array([0.0, G]))
    place = np.cumsum(rods, axis=0)

    def about(p):
        return (place - p)[:, 0] * force[:, 1] - (place - p)[:, 1] * force[:, 0]

    return np.array([about(np.zeros(2)).sum(), about(place[0])[1]])


def values_of(parameters):
    return dict(zip(parameters, (M, L), strict=True))


def by_builder(joints, parameters):
    m, length = parameters
    b = vv.Builder("arm", parameters=values_of(parameters), gravity=[0, -G, 0])
    P = b.parameters
    for k, name in enumerate(joints):
        b.body(
            f"link{k + 1}",
            parent=f"link{k}" if k else "",
            joint="revolute",
            joint_name=name,
            axis="z",
            at=[P[length] if k else 0.0, 0.0, 0.0],
            inertia=vv.Inertia.point(P[m], [P[length], 0.0, 0.0]),
        )
    return b.build()


def by_toml(joints, parameters):
    m, length = map(quoted, parameters)
    text = f'name = "arm"\ngravity = [0, {-G}, 0]\n[parameters]\n{m} = {M}\n{length} = {L}\n'
    for k, name in enumerate(joints):
        text += f'[[body]]\nname = "link{k + 1}"\njoint = "revolute"\naxis = "z"\n'
        text += f'parent = "link{k}"\n' if k else ""
        text += f"joint_name = {quoted(name)}\nat = [{length if k else 0}, 0, 0]\n"
        text += f"inertia = {{ points = [{{ mass = {m}, at = [{length}, 0, 0] }}] }}\n"
    return loads_toml(text)


def quoted(text):
    """A string of TOML."""
    plain = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return '"' + "".join(plain) + '"'


def by_dh(joints, parameters):
    m, length = (sympy.Symbol(x, real=True) for x in parameters)
    return vv.from_dh(
        [(length, 0, 0, 0, "R")] * 2,
        convention="standard",
        inertias=[vv.Inertia.point(m)] * 2,
        parameters=values_of(parameters),
        details=[{"joint_name": x} for x in joints],
        gravity=[0, -G, 0],
        name="arm",
    )


def by_screws(joints, parameters):
    m, length = (sympy.Symbol(x, real=True) for x in parameters)
    return vv.from_screws(
        np.eye(4),
        [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -length, 0]],
        inertias=[vv.Inertia.point(m, [k * length, 0, 0]) for k in (1, 2)],
        parameters=values_of(parameters),
        details=[{"joint_name": x} for x in joints],
        gravity=[0, -G, 0],
        name="arm",
    )


def by_lagrangian(joints, parameters):
    m, length = (sympy.Symbol(x) for x in parameters)
    angle = x = y = kinetic = potential = 0
    for c in vv.coordinates(list(joints)):
        angle = angle + c
        x, y = x + length * sympy.cos(angle), y + length * sympy.sin(angle)
        kinetic += m * (x.diff("t") ** 2 + y.diff("t") ** 2) / 2
        potential += m * sympy.Rational(981, 100) * y
    values = values_of(parameters)
    return vv.Lagrangian(list(joints), kinetic, potential, parameters=values, name="arm")


def by_urdf(joints, parameters=()):
    zeros = " ".join(f'{k}="0"' for k in "ixx iyy izz ixy ixz iyz".split())
    inertial = f'<origin xyz="{L} 0 0"/><mass value="{M}"/><inertia {zeros}/>'
    text = '<robot name="arm"><link name="link0"/>'
    for k, name in enumerate(joints):
        ends = f'<parent link="link{k}"/><child link="link{k + 1}"/><axis xyz="0 0 1"/>'
        ends += f'<origin xyz="{L if k else 0} 0 0"/>'
        text += f'<link name="link{k + 1}"><inertial>{inertial}</inertial></link>'
        text += f'<joint name={quoteattr(name)} type="continuous">{ends}</joint>'
    return loads_urdf(text + "</robot>").with_gravity([0, -G, 0])


def by_mjcf(joints, parameters=()):
    bodies = ""
    for k, name in reversed(list(enumerate(joints))):
        inertial = f'<inertial pos="{L} 0 0" mass="{M}" diaginertia="1e-9 1e-9 1e-9"/>'
        joint = f'<joint name={quoteattr(name)} type="hinge" axis="0 0 1"/>'
        place = f'name="link{k + 1}" pos="{L if k else 0} 0 0"'
        bodies = f"<body {place}>{joint}{inertial}{bodies}</body>"
    text = f'<option gravity="0 {-G} 0"/><worldbody>{bodies}</worldbody>'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.xml"
        path.write_text(f'<mujoco model="arm">{text}</mujoco>', encoding="utf-8")
        return load_mjcf(path)


READERS = {
    "Builder": by_builder,
    "TOML": by_toml,
    "DH": by_dh,
    "screws": by_screws,
    "Lagrangian": by_lagrangian,
    "URDF": by_urdf,
    "MJCF": by_mjcf,
}
NO_PARAMETERS = ("URDF", "MJCF")  # their masses and lengths are numbers
