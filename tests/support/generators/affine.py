"""Two functions to be called: one of three inputs and two outputs, with what it gives; and sums."""

import numpy as np

import visviva as vv


def affine():
    """Three inputs of different shapes, two outputs."""

    def body(x, A, s):
        return {"y": A @ x + s, "n": vv.generic.sqrt(x @ x)}

    return vv.function(body, {"x": 3, "A": (3, 3), "s": ()}, name="affine")


def sums():
    """Of the first entries, the first two, all three."""
    return vv.function(lambda x: np.cumsum(x), {"x": 3})


def expected(x, A, s):
    x, A, s = (np.asarray(v, dtype=float) for v in (x, A, s))
    y = np.einsum("...ij,...j->...i", A, x) + s[..., None]
    return y, np.broadcast_to(np.sqrt((x * x).sum(-1)), y.shape[:-1])


def assert_right(result, *args):
    for got, want in zip(result, expected(*args), strict=True):
        assert type(got) is np.ndarray
        assert got.dtype == np.float64
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)


rng = np.random.default_rng(0)
X, A, S = rng.normal(size=(7, 5, 3)), rng.normal(size=(7, 5, 3, 3)), rng.normal(size=(7, 5))
