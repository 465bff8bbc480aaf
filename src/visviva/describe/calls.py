"""Lines that work, of calls that miss something; words of others for what makes models, and for
what is found out about them."""

from __future__ import annotations

from visviva.describe.words import ALIKE_MASS, LOAD

# words of the class of models, not of one of them
READ = 'vv.load("robot.urdf")'
READERS = "urdf load_urdf from_urdf read_urdf load_mjcf from_mjcf load_model load_robot read open"
READERS += (
    " from_file from_xml build_model_from_urdf importrobot from_xml_path from_toml parse load"
)
WORDS_OF_CLASSES = dict.fromkeys(READERS.split(), READ)
# of the class of motions
READ_RUN = 'vv.load_trajectory("run.npz")'
READERS_OF_RUNS = "load read open from_file load_trajectory from_npz from_csv from_netcdf load_npz"
WORDS_OF_MOTIONS = dict.fromkeys(READERS_OF_RUNS.split(), READ_RUN)
# of the class of controllers
_PD = "vv.Controller(lambda t, q, v: -40.0 * q - 20.0 * v)"
_PID = "vv.Controller(lambda t, q, v, x: -40.0 * q - 20.0 * v - 5.0 * x, start=[0.0], "
_PID += "rate=lambda t, q, v, x: q)  # start: a zero for each coordinate"
WORDS_OF_CONTROLLERS = dict.fromkeys(("pd", "p", "PD", "proportional", "from_gains"), _PD)
WORDS_OF_CONTROLLERS |= dict.fromkeys(("pid", "pi", "PID", "PI"), _PID)
WORDS_OF_CONTROLLERS |= dict.fromkeys(
    ("computed_torque", "inverse_dynamics", "gravity_compensation", "gravity"),
    "vv.Controller(lambda t, q, v: model.gravity_forces(q) - 40.0 * q - 20.0 * v)",
)
# of a builder
WORDS_OF_BUILDERS = {
    "add_spring": 'spring("coil", 100.0, joint="link_joint")',
    "add_frame": 'frame("tip", at=[0, 0, 1])',
    "site": 'frame("tip", at=[0, 0, 1])',
    "tool": 'frame("tip", at=[0, 0, 1])',
    "set_gravity": 'vv.Builder("arm", gravity=[0, 0, -9.81])',
}
_LINK = 'body("link", joint="{kind}", axis="z", mass=1.0, com=[0.5, 0, 0])'
WORDS_OF_BUILDERS |= {kind: _LINK.format(kind=kind) for kind in ("revolute", "prismatic")}
ADDED = ("add_body", "add_link", "link", "joint", "add_joint", "add", "rigid_body", "add_revolute")
WORDS_OF_BUILDERS |= dict.fromkeys(ADDED, _LINK.format(kind="revolute"))
MADE = ("finish", "model", "compile", "finalize", "done", "make", "create", "to_model", "end")
WORDS_OF_BUILDERS |= dict.fromkeys(MADE, "build()")
CLOSED = ("loop", "close", "close_loop", "constraint", "add_loop", "with_loop", "add_constraint")
WORDS_OF_BUILDERS |= dict.fromkeys(CLOSED, 'build()  # then model.with_loop("tip", "world")')
DRIVEN = ("actuator", "motor", "add_actuator", "add_motor")
WORDS_OF_BUILDERS |= dict.fromkeys(
    DRIVEN, "build()  # every joint has a motor but those that are passive"
)
# of a compiled function
WORDS_OF_FUNCTIONS = {
    "save": 'Path("code.c").write_text(function.c_source())',
    "source": "c_source()",
    "code": "c_source()",
    "python_source": "interpret  # runs in Python; sources are c_source() and js_source()",
    "grad": 'jacobian("q")',
    "hessian": 'jacobian("q").jacobian("q")',
    "gradient": 'jacobian("q")',
    "derivative": 'jacobian("q")',
    "diff": 'jacobian("q")',
    "jit": "kernel",
    "ops": "operations",
    "count": "operations",
    "llvm": "llvm_ir",
    "asm": "assembly",
    "inverse": "np.linalg.inv(function(q))",
}
WORDS_OF_FUNCTIONS |= dict.fromkeys(
    ("to_c", "cpp_source", "to_cpp", "c_code", "export", "codegen"), "c_source()"
)
WORDS_OF_FUNCTIONS |= dict.fromkeys(("to_js", "javascript"), "js_source()")
WORDS_OF_FUNCTIONS |= dict.fromkeys(("jax",), "to_jax()") | {"casadi": "to_casadi()"}
# of equilibria
WORDS_OF_EQUILIBRIA = dict.fromkeys(("complete", "is_complete", "all", "exhaustive"), "proved")
WORDS_OF_EQUILIBRIA |= dict.fromkeys(("stable", "is_stable", "status", "stabilities"), "stability")
WORDS_OF_EQUILIBRIA |= dict.fromkeys(("positions", "points", "x", "qs", "values"), "q")
WORDS_OF_EQUILIBRIA |= dict.fromkeys(("count", "n", "number"), "q.shape[0]")
WORDS_OF_EQUILIBRIA |= {"eigenvalues": "linearized(0).eigenvalues", "modes": "linearized(0).modes"}
# of events of a motion
WORDS_OF_EVENTS = dict.fromkeys(
    ("t", "time", "times", "q", "v"), "{{name: x.t for name, x in run.events.items()}}"
)
# of a linear system
WORDS_OF_LINEAR = {
    "mode_shapes": "modes",
    "eigenvectors": "modes",
    "normal_modes": "modes",
    "C": "state_space()[2]",
    "x": "q, lin.v",
    "is_stable": "stability.status",
    "latex": "sympy.latex(sympy.Matrix(lin.A)); formulas are model.closed_form().linearized()",
}
# of the linear form in formulas
BOTTOM = "[-form.A1.inv()*form.A3, -form.A1.inv()*form.A2]"
FIRST = f"sympy.Matrix(sympy.BlockMatrix([[sympy.zeros(n), sympy.eye(n)], {BOTTOM}]))"
WORDS_OF_LINEAR_FORMS = dict.fromkeys(("A", "F", "state_matrix"), f"{FIRST}  # n coordinates")
SQUARES = "sympy.solve((form.K - sympy.Symbol('w2')*form.M).det(), sympy.Symbol('w2'))"
WORDS_OF_LINEAR_FORMS |= dict.fromkeys(
    "frequencies natural_frequencies frequency omega omegas modes eigenvalues poles".split(),
    f"{SQUARES}  # squares of ω without D, G and H; numbers have modes: model.linearize(q).modes",
)
WORDS_OF_LINEAR_FORMS |= {"state_space": f"{FIRST}  # n coordinates; numbers have state_space()"}
WORDS_OF_LINEAR |= dict.fromkeys(
    ("symbolic", "to_sympy"),
    "sympy.Matrix(lin.A); formulas are model.closed_form().linearized()",
)
WORDS_OF_LINEAR |= dict.fromkeys(("poles", "eigvals", "eigenvals", "eig", "eigs"), "eigenvalues")
HERTZ = "[x.frequency for x in lin.modes]  # Hz"
WORDS_OF_LINEAR |= dict.fromkeys(("frequencies", "natural_frequencies", "frequency"), HERTZ)
WORDS_OF_LINEAR |= dict.fromkeys(
    ("damping_ratio", "damping_ratios", "zeta"), "[x.damping_ratio for x in lin.modes]"
)
WORDS_OF_LINEAR |= dict.fromkeys(("omega", "omegas", "wn"), "eigenvalues.imag  # rad/s")
WORDS_OF_LINEAR |= dict.fromkeys(("stiffness", "stiffness_matrix"), "K")
WORDS_OF_LINEAR |= dict.fromkeys(ALIKE_MASS, "M")
WORDS_OF_LINEAR |= dict.fromkeys(("damping", "damping_matrix"), "D")
CONTROL = "ss to_ss bode nyquist transfer_function tf controllability controllable is_controllable "
CONTROL += "lqr step_response step impulse_response simulate c2d discrete discretize"
WORDS_OF_LINEAR |= dict.fromkeys(
    CONTROL.split(), "state_space()  # A, B, C, D for control.ss or scipy.signal.StateSpace"
)
# of forces at rest
WORDS_OF_STATICS = dict.fromkeys(
    ("tau", "torque", "joint_torques", "generalized_forces", "tau_joints"), "torques"
)
WORDS_OF_STATICS |= dict.fromkeys(("reactions", "reaction", "joint_forces"), "joints")
WORDS_OF_STATICS |= {"effort": "efforts", "draw": "plot()", "picture": "plot()"}
# of a verdict
WORDS_OF_VERDICTS = {
    "to_dict": "as_dict()",
    "asdict": "as_dict()",
    "to_json": "as_dict()",
    "json": "as_dict()",
    "reason": "explanation",
    "message": "explanation",
    "verdict": "status",
    "result": "status",
    "is_right": "is_identical",
    "is_correct": "is_identical",
    "latex": "sympy.latex(verdict.missing)",
}
# lines that work, of calls to which arguments are missing or too many
CALLS = {
    "check": 'model.check("tau1 = 0")',
    "with_loop": "model.with_loop({frame!r}, model.base_name, joint='spherical')",
    "stability_limit": "model.stability_limit({parameter!r}, (0.5, 2.0), q)",
    "statics": "model.statics({q})",
    "workspace": "model.{reach}",
    "singularities": "model.{singular}",
    "inverse_kinematics": "model.inverse_kinematics({frame!r}, model.frame_pose({frame!r}, {q}))",
    "coupler_curve": "model.coupler_curve({frame!r}, {joint!r})",
    "attached": LOAD.join(("model.", "")),
    "with_gravity": "model.with_gravity([0, 0, -9.81])",
    "with_parameters": "model.with_parameters({parameter}=2.0)",
    "with_passive": "model.with_passive([{joint!r}])",
    "with_actuators": "model.with_actuators([vv.Actuator.motor('motor', {joint!r})])",
    "locked": "model.locked({joint}=0.3)",
    "random": "model.random(1)",
    "neutral": "model.neutral()",
    "integrate": "model.integrate({q}, v * 0.1)",
    "simulate": "model.simulate({q}, t=5.0)",
    "velocities": "model.velocities(model.assembled(), {{{joint!r}: 1.0}})",
    "feasibility": "model.feasibility(model.simulate({q}, t=0.1))",
    "reaction": "model.reaction({joint!r}, reference='world')",
    "frame_pose": "model.frame_pose({frame!r}, {q})",
    "derivation": "model.derivation('lagrange')",
}
# a compiled function computes in doubles, in all the languages it is written in
CALLS_OF_FUNCTIONS = {
    "c_source": "function.c_source('f')  # in double",
    "js_source": "function.js_source('f')  # all numbers of JavaScript are doubles",
    "to_jax": "jax.jit(function.to_jax())",
    "to_casadi": "function.to_casadi('f')",
    "jacobian": "function.jacobian('q')",
}
CALLS_OF_RUNS = {
    "plot": "run.plot({coordinate!r})",
    "at": "run.at(0.5)",
    "save": "run.save('run.csv')",
}
# of a system that is written to: it stays as it is, and a line makes another
_LIMITS = "model = model.with_limits({{{joint!r}: (-1.0, 1.0)}})"
ASSIGNED = {
    "gravity": "model = model.with_gravity({value})",
    "parameters": "model = model.with_parameters({value})",
    "passive": "model = model.with_passive({value})",
    "damping": "model = model.with_friction(damping={value})",
    "friction": "model = model.with_friction({value})",
    "lower": _LIMITS,
    "upper": _LIMITS,
    "limits": _LIMITS,
    "q": "q = {value}  # it is handed over, as in model.gravity_forces(q)",
    "actuators": "model = model.with_actuators([vv.Actuator.motor('motor', {joint!r})])",
}
ASSIGNED |= dict.fromkeys(("qpos", "position", "configuration"), ASSIGNED["q"])
ASSIGNED |= dict.fromkeys(
    ("v", "qd", "qvel", "velocity", "tau", "torque", "ctrl", "u", "t", "time", "state"),
    "run = model.simulate({q}, t=1.0)  # states and forces are handed over: q, v, tau=",
)
