"""Energies that are short to write and long to multiply out; as a program, in little memory."""

import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

import visviva as vv
from visviva.errors import VisvivaError

MEMORY = 2**30  # bytes, beyond those of the interpreter and its libraries
LETTERS = dict.fromkeys("abcdefhkm", 0.11)


def _many(n, kinetic, potential):
    """n coordinates; both take their names."""
    q = [f"q{i}" for i in range(n)]
    return vv.Lagrangian(q, kinetic(q), potential(q))


def _free(q):
    return "+".join(f"{x}'^2/2" for x in q)


def _ring(n):
    return _many(n, _free, lambda q: "+".join(f"cos({q[i]} - {q[(i + 1) % n]})" for i in range(n)))


def _potential(text):
    return vv.Lagrangian("x", "x'^2/2", text, parameters=LETTERS)


def _arm(n):
    """Hinges about x, y, z in turn, bodies of no symmetry, all of their numbers symbols."""
    b = vv.Builder("arm")
    for i in range(n):
        tensor = [[1, 0.1, 0.05], [0.1, 1.2, 0.07], [0.05, 0.07, 1.1]]
        inertia = vv.Inertia(1.0 + i / 10, [0.1, 0.2, 0.3], tensor)
        b.body(f"b{i}", parent=f"b{i - 1}" if i else "world", joint="revolute", axis="xyz"[i % 3],
               inertia=inertia, at=[0.1, 0.2, 0.3 + i])  # fmt: skip
    return b.build()


SYSTEMS = {
    "a sum of ten to the power 20": lambda: _potential("(a+b+c+d+e+f+h+k+m+x)^20"),
    "a sum of six to the power 60": lambda: _potential("(a+b+c+d+e+x)^60"),
    "a sum of three to the power 900": lambda: _potential("(x+m+1)^900"),
    "powers in powers": lambda: _potential("((((x+a)^8+b)^8+c)^8+d)^8"),
    "a mass to the power 1000": lambda: vv.Lagrangian(
        "x", "(m+x)^1000*x'^2", "x", parameters=LETTERS
    ),
    "a ring of 12 rotors": lambda: _ring(12),
    "a ring of 26 rotors": lambda: _ring(26),
    "a ring of 30 rotors": lambda: _ring(30),
    "the cosine of 13 angles": lambda: _many(13, _free, lambda q: f"cos({'+'.join(q)})"),
    "the cosine of 40 angles": lambda: _many(40, _free, lambda q: f"cos({'+'.join(q)})"),
    "24 sines, squared": lambda: _many(
        24, _free, lambda q: "(" + "*".join(f"sin({x})" for x in q) + ")^2"
    ),
    "20 factors": lambda: _many(20, _free, lambda q: "*".join(f"({x}+cos({x}))" for x in q)),
    "12 factors with velocities": lambda: _many(
        12, lambda q: "*".join(f"({x}'^2+cos({x}))" for x in q), lambda q: 0
    ),
    "harmonics": lambda: vv.Lagrangian("x y", "x'^2 + y'^2", "cos(100*x)*cos(99*y)"),
    "powers of harmonics": lambda: _potential(
        "(" + "+".join(f"sin({k}*x)" for k in range(1, 40)) + ")^9"
    ),
}
MODELS = {"an arm of 14 hinges": lambda: _arm(14)}  # of models, only closed forms grow
LONG = {("12 factors with velocities", "derivation")}  # a minute of SymPy, which stops when asked
VERBS = {
    "inverse_dynamics": lambda s: s.inverse_dynamics(*np.full((3, s.nv), 0.1)),
    "gravity_forces": lambda s: s.gravity_forces(np.full(s.nv, 0.1)),
    "closed_form": lambda s: s.closed_form().equations,
    "check": lambda s: s.check("tau1 = 1"),
    "derivation": lambda s: s.derivation(),
}


def limited():
    """No more than `MEMORY` from here on."""
    pages = Path("/proc/self/statm").read_text().split()  # ru_maxrss would be the parent's, too
    mapped, used = (int(n) * resource.getpagesize() for n in pages[:2])
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (mapped - used + MEMORY, hard))


def attempt(system, verb):
    """An answer or an error of ours; anything else falls through."""
    try:
        VERBS[verb]((SYSTEMS | MODELS)[system]())
    except VisvivaError as error:
        return f"refused: {error!s:.100}"
    return "answered"


def interrupted(system, verb, after):
    """How long an interrupt waits, in seconds."""
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    try:
        attempt(system, verb)
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        pass
    return time.monotonic() - sent[0] if sent else 0.0


def main():
    """systems verbs [seconds of processor time for each]: say what came of each."""
    vv.catalog.two_link().closed_form()  # libraries are loaded before memory counts
    _potential("x^2").inverse_dynamics([0.0], [0.0], [0.0])
    limited()
    names = sys.argv[1].split(";")
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else float("inf")
    for name in names:
        for verb in sys.argv[2].split(","):
            start = time.process_time()
            said = "long" if (name, verb) in LONG else attempt(name, verb)
            taken = time.process_time() - start
            print(f"{name}, {verb}: {said}, {taken:.1f} s", flush=True)
            assert taken < limit, f"{name}, {verb}: {taken:.1f} s"
            if limit < float("inf"):
                for after in (0.1, 0.5, 1.0):
                    waited = interrupted(name, verb, after)
                    assert waited < 1.0, f"{name}, {verb}: Ctrl-C after {waited:.1f} s"


if __name__ == "__main__":
    main()
