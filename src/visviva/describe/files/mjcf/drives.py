"""What drives and pulls MuJoCo's joints, as ours: actuators, joint springs, armature of drives.

MuJoCo's actuator force is our f, whatever law makes it from a control, and T of u = T f its moment;
at a site or a free body f is that force times the length of its gear, so that directions have
length one. Laws, activations and transmissions that have no form here are noted
by name. An actuator or a fixed tendon that acts on one hinge or slide adds gear² · armature to the
joint's armature, and likewise to its damping; of others a note says what M lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.describe.files.mjcf.compile import Compiled
from visviva.describe.files.mjcf.tree import BALL, FREE_KIND, Tree
from visviva.describe.files.mjcf.words import Meaning
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.body import Spring

JOINT, IN_PARENT, CRANK, TENDON, SITE, BODY = range(6)
TRANSMISSIONS = {CRANK: "slider-crank", TENDON: "tendon", BODY: "adhesion", 6: "SO(3)"}
FIXED = 0  # of a gain: ctrl times a number
NONE = 0  # of a bias, of activation dynamics
LAWS = {1: "affine", 2: "muscle", 3: "DC motor", 4: "SO(3)", 5: "PID or user", 6: "user"}
ACTIVATIONS = {1: "integrator", 2: "filter", 3: "exact filter", 4: "muscle", 5: "DC motor"}
OVER_JOINT = 1  # of a tendon's path: a joint with a coefficient
LINEAR, ANGULAR = slice(0, 3), slice(3, 6)


def with_drives(m: Compiled) -> Compiled:
    """Damping and armature of drives added to those of the joints they act on."""
    more = {name: np.array(m[f"dof_{name}"], dtype=float) for name in ("armature", "damping")}
    for kind, count in (("actuator", len(m["actuator_trntype"])), ("tendon", m.tendons)):
        for k in range(count):
            joint, ratio = _on_one_joint(m, k) if kind == "actuator" else _one_of_path(m, k)
            if joint >= 0:
                for name, total in more.items():
                    total[m["jnt_dofadr"][joint]] += ratio**2 * m[f"{kind}_{name}"][k]
    return replace(m, arrays=m.arrays | {f"dof_{name}": x for name, x in more.items()})


def springs(m: Compiled, out: Tree) -> list[Spring]:
    """The springs of hinges and slides, each named after its joint; others are noted."""
    springs = []
    for j, name in enumerate(out.joints):
        kind, stiffness = int(m["jnt_type"][j]), float(m["jnt_stiffness"][j])
        if not stiffness:
            continue
        if kind in (FREE_KIND, BALL):
            which = "ball" if kind == BALL else "free"
            out.lacks(
                Meaning.SPRING,
                f"joint {name!r}: the spring of stiffness {stiffness:g} on a {which} joint is not "
                "read; its force is missing",
            )
            continue
        rest = float(m["qpos_spring"][m["jnt_qposadr"][j]])
        springs.append(Spring(f"{name}_spring", stiffness, rest, joint=name))
    return springs


def actuators(m: Compiled, out: Tree) -> list[Actuator]:
    """Those that a joint, a site or a free body feels as one number times a fixed direction."""
    actuators, unread, laws, activations, scaled = [], [], [], [], []
    for k in range(len(m["actuator_trntype"])):
        name = m.name("actuator", k) or f"actuator_{k}"
        actuator, reason = _actuator(m, out, k, name)
        if actuator is None:
            unread.append(f"{name!r} ({reason})")
            continue
        actuators.append(actuator)
        gain, bias, dynamics = (int(m[f"actuator_{x}type"][k]) for x in ("gain", "bias", "dyn"))
        if gain != FIXED or bias != NONE:
            laws.append(f"{name!r} ({LAWS.get(max(gain, bias), 'user')})")
        elif (factor := m["actuator_gainprm"][k][0] * _size(m, k, actuator)) != 1:
            scaled.append(f"{name!r} ({factor:g})")
        if dynamics != NONE:
            activations.append(f"{name!r} ({ACTIVATIONS.get(dynamics, 'user')})")
    for names, said in (
        (unread, "actuators not read, as their transmission has no form here"),
        (laws, "control laws not read, f is the force that the actuator exerts"),
        (activations, "activation dynamics (dynprm) not read, f is the force"),
    ):
        if names:
            out.lacks(Meaning.DRIVE, f"{said}: {', '.join(names)}")
    if scaled:
        out.notes.append(f"f is a force, this many times ctrl: {', '.join(scaled)}")
    for effect, text in _lacking(m, out):
        out.lacks(effect, text)
    return actuators


def _actuator(m: Compiled, out: Tree, k: int, name: str) -> tuple[Actuator | None, str]:
    """One actuator, or the reason why it has no form here."""
    kind, target = int(m["actuator_trntype"][k]), int(m["actuator_trnid"][k][0])
    gear = np.asarray(m["actuator_gear"][int(m["actuator_outadr"][k])], dtype=float)
    limits = _limits(m, k)
    if int(m["actuator_outnum"][k]) != 1:
        return None, f"{m['actuator_outnum'][k]} outputs"
    joint, ratio = _on_one_joint(m, k)
    if joint >= 0:
        if not ratio:
            return None, "gear 0"
        return Actuator.motor(name, out.joints[joint], ratio, limits), ""
    if kind == TENDON:
        return None, f"tendon {m.name('tendon', target)!r}"
    if kind == SITE:
        if m["actuator_trnid"][k][1] >= 0:
            return None, "a site relative to another"
        return _on_frame(name, out.sites[target], gear, "body", "body", limits)
    if kind not in (JOINT, IN_PARENT):
        return None, TRANSMISSIONS.get(kind, "unknown")
    if m["jnt_type"][target] == FREE_KIND:
        body = next(b.name for b in out.bodies if b.joint_name == out.joints[target])
        turning = "world" if kind == IN_PARENT else "body"
        return _on_frame(name, body, gear, "world", turning, limits)
    along = np.flatnonzero(gear[LINEAR])
    if kind == IN_PARENT or len(along) != 1:
        return None, "a ball joint, about no axis of the body"
    axis = int(along[0])
    return Actuator.motor(
        name, out.joints[target], gear[axis], limits, ("wx", "wy", "wz")[axis]
    ), ""


def _on_frame(
    name: str, frame: str, gear: Any, pushing: str, turning: str, limits: Any
) -> tuple[Actuator | None, str]:
    """A force or a torque at a frame's origin; both at once have no form."""
    force, torque = gear[LINEAR], gear[ANGULAR]
    if np.any(force) and np.any(torque):
        return None, "force and torque at once"
    size = float(np.linalg.norm(gear))
    if not size:
        return None, "gear 0"
    scaled = tuple(size * x for x in limits)  # our directions have length one
    if np.any(force):
        return Actuator.thruster(name, frame, force, axes=pushing, limits=scaled), ""
    return Actuator.couple(name, frame, torque, axes=turning, limits=scaled), ""


