"""The page of reference problems: docs/reference-problems.md, from docs/reference-problems.json.

python tools/reference_problems.py [NAME …]           # measure, and write both
python tools/reference_problems.py --check [NAME …]   # the code against stored values: a minute
python tools/reference_problems.py --truth [NAME …]   # also find the many digits anew: 20 minutes

A problem is stored and told as soon as it is done: after a stop, name those that are left.
"""

# ruff: noqa: E501 (text of a page)

import argparse
import contextlib
import json
import platform
import sys
import time
from pathlib import Path

import mpmath
import numpy as np
import scipy

import visviva as vv

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support import bicycle
from tests.support.problems.bodies import MOTIONS

ROOT = Path(__file__).parents[1]
PAGE, STORED = ROOT / "docs" / "reference-problems.md", ROOT / "docs" / "reference-problems.json"
BICYCLE_NAME = "bicycle"
LONG = 5.0  # seconds, after which the least of fewer runs will do
NAMES = (*MOTIONS, BICYCLE_NAME)
HEAD = """# Reference problems

Problems that multibody programs are compared by, with values to compare with: how each is stated here, what comes
out, and how far that is from another road with more digits in mpmath, {digits} of them, and from published values
where there are such. The other road is a closed form, equations that were derived by hand, or the same equations,
interpreted and integrated by extrapolation; each problem says which. Where nothing is said of published values, we
know of none in numbers. A01 to A05 are problems of the benchmark library of IFToMM's
technical committee for multibody dynamics, with the data of its public implementations.

`python tools/reference_problems.py` writes this page; `--check` runs the code against what it says. All values are
also in [a file](reference-problems.json). Times are those of the processor, on one core of {machine}, with
Python {python}, numpy {numpy}, SciPy {scipy}, visviva {visviva}; a first call finds machine code on disk, or
compiles for some seconds.
Blocks begin with `import numpy as np` and `import visviva as vv`.
"""
BICYCLE = """bicycle = vv.catalog.bicycle()
q = bicycle.assembled()
N = bicycle.displacements(q)                     # velocities that the wheels admit

def riding(speed):                               # straight on: the linear system
    v = N @ np.linalg.lstsq(N[[0, 2, 3, 7]], [0, 0, speed, 0], rcond=None)[0]
    return bicycle.linearize(q, v)
"""


def measured(name):
    """Values of a motion, what they are worth, and what they cost."""
    problem = MOTIONS[name]
    names = problem.stated()
    seconds = []
    while len(seconds) < 2 or (len(seconds) < 4 and sum(seconds) < LONG):
        start = time.process_time()  # of this process alone, whatever else the machine does
        problem.moved(names)
        seconds.append(time.process_time() - start)
    run = names["run"]
    account = run.account
    rows = (account.constraint_error, account.constraint_velocity)
    held = [float(np.abs(x).max()) for x in rows if names["system"].constraints]
    return {
        "values": {k: float(x) for k, x in problem.values(names).items()},
        "steps": int(run.statistics["steps"]),
        "energy": float(np.abs(account.balance_error).max()),
        "constraints": max(held, default=None),
        "first": seconds[0],
        "seconds": min(seconds[1:]),
    }


def true(name):
    """The same values by the other road, as texts of 22 digits."""
    problem = MOTIONS[name]
    names = problem.stated()
    return {k: mpmath.nstr(mpmath.mpf(x), 22) for k, x in problem.truth(names).items()}


