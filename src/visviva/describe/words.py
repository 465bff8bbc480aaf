"""Words of other libraries, and the lines that do the same here: a table for each kind of value."""

from __future__ import annotations

from visviva.peers import NAMES_OF_MUJOCO, NAMES_OF_PINOCCHIO

POSE = "frame_pose({frame!r}, q)"
MASS, WEIGHT, BIAS = "mass_matrix(q)", "gravity_forces(q)", "bias_forces(q, v)"
LOAD = "attached(vv.Inertia.point(2.0), {frame!r}, prefix='load')"
INVERSE, FORWARD = "inverse_dynamics(q, v, a)", "forward_dynamics(q, v, tau)"
JACOBIAN = "jacobian({frame!r})(q)  # rows (ω, v), in world axes"
REACH = "inverse_kinematics({frame!r}, model.frame_pose({frame!r}, q))"
WORDS = {
    "forward_kinematics": POSE,
    "fk": POSE,
    "fkine": POSE,
    "frame_placement": POSE,
    "rnea": f"without_dissipation().{INVERSE}",
    "id": INVERSE,
    "aba": f"without_dissipation().{FORWARD}",
    "fd": FORWARD,
    "crba": MASS,
    "inertia_matrix": MASS,
    "nle": f"without_dissipation().{BIAS}",
    "nonlinear_effects": f"without_dissipation().{BIAS}",
    "gravity_vector": WEIGHT,
    "gravity_compensation": WEIGHT,
    "gravload": WEIGHT,
    "linearise": 'linearize(q, tau="hold")',
    "draw": "picture(q)",
    "svg": "picture(q).svg",
    "animate": "simulate(q, v, t).animate()",
    "payload": LOAD,
    "with_payload": LOAD,
    "add_payload": LOAD,
    "with_body": LOAD,
    "with_load": LOAD,
    "attach": LOAD,
    "com": "center_of_mass(q)",
    "total_mass": "mass",
    "random_configuration": "random()",
    "within_limits": "lower <= q, q <= model.upper",
    "without_gravity": "with_gravity([0, 0, 0])",
    "spring_forces": "with_gravity([0, 0, 0]).gravity_forces(q)",
    "balance": "statics(q)",
    "lqr": 'linearize(q, tau="hold").state_space()',
    "joints": "joint_names",
    "names": "joint_names",
    "natural_frequencies": 'linearize(q, tau="hold").modes',
    "frequencies": 'linearize(q, tau="hold").modes',
    "coriolis": "coriolis_matrix(q, v)",
    "velocity_product": "coriolis_matrix(q, v) @ v",
    "itorque": "mass_matrix(q) @ a",
    "dynamics": f"{INVERSE}, model.{FORWARD}",
    "fdyn": "simulate(q, v, 1.0)",
    "step": "simulate(q, v, 0.01)",
    "jacobe": "jacobian({frame!r}, reference='body')(q)  # rows (ω, v)",
    "body_jacobian": "jacobian({frame!r}, reference='body')(q)  # rows (ω, v)",
    "rnea_derivatives": 'without_dissipation().inverse_dynamics.jacobian("q", "v", "a")(q, v, a)',
    "aba_derivatives": 'without_dissipation().forward_dynamics.jacobian("q", "v")(q, v, tau)',
    "screw_axes": "jacobian({frame!r}, reference='space')(0 * q)  # its columns, (ω, v)",
    "prove": "vv.proof('koenig')  # vv.proof.names() has the others",
    "operation_count": "inverse_dynamics.operations",
    "operations": "inverse_dynamics.operations",
    "natural_frequency": 'linearize(q, tau="hold").modes',
    "without_stops": "with_stops(None)",
    "with_motor": "with_actuators([vv.Actuator.motor('motor', {joint!r})])",
    "hessian": 'jacobian({frame!r}).jacobian("q")(q)',
    "hessian0": 'jacobian({frame!r}).jacobian("q")(q)',
    "maniplty": "manipulability({frame!r}, q)",
    "ccrba": "centroidal_matrix(q)",
    "nofriction": "without_dissipation()",
    "identify": "base_parameters()",
    "ets": 'dh_table("standard")',
    "lower_position_limit": "lower",
    "upper_position_limit": "upper",
    "body": "bodies[{body!r}]",
    "joint": "bodies[model.joint_index({joint!r})].joint",
    "joint_id": "joint_names.index({joint!r})",
    "set_parameters": "with_parameters({parameter}=2.0)",
    "to_jax": "inverse_dynamics.to_jax()",
    "to_casadi": "inverse_dynamics.to_casadi()",
    "teach": "view()",
    "viewer": "view()",
    "lagrangian": "closed_form().lagrangian",
    "tool": "frame_names[-1]",
    "joint_jacobians": JACOBIAN,
}
WORDS |= dict.fromkeys(("ik", "ikine", "ikine_lm", "ikine_a", "ik_lm", "ik_gn"), REACH)
WORDS |= dict.fromkeys(("transform", "o_mf", "frame_placements"), POSE)
WORDS |= dict.fromkeys(("accel", "acceleration_of_joints"), FORWARD)
WORDS |= dict.fromkeys(("torque", "torques", "tau"), INVERSE)
WORDS |= dict.fromkeys(("M",), MASS) | {"C": "coriolis_matrix(q, v)", "g": WEIGHT}
WORDS |= dict.fromkeys(("gravity_torque", "gravity_torques"), WEIGHT)
WORDS |= dict.fromkeys(("jacob0", "geometric_jacobian", "frame_jacobian", "jac"), JACOBIAN)
WORDS |= dict.fromkeys(("com_jacobian", "jacobian_com"), "center_of_mass_jacobian(q)")
WORDS |= dict.fromkeys(("frame_velocity", "twist"), "velocity({frame!r})(q, v)")
WORDS |= {"frame_id": "frame({frame!r})"}
WORDS |= dict.fromkeys(("n_dofs", "n", "dofs", "dof", "ndof"), "nv")  # where no loop is closed
WORDS |= dict.fromkeys(("njoints", "n_joints", "num_joints"), "len(model.joint_names)")
_FREEDOMS = ("degrees_of_freedom", "gruebler", "grubler", "kutzbach", "freedoms")
WORDS |= dict.fromkeys(_FREEDOMS, "mobility()")
WORDS |= dict.fromkeys(("links", "link_names"), "body_names")
WORDS |= dict.fromkeys(("q0", "qz", "qr", "qpos", "qpos0", "q_home", "home", "zero"), "neutral()")
WORDS |= dict.fromkeys(("random_q", "randq", "sample"), "random()")
WORDS |= dict.fromkeys(("display", "visualize", "visualise", "render", "to_html"), "show(q)")
EQUATIONS = ("equations_of_motion", "eom", "equations", "to_sympy", "sym", "symbolic_equations")
WORDS |= dict.fromkeys(EQUATIONS, "closed_form().equations")
WORDS |= dict.fromkeys(("latex", "to_latex"), "closed_form().latex()")
SOURCE = 'inverse_dynamics.c_source("inverse_dynamics")'
WORDS |= dict.fromkeys(("c_source", "to_c", "c_code", "generate_c", "export_c"), SOURCE)
WORDS |= dict.fromkeys(
    ("limits", "joint_limits", "position_limits", "range", "qlim"), "lower, model.upper"
)
WORDS |= dict.fromkeys(
    ("reduced", "reduced_model", "fix", "lock", "build_reduced_model"), "locked({{{joint!r}: 0.3}})"
)
# of no method: a line on its own
WORDS |= dict.fromkeys(("save", "write", "to_toml"), 'vv.save(model, "model.toml")')
WORDS |= dict.fromkeys(("to_pinocchio", "to_urdf"), 'vv.save(model, "model.urdf")')
WORDS |= {"to_mujoco": 'vv.save(model, "model.xml")', "to_mjcf": 'vv.save(model, "model.xml")'}
WORDS |= {"nbodies": "len(model.bodies)", "nu": "len(model.actuators)"}
PATH = ("trajectory", "move", "move_to", "quintic", "min_jerk", "minimum_jerk", "plan")
WORDS |= dict.fromkeys(PATH, "vv.Trajectory(model, t, q, v)  # of your samples: none are planned")
_SPRING = 'vv.save(model, "model.toml")  # write [[spring]] into it; vv.Builder has spring(…)'
WORDS |= dict.fromkeys(("with_spring", "add_spring"), _SPRING)
# of a linkage that one joint drives
DEAD, DRIVE = (
    "dead_points({joint!r})  # or another of model.joint_names",
    "driving_torque({joint!r}, speed=1.0)",
)
TOGGLES = "dead_centres dead_centers toggle_points toggles grashof is_grashof range_of_motion"
TOGGLES += " toggle_positions limit_positions dead_positions dead_center_positions"
WORDS |= dict.fromkeys(TOGGLES.split(), DEAD)
TORQUES = ("input_torque", "drive_torque", "crank_torque")
WORDS |= dict.fromkeys(TORQUES, DRIVE)
MOTORS = ("motor_torques", "motor_torque", "motor_forces", "actuator_torques", "joint_torques")
WORDS |= dict.fromkeys(MOTORS, "actuator_forces(q, v, a)")
ADVANTAGE = (  # N m for a newton
    "with_gravity([0, 0, 0]).driving_torque({joint!r}, wrenches={{{frame!r}: [0, 0, 0, 1, 0, 0]}})"
)
WORDS |= dict.fromkeys(("mechanical_advantage", "force_ratio"), ADVANTAGE)
_TURNS = "dead_points({last!r}).values"  # where the joint at the other end turns back
WORDS |= {"stroke": f"{_TURNS}.tolist()  # the stroke is between them"}
WORDS |= {"time_ratio": "dead_points({last!r}).q[:, 0]  # {joint} there: time goes with angles"}
WORDS |= dict.fromkeys(("quick_return", "quick_return_ratio"), WORDS["time_ratio"])
CAMS = "with_cam add_cam with_follower with_profile".split()
WORDS |= dict.fromkeys(CAMS, 'with_constraint("{last} = 0.1 + 0.02*cos({joint})")')
_BALANCE = "attached(vv.Inertia.point(2.0), {body!r}, [-0.1, 0, 0], prefix='counterweight')"
BALANCES = "with_counterweight counterweight add_counterweight counterweights balanced".split()
WORDS |= dict.fromkeys(BALANCES, _BALANCE)
# of bodies and joints, each by its name
_NUMBERS = "with_parameters(m_{body}=2.0)"
WORDS |= dict.fromkeys(("with_mass", "set_mass", "with_body_mass"), _NUMBERS)
WORDS |= {"with_inertia": "with_parameters(Ixx_{body}=0.3, Iyy_{body}=0.3, Izz_{body}=0.3)"}
WORDS |= {"inertia": "bodies[{body!r}].inertia, model.mass_matrix(q)"}
WORDS |= {"with_armature": "with_parameters(armature_{joint}=0.1)"}
STAND = 'vv.Builder("stand", gravity=model.numeric.gravity).build()'
_PLACED = f'{STAND}.attached(model, "world", [0, 0, 1])  # or free, model.with_free_base()'
WORDS |= {"with_base": _PLACED}
WORDS |= {"with_contact": "with_loop({frame!r}, model.base_name, joint='spherical')"}
# of what is made of several
LOADED = f"{LOAD}.statics(q)  # what it takes with 2 kg: linear in the mass"
WORDS |= dict.fromkeys(("max_payload", "payload_capacity"), LOADED)
MODES = "modes eigenfrequencies normal_modes eigenmodes mode_shapes small_oscillations period"
WORDS |= dict.fromkeys(MODES.split(), WORDS["frequencies"])
VALUES = "eigenvalues eigenvals eigvals eig poles"
WORDS |= dict.fromkeys(VALUES.split(), 'linearize(q, tau="hold").eigenvalues')
STABLE = ("stability", "is_stable", "stable")
WORDS |= dict.fromkeys(STABLE, 'linearize(q, tau="hold").stability')
REST = "equilibrium equilibrium_points fixed_points rest_positions steady_states critical_points"
WORDS |= dict.fromkeys(REST.split(), "equilibria()")
WORDS |= {"identifiable": "base_parameters()", "reach": "workspace({frame!r}).reach"}
WORDS |= {"joint_reactions": "reactions(q, v, tau)"}
WORDS |= {"condition_number": "singularity({frame!r}, q).condition"}
WORDS |= dict.fromkeys(("force_ellipsoid", "ellipsoid"), "singularity({frame!r}, q)")
CHANGE = 'centroidal_momentum.jacobian("q")(q, v) @ v + model.centroidal_matrix(q) @ a'
WORDS |= dict.fromkeys(
    ("shaking_force", "shaking_moment"), f"{CHANGE}  # moment, force: shaking is minus these"
)
ACROSS = "jacobian({frame!r})(q) @ model.mass_matrix_inverse(q) @ model.jacobian({frame!r})(q).T"
TASK = ("operational_inertia", "task_inertia", "operational_space_inertia", "task_space_inertia")
WORDS |= dict.fromkeys(TASK, f"np.linalg.inv(model.{ACROSS})")
SEEN = "model.frame_pose({body!r}, q).inverse() @ model.frame_pose({frame!r}, q)"
WORDS |= {"relative_pose": SEEN.removeprefix("model.")}
WORDS |= {
    "relative_jacobian": "jacobian({frame!r})(q)"
    f" - model.jacobian({{body!r}}, point=({SEEN}).p)(q)  # in world axes"
}
# of linkages along the joint that drives them
RATES = "velocity_ratio speed_ratio gear_ratio transmission_ratio gear_ratios".split()
WORDS |= dict.fromkeys(RATES, "driving_torque({joint!r}, speed=1.0).v  # of all, for 1 of this")
_SEEN_AT = "kinetic_energy((c := model.driving_torque({joint!r}, speed=1.0)).q, c.v) * 2"
WORDS |= dict.fromkeys(("reduced_inertia", "equivalent_inertia"), _SEEN_AT)
VARIED = "[model.with_parameters({parameter}=x) for x in (1.0, 2.0)]"
TRACKED = "tracked(model.assembled(), {joint!r}, np.linspace(0.0, 1.0, 50))"
WORDS |= dict.fromkeys(("positions", "configurations", "solve_positions"), TRACKED)
WORDS |= {"sweep": f"{TRACKED}  # of a joint; of a parameter, {VARIED}"}
WORDS |= dict.fromkeys(("parameter_sweep", "sweep_parameter", "vary", "variants"), VARIED)
WORDS |= dict.fromkeys(("driven", "drive", "driven_by", "driving_force"), DRIVE)
_FORCE = "[[0, 0, 0, 1, 0, 0]])  # on the robot; statics(q, …) takes what it exerts"
_PUSHED = f"function('inverse_dynamics', wrenches={{{{{{frame!r}}: 'world'}}}})(q, v, a, {_FORCE}"
PUSHES = "with_wrench with_force with_external_force apply_force apply_wrench".split()
WORDS |= dict.fromkeys(PUSHES, _PUSHED)
_LOADED = "driving_torque({joint!r}, wrenches={{{frame!r}: [0, 0, 0, 1, 0, 0]}})  # on the linkage"
WHERE_LOOPS = {"nv": "mobility()", _PUSHED: _LOADED}  # in place of lines: loops bear forces
_SAMPLED = 'linearize(q, tau="hold").state_space()  # for scipy.signal.cont2discrete(…, dt)'
WORDS |= dict.fromkeys(("discrete", "discretize", "discretized", "c2d"), _SAMPLED)
FOLDS = ("snap_through", "buckling", "critical_load", "bifurcation")
WORDS |= dict.fromkeys(FOLDS, "stability_limit({parameter!r}, (0.5, 2.0), q)")
# of redundant arms, of data that others fill, of bodies that come later
_J = "model.jacobian({frame!r})(q)"
NULL = ("nullspace", "null_space", "nullspace_projector", "null_space_projector")
WORDS |= dict.fromkeys(NULL, f"np.eye(model.nv) - np.linalg.pinv({_J}) @ {_J}  # of velocities")
WORDS |= dict.fromkeys(
    ("create_data", "data", "make_data"), f"{MASS}  # and so on: results are returned, none is kept"
)
_HAND = 'vv.Builder("wrist").body("hand", joint="revolute", mass=1.0).build()'
MORE = ("with_joint", "add_joint", "with_link", "add_link", "add_body", "append")
WORDS |= dict.fromkeys(MORE, f"attached({_HAND}, {{frame!r}})")
PD = "vv.Controller(lambda t, q, v: model.gravity_forces(q) - 40.0 * q - 20.0 * v)  # a tau="
WORDS |= dict.fromkeys(("pd", "pid", "pd_controller", "controller"), PD)
# of Pinocchio's, MuJoCo's and the Robotics Toolbox's fields
WORDS |= {"rne": INVERSE, "inverse": INVERSE, "forward": FORWARD, "append_body_to_joint": LOAD}
WORDS |= {"body_mass": "bodies[{body!r}].inertia.mass"} | NAMES_OF_PINOCCHIO | NAMES_OF_MUJOCO
WORDS |= dict.fromkeys(("inertias", "body_inertia"), "bodies[{body!r}].inertia")
WORDS |= dict.fromkeys(("idx_qs", "idx_vs", "jnt_qposadr"), "joint_slices[{joint!r}]")
WORDS |= dict.fromkeys(("opt", "timestep"), "gravity  # steps are dt= of simulate")
WORDS |= dict.fromkeys(("dh", "a", "d", "alpha"), 'dh_table("standard")')
WORDS |= dict.fromkeys(("isrevolute", "isprismatic"), "bodies[{body!r}].joint")
WORDS |= dict.fromkeys(("pay", "paycap"), LOADED) | {"kindiffdict": "rates(q, v)"}
WORDS |= dict.fromkeys(("xpos", "site_xpos"), f"{POSE}.p") | {"xmat": f"{POSE}.R"}
WORDS |= {"D": "dissipation_forces(q, v)", "J": JACOBIAN, "G": WEIGHT}
WORDS |= {"body_id": "body_index({body!r})", "jtraj": WORDS["trajectory"], "q_m": MASS}
WORDS |= dict.fromkeys(("info", "summary", "describe", "tree", "disp"), "str(model)")
WORDS |= dict.fromkeys(("simulation", "simulator"), "simulate(q, v, 1.0)")
# of mechanics on paper, as SymPy and books call it
HAMILTON = ("hamiltonian", "hamilton_function", "H")
WORDS |= dict.fromkeys(HAMILTON, "closed_form().hamiltonian")
ENERGY = ("energy", "total_energy", "mechanical_energy", "E")
WORDS |= dict.fromkeys(ENERGY, "kinetic_energy(q, v) + model.potential_energy(q)")
WORDS |= {"T": "kinetic_energy(q, v)", "V": "potential_energy(q)", "L": WORDS["lagrangian"]}
MOMENTA = "momenta generalized_momenta canonical_momenta conjugate_momenta p"
WORDS |= dict.fromkeys(MOMENTA.split(), "closed_form().momenta")
CYCLIC = ("cyclic_coordinates", "ignorable_coordinates", "cyclic")
WORDS |= dict.fromkeys(CYCLIC, "closed_form().cyclic_coordinates")
CONSERVED = "conserved conserved_quantities conserved_momenta constants_of_motion first_integrals "
CONSERVED += "integrals_of_motion noether symmetries"
WORDS |= dict.fromkeys(
    CONSERVED.split(),
    "closed_form().cyclic_coordinates  # whose momenta stay where no force acts along them",
)
SYMPYS = "form_lagranges_equations lagranges_equations euler_lagrange kanes_equations "
SYMPYS += "lagrange_equations euler_lagrange_equations"
WORDS |= dict.fromkeys(SYMPYS.split(), "closed_form().equations")
WORDS |= {"mass_matrix_full": MASS}
WORDS |= dict.fromkeys(
    ("rhs", "ode", "f"), f"{FORWARD}  # in formulas model.closed_form().forward_dynamics"
)
WORDS |= dict.fromkeys(("forcing", "forcing_full"), f"{BIAS}  # M a = tau - these")
WORDS |= dict.fromkeys(("coords", "generalized_coordinates", "coordinate"), "coordinate_names")
WORDS |= dict.fromkeys(("params", "constants"), "parameters")
WORDS |= dict.fromkeys(("set", "subs", "with_values", "set_params"), WORDS["set_parameters"])
WORDS |= dict.fromkeys(("solve", "solve_ivp", "odeint", "ode45", "run"), "simulate(q, v, 1.0)")
PORTRAIT = "simulate(q, v, t).plot(x={coordinate!r}, y={velocity!r})"
WORDS |= dict.fromkeys(("phase_portrait", "phase_plot", "phase_space"), PORTRAIT)
# of a trajectory
WORDS_OF_RUNS = {
    "to_csv": 'save("run.csv")',
    "to_netcdf": 'save("run.nc")',
    "to_npz": 'save("run.npz")',
    "to_dataframe": "to_pandas()",
    "savefig": 'plot().save("run.svg")',
    "write_html": 'plot().save("run.html")',
    "write_image": 'plot().save("run.svg")',
    "svg": "picture().svg",
    "draw": "picture()",
    "frame_pose": "system.pose({frame!r})(run.q)",
    "pose": "system.pose({frame!r})(run.q)",
    "a": "acceleration",
    "torque": "forces_at(run.t)",
    "torques": "forces_at(run.t)",
    "power": "np.sum(run.forces_at(run.t) * run.v, axis=-1)",
    "resample": "at(np.linspace(run.t[0], run.t[-1], 101))",
    "interpolate": "at(np.linspace(run.t[0], run.t[-1], 101))",
    "accelerations": "acceleration",
    "forces": "forces_at(run.t)",
    "kinetic": "kinetic_energy",
    "potential": "potential_energy",
    "plot_energy": 'plot("energy")',
    "sol": "at(run.t)",
    "duration": "t[-1] - run.t[0]",
    "nfev": "statistics",
    "max": "q.max(axis=0)",
    "min": "q.min(axis=0)",
}
WORDS_OF_RUNS |= dict.fromkeys(
    ("phase_portrait", "phase", "phase_plot", "plot_phase", "phase_space"),
    "plot(x={coordinate!r}, y={velocity!r})",
)
WORDS_OF_RUNS |= dict.fromkeys(
    ("constraint_forces", "lagrange_multipliers", "lambda_", "lam", "lambdas"), "multipliers"
)
WORDS_OF_RUNS |= dict.fromkeys(("time", "times", "ts"), "t")
WORDS_OF_RUNS |= dict.fromkeys(("positions", "position", "angles", "qpos", "qs"), "q")
WORDS_OF_RUNS |= dict.fromkeys(
    ("velocities", "velocity", "speeds", "qd", "qdot", "dq", "qvel", "u"), "v"
)
WORDS_OF_RUNS |= dict.fromkeys(("qdd", "qddot", "ddq", "qacc"), "acceleration")
WORDS_OF_RUNS |= dict.fromkeys(("total_energy", "hamiltonian", "E"), "energy")
STATES = "np.concatenate([run.q, run.v], axis=-1)"
WORDS_OF_RUNS |= dict.fromkeys(("x", "y", "state", "states"), STATES)
WORDS_OF_RUNS |= dict.fromkeys(("t_events", "y_events", "te", "ye"), "events")
WORDS_OF_RUNS |= dict.fromkeys(("success", "status", "message"), "notes")
WORDS_OF_RUNS |= dict.fromkeys(
    ("sticking", "stuck", "sticks", "slipping", "slips", "modes"),
    "events  # 'stick of {joint}' and 'slip of {joint}' have times t, of joints with dry friction",
)
WORDS_OF_RUNS |= dict.fromkeys(("sample", "samples", "state_at", "interp"), "at(0.5)")
# of a curve along a joint of a linkage
WORDS_OF_CURVES = {
    "to_csv": 'save("curve.csv")',
    "to_dxf": 'save("curve.dxf")',
    "savefig": 'save("curve.svg")',
    "write_image": 'save("curve.svg")',
    "write_html": 'save("curve.html")',
    "svg": 'save("curve.svg")',
    "draw": "plot()",
    "show": "plot()",
    "x": "points[:, 0]",
    "y": "points[:, 1]",
    "angles": "angle",
    "degrees": "angle * 180 / np.pi",
    "mu": "angle",
    "torques": "torque",
    "min": "angle.min()",
    "max": "angle.max()",
}
# of one kind of value alone
PEAK = "np.nanmax(np.abs(curve.torque))"
SPREAD = "np.cumsum((curve.torque - curve.torque.mean())[:-1] * np.diff(curve.values))"
WORDS_OF_KINDS = {
    "DrivingTorque": {
        "mean": "np.nanmean(curve.torque)",
        "average": "np.nanmean(curve.torque)",
        "rms": "np.sqrt(np.nanmean(curve.torque**2))",
        "power": "torque * curve.speed",
        "peak": PEAK,
        "max": "np.nanmax(curve.torque)",
        "min": "np.nanmin(curve.torque)",
        "animate": "vv.Trajectory(curve.held, np.arange(len(curve.q)) / 25, curve.q, curve.v)"
        ".animate()",
        "flywheel": f"np.ptp({SPREAD})  # J; its inertia is this / (δ * speed**2)",
    },
    "Lagrangian": {
        "T": "kinetic",
        "V": "potential",
        "D": "dissipation",
        "Q": "forces",
        **dict.fromkeys(("friction", "damping"), "dissipation_forces(q, v)"),
        "L": "lagrangian",
        **dict.fromkeys(CONSERVED.split(), "vv.pencil.conserved_momenta(model)"),
        "routhian": "vv.pencil.conserved_momenta(model)  # p; R = L - sum of p v, these v by p",
    },
}
_COM = ("center_of_mass", "centre_of_mass", "lever", "cg", "cog", "r")
WORDS_OF_KINDS |= {
    "Body": {
        **dict.fromkeys(("mass", "m"), "inertia.mass"),
        **dict.fromkeys(("com", *_COM), "inertia.com"),
        **dict.fromkeys(("I", "tensor", "inertia_tensor"), "inertia.tensor"),
        **dict.fromkeys(("pose", "offset", "origin"), "placement"),
        **dict.fromkeys(("lower", "upper", "qlim", "range"), "limits"),
    },
    "Frame": dict.fromkeys(("pose", "offset", "origin", "p", "R"), "placement")
    | dict.fromkeys(("parent", "link", "parent_joint", "parent_frame"), "body"),
    "Inertia": dict.fromkeys(_COM, "com")
    | dict.fromkeys(("I", "inertia", "moment", "moments", "matrix"), "tensor")
    | {"m": "mass", "Ixx": "tensor[0, 0]", "Iyy": "tensor[1, 1]", "Izz": "tensor[2, 2]"},
}
ALIKE_MASS = (
    "mass_matrix",
    "mass",
    "inertia",
    "inertia_matrix",
)  # as linear systems are asked for M
# of a closed form, besides the letters of books
WORDS_OF_FORMS = {
    "gravity_forces": "gravity",
    "lambdify": "python_source()",
    "save": 'Path("form.tex").write_text(form.latex())',
}
WORDS_OF_FORMS |= dict.fromkeys(("eom", "equations_of_motion", "lagranges_equations"), "equations")
WORDS_OF_FORMS |= dict.fromkeys(("rhs", "ode", "f"), "forward_dynamics")
WORDS_OF_FORMS |= dict.fromkeys(("mass", "inertia_matrix", "mass_matrix_full"), "mass_matrix")
WORDS_OF_FORMS |= dict.fromkeys(("forcing", "forcing_full"), "bias_forces  # M a = tau - these")
WORDS_OF_FORMS |= dict.fromkeys(("q", "coords", "coordinate_names"), "coordinates")
WORDS_OF_FORMS |= {"qd": "velocities", "v": "velocities", "speeds": "velocities"}
