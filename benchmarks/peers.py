"""The peers' side: the same robots in other hands, and what a comparison is made of.

Every peer gets its best configuration: its own batch call where it has one, otherwise Python's
quickest loop over rows that were prepared before.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from textwrap import shorten
from typing import Any

import numpy as np
from lxml import etree

from benchmarks import robots
from benchmarks.robots import Robot

Array = np.ndarray
Call = Callable[[], object]
TOLERANCE = 1e-9  # of the largest entry; our reader rounds 1.57079632679 to a right angle


@dataclass(frozen=True)
class Peer:
    """A peer's way to one result."""

    label: str
    one: Callable[..., Any]  # of one state, in our order: what is compared
    many: Callable[..., Call]  # of arrays of states: what is timed
    rows: int | None = None  # how many states at a time it likes best, if that is known


def attempt(name: str, make: Callable[[], Any]) -> Any:
    """What a peer makes, or why there is nothing."""
    try:
        return make()
    except ImportError as error:
        return f"{name}: absent, no module {error.name}"
    except FileNotFoundError as error:
        return f"{name}: absent, no {error.filename}"
    except Exception as error:  # a peer that fails is a row, not the end of the run
        reason = (str(error).strip().splitlines() or [""])[-1]
        return f"{name}: fails, {type(error).__name__} {shorten(reason, 60, placeholder=' …')}"


def require_same(what: str, mine: Any, theirs: Any) -> None:
    """Nothing wrong is timed."""
    mine = mine if isinstance(mine, tuple) else (mine,)
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    for x, y in zip(mine, theirs, strict=True):
        if x.shape != y.shape or np.max(np.abs(x - y)) > TOLERANCE * max(1.0, np.max(np.abs(y))):
            raise AssertionError(f"{what}: the peer has another result,\n{x}\nagainst\n{y}")


def loop(f: Callable[..., Any], *args: Any) -> Call:
    """Call f with every row of the arrays among the arguments; the others stay the same."""
    columns = [list(x) if isinstance(x, Array) else repeat(x) for x in args]
    return lambda: deque(map(f, *columns), maxlen=0)  # quicker than a `for`


class Pinocchio:
    """A robot in Pinocchio."""

    def __init__(self, robot: Robot) -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.buildModelFromUrdf(str(robot.path))
        self.data = self.model.createData()
        if list(self.model.names)[1:] != list(robot.model.joint_names):
            raise AssertionError(f"{robot.name}: Pinocchio orders the joints in another way")
        self.tip = self.model.getFrameId(robot.tip)
        world = pin.LOCAL_WORLD_ALIGNED
        self._calls: dict[str, tuple[Any, ...]] = {  # functions, and what follows the state
            robots.INVERSE: (pin.rnea,),
            robots.FORWARD: (pin.aba,),
            robots.MASS: (pin.crba,),
            robots.CORIOLIS: (pin.computeCoriolisMatrix,),
            robots.TIP: (pin.computeFrameJacobian, self.tip, world),  # leaves the pose in data.oMf
            robots.D_INVERSE: (pin.computeRNEADerivatives,),
            robots.D_FORWARD: (pin.computeABADerivatives,),
        }
        self._batches = {robots.INVERSE: pin.rneaInParallel, robots.FORWARD: pin.abaInParallel}

    def peer(self, verb: str) -> Peer:
        """Its quickest way for many states."""
        f, *_ = self._calls[verb]
        batch = self._batches.get(verb)
        label = f"pin.{f.__name__}, looped" if batch is None else f"pin.{batch.__name__}, 1 thread"
        return Peer(label, partial(self._one, verb), partial(self._many, verb))

    def single(self, verb: str, *state: Array) -> Call:
        """The plain call for one state."""
        f, *rest = self._calls[verb]
        return partial(f, self.model, self.data, *state, *rest)

    def _one(self, verb: str, *state: Array) -> Any:
        result = self.single(verb, *state)()
        if verb == robots.TIP:  # linear part first
            return self.data.oMf[self.tip].homogeneous, np.vstack([result[3:], result[:3]])
        return tuple(result[:2]) if isinstance(result, tuple) else np.array(result)

    def _many(self, verb: str, *states: Array) -> Call:
        batch = self._batches.get(verb)
        if batch is None:
            f, *rest = self._calls[verb]
            return loop(f, self.model, self.data, *states, *rest)
        pool = self.pin.ModelPool(self.model, 1)
        columns = [x.T for x in (*states, np.empty_like(states[-1]))]
        return partial(batch, 1, pool, *columns)


def plain_urdf(robot: Robot) -> str:
    """The URDF with bodies and joints alone, for readers that stumble over the rest."""
    root = etree.parse(robot.path).getroot()
    kept = {"robot": ("link", "joint"), "link": ("inertial",)}
    kept |= {"joint": ("parent", "child", "origin", "axis", "limit")}
    for element in [root, *root.findall("link"), *root.findall("joint")]:
        for child in list(element):
            if child.tag not in kept[element.tag]:
                element.remove(child)
    for inertial in root.iter("inertial"):
        if inertial.find("origin") is None:
            etree.SubElement(inertial, "origin", xyz="0 0 0", rpy="0 0 0")
    return etree.tostring(root, encoding="unicode")


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Every thread of this process on one core: JAX has no other switch once it runs."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    threads = [int(t) for t in os.listdir("/proc/self/task")]
    cores = os.sched_getaffinity(0)
    try:
        for t in threads:
            os.sched_setaffinity(t, {max(cores)})
        yield
    finally:
        for t in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(t), cores)
