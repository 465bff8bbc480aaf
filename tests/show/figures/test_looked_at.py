"""Every picture is looked at as a picture: not empty, words inside, nothing cut off."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.pictures import DRAWINGS, FLAT, IN_SPACE, URDFS, Gallery, check_drawing
from visviva.show.page.plots import figure_data


@pytest.fixture(scope="module")
def gallery(browser):
    made = Gallery(browser)
    yield made
    made.browser.check()


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", FLAT)
def test_a_picture_in_a_plane(gallery, name):
    figure = FLAT[name]()
    gallery.check(name, figure)
    figure_data(figure)  # a page can draw it too


@pytest.mark.soak
@pytest.mark.parametrize("name", [*IN_SPACE][:: count(3, 1)])
def test_a_picture_in_space(gallery, name):
    gallery.check(name, IN_SPACE[name]())


@pytest.mark.soak
def test_every_mechanism_of_the_catalog(gallery):
    names = vv.catalog.names()
    some = np.random.default_rng(4).permutation(len(names))[: count(5, len(names))]
    for k in some:
        gallery.check(names[k], getattr(vv.catalog, names[k])().plot())


@pytest.mark.soak
def test_robots_of_files(gallery):
    for name, path in [*URDFS.items()][: count(1, len(URDFS))]:
        gallery.check(name, vv.load(path).plot())


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing(name):
    check_drawing(name, DRAWINGS[name]())
