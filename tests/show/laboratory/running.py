"""A laboratory without a page: its script and ours in Node, told what to do and what to return."""

import json
import subprocess
from functools import cache

import numpy as np

import visviva as vv
from tests.support.oracles.robots import robot
from tests.support.tools import require
from visviva.show.laboratory.laboratory import laboratory_of
from visviva.show.page.assets import script_file

SCRIPTS = ("closing.js", "motion.js")
FREE = "m.held.fill(0); m.reset();"  # motors hold nothing


def in_node(script):
    """What a program prints as JSON."""
    node = require("node", "nodejs")
    run = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


@cache
def laboratory(name):
    """Of a mechanism of the catalogue, or a robot of a file; made once for all tests."""
    return laboratory_of(vv.load(robot(name)) if name.endswith(".urdf") else vv.catalog.build(name))


class Bench:
    """A laboratory, and programs that find its motion as `m` and its data as `data`."""

    def __init__(self, system, **changes):
        self.lab = laboratory(system) if isinstance(system, str) else laboratory_of(system)
        self.system = self.lab.system
        self.data = self.lab.as_dict() | changes

    def run(self, body, value="null"):
        """Does something with the motion `m`, and returns a value."""
        ours = "\n".join(map(script_file, SCRIPTS))
        return in_node(
            f"globalThis.VV = {{}};\n{self.lab.script}\n{ours}\n"
            f"const data = {json.dumps(self.data)};\nconst m = VV.motion(VV.mechanism, data);\n"
            f"{FREE}\n{body}\nconsole.log(JSON.stringify({value}));"
        )

    def states(self, seconds, before="", every=250):
        """q and v (samples, nq + nv), the start among them, after every so many steps."""
        steps = round(seconds / self.data["dt"])
        rows = self.run(
            f"{before}\nconst rows = [[...m.q, ...m.v]];\n"
            f"for (let k = 1; k <= {steps}; k++) {{ m.step(); "
            f"if (k % {every} === 0) rows.push([...m.q, ...m.v]); }}",
            "rows",
        )
        return np.array(rows, dtype=float)

    def simulated(self, seconds, every=250, system=None, **how):
        """The same by `simulate`."""
        start = np.array(self.data["q"]), np.array(self.data["v"])
        how = {"method": "rk4", "dt": self.data["dt"], "save": every} | how
        run = (system or self.system).simulate(*start, seconds, **how)
        return np.concatenate([run.q, run.v], axis=1), run
