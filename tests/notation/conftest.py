"""A graph, and names that stand for its inputs."""

import pytest

from visviva.algebra.expr import Graph


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def names(graph):
    return {name: graph.input(name) for name in ("x", "y", "z", "l1", "θ", "m_2")}