def ridden():
    """Eigenvalues at 0 … 10 m/s, and the speeds at which one of them crosses the axis."""
    from scipy.optimize import newton

    names = {"np": np, "vv": vv}
    exec(BICYCLE, names)
    riding = names["riding"]

    def four(speed):
        found = [z for z in riding(speed).eigenvalues if abs(z) > 1e-6]
        return sorted(found, key=lambda z: (-z.real, -z.imag))

    def weave(speed):
        return max(z.real for z in riding(speed).eigenvalues if abs(z.imag) > 1)

    table = {}
    for speed in range(11):
        found, exact = four(float(speed)), bicycle.eigenvalues(speed)
        away = [min(abs(complex(mpmath.mpc(z) - w)) for w in exact) for z in found]
        far = [min(abs(z - w) for z in found) for w in published(speed)]
        rows = [[z.real, z.imag] for z in found if z.imag >= 0]
        table[str(speed)] = {"eigenvalues": rows, "error": max(away), "published": max(far)}
    start = time.process_time()
    riding(5.5)  # compiled for its speed
    seconds = time.process_time() - start
    weaves = newton(weave, 4.29, x1=4.3, tol=1e-13)
    capsizes = newton(lambda v: determinant(riding(v)), 6.02, x1=6.03, tol=1e-13)
    exact = bicycle.speeds()
    return {
        "table": table,
        "weave": weaves,
        "capsize": capsizes,
        "errors": [abs(float(weaves - exact[0])), abs(float(capsizes - exact[1]))],
        "seconds": seconds,
    }


def determinant(linear):
    """The product of the eigenvalues of lean and steer: zero where capsize changes its sign."""
    found = sorted(linear.eigenvalues, key=abs)[-4:]
    return float(np.prod(found).real)


def published(speed):
    """What table 2 of Meijaard et al. has at a speed, one of each pair."""
    if not speed:
        return [*bicycle.AT_REST, bicycle.CAPSIZE[0], bicycle.CASTER[0]]
    return [bicycle.CAPSIZE[speed], bicycle.WEAVE[speed], bicycle.CASTER[speed]]


def page(stored):
    """The text of the page."""
    parts = [HEAD.format(**stored["made"])]
    for name, problem in MOTIONS.items():
        parts.append(section(problem, stored["problems"][name]))
    parts.append(bicycle_section(stored["bicycle"]))
    return "\n".join(parts)


def section(problem, found):
    """One problem: what it is, its code, its values."""
    lines = [f"## {problem.title}", "", problem.text, ""]
    lines += ["```py", problem.code.strip(), problem.call, "```", ""]
    said = bool(problem.published)
    lines.append("| | value | error |" + (" differs from the published |" if said else ""))
    lines.append("|---|---|---|" + ("---|" if said else ""))
    for label, value in found["values"].items():
        error = abs(float(mpmath.mpf(value) - mpmath.mpf(found["truth"][label])))
        row = f"| {label} | {mpmath.nstr(mpmath.mpf(found['truth'][label]), 15)} | {error:.0e} |"
        if said:
            row += f" {abs(float(found['truth'][label]) - problem.published[label]):.0e} |"
        lines.append(row)
    held = found["constraints"]
    facts = [f"{found['steps']} steps", f"energy accounted for to {found['energy']:.0e} J"]
    facts += [] if held is None else [f"constraints kept to {held:.0e}"]
    facts += [f"{text(found['seconds'])}, at the first call {text(found['first'])}"]
    lines += ["", "; ".join(facts) + ".", "", f"Values are those of the other road: {problem.road}. "
              "The error is that of the code above against it."]  # fmt: skip
    if said:
        lines[-1] += f" Published: {problem.source}."
    if problem.note:
        lines[-1] += " " + problem.note
    return "\n".join([*lines, ""])


