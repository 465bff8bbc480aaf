"""Laws of assembly and mobility on random trees with a loop of every closure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.describe.joints.test_closures import ALL
from tests.equations.constraints.test_rows import looped, seeds
from tests.support.counts import examples
from visviva.equations.constraints import rows


@examples(2, 200)
@given(seeds, st.lists(st.sampled_from(sorted(ALL)), min_size=1, max_size=2))
def test_what_was_closed_is_closed_again_and_its_motions_are_those_of_the_null_space(seed, names):
    model, q, step = looped(seed, names, size=3)
    rough = model.integrate(q, 0.1 * step / max(1.0, np.abs(step).max(initial=0.0)))
    there = model.assembled(rough)
    away, before = (np.linalg.norm(model.difference(rough, x)) for x in (there, q))
    assert np.abs(rows.constraint_error(model, there)).max(initial=0.0) < 1e-11
    assert away <= 2 * before + 1e-9  # least steps do not lead far away
    m = model.mobility(q)
    A = rows.constraint_matrix(model, q)
    held = A[list(rows.position_rows(model))]
    # tree and loops are random: positions are generic, and rank is the same all around
    assert m.true == m.instantaneous == model.nv - np.linalg.matrix_rank(held, tol=1e-7)
    assert m.freedoms == model.nv - np.linalg.matrix_rank(A, tol=1e-7)
    if not m.redundant:
        assert m.counted == m.true
        assert m.verdict == ("proved mobile" if m.true else "proved rigid")
