"""Steps of a laboratory: a mechanism's motion in JavaScript, as a page takes them."""

import json
import shutil
import subprocess
from collections.abc import Iterator

import visviva as vv
from benchmarks.harness import Row, benchmark, share
from visviva.show.laboratory.laboratory import Laboratory, laboratory_of
from visviva.show.page.assets import script_file

NAMES = ("rp_arm", "four_bar", "puma560", "stewart")
FRAME = 1 / 60  # s

TIMED = """
const m = VV.motion(VV.mechanism, %(data)s);
let best = Infinity;
for (let round = 0; round < 12; round++) {
  m.reset();
  const start = process.hrtime.bigint();
  for (let k = 0; k < %(steps)d; k++) m.step();
  best = Math.min(best, Number(process.hrtime.bigint() - start) / %(steps)d);
}
console.log(best * 1e-9);
"""


@benchmark
def laboratory() -> Iterator[Row]:
    """One step in Node against the time that a frame of a page leaves for it."""
    node = shutil.which("node")
    for name in NAMES if node else ():
        lab = laboratory_of(vv.catalog.build(name))
        per_frame = FRAME / lab.dt
        what = f"step of {name}, {len(lab.script) / 1e3:.0f} kB of JavaScript"
        budget = f"a frame's {per_frame:.0f} steps in half of it"
        yield share(what, _seconds(str(node), lab), budget, FRAME / 2 / per_frame, "<= 1")


def _seconds(node: str, lab: Laboratory) -> float:
    ours = "\n".join(map(script_file, ("closing.js", "motion.js")))
    timed = TIMED % {"data": json.dumps(lab.as_dict()), "steps": 1000}
    script = f"globalThis.VV = {{}};\n{lab.script}\n{ours}\n{timed}"
    run = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True)
    return float(run.stdout)
