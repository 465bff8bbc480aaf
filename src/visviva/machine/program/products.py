"""Products of the Jacobian with vectors, as programs: neither ever forms the matrix itself.

With Jacobian J = ∂outputs/∂inputs, `vjp` gives Jᵀ weights and `jvp` gives J rates. Quaternions are
four entries here, as in the inputs, not three directions as in `Derivative`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from visviva.algebra import diff
from visviva.algebra.expr import Expr, Graph
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Port, Program
from visviva.machine.program.trace import symbols

Nodes = list[Expr]
Ports = Sequence[Port]


def vjp(program: Program, names: Sequence[str], weights: Ports) -> Program:
    """Of inputs and a weight for each output number: the gradient of the weighted sum."""
    ports = [port for name in names for port in program.inputs if port.name == name]
    outputs = [Port(f"gradient_{port.name}", port.shape) for port in ports]
    return _product(program, names, weights, outputs, diff.pull_back)


def jvp(program: Program, names: Sequence[str], rates: Ports) -> Program:
    """Of inputs and a rate for each number of the named ones: the rates of the outputs."""
    outputs = [Port(f"rate_{port.name}", port.shape) for port in program.outputs]
    return _product(program, names, rates, outputs, diff.push_forward)


def _weight_ports(
    inputs: Ports, outputs: Callable[[], Ports], names: Sequence[str]
) -> tuple[Port, ...]:
    return _added_ports(inputs, "weight", outputs())


def _rate_ports(
    inputs: Ports, outputs: Callable[[], Ports], names: Sequence[str]
) -> tuple[Port, ...]:
    return _added_ports(inputs, "rate", [p for k in names for p in inputs if p.name == k])


# Each with what makes the ports that it adds to a program's inputs. Outputs come by a function, as
# they may cost a trace, which `jvp` does without.
PRODUCTS = {"vjp": (vjp, _weight_ports), "jvp": (jvp, _rate_ports)}


def _added_ports(inputs: Ports, prefix: str, of: Ports) -> tuple[Port, ...]:
    """Ports with the shapes of others, by names that no input has.

    A name is a symbol: a second derivative that added the same name again would merge the two.
    """
    names = {port.name for port in inputs}
    prefixes = (prefix if k == 1 else f"{prefix}{k}" for k in count(1))
    free = next(x for x in prefixes if names.isdisjoint(f"{x}_{port.name}" for port in of))
    return tuple(Port(f"{free}_{port.name}", port.shape) for port in of)


def _product(
    program: Program,
    names: Sequence[str],
    factors: Ports,
    outputs: Ports,
    derive: Callable[[Nodes, Nodes, Nodes], Nodes],
) -> Program:
    graph = Graph()
    values = {port.name: _nodes(graph, port) for port in (*program.inputs, *factors)}
    arguments = [node for port in program.inputs for node in values[port.name]]
    results = [graph.node(y) for y in interpret(program, arguments)]
    columns = [node for name in names for node in values[name]]
    vector = [node for port in factors for node in values[port.name]]
    product = derive(results, columns, vector)
    return Program.of([*program.inputs, *factors], outputs, [*arguments, *vector], product)


def _nodes(graph: Graph, port: Port) -> Nodes:
    nodes: Nodes = symbols(graph, port).ravel().tolist()
    return nodes
