"""Make a deliberate mistake in a copy of the source and see a test turn red, for every room.

    python tools/mistakes.py [room ...]     # all of them; the exit code counts those not seen

A mistake replaces one piece of text that must stand in its file exactly once: a wrong row, a wrong
cell, a dropped case. `make soak` runs all of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "visviva"
COPIED = ("src", "tests", "tools", "docs", "pyproject.toml")


class Mistake(NamedTuple):
    """What is wrong, where, and the test that must see it."""

    what: str
    path: str  # in src/visviva
    right: str
    wrong: str
    test: str  # in tests/

    @property
    def room(self) -> str:
        return self.path.partition("/")[0]


MISTAKES = (
    Mistake(
        "the derivative of the sine has the wrong sign",
        "algebra/ops.py",
        "(lambda t, y, a: t * g.cos(a),),",
        "(lambda t, y, a: -(t * g.cos(a)),),",
        "machine/program/test_diff.py",
    ),
    Mistake(
        "dividing by a power of two multiplies by it",
        "algebra/fold.py",
        'return g.apply("mul", 1.0 / b.value, a)',
        'return g.apply("mul", b.value, a)',
        "algebra/test_expr.py",
    ),
    Mistake(
        "the cosine of a sum has a plus",
        "algebra/exact/ring.py",
        "c, s = c * b - s * a, s * b + c * a",
        "c, s = c * b + s * a, s * b + c * a",
        "algebra/exact/test_trigpoly.py::test_sines_of_sums_and_multiples",
    ),
    Mistake(
        "a minus sign is read over",
        "notation/evaluate.py",
        "return _each(lambda x: -x, self.of(of))",
        "return _each(lambda x: x, self.of(of))",
        "notation/reading/test_claims.py",
    ),
    Mistake(
        "functions that LaTeX knows are not told from others",
        "notation/writing/latex.py",
        "known = own in KNOWN or name in RENAMED",
        "known = own not in KNOWN or name in RENAMED",
        "notation/writing/test_write.py",
    ),
    Mistake(
        "the inverse of a pose turns the wrong way",
        "space/poses.py",
        "return Pose.of(R.T, -(R.T @ p))",
        "return Pose.of(R.T, -(R @ p))",
        "space/test_poses.py::test_group",
    ),
    Mistake(
        "the cross product of a twist and a wrench has the wrong sign",
        "space/spatial.py",
        "return np.concatenate([cross(w, F[:3]) + cross(v, F[3:]), cross(w, F[3:])])",
        "return np.concatenate([cross(w, F[:3]) - cross(v, F[3:]), cross(w, F[3:])])",
        "space/test_spatial.py::test_cross_products",
    ),
    Mistake(
        "the row of forward dynamics names inverse dynamics",
        "describe/quantities.py",
        'bodies="forward:free_acceleration"',
        'bodies="dynamics:inverse_dynamics"',
        "equations/laws/test_laws_of_motion.py::test_forward_undoes_inverse",
    ),
    Mistake(
        "a universal joint turns about its first axis as it was",
        "describe/joints/axis.py",
        "return columns((self._first(q), ZERO), (self.second, ZERO))",
        "return columns((self.axis, ZERO), (self.second, ZERO))",
        "describe/joints/test_joints.py::test_the_subspace_is_the_derivative_of_the_transform",
    ),
    Mistake(
        "roll and yaw of URDF are exchanged",
        "describe/files/urdf/parts.py",
        "np.array(rpy_matrix(*rpy))",
        "np.array(rpy_matrix(*rpy[::-1]))",
        "describe/files/urdf/test_urdf.py::test_rotations_are_yaw_pitch_roll",
    ),
    Mistake(
        "the rate of an orientation turns the other way",
        "describe/joints/closure.py",
        "[*(X.R @ skew(V[:3])).ravel(), *(X.R @ vector(V[3:]))]",
        "[*(X.R @ skew(-V[:3])).ravel(), *(X.R @ vector(V[3:]))]",
        "describe/joints/test_closures.py",
    ),
    Mistake(
        "Coriolis's acceleration counts once",
        "equations/bodies/newton_euler.py",
        "lin + aJ[3:] + sliding + sliding + cross(vJ[:3], vJ[3:]),",
        "lin + aJ[3:] + sliding + cross(vJ[:3], vJ[3:]),",
        "equations/laws/test_laws_of_motion.py::test_power_is_the_rate_of_energy",
    ),
    Mistake(
        "gravity pushes",
        "equations/bodies/newton_euler.py",
        "s.R.T @ -vector(gravity)",
        "s.R.T @ vector(gravity)",
        "equations/laws/test_laws_of_motion.py::test_gravity_is_the_slope_of_the_potential",
    ),
    Mistake(
        "the point of a loop does not move in its first frame",
        "equations/constraints/loops.py",
        "cross(w1, cross(w1, d) + moved)",
        "cross(w1, cross(w1, d))",
        "equations/constraints/test_rows.py::test_rows_of_one_loop",
    ),
    Mistake(
        "the bias of rows has the other sign",
        "equations/constraints/solver.py",
        "-(dot(y, rates) + b)",
        "-(dot(y, rates) - b)",
        "equations/constraints/test_held.py::test_multipliers_projection_and_null_space_are_one_motion",
    ),
    Mistake(
        "rows that depend on others count",
        "equations/constraints/semidefinite.py",
        "is_below(pivot, full * DEPENDENT)",
        "is_below(pivot, full * 0.0)",
        "equations/constraints/test_held.py::test_a_semidefinite_factor_solves_what_can_be_solved",
    ),
    Mistake(
        "rates of quaternions stay while velocities do",
        "equations/constraints/relations.py",
        "return total + named.turning(vector(v), _slopes(relation, rate, values))",
        "return total",
        "equations/constraints/test_rows.py::test_rows_of_relations",
    ),
    Mistake(
        "a Lie bracket is a sum",
        "equations/integrability/flag.py",
        "_along(by, h[i], g) - _along(by, g[i], h)",
        "_along(by, h[i], g) + _along(by, g[i], h)",
        "equations/integrability/test_known_types.py",
    ),
    Mistake(
        "velocities are taken for rates of coordinates",
        "equations/integrability/witness.py",
        "return D - D.transpose(0, 2, 1) - turned, both + sizes",
        "return D - D.transpose(0, 2, 1), both + sizes",
        "equations/integrability/test_classify.py::"
        "test_witnesses_know_that_velocities_need_not_be_rates",
    ),
    Mistake(
        "arguments by name stay in the order of the call",
        "machine/run/call.py",
        "return [values[key] for key in names]",
        "return list(values.values())",
        "machine/test_function_calls.py",
    ),
    Mistake(
        "what stands in our sources is no part of the name of machine code",
        "machine/run/fingerprint.py",
        "for part in (name, content):",
        "for part in (name,):",
        "machine/run/test_fingerprint.py::test_an_edit_of_the_same_size_and_time_is_seen",
    ),
    Mistake(
        "centrifugal and Coriolis terms are exchanged",
        "judge/check/compare/differences.py",
        "return CENTRIFUGAL if factor[0] == factor[1] else CORIOLIS",
        "return CORIOLIS if factor[0] == factor[1] else CENTRIFUGAL",
        "judge/check/test_check.py",
    ),
    Mistake(
        "a term of which a claim has too much is missing",
        "judge/check/compare/differences.py",
        "if y != 0:\n            extra[k] = y",
        "if y != 0:\n            missing[k] = y",
        "judge/check/test_check_arrangements.py",
    ),
    Mistake(
        "a force that an equation needs to be zero is no condition",
        "judge/check/compare/constrained.py",
        "needed = [f for f in absent if not manifold.with_still(set(absent) - {f}).vanishes(R)]",
        "needed = absent[:0]",
        "judge/check/test_check_held.py::test_forces_that_an_equation_leaves_out_are_conditions_too",
    ),
    Mistake(
        "velocities that rows are solved for have the other sign",
        "judge/check/compare/manifold.py",
        "value = -at_zero(Quotient.of(row).top, v) / slope",
        "value = at_zero(Quotient.of(row).top, v) / slope",
        "judge/check/test_check_held.py",
    ),
    Mistake(
        "every formula is a multiple of position rows",
        "judge/check/compare/division.py",
        "fmpq_mat(table).rank() == fmpq_mat(wider).rank()",
        "fmpq_mat(table).rank() <= fmpq_mat(wider).rank()",
        "judge/check/test_check_held.py",
    ),
    Mistake(
        "points are taken where loops are turned by half a turn",
        "judge/check/compare/places.py",
        "return all(abs(float(x)) < CLOSED for x in off)",
        "return len(off) >= 0",
        "judge/check/test_check_held.py::test_a_loop_that_is_turned_by_half_a_turn_is_not_closed",
    ),
    Mistake(
        "exact multipliers pull where they push",
        "judge/exact/cramer.py",
        "top = [[*self.M[i], *(-x for x in A[:, i])] for i in range(self.n)]",
        "top = [[*self.M[i], *A[:, i]] for i in range(self.n)]",
        "judge/closed/test_held_forms.py",
    ),
    Mistake(
        "a gear and a slider count as angles",
        "solve/rows.py",
        "np.all([growth[i] == 0 for i in ends], axis=0)",
        "np.all([growth[i] == growth[i] for i in ends], axis=0)",
        "solve/test_modes.py::test_what_does_not_come_back_after_a_turn_is_no_angle",
    ),
    Mistake(
        "bodies in space are counted with the freedoms of those in a plane",
        "solve/counting.py",
        'm, where = 6, "in space"',
        'm, where = 3, "in space"',
        "solve/test_mobility.py::test_a_door_with_two_hinges_moves_although_it_is_counted_stuck",
    ),
    Mistake(
        "a track goes on where nothing closes",
        "solve/tracking.py",
        "if moved > 3 * AHEAD or not closed(self.rows, there):",
        "if moved > 3 * AHEAD:",
        "solve/test_tracking.py",
    ),
    Mistake(
        "the second order of a motion has the other sign",
        "solve/orders.py",
        "for x in -back @ rest]",
        "for x in back @ rest]",
        "solve/test_mobility.py::test_orders_are_taken_along_the_motion_of_the_orders_before",
    ),
    Mistake(
        "a sine has its crests where a cosine has them",
        "numerics/intervals.py",
        '"sin": _wave(np.sin, np.pi / 2),',
        '"sin": _wave(np.sin, 0.0),',
        "numerics/test_intervals.py",
    ),
    Mistake(
        "a quotient of intervals is their product",
        "numerics/intervals.py",
        "return _mul(a, _inverse(b))",
        "return _mul(a, b)",
        "numerics/test_intervals.py",
    ),
    Mistake(
        "Krawczyk's operator proves a zero although its image leaves the box",
        "numerics/zeros.py",
        "certain[ok] = ((low[ok] > self.a[ok]) & (high[ok] < self.b[ok])).all(axis=1)",
        "certain[ok] = (low[ok] > self.a[ok]).all(axis=1)",
        "numerics/test_zeros.py::test_gaussian_hills_are_searched_completely",
    ),
    Mistake(
        "a claim is as well known as its best premise",
        "numerics/evidence.py",
        "return min(premises,",
        "return max(premises,",
        "numerics/test_evidence.py",
    ),
    Mistake(
        "slopes that vanish where they were looked at do so everywhere, whatever conditions decide",
        "motion/stability/rest.py",
        "if has_conditions(self.value.program.operations):",
        "if False:",
        "motion/stability/test_piecewise_forces.py",
    ),
    Mistake(
        "friction gives energy to a motion",
        "motion/samples/work.py",
        '-of(along(system, "dissipation_forces", state, parameters)),',
        'of(along(system, "dissipation_forces", state, parameters)),',
        "motion/test_account.py::test_a_driven_cart_pole_with_damping",
    ),
    Mistake(
        "the curve between samples does not end with their velocity",
        "motion/samples/between.py",
        "c2, c3 = 3 * d - 2 * start - end, start + end - 2 * d",
        "c2, c3 = 3 * d - 2 * start + end, start + end - 2 * d",
        "motion/test_trajectory.py::test_interpolation_is_of_fourth_order_in_q_and_third_in_v",
    ),
    Mistake(
        "a root of a product is taken apart whatever the sign of its factors",
        "judge/check/reach/roots.py",
        "c > 0 and all(n % 2 == 0 or i in self.signed",
        "all(n % 2 == 0 or i in self.signed",
        "judge/check/test_claims_of_inverse_kinematics.py",
    ),
    Mistake(
        "formulas for joints that have no value at a target pass",
        "judge/check/inverse.py",
        "if not (gap.is_finite() and gap.contains(0))",
        "if gap.is_finite() and not gap.contains(0)",
        "judge/check/test_claims_of_inverse_kinematics.py::"
        "test_formulas_without_a_value_at_targets_are_wrong",
    ),
    Mistake(
        "a box has a side that is drawn from the inside",
        "drawing/solids.py",
        "(0, 1, 3, 2), (4, 6, 7, 5)",
        "(0, 2, 3, 1), (4, 6, 7, 5)",
        "drawing/test_solids.py",
    ),
    Mistake(
        "a cylinder is as long as half of it",
        "drawing/solids.py",
        "up = np.array([0.0, 0.0, length / 2])",
        "up = np.array([0.0, 0.0, length / 4])",
        "drawing/test_solids.py",
    ),
    Mistake(
        "a motor pushes away what it holds",
        "show/study/demo_motion.py",
        "tau[s.j] = -s.stiffness * (q[s.i] - s.rest) - s.damping * v[s.j]",
        "tau[s.j] = s.stiffness * (q[s.i] - s.rest) - s.damping * v[s.j]",
        "show/study/test_demo_motion.py",
    ),
    Mistake(
        "a target of three angles turns about moving axes",
        "show/kinematics.py",
        'euler_matrix(numbers[3:], "xyz")',
        'euler_matrix(numbers[3:], "XYZ")',
        "show/test_kinematics_report.py",
    ),
    Mistake(
        "a report of a linkage stands where its loops are open",
        "show/kinematics.py",
        "if model.held_by:",
        "if not model.held_by:",
        "show/test_kinematics_report.py",
    ),
    Mistake(
        "an episode that began anew has the reward of the one before",
        "gym/episode.py",
        '{"reward": g.where(was_over, 0.0, reward)}',
        '{"reward": reward}',
        "gym/test_environments.py::test_it_is_a_plain_loop_over_step",
    ),
    Mistake(
        "all episodes of a row begin alike",
        "gym/draws.py",
        "mix(mix(seeds) + episodes.astype(np.uint64))",
        "mix(mix(seeds))",
        "gym/test_environments.py",
    ),
    Mistake(
        "positions of a symplectic step move with the velocity before it",
        "equations/steps/explicit.py",
        "flow.moved(s.q, v * h)",
        "flow.moved(s.q, vector(s.v) * h)",
        "equations/test_step.py",
    ),
)


def with_mistake(mistake: Mistake, text: str) -> str:
    """The text with the mistake; it must have the right one once."""
    if text.count(mistake.right) != 1:
        raise ValueError(
            f"{mistake.what}: {mistake.right!r} stands {text.count(mistake.right)} times in "
            f"src/visviva/{mistake.path}, and must stand there once; write it anew"
        )
    return text.replace(mistake.right, mistake.wrong)


@contextmanager
def made(mistake: Mistake | None) -> Iterator[Path]:
    """A copy of the project, with the mistake."""
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(folder) / name)
        if mistake is not None:
            path = Path(folder) / "src" / "visviva" / mistake.path
            path.write_text(with_mistake(mistake, path.read_text("utf-8")), encoding="utf-8")
        yield Path(folder)


def outcome(mistake: Mistake) -> subprocess.CompletedProcess[str]:
    """The test run on a copy that has the mistake; 1 is its exit code if it was seen."""
    with made(mistake) as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        env = os.environ | {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*command, f"tests/{mistake.test}"], cwd=folder, env=env, capture_output=True, text=True
        )


def main() -> int:
    missed = 0
    for mistake in MISTAKES:
        if not sys.argv[1:] or mistake.room in sys.argv[1:]:
            done = outcome(mistake)
            seen = done.returncode == 1
            missed += not seen
            print(f"{'red' if seen else 'GREEN':5}  {mistake.path}: {mistake.what}", flush=True)
            if done.returncode not in (0, 1):
                print(done.stdout[-2000:] + done.stderr[-2000:])
    return missed


if __name__ == "__main__":
    sys.exit(main())
