"""What sticks where: a block that friction holds, here and in MuJoCo; for docs/motion.md.

python tools/friction_table.py
"""

from pathlib import Path

import mujoco

import visviva as vv

PAGE = Path(__file__).parents[1] / "docs" / "motion.md"
BEGIN, END = "<!-- what sticks -->", "<!-- end of what sticks -->"
LIMIT, SECONDS, STEP = 6.0, 10.0, 0.002
PUSHES = (2.0, 4.0, 5.9)
INTEGRATORS = ("Euler", "implicitfast", "RK4")
XML = """<mujoco><option timestep="{step}" gravity="{push} 0 -9" integrator="{name}"/>
<worldbody><body><joint type="slide" axis="1 0 0" frictionloss="{limit}"/>
<geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""


def ours(push: float) -> float:
    """The mean speed over the last seconds, m/s."""
    b = vv.Builder("block", gravity=(push, 0.0, -9.0))
    point = vv.Inertia.point(1.0)
    b.body("block", joint="prismatic", axis="x", friction=LIMIT, inertia=point)
    run = b.build().simulate([0.0], [0.0], 2 * SECONDS)
    return float((run.q[-1, 0] - run.at(SECONDS)[0][0]) / SECONDS)


def theirs(push: float, name: str) -> float:
    """The same in MuJoCo, with its default parameters of friction loss."""
    text = XML.format(step=STEP, push=push, name=name, limit=LIMIT)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    places = []
    for _ in range(2):
        for _ in range(round(SECONDS / STEP)):
            mujoco.mj_step(model, data)
        places.append(float(data.qpos[0]))
    return (places[1] - places[0]) / SECONDS


def table() -> str:
    """Rows of Markdown."""
    heads = [f"MuJoCo {mujoco.__version__}, {name}" for name in INTEGRATORS]
    rows = ["| push | visviva | " + " | ".join(heads) + " |", "|---" * (len(heads) + 2) + "|"]
    for push in PUSHES:
        speeds = [ours(push), *(theirs(push, name) for name in INTEGRATORS)]
        told = ["0" if x == 0.0 else f"{1e3 * x:.3g} mm/s" for x in speeds]
        rows.append(f"| {push:g} of {LIMIT:g} N | " + " | ".join(told) + " |")
    return "\n".join(rows)


def main() -> None:
    """Write the table into the page."""
    text = PAGE.read_text()
    first, last = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f"{text[:first]}\n\n{table()}\n\n{text[last:]}")


if __name__ == "__main__":
    main()