def _size(m: Compiled, k: int, actuator: Actuator) -> float:
    """How many times MuJoCo's actuator force our f is."""
    gear = m["actuator_gear"][int(m["actuator_outadr"][k])]
    return 1.0 if actuator.kind == "motor" else float(np.linalg.norm(gear))


def _limits(m: Compiled, k: int) -> tuple[float, float]:
    """Of the force; those of a control count where the force is a number times it."""
    lower, upper = -np.inf, np.inf
    plain = m["actuator_gaintype"][k] == FIXED and m["actuator_biastype"][k] == NONE
    if plain and m["actuator_dyntype"][k] == NONE and m["actuator_ctrlnum"][k] == 1:
        control = int(m["actuator_ctrladr"][k])
        if m["actuator_ctrllimited"][control]:
            ends = m["actuator_gainprm"][k][0] * m["actuator_ctrlrange"][control]
            lower, upper = float(min(ends)), float(max(ends))
    if m["actuator_forcelimited"][k]:
        bounds = m["actuator_forcerange"][k]
        lower, upper = float(np.clip(lower, *bounds)), float(np.clip(upper, *bounds))
    return lower, upper


def _on_one_joint(m: Compiled, k: int) -> tuple[int, float]:
    """The hinge or slide that alone feels an actuator, and the ratio; -1 if there is none."""
    kind, target = int(m["actuator_trntype"][k]), int(m["actuator_trnid"][k][0])
    gear = float(m["actuator_gear"][int(m["actuator_outadr"][k])][0])
    if kind in (JOINT, IN_PARENT) and m["jnt_type"][target] not in (FREE_KIND, BALL):
        return target, gear
    if kind == TENDON:
        joint, coefficient = _one_of_path(m, target)
        return joint, gear * coefficient
    return -1, 0.0


def _one_of_path(m: Compiled, tendon: int) -> tuple[int, float]:
    """The joint that a fixed tendon over one joint measures, and its coefficient; or -1."""
    start, count = int(m["tendon_adr"][tendon]), int(m["tendon_num"][tendon])
    if count != 1 or m["wrap_type"][start] != OVER_JOINT:
        return -1, 0.0
    return int(m["wrap_objid"][start]), float(m["wrap_prm"][start])


def _lacking(m: Compiled, out: Tree) -> Iterator[tuple[str, str]]:
    """What of actuators and tendons enters M or the forces and is not read."""
    for k in range(len(m["actuator_trntype"])):
        name = m.name("actuator", k) or f"actuator_{k}"
        if _on_one_joint(m, k)[0] < 0:
            yield from _felt(m, "actuator", k, f"actuator {name!r}")
    for k in range(m.tendons):
        name = m.name("tendon", k) or f"tendon_{k}"
        start, count = int(m["tendon_adr"][k]), int(m["tendon_num"][k])
        over = [
            repr(out.joints[int(m["wrap_objid"][i])])
            for i in range(start, start + count)
            if m["wrap_type"][i] == OVER_JOINT
        ]
        where = f"tendon {name!r}" + (f" over {', '.join(over)}" if over else " in space")
        if _one_of_path(m, k)[0] < 0:
            yield from _felt(m, "tendon", k, where)
        others = [
            f"{what} {m[f'tendon_{key}'][k]:g}"
            for what, key in (("stiffness", "stiffness"), ("friction", "frictionloss"))
            if m[f"tendon_{key}"][k]
        ]
        others += ["stiffness beyond the linear term"] * bool(np.any(m["tendon_stiffnesspoly"][k]))
        others += ["damping beyond the linear term"] * bool(np.any(m["tendon_dampingpoly"][k]))
        others += ["limits of its length"] * bool(m["tendon_limited"][k])
        if others:
            text = f"{where}: {', '.join(others)} not read; the forces of that are missing"
            yield Meaning.TENDON, text


def _felt(m: Compiled, kind: str, k: int, where: str) -> Iterator[tuple[str, str]]:
    effect = Meaning.TENDON if kind == "tendon" else Meaning.DRIVE
    armature, damping = (float(m[f"{kind}_{x}"][k]) for x in ("armature", "damping"))
    if armature:
        yield (
            effect,
            f"{where}: armature {armature:g} is not read; MuJoCo's M has {armature:g} · JᵀJ more, "
            "J from velocities to the rate of its length",
        )
    if damping:
        yield effect, f"{where}: damping {damping:g} is not read; {damping:g} · JᵀJ v is missing"
