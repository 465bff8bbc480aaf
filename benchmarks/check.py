"""Verdicts on typed equations: how long one takes, over the claims that the tests draw."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from statistics import median

from benchmarks.harness import Row, benchmark
from tests.support.claims.draw import NAMES, draw
from tests.support.claims.mistakes import MECHANISMS, mistaken
from tests.support.claims.systems import system
from visviva.errors import ArgumentError

EACH = 20  # claims of each mechanism
LIMIT, LIMIT_OF_PUMA = 1.0, 10.0
PUMA = "puma560"

Call = Callable[[], object]


def seconds(call: Call) -> float:
    start = time.perf_counter()
    with suppress(ArgumentError):  # a refusal takes its time too
        call()
    return time.perf_counter() - start


def calls(name: str) -> Iterator[tuple[str, Call]]:
    """Claims of a mechanism, ready to be judged."""
    for k in range(EACH):
        for kind, wrong in (("wrong claims", True), ("right claims", False)):
            yield kind, draw(name, k, wrong).check
        if name in MECHANISMS:
            claim = mistaken(name, k).claim
            yield "known mistakes", lambda claim=claim: system(name).check(claim)


def distribution(what: str, took: Iterable[float], limit: float) -> Iterator[Row]:
    """Least, median, 90 %, most; the last is held to the limit."""
    times = sorted(took)
    marks = {"least": times[0], "median": median(times), "90 %": times[int(0.9 * len(times))]}
    for mark, t in marks.items():
        yield Row(f"{what}, {mark}", t, "", None, t, "seconds")
    most = times[-1]
    yield Row(f"{what}, most", most, "", None, most, "seconds", f"<= {limit:g}")


@benchmark
def check_verdicts() -> Iterator[Row]:
    """A verdict on an equation, after start-up: twelve mechanisms, Puma's gravity apart."""
    taken: dict[str, list[float]] = {}
    for name in NAMES:
        ready = list(calls(name))
        ready[0][1]()  # imports and first uses are nobody's time
        for kind, call in ready:
            what = f"{kind} about {PUMA}" if name == PUMA else kind
            taken.setdefault(what, []).append(seconds(call))
    for what, took in taken.items():
        limit = LIMIT_OF_PUMA if PUMA in what else LIMIT
        yield from distribution(f"{len(took)} {what}", took, limit)
