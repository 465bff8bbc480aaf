"""Scalars and the graph of expressions: what every other room computes with.

exact/       The normal form that decides equality: polynomials in symbols, sines and cosines
scalars      How numbers and foreign scalars answer the vocabulary of `generic`
generic      Elementary functions over any scalar
ops          THE table: one row per operation
fold         Exact folding and canonical form: one rule per operation
expr         Expressions: immutable, hash-consed nodes in one arena per trace
arrays       Arrays whose scalars may be of any kind: made, frozen, looked at
diff         Derivatives of a graph
sympy_graph  SymPy expressions to nodes of a graph, and nodes to SymPy
"""
