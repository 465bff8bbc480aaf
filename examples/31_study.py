"""All that is known of a mechanism, on one page to hand to a colleague.

    python examples/31_study.py              # a pendulum that hangs on a cart
    python examples/31_study.py rp_arm       # a mechanism of the catalogue
    python examples/31_study.py robot.urdf   # or a file

It writes NAME-study.html: one file that opens anywhere, without a network. In it the mechanism
moves, by sliders, by itself and in a laboratory in which it can be pulled; its equations stand
there with what every term is, what proves them, what they cost, a motion, positions of rest,
singular positions, forces on every body, and the lines of Python that give all of it again.
"""

import sys
from pathlib import Path

import visviva as vv

asked = [x for x in sys.argv[1:] if not x.startswith("-")]
name = asked[0] if asked else "cart_pole"
is_file = bool(Path(name).suffix)
system = vv.load(name) if is_file else getattr(vv.catalog, name)()

# somebody's own equations, judged on the page: the second forgets what the pole weighs
claims = {}
if name == "cart_pole":
    claims["force on the cart"] = (
        "tau1 = (M + m) x'' + m l cos(theta) theta'' - m l sin(theta) theta'^2"
    )
    claims["torque on the pole"] = "tau2 = m l cos(theta) x'' + m l^2 theta''"

study = system.study(f"{Path(name).stem}-study.html", claims=claims, source=name if is_file else "")
print(study)

# the same as data, for programs
data = study.as_dict()
for section in data["sections"]:
    if section["missing"]:
        print(f"not on the page: {section['heading']}: {section['missing']}")
verdicts = next(x for x in data["sections"] if x["id"] == "verdicts").get("verdicts", {})
for label, verdict in verdicts.items():
    missing = f", missing {verdict['missing']}" if verdict["status"] == "differs" else ""
    print(f"{label}: {verdict['status']}{missing}")
