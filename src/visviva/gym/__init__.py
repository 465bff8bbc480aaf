"""Systems as environments of Gymnasium: `pip install "visviva[learn]"`.

`vv.gym.Env` runs one episode at a time, `vv.gym.VectorEnv` many: physics, observation, reward and
end are one function in machine code.

draws         Starts of episodes: random numbers that depend on the seed of a row alone
episode       A step of an episode as one function; its parts in numpy where they are not traced
rendering     A mechanism as an image of pixels
environments  `VectorEnv` and `Env`

Examples:
    >>> import visviva as vv
    >>> cart = vv.catalog.cart_pole()
    >>> env = vv.gym.VectorEnv(cart, 64, dt=0.02, reward=lambda q: -vv.generic.cos(q[1]))
    >>> observation, info = env.reset(seed=0)
    >>> observation.shape, env.action_space.shape
    ((64, 4), (64, 1))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.doors import door
from visviva.extras import require

if TYPE_CHECKING:
    from visviva.gym.environments import Env as Env
    from visviva.gym.environments import VectorEnv as VectorEnv

_NAMES = ("Env", "VectorEnv")

__all__ = ["Env", "VectorEnv"]

require("visviva.gym", "gymnasium")
__getattr__, __dir__ = door(
    "visviva.gym", dict.fromkeys(_NAMES, "visviva.gym.environments"), globals()
)
