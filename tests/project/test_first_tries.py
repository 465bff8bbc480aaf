"""What a new user tries first: it works, or the error has the line that does, and that one is run.

Each entry is a line as people type it. Where it is refused, `way` is what the message must contain;
`then` is that line, completed where the message leaves something to the reader.
"""

import contextlib
import dataclasses
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import sympy

import visviva as vv

URDF = """<robot name="r">
<link name="base"/><link name="wrist"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="left"><inertial><mass value="0.1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
 ixz="0" iyz="0"/></inertial></link>
<link name="right"><inertial><mass value="0.1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
 ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="wrist"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="10" velocity="3"/></joint>
<joint name="finger1" type="prismatic"><parent link="wrist"/><child link="left"/>
<limit lower="0" upper="0.04" effort="10" velocity="3"/></joint>
<joint name="finger2" type="prismatic"><parent link="wrist"/><child link="right"/>
<limit lower="0" upper="0.04" effort="10" velocity="3"/><mimic joint="finger1"/></joint>
</robot>"""
TOML = """name = "t"
parameters = { M = 2.0 }
[[body]]
name = "cart"
joint = "prismatic"
axis = "x"
inertia = { mass = "M" }
"""


@dataclass(frozen=True)
class Try:
    """What is typed, and how it may be answered."""

    line: str
    way: str = ""  # what the error says; nothing: the line has to work
    then: str = ""  # what is run after that; nothing: the way itself
    holds: str = ""  # what is then true, of `_`, the result


