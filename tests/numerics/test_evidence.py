"""A claim is as well known as the least known of its premises."""

import itertools

import numpy as np

from visviva.numerics.evidence import (
    By,
    Enclosed,
    Proved,
    Reason,
    Sampled,
    Undecided,
    clusters,
    weakest,
)

BOX = np.array([[[0.0, 0.0], [1.0, 0.5]]])
IN_ORDER = (Undecided(Reason.STOPS), Sampled(3), Enclosed(BOX), Proved(By.INTERVALS))


def test_the_weakest_premise_decides_in_any_order():
    for k in range(1, 5):
        for some in itertools.combinations(range(4), k):
            for order in itertools.permutations(some):
                assert weakest(*(IN_ORDER[i] for i in order)) is IN_ORDER[min(some)]


def test_no_premise_is_a_proof_and_of_equal_ones_the_first_counts():
    assert isinstance(weakest(), Proved)
    first, second = Undecided(Reason.DRY_FRICTION), Undecided(Reason.STOPS)
    assert weakest(first, second) is first
    assert weakest(second, first) is second


def test_it_combines_in_steps():
    for x, y, z in itertools.product(IN_ORDER, repeat=3):
        assert weakest(weakest(x, y), z) is weakest(x, weakest(y, z))


def test_how_wide_enclosures_are():
    assert Enclosed(BOX).width == 1.0
    assert Enclosed(np.zeros((0, 2, 2))).width == 0.0


def test_boxes_that_are_near_are_one_cluster():
    at = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 9.0])
    boxes = np.stack([at, at + 0.1], axis=1)[:, :, None]
    assert sorted(map(len, clusters(boxes))) == [1, 2, 3]
    assert clusters(boxes[:0]) == []
    assert len(clusters(boxes, 10.0)) == 1
