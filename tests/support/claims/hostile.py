"""Random and hostile typed claims, and a process that may take little memory to try them in."""

import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from tests.support.counts import SOAK, count, progress
from tests.support.tools import importing

MEMORY = 500 * 2**20
PIECES = r"""
    a b x y m2 l1 lc2 theta1 theta2 θ₁ θ̇₂ ẍ x' x'' x.dot xd dx/dt 2 0.5 ½ 1e9 1e999 9999999999
    sin cos( sin( \sin \cos^2 sqrt √ \sqrt \frac \frac12 { } ( ) [ ] \{ \} \left( \right) \left.
    \right. | + - * / ^ ** _ , ; = & \\ ' . \dot \ddot \bar \mathrm{d} \mathbf \rm \theta_1 \theta
    \Gamma^1_{22} Γ¹₂₂ M_{12} M[1,2] c1 s_{12} \begin{bmatrix} \end{bmatrix} \begin{aligned}
    \end{aligned} \begin{array}{cc} \end{array} \begin \end \text{where} where and ^T ^\top ^{-1}
    ² ³ ⁻¹ ₁ ᵀ π \pi \tag{1} \label{ $ ~ % \, \quad d dt /dt t (t) (q) d^2 \foo Eq( Matrix(
    Derivative( __import__ eval( {0} %s %(a)s {a!r} é х ２ 中 🤖 ^1000 ^{1001} ^(9^9) \prime
    ^{\prime} 1/ /0 |a| [[ ]] \sin^{-1} \input{x} ${x} 0x10 1_000
""".split()
PIECES += ["\n", " ", "\0", "\u0307", "\u0308", "\u202e", "\ud800", "\u0301"]
HONEST = [
    r"\tau_2 = m_2 l_1 l_{c2} \cos\theta_2\, \ddot{\theta}_1 + \left( m_2 l_{c2}^2 + b \right)",
    "tau1 = (m1 l1^2 + m2*(l1**2 + 2 l1 lc2 cos(theta2)))*theta1'' - m2 l1 sin θ₂ θ̇₁² + m2gl1 c12",
    r"M = \begin{bmatrix} a + b & \frac{1}{2} m x^2 \\ 0 & \sqrt{a^2 + b^2} \end{bmatrix}",
    "[[a, b], [x, m*l^2/3]] where a = dx/dt; b = d^2 x/dt^2",
    r"\begin{aligned} \tau_1 &= a \dot x \\ &\quad {} + |b| \\ \Gamma^1_{22} &= -a \end{aligned}",
]


def text_of(rng):
    """Pieces in disorder, characters of all kinds, one piece very often, a formula with typos."""
    kind = rng.random()
    if kind < 0.35:
        n = rng.randint(1, rng.choice([5, 12, 40, 200]))
        return rng.choice(["", "", " "]).join(rng.choice(PIECES) for _ in range(n))
    if kind < 0.5:
        tops = rng.choice([[0x7E], [0x7E, 0x3FF], [0x7E, 0x2FFF, 0x10FFFF]])
        return "".join(chr(rng.randint(0, rng.choice(tops))) for _ in range(rng.randint(1, 100)))
    if kind < 0.65:
        first, middle, last = (rng.choice(PIECES) for _ in range(3))
        n = rng.choice([30, 1000, 12_000 // len(first)])
        return first * n + middle + last * rng.choice([0, n])
    text = rng.choice(HONEST)
    for _ in range(rng.randint(0, 4)):
        i = rng.randrange(len(text) + 1)
        text = text[:i] + rng.choice(["", rng.choice(PIECES)]) + text[i + rng.randint(0, 3) :]
    return text


def attempts(attempt, first, last, seconds=float("inf")):
    """How many of the texts with these seeds could be read; other errors are told with the text."""
    read_well = 0
    for seed in range(first, last):
        text = text_of(random.Random(seed))
        start = time.perf_counter()
        try:
            read_well += attempt(text)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r} for {text!r:.200}") from error
        taken = time.perf_counter() - start
        assert taken < seconds, f"seed {seed}: {taken:.2f} s for {text!r:.200}"
    return read_well


def in_little_memory(script, total, size):
    """Runs a test file as a program on many texts, each process with a bound on its memory."""
    for first in range(0, total, size):
        command = [sys.executable, script, str(first), str(first + size)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=importing())
        assert done.returncode == 0, done.stderr[-2000:]
        progress(f"{first + size} claims of {total}: {done.stdout.strip()}")


def program(attempt):
    """What such a file does as a program."""
    # of this moment: ru_maxrss remembers the size of the process that forked this one
    sizes = [int(x) for x in Path("/proc/self/statm").read_text().split()]
    mapped, used = (x * resource.getpagesize() for x in sizes[:2])
    resource.setrlimit(resource.RLIMIT_AS, (mapped - used + MEMORY, resource.RLIM_INFINITY))
    seconds = 1.0 if SOAK else float("inf")
    well = attempts(attempt, int(sys.argv[1]), int(sys.argv[2]), seconds)
    status = dict(x.split(":", 1) for x in Path("/proc/self/status").read_text().splitlines())
    print(f"{well} read, at most {int(status['VmHWM'].split()[0]) / 1024:.0f} MB")


__all__ = ["attempts", "count", "in_little_memory", "program", "text_of"]