def bicycle_section(found):
    """The table of eigenvalues."""
    lines = [
        "## Whipple's bicycle", "",
        "Two wheels that roll, a frame with a rigid rider, a front assembly that steers: the benchmark of "
        "Meijaard, Papadopoulos, Ruina and Schwab, 2007. Riding straight on at a speed, small changes of "
        "lean and steer are four motions; one pair weaves, one capsizes, one casters.", "",
        "```py", BICYCLE.strip(), "```", "",
        "| m/s | eigenvalues [1/s] | error | differs from the published |", "|---|---|---|---|",
    ]  # fmt: skip
    for speed, row in found["table"].items():
        shown = ", ".join(
            f"{re:.12f}" + (f" ± {im:.12f} i" if im > 0 else "") for re, im in row["eigenvalues"]
        )
        lines.append(f"| {speed} | {shown} | {row['error']:.0e} | {row['published']:.0e} |")
    weave, capsize = found["errors"]
    lines += [
        "", f"Weave stops growing at {found['weave']:.13f} m/s (error {weave:.0e}, published "
        f"{bicycle.WEAVE_SPEED}), capsize begins to at {found['capsize']:.13f} m/s (error {capsize:.0e}, "
        f"published {bicycle.CAPSIZE_SPEED}). One linearization takes {text(found['seconds'])}.", "",
        "Errors are against the formulas of the paper's appendix with 30 digits, published values those of its "
        "table 2.", "",
    ]  # fmt: skip
    return "\n".join(lines)


def text(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.2g} s"


def check(names=NAMES):
    """Run the code against what is stored; what is wrong, in sentences, each as it is found."""
    stored = json.loads(STORED.read_text())
    for name in names:
        yield from (ridden_wrong if name == BICYCLE_NAME else moved_wrong)(name, stored)


def moved_wrong(name, stored):
    """What of a motion is not as stored."""
    problem, kept = MOTIONS[name], stored["problems"][name]
    found = problem.values(problem.moved(problem.stated()))
    if {*found} != {*kept["truth"]}:
        yield f"{name}: values are {sorted(found)}, stored are {sorted(kept['truth'])}"
        return
    for label, value in found.items():
        exact = float(kept["truth"][label])
        if not abs(value - exact) <= problem.within * max(1.0, abs(exact)):
            yield f"{name}: {label} is {value!r}, stored is {exact!r}"


def ridden_wrong(name, stored):
    """What of the bicycle is not as stored."""
    now, kept = ridden(), stored[name]
    for speed, row in now["table"].items():
        if not row["error"] <= 1e-10:
            yield f"{name} at {speed} m/s: eigenvalues are off by {row['error']:.1e}"
    for x in ("weave", "capsize"):
        if not abs(now[x] - kept[x]) <= 1e-10:
            yield f"{name}: {x} speed is {now[x]!r}, stored is {kept[x]!r}"


def machine():
    """The processor's name where it can be known."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.machine()


def main():
    """Measure or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--check", action="store_true", help="compare with stored values only")
    parser.add_argument("--truth", action="store_true", help="find the many digits anew, too")
    asked = parser.parse_args()
    unknown = [x for x in asked.names if x not in NAMES]
    if unknown:
        parser.error(f"no problem {unknown[0]!r}; there are {', '.join(NAMES)}")
    names = asked.names or NAMES
    if asked.check:
        raise SystemExit(checked(names))
    for name in names:
        start = time.perf_counter()
        if asked.truth and name in MOTIONS:
            store(name, {"truth": true(name)})
        store(name, ridden() if name == BICYCLE_NAME else measured(name))
        print(f"{name}: {text(time.perf_counter() - start)}", flush=True)
    PAGE.write_text(page(json.loads(STORED.read_text())))


def checked(names):
    """Tell of each problem whether it is as stored; how many are not."""
    bad = 0
    for name in names:
        start = time.perf_counter()
        wrong = list(check([name]))
        bad += bool(wrong)
        said = "\n".join(wrong) or f"{name}: as stored"
        print(f"{said} ({text(time.perf_counter() - start)})", flush=True)
    print(f"{bad} of {len(names)} differ" if bad else "all values are as stored")
    return bad


def store(name, found):
    """Add what was found of a problem to the file, and with what."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"problems": {}}
    if name == BICYCLE_NAME:
        stored[name] = found
    else:
        stored["problems"].setdefault(name, {}).update(found)
    stored["made"] = {
        "machine": machine(), "python": platform.python_version(), "numpy": np.__version__,
        "scipy": scipy.__version__, "visviva": vv.__version__, "digits": "20 to 24",
    }  # fmt: skip
    STORED.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main()