SWING = vv.Lagrangian("x", "x'^2/2", "-cos(x)", angles="x")
FORM, FOUND = vv.catalog.two_link().closed_form(), SWING.equilibria()
DEGREES = "'30° is 0.523598775598'"
TRIES = {
    "SymPy's order": Try(
        "vv.Lagrangian(T - V, [th1, th2])",
        "vv.Lagrangian([th1, th2], T, V)",
        "vv.Lagrangian([th1, th2], T, V)",
    ),
    "implicit products": Try(
        """vv.Lagrangian("theta", "1/2 m l^2 theta'^2", parameters={"m": 1, "l": 2})""",
        holds="""str(_.kinetic) == "l**2*m*thetad**2/2\"""",
    ),
    "LaTeX": Try(
        r"""vv.Lagrangian("theta", r"\frac{1}{2} m \dot\theta^2", parameters={"m": 1})""",
        holds="""str(_.kinetic) == "m*thetad**2/2\"""",
    ),
    "theta1dot": Try(
        """vv.Lagrangian("theta1", "m*theta1dot^2/2", parameters={"m": 1})""",
        holds="""str(_.kinetic) == "m*thetad1**2/2\"""",
    ),
    "names without values": Try(
        """vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k").closed_form().mass_matrix""",
        holds="str(_[0]) == 'm'",
    ),
    "a list of names": Try(
        """vv.Lagrangian("x", "m*x'^2/2", parameters=["m"]).closed_form().mass_matrix""",
        holds="str(_[0]) == 'm'",
    ),
    "no names at all": Try(
        """vv.Lagrangian("x", "m*x'^2/2")""",
        'parameters="m"',
        """vv.Lagrangian("x", "m*x'^2/2", parameters="m")""",
    ),
    "g where gravity is a number": Try(
        """pendulum.check("tau = m l^2 theta'' + m g l sin(theta)")""",
        "g = 9.81; ",
        """pendulum.check("g = 9.81; tau = m l^2 theta'' + m g l sin(theta)")""",
        "_.is_identical",
    ),
    "form.latex()": Try("arm.closed_form().latex()", holds=r"r'\cos' in _"),
    "print(form)": Try("str(arm.closed_form())", holds="'cos' in _"),
    "a mass by name": Try("robot.with_parameters(m_wrist=1.0)", holds="abs(_.mass - 1.2) < 1e-12"),
    "a frame": Try(
        """robot.with_frame("tcp", pose)""",
        "model.with_frame('tcp', pose, on='base')",
        "model.with_frame('tcp', pose, on='base')",
        """_.frame_pose("tcp", _.neutral()).p[2] == 0.1""",
    ),
    "friction": Try(
        "robot.with_friction(0.5)",
        holds="np.abs(_.dissipation_forces(q, np.ones(2))).max() > 0",
    ),
    "a spring in Builder": Try(
        """vv.Builder("x").body("b", inertia=vv.Inertia.point(1.0), joint="prismatic", axis="x",
            stiffness=3.0).build()""",
        holds="abs(_.gravity_forces([0.5])[0] - 1.5) < 1e-12",
    ),
    "b.body(mass=1)": Try(
        """vv.Builder("x").body("cart", mass=1.0, joint="prismatic", axis="x").build()""",
        holds="_.mass == 1.0",
    ),
    "inertia = { mass } in TOML": Try("vv.load('t.toml')", holds="_.numeric.mass == 2.0"),
    "wrenches in a call": Try(
        """robot.inverse_dynamics(q, v, v, wrenches={"wrist": np.ones(6)})""",
        "model.function('inverse_dynamics', wrenches=['wrist'])",
        "model.function('inverse_dynamics', wrenches=['wrist'])(q, v, v, [np.ones(6)])",
        "_.shape == (2,)",
    ),
    "forward_kinematics": Try("robot.forward_kinematics(q)", "model.frame_pose("),
    "reference='local'": Try(
        """robot.jacobian("wrist", reference="local")""",
        "model.jacobian('wrist', reference='body')",
        "model.jacobian('wrist', reference='body')",
    ),
    "floating_base": Try(
        "vv.load('r.urdf', floating_base=True)",
        'base="free"',
        'vv.load("r.urdf", base="free")',
        "_.nv == 8",
    ),
    "a joint that follows another": Try(
        "robot.q(finger2=0.01)", "finger1", "robot.q(finger1=0.01)"
    ),
    "gravity as a decimal": Try(
        "arm_of_numbers.closed_form().latex('equations')", holds="'9.81' in _ and '981' not in _"
    ),
    "default names of joints": Try(
        "unnamed.closed_form().latex()", holds=r"'\\mathrm{cart}_{\\mathrm{joint}}' not in _"
    ),
    "values of a closed form": Try(
        "arm.closed_form(subs={'I1': 0})",
        "model.with_parameters(I1='0').closed_form()",
        holds="'I1' not in str(_.mass_matrix)",
    ),
    "a value of a closed form": Try(
        "arm.closed_form(r1='L1/2')",
        "model.with_parameters(r1='L1/2').closed_form()",
        holds="'r1' not in str(_.mass_matrix)",
    ),
    "values in place of symbols": Try(
        "arm.closed_form({'I1': 0})", "model.with_parameters(I1='0').closed_form()"
    ),
    "formulas in the catalogue": Try(
        "vv.catalog.two_link(r1='L1/2', I1='0', m1=3)",
        holds="_.name == 'two_link with r1 = L1/2, I1 = 0' and _.parameters['m1'] == 3",
    ),
    "formulas in energies": Try(
        "vv.catalog.spherical_pendulum(l='2*m').with_parameters({'g': 1.6})",
        holds="str(_.potential) == '-2*g*m**2*cos(theta)' and _.parameters['g'] == 1.6",
    ),
    "axes as frame=": Try(
        "arm.jacobian('tool', frame='local')",
        "model.jacobian('tool', reference='body')",
        "model.jacobian('tool', reference='body')",
    ),
    "axes as rf=": Try(
        "arm.jacobian('tool', rf='world', point=[0, 0, 1])",
        "model.jacobian('tool', reference='world', point=[0, 0, 1])",
    ),
    "a pose without its frame": Try(
        "arm.inverse_kinematics((1.0, 0.5, 0.3))",
        "model.inverse_kinematics('tool', (1.0, 0.5, 0.3))",
    ),
    "a position without its frame": Try(
        "arm.manipulability(v)", "model.manipulability('tool', [0.0, 0.0])", holds="_ == 0"
    ),
    "degrees": Try("arm.mass_matrix(['30°', 0])", "30° is 0.523598775598", DEGREES),
    "degrees of a pose": Try("arm.frame_pose('tool', ['30°', 0])", "30° is 0.5235987755", DEGREES),
    "positions by name": Try(
        "arm.mass_matrix(q1=0.3, q2=0.2)",
        "model.mass_matrix(model.q(q1=0.3, q2=0.2))",
        "model.mass_matrix(model.q(q1=0.3, q2=0.2))",
    ),
    "a mapping of positions": Try("arm.mass_matrix({'q1': 0.3})", "model.q({'q1': 0.3})"),
    "code of frame_pose": Try(
        "arm.frame_pose.c_source('f')", "model.pose(model.frame_names[-1]).c_source()"
    ),
    "an entry of a pose": Try("pose[:3, 3]", holds="_.tolist() == [0, 0, 0.1]"),
    "dt of a controller": Try(
        "vv.Controller(law=lambda t, q, v: v, dt=0.01)", "period=0.01", "dict(period=0.01)"
    ),
    "gravity as a number": Try("arm.with_gravity(9.81)", "model.with_gravity([0, 0, -9.81])"),
    "a phase portrait": Try(
        "run.plot('phase')",
        "run.plot(x='q1', y='qd1')",
        "run.plot(x='q1', y='qd1')",
        "'[rad/s]' in _.layout.yaxis.title.text",
    ),
    "a torque by its number": Try("run.plot('tau2')", "run.plot('tau_q2')", "run.plot('tau_q2')"),
    "help": Try("helped(arm.inverse_dynamics)", holds="'M a + C v + g + b' in _"),
    "dir(vv)": Try("dir(vv)", holds="not {'Any', 'TYPE_CHECKING', 'importlib'} & set(_)"),
    "vv.laod": Try("vv.laod('r.urdf')", "'load'", "vv.load('r.urdf')"),
    "gravity is written to": Try(
        "setattr(arm, 'gravity', [0, 0, -1.62])",
        "model.with_gravity([0, 0, -1.62])",
        holds="_.gravity.tolist() == [0, 0, -1.62]",
    ),
    "an entry of gravity": Try(
        "robot.gravity.__setitem__(2, -1.62)",
        "model.with_gravity([0.0, 0.0, -1.62])",
        holds="_.gravity[2] == -1.62",
    ),
    "parameters are written to": Try(
        "setattr(arm, 'parameters', {'L1': 2.0})",
        "model.with_parameters({'L1': 2.0})",
        holds="_.parameters['L1'] == 2.0",
    ),
    "a parameter is written to": Try("setattr(arm, 'L1', 2.0)", "model.with_parameters(L1=2.0)"),
    "a position is written to": Try("setattr(arm, 'q', [0.1, 0])", "[0.1, 0]  # it is handed over"),
    "a name is written to": Try(
        "setattr(arm, 'name', 'x')",
        "dataclasses.replace(model, name=",
        "dataclasses.replace(model, name='x')",
    ),
    "what no model has is written to": Try(
        "setattr(arm, 'foo', 1)", "with_gravity", "model.with_gravity"
    ),
    "a frame by its name": Try("arm.frames['tool'].body", holds="_ == 1"),
    "a frame that is not there": Try("arm.frames['tool0']", "'tool'", "arm.frames['tool']"),
    "the world is a frame": Try("arm.frame('tool0')", "'world'", "arm.frame('world')"),
    "Pinocchio's axes": Try(
        "arm.jacobian('tool', Local())",
        "model.jacobian('tool', reference='body')",
        "model.jacobian('tool', reference='body')",
    ),
    "M of a closed form": Try("arm.closed_form().M", "form.mass_matrix", holds="_.shape == (2, 2)"),
    "H of a closed form": Try("arm.closed_form().H", "form.hamiltonian"),
    "equations of a closed form": Try("arm.closed_form().eom", "form.equations"),
    "Noether": Try("vv.pencil.noether", "vv.pencil.conserved_momenta(system)", holds="_ == {}"),
    "a body as an attribute": Try("arm.link1", "model.bodies['link1']"),
    "a parameter as an attribute": Try("arm.L1", "model.parameters['L1']", holds="_ == 1.0"),
    "a frame as an attribute": Try("robot.base", "model.frame_pose('base', q)"),
    "a robot is a list of links": Try("arm[0]", "model.bodies[0]", holds="_.name == 'link1'"),
    "a frame in brackets": Try("arm['tool']", "model.frames['tool']", holds="_.body == 1"),
    "poses by a star": Try("pose * pose", "pose @ other", "pose @ pose # pose @ other"),
    "a pose of a point": Try("pose @ [0, 0, 1]", "pose.apply(", "pose.apply([0, 0, 1])"),
    "a matrix of a pose": Try("pose @ np.eye(4)", "pose.matrix() @", "pose.matrix() @ np.eye(4)"),
    "an address": Try("vv.load('https://x.org/a')", "'robot.urdf')", "str('robot.urdf')"),
    "a mechanism of the catalog": Try("vv.load('two_link')", "vv.catalog.two_link()"),
    "a file misspelt": Try("vv.load('rr.urdf')", "'r.urdf'", "vv.load('r.urdf')"),
    "a text of L": Try(
        """vv.Lagrangian("x'^2/2 - x^2/2", "x")""",
        "vv.Lagrangian([q1, q2], T, V)",
        "'vv.Lagrangian([q1, q2], T, V)'",
    ),
    "gravity in three numbers": Try(
        "arm.with_gravity(0, 0, -9.81)", "model.with_gravity([0, 0, -9.81])"
    ),
    "Hamilton on paper": Try("vv.pencil.hamiltonian", "system.closed_form().hamiltonian"),
    "stability of equilibria": Try("found.stability", holds="_ == ('stable', 'unstable')"),
    "reactions at a body": Try(
        "robot.reaction('wrist')", "model.reaction('j1')", "model.reaction('j1')"
    ),
    "cart-pole": Try("vv.catalog.cart_pole().nv", holds="_ == 2"),
    "acrobot": Try("vv.catalog.acrobot().nv", holds="_ == 2"),
    "spherical pendulum": Try("vv.catalog.spherical_pendulum().nv", holds="_ == 2"),
    "heavy top": Try("vv.catalog.heavy_top().nv", holds="_ == 3"),
}


