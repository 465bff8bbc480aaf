"""The Coriolis matrix from symbols that are symmetric, for any mass matrix M(q)."""

from __future__ import annotations

from itertools import product

from visviva.errors import ArgumentError
from visviva.judge.proofs.formula import HALF_OF, Expression, number, sign, summed
from visviva.judge.proofs.paper import Paper


def _mass(i: str, j: str) -> Expression:
    return sign("M", i + j)


def _slope(i: str, j: str, k: str) -> Expression:
    """∂M_ij/∂q_k."""
    return _mass(i, j).by(sign("q", k))


def _v(k: str) -> Expression:
    return sign("q", k, 1)


def coriolis(n: int = 3) -> Paper:
    """With unknown functions M_ij(q) of n coordinates."""
    if not isinstance(n, int) or n < 1:
        raise ArgumentError(f"n is the number of coordinates, at least 1, got {n!r}")
    p = _paper(n)
    _lagrange(p)
    _symbols(p)
    _skew(p)
    return p


def _paper(n: int) -> Paper:
    every = range(n)
    pairs = {(i, j): f"M{min(i, j) + 1}{max(i, j) + 1}" for i, j in product(every, repeat=2)}
    masses = sorted(set(pairs.values()))
    slopes = {m: {f"q{k + 1}": f"D{k + 1}{m}" for k in every} for m in masses}
    q = [f"q{k + 1}" for k in every]
    rates = {x: f"qd{x[1:]}" for x in q} | {f"qd{x[1:]}": f"qdd{x[1:]}" for x in q}
    unknown = [*masses, *(x for by in slopes.values() for x in by.values())]
    p = Paper([*q, *rates.values(), *unknown], rates=rates, slopes=slopes)
    entries = [[p.ring[pairs[i, j]] for j in every] for i in every]
    p.family("M", entries)
    for dots, letters in enumerate(("q", "qd", "qdd")):
        p.family("q", [p.ring[f"{letters}{k + 1}"] for k in every], dots)
    return p


def _lagrange(p: Paper) -> None:
    energy, momentum = sign("T"), sign("p", "i")
    p.step(
        "Kinetic energy",
        "M is symmetric, M_ij = M_ji, and depends on the coordinates q. Its entries are unknown "
        "functions: only M_ij and its slopes ∂M_ij/∂q_k have names.",
        "The forces of velocities",
    )
    p.line(_mass("i", "j"), _mass("j", "i"), over="ij")
    p.let(energy, HALF_OF * summed("ij", _mass("i", "j") * _v("i") * _v("j")))
    p.step(
        "Lagrange's equation",
        "The rate of the momentum less the slope of the energy; M changes in time because q does.",
    )
    p.let_all("i", momentum, energy.by(_v("i")), summed("j", _mass("i", "j") * _v("j")))
    inertial = summed("j", _mass("i", "j") * sign("q", "j", 2))
    p.line(
        momentum.rate,
        inertial + summed("jk", _slope("i", "j", "k") * _v("j") * _v("k")),
        over="i",
    )
    p.line(
        energy.by(sign("q", "i")),
        HALF_OF * summed("jk", _slope("j", "k", "i") * _v("j") * _v("k")),
        over="i",
    )
    p.let_all("i", sign("h", "i"), momentum.rate - energy.by(sign("q", "i")) - inertial)
    p.let_all("ijk", sign("b", "ijk"), _slope("i", "j", "k") - HALF_OF * _slope("j", "k", "i"))
    p.line(sign("h", "i"), summed("jk", sign("b", "ijk") * _v("j") * _v("k")), over="i")


def _symbols(p: Paper) -> None:
    p.step(
        "Indices exchanged",
        "In a sum over j and k they may be exchanged, and the product of two velocities stays the "
        "same. So b_ijk may be replaced by the mean of it and of b_ikj; that is Γ, symmetric in j "
        "and k.",
        "Symbols that are symmetric",
    )
    gamma = sign("Γ", "ijk")
    p.line(
        summed("jk", _slope("i", "j", "k") * _v("j") * _v("k")),
        summed("jk", _slope("i", "k", "j") * _v("j") * _v("k")),
        over="i",
    )
    p.let_all(
        "ijk",
        gamma,
        HALF_OF * (sign("b", "ijk") + sign("b", "ikj")).within,
        HALF_OF * (_slope("i", "j", "k") + _slope("i", "k", "j") - _slope("j", "k", "i")).within,
    )
    p.line(gamma, sign("Γ", "ikj"), over="ijk")
    p.line(sign("h", "i"), summed("jk", gamma * _v("j") * _v("k")), over="i")
    p.step(
        "Two matrices, one force",
        "One velocity is taken out of each sum. B is made of b, and C of Γ; C q̇ and B q̇ are the "
        "same force.",
    )
    p.let_all("ij", sign("B", "ij"), summed("k", sign("b", "ijk") * _v("k")))
    p.let_all("ij", sign("C", "ij"), summed("k", gamma * _v("k")))
    p.line(
        sign("h", "i"),
        summed("j", sign("C", "ij") * _v("j")),
        summed("j", sign("B", "ij") * _v("j")),
        over="i",
    )


def _skew(p: Paper) -> None:
    two = number(2)
    p.step(
        "The rate of M less two C",
        "The rate of M_ij is the sum of its slopes. The slope by q_k in it is that in 2 C_ij and "
        "drops out; what is left changes its sign with i and j exchanged.",
        "Skew",
    )
    p.let_all(
        "ij", sign("M", "ij", 1), _mass("i", "j").rate, summed("k", _slope("i", "j", "k") * _v("k"))
    )
    skewed = p.let_all("ij", sign("N", "ij"), sign("M", "ij", 1) - two * sign("C", "ij"))
    p.line(
        skewed,
        summed("k", (_slope("j", "k", "i") - _slope("i", "k", "j")).within * _v("k")),
        -sign("N", "ji"),
        over="ij",
    )
    p.call(sign("0"), p.ring.number(0))
    p.line(summed("ij", skewed * _v("i") * _v("j")), sign("0"))
    p.step(
        "With B it is not skew",
        "The sum of Ṁ − 2B and its transposed does not vanish for all M, though the same forces "
        "come of B. That is why Γ is made symmetric.",
    )
    p.let_all("ij", sign("K", "ij"), sign("M", "ij", 1) - two * sign("B", "ij"))
    p.line(
        sign("K", "ij") + sign("K", "ji"),
        summed(
            "k",
            (_slope("j", "k", "i") + _slope("i", "k", "j") - two * _slope("i", "j", "k")).within
            * _v("k"),
        ),
        over="ij",
    )
