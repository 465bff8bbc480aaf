"""Runs MuJoCo's own reader in a process of its own: `python -m visviva.describe.files.mjcf.worker`.

Standard input is an npz archive with the flat XML and the assets, standard output one with the
arrays of the compiled model. Nothing is pickled. A crash, or memory without bound, stays in here.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

MEMORY = 4 * 2**30  # bytes of address space, and of a file
NAMED_KINDS = "body jnt site geom eq key actuator tendon numeric text".split()
LISTS = {kind: f"n{kind}" for kind in NAMED_KINDS}
COUNTS = {
    "sensor": "nsensor",
    "skin": "nskin",
    "camera": "ncam",
    "mocap body": "nmocap",
}
FLAGS = "damper frictionloss limit spring equality constraint actuation clampctrl".split()
ARRAYS = (
    "body_parentid body_pos body_quat body_mass body_ipos body_iquat body_inertia body_jntadr "
    "body_jntnum body_gravcomp body_weldid jnt_type jnt_qposadr jnt_dofadr jnt_pos jnt_axis "
    "jnt_limited jnt_range jnt_actfrclimited jnt_actfrcrange jnt_stiffness jnt_stiffnesspoly "
    "jnt_springyield qpos0 qpos_spring dof_armature dof_damping dof_dampingpoly dof_frictionloss "
    "site_bodyid site_pos site_quat eq_type eq_objtype eq_obj1id eq_obj2id eq_data eq_active0 "
    "key_qpos geom_bodyid geom_contype geom_conaffinity exclude_signature pair_geom1 pair_geom2 "
    "geom_type geom_pos geom_quat geom_size geom_rgba geom_matid geom_dataid mat_rgba mesh_pos "
    "mesh_quat mesh_scale mesh_pathadr actuator_trntype actuator_trnid actuator_gear "
    "actuator_outadr actuator_outnum actuator_ctrladr actuator_ctrlnum actuator_gaintype "
    "actuator_gainprm actuator_biastype actuator_dyntype actuator_ctrllimited actuator_ctrlrange "
    "actuator_forcelimited actuator_forcerange actuator_armature actuator_damping "
    "actuator_dampingpoly actuator_delay tendon_springyield tendon_actfrclimited tendon_adr "
    "tendon_num tendon_armature tendon_damping tendon_dampingpoly tendon_stiffness "
    "tendon_stiffnesspoly tendon_frictionloss tendon_limited wrap_type wrap_objid wrap_prm "
    "numeric_adr numeric_size numeric_data"
).split()


def pack(**arrays: Any) -> bytes:
    """Arrays as an npz archive."""
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def unpack(data: bytes) -> dict[str, Any]:
    """Arrays of an npz archive; pickled objects are refused."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def as_bytes(data: bytes) -> Any:
    """Bytes as an array of numbers, which npz archives hold."""
    return np.frombuffer(data, dtype=np.uint8)


def compiled(xml: str, assets: Mapping[str, bytes]) -> dict[str, Any]:
    """The arrays of MuJoCo's model, and what is no array under `info`, as JSON."""
    import mujoco

    m = mujoco.MjModel.from_xml_string(xml, dict(assets))
    names, blob, paths = {}, bytes(m.names), bytes(m.paths)
    for kind, count in LISTS.items():
        starts = getattr(m, f"name_{kind}adr")
        names[kind] = [_text(blob, int(starts[i])) for i in range(getattr(m, count))]

    def is_off(flag: str) -> bool:
        bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
        return bool(m.opt.disableflags & int(bit))

    info = {
        "model": _text(blob, 0),
        "names": names,
        "meshes": [_text(paths, int(a)) if a >= 0 else "" for a in m.mesh_pathadr],
        "counts": {kind: int(getattr(m, count)) for kind, count in COUNTS.items()},
        "gravity": m.opt.gravity.tolist(),
        "fluid": bool(m.opt.density or m.opt.viscosity),
        "weightless": is_off("gravity"),
        "contacts": not (is_off("contact") or is_off("constraint")),
        "filterparent": not is_off("filterparent"),
        "disabled": [flag for flag in FLAGS if is_off(flag)],
        "groups": [k for k in range(31) if m.opt.disableactuator & 1 << k],
        "flexes": int(m.nflex),
        "sleeps": bool(m.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP)),
    }
    arrays = {name: np.asarray(getattr(m, name)) for name in ARRAYS}
    return {**arrays, "info": as_bytes(json.dumps(info).encode())}


def _text(blob: bytes, start: int) -> str:
    return blob[start : blob.index(b"\0", start)].decode("utf-8", "replace")


def main() -> None:
    """Read from standard input, write to standard output; what MuJoCo prints goes to the errors."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_memory()
    request = unpack(sys.stdin.buffer.read())
    xml = request.pop("xml").tobytes().decode()
    try:
        result = compiled(xml, {name: data.tobytes() for name, data in request.items()})
    except Exception as error:  # whatever MuJoCo says is the answer
        result = {"error": as_bytes(f"{error}".encode())}
    answer.write(pack(**result))
    answer.close()


def limit_memory() -> None:
    """Bound the address space of this process and the files it writes, where a system can."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        _, most = resource.getrlimit(kind)
        bound = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
        resource.setrlimit(kind, (bound, most))


if __name__ == "__main__":
    main()