def helped(thing):
    """What `help` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        help(thing)
    return said.getvalue()


class Local:
    """As an enumeration of another library."""

    def __str__(self):
        return "ReferenceFrame.LOCAL"


@pytest.fixture
def names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r.urdf").write_text(URDF)
    Path("t.toml").write_text(TOML)
    th1, th2 = vv.coordinates("th1 th2")
    m = vv.parameters("m")
    V = m * sympy.cos(th1)
    T = m * (th1.diff() ** 2 + th2.diff() ** 2) / 2
    b = vv.Builder("p", parameters={"m": 1.0, "l": 0.5})
    at = [0, 0, -b.parameters["l"]]
    bob = vv.Inertia.point(b.parameters["m"]).moved(p=at)
    pendulum = b.body("bob", joint="revolute", joint_name="theta", axis="y", inertia=bob).build()
    b = vv.Builder("c").body("cart", joint="prismatic", axis="x", inertia=vv.Inertia.point(1.0))
    rod = vv.Inertia.point(0.5).moved(p=[0.0, 0.0, 1.0])
    b.body("pole", parent="cart", joint="revolute", axis="y", inertia=rod)
    robot, unnamed = vv.load("r.urdf"), b.build()
    return {
        "vv": vv,
        "np": np,
        "helped": helped,
        "dataclasses": dataclasses,
        "Local": Local,
        "form": FORM,
        "system": SWING,
        "found": FOUND,
        "T": T,
        "V": V,
        "th1": th1,
        "th2": th2,
        "pendulum": pendulum,
        "arm": vv.catalog.two_link(),
        "run": vv.Trajectory(
            vv.catalog.two_link(), [0.0, 1.0], np.eye(2), np.eye(2), tau=np.eye(2)
        ),
        "arm_of_numbers": pendulum,
        "unnamed": unnamed,
        "robot": robot,
        "model": robot,
        "pose": vv.Pose.translation([0, 0, 0.1]),
        "q": robot.neutral(),
        "v": np.zeros(2),
    }


@pytest.mark.parametrize("name", TRIES)
def test_first_try(name, names):
    tried = TRIES[name]
    line = tried.line
    if line.startswith(("arm.", "arm[", "setattr(arm")):
        names["model"] = names["arm"]
    if tried.way:
        with pytest.raises((vv.VisvivaError, AttributeError, ValueError)) as caught:
            eval(line, names)
        said = str(caught.value)
        assert tried.way in said
        rest = said[said.index(tried.way) :].split("\n")[0]
        line = tried.then or rest
        assert tried.way.strip("'") in line
    names["_"] = eval(line, names)
    assert not tried.holds or eval(tried.holds, names)


@pytest.mark.parametrize(
    "command", [["-m", "visviva"], ["-c", "from visviva.cli import main; main()"]]
)
def test_version_on_the_command_line(command):
    asked = [sys.executable, *command, "--version"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == f"visviva {vv.__version__}"
