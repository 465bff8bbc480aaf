"""MJCF's words: which are honoured, which act in MuJoCo and not here, which move nothing.

A word that the table does not have counts as unread, and is named in the notes where a file
states it; so are those that it calls unread. The other meanings are effects that the compiled model
shows: `visviva.describe.files.mjcf.effects` and its neighbours say of each what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Meaning(StrEnum):
    """What becomes of a word; all but the first three are effects that the model lacks."""

    HONOURED = "honoured"
    INERT = "inert"
    UNREAD = "unread"
    CONTACT = "contact"
    FLUID = "fluid"
    TENDON = "tendon"
    DRIVE = "drive"
    FLEX = "flex"
    GRAVITY = "gravcomp"
    DISABLED = "disabled"
    EQUALITY = "equality"
    RANGE = "force range"
    SPRING = "spring"
    DAMPING = "damping"
    LIMIT = "limit"
    INERTIA = "inertia"


_TAGS = {  # elements of one kind, with all their attributes
    "honoured": """
        mujoco mujocoinclude include compiler lengthrange default worldbody frame replicate
        composite attach inertial freejoint mesh numeric text model asset actuator keyframe custom
    """,
    "inert": """
        size statistic visual global quality headlight map scale rgba texture material layer skin
        bone camera light tuple element sensor touch accelerometer velocimeter gyro force torque
        magnetometer camprojection rangefinder jointpos jointvel tendonpos tendonvel actuatorpos
        actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel
        jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc
        framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc
        frameangacc subtreecom subtreelinvel subtreeangmom insidesite distance normal fromto
        e_potential e_kinetic clock tactile user
    """,
    "contact": "contact pair exclude hfield",
    "flex": "deformable flex flexcomp flexstrain edge elasticity pin",
    "tendon": "tendon spatial fixed pulley",
    "drive": """
        general motor position velocity intvelocity orientation pid damper cylinder muscle
        adhesion dcmotor
    """,
}
_POSE = "pos quat axisangle euler xyaxes zaxis"
_SOFT = "solref solimp"
_WORDS = {  # attributes of elements of several kinds
    "option": {
        "honoured": "gravity",
        "fluid": "density viscosity wind",
        "drive": "actuatorgroupdisable",
        "contact": """
            cone impratio o_friction o_margin o_solimp o_solref ccd_iterations ccd_tolerance
            noslip_iterations noslip_tolerance sdf_initpoints sdf_iterations
        """,
        "inert": """
            integrator iterations jacobian ls_iterations ls_tolerance magnetic solver timestep
            tolerance sleep_tolerance
        """,
    },
    "flag": {
        "honoured": "gravity",
        "disabled": """
            actuation clampctrl constraint damper equality frictionloss limit sleep spring
        """,
        "contact": "contact filterparent ipc midphase multiccd nativeccd override speculative",
        "inert": """
            autoreset diagexact energy eulerdamp fwdinv invdiscrete island refsafe sensor
            warmstart
        """,
    },
    "body": {
        "honoured": f"name childclass fuse mocap {_POSE}",
        "gravcomp": "gravcomp",
        "disabled": "sleep",
        "inert": "user simple",
    },
    "joint": {
        "honoured": """
            name class type pos axis range limited ref armature joint coef active joint1 joint2
            polycoef springref springdamper
        """,
        "spring": "stiffness springyield",
        "damping": "damping frictionloss",
        "gravcomp": "actuatorgravcomp",
        "force range": "actuatorfrcrange actuatorfrclimited",
        "inert": "user group",
        "unread": f"margin solreflimit solimplimit solreffriction solimpfriction {_SOFT}",
    },
    "geom": {
        "honoured": f"""
            name class type size fromto mesh hfield fitscale mass density shellinertia geom
            sidesite {_POSE}
        """,
        "fluid": "fluidshape fluidcoef",
        "contact": f"""
            contype conaffinity condim friction margin gap priority solmix {_SOFT} surfacevel
            adhesion
        """,
        "inert": "user group rgba material castshadow",
    },
    "site": {
        "honoured": f"name class type size fromto mesh site {_POSE}",
        "inert": "user group rgba material",
    },
    "connect": {
        "honoured": "name class active anchor body1 body2 site1 site2",
        "unread": _SOFT,
    },
    "weld": {
        "honoured": "name class active anchor body1 body2 site1 site2 relpose torquescale",
        "unread": _SOFT,
    },
    "equality": {"honoured": "active", "unread": _SOFT},
    "key": {
        "honoured": "name qpos",
        "inert": "time",
        "unread": "qvel act ctrl mpos mquat plastic",
    },
}


def is_unread(tag: str, attribute: str = "") -> bool:
    """Whether an element, or an attribute of it, is named wherever a file states it."""
    meanings = MEANINGS.get(tag)
    if meanings is None or not attribute:
        return meanings is None
    return meanings.get(attribute, meanings.get("", Meaning.UNREAD)) == Meaning.UNREAD


def _meanings() -> Mapping[str, Mapping[str, str]]:
    """By element and attribute; what an element is as a whole stands under an empty name."""
    kinds: dict[str, dict[str, str]] = {}
    for meaning, tags in _TAGS.items():
        for tag in tags.split():
            kinds.setdefault(tag, {})[""] = meaning
    for tag, words in _WORDS.items():
        by_attribute = kinds.setdefault(tag, {})
        by_attribute.pop("", None)
        by_attribute |= {word: meaning for meaning, text in words.items() for word in text.split()}
    return kinds


MEANINGS = _meanings()
