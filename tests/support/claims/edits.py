"""Other forms of a formula that are the same function, and edits that make it another one."""

import re

import sympy
from sympy.simplify.fu import TR5, TR6, TR7, TR8

from tests.support.claims.texts import parts

LARGEST = 400  # operations of a formula that is typed


def alternatives(x, chance):
    """A rewriting of a formula, and what it is called."""
    pick = chance.choice

    def some(f):  # some of the sines and cosines
        found = sorted(x.atoms(sympy.sin, sympy.cos), key=str)
        chosen = chance.sample(found, max(1, len(found) // 2)) if found else []
        return x.xreplace({t: f(t) for t in chosen})

    def half(t):
        (u,) = t.args
        s, c, tan = sympy.sin(u / 2), sympy.cos(u / 2), sympy.tan(u / 2)
        if isinstance(t, sympy.sin):
            return pick([2 * s * c, 2 * tan / (1 + tan**2)])
        return pick([1 - 2 * s**2, 2 * c**2 - 1, c**2 - s**2, (1 - tan**2) / (1 + tan**2)])

    def by_tan(t):
        u = t.args[0]
        return sympy.tan(u) * sympy.cos(u) if isinstance(t, sympy.sin) else t

    angle = pick(sorted(x.atoms(sympy.sin, sympy.cos), key=str) or [sympy.sin(sympy.Symbol("x"))])
    symbol = pick(sorted(x.free_symbols, key=str) or [sympy.S.One])
    if not x.has(sympy.sin, sympy.cos):
        angle = sympy.S.Zero
    one = sympy.sin(angle.args[0]) ** 2 + sympy.cos(angle.args[0]) ** 2 if angle.args else 1
    return {
        "as it is": lambda: x,
        "expanded": lambda: sympy.expand(x),
        "factored": lambda: sympy.factor(x) if sympy.count_ops(x) < 60 else sympy.factor_terms(x),
        "collected": lambda: sympy.collect(sympy.expand(x), symbol),
        "angle sums": lambda: sympy.expand_trig(x),
        "products to sums": lambda: TR8(sympy.expand(x)),
        "squares": lambda: pick([TR5, TR6, TR7])(x),
        "half angles": lambda: some(half),
        "tangents": lambda: some(by_tan),
        "added zero": lambda: x + symbol * (one - 1),
        "over": lambda: sympy.expand(x * (symbol + 2)) / (symbol + 2),
    }


def rewritten(x, chance):
    """The same function in another form, of bearable size."""
    if isinstance(x, sympy.MatrixBase):
        return x.applyfunc(lambda e: rewritten(e, chance))
    for _ in range(chance.choice([1, 1, 2])):
        ways = alternatives(x, chance)
        made = ways[chance.choice(list(ways))]()
        x = made if sympy.count_ops(made) < LARGEST else x
    return x


def nodes(x, path=()):
    """All places in a formula."""
    yield path, x
    for k, a in enumerate(x.args):
        yield from nodes(a, (*path, k))


def put(x, path, new):
    """With another formula at a place."""
    if not path:
        return new
    args = list(x.args)
    args[path[0]] = put(args[path[0]], path[1:], new)
    return x.func(*args)


def edited(x, chance, known):
    """A formula with one wrong edit, perhaps the same function by chance, and the edit's name."""
    places = list(nodes(x))
    sums = [(p, n) for p, n in places if n.is_Add] or [((), x)]
    kinds = ["sign", "factor", "dropped", "doubled", "index", "function", "power", "text"]
    kind = chance.choice(kinds)
    path, node = chance.choice(sums)
    term = chance.choice(sympy.Add.make_args(node))
    if kind in ("sign", "dropped", "doubled"):
        times = {"sign": -2, "dropped": -1, "doubled": 1}[kind]
        return kind, put(x, path, node + times * term)
    if kind == "factor":
        times = chance.choice([2, 3, 4, -2, sympy.Rational(1, 2), sympy.Rational(2, 3)])
        return kind, put(x, path, node + (times - 1) * term)
    if kind == "index":
        path, node = chance.choice([(p, n) for p, n in places if n.is_Symbol] or [((), x)])
        stem = parts(str(node))[0]
        others = [s for s in known if parts(s)[0] == stem and s != str(node)]
        return kind, put(x, path, sympy.Symbol(chance.choice(others))) if others else x
    if kind == "function":
        turns = [(p, n) for p, n in places if isinstance(n, (sympy.sin, sympy.cos))]
        if not turns:
            return kind, x
        path, node = chance.choice(turns)
        (u,) = node.args
        other = sympy.cos if isinstance(node, sympy.sin) else sympy.sin
        less = u - chance.choice(sympy.Add.make_args(u)) if u.is_Add else 2 * u
        return kind, put(x, path, chance.choice([other(u), sympy.tan(u), node.func(less)]))
    if kind == "power":
        powers = [(p, n) for p, n in places if n.is_Pow]
        if not powers:
            return kind, x
        path, node = chance.choice(powers)
        return kind, put(x, path, node.base ** (node.exp + chance.choice([1, -1])))
    return kind, by_text(str(x), chance, known) if not x.has(sympy.tan) else x


def by_text(text, chance, known):
    """An edit of one mark of the typed text, read by SymPy."""
    marks = list(re.finditer(r"[a-zA-Z]\w*|\d+|\*\*|[+*/-]", text))
    mark = chance.choice(marks)
    old = mark[0]
    if old in ("sin", "cos"):
        new = {"sin": "cos", "cos": "sin"}[old]
    elif old[0].isalpha():
        new = chance.choice([s for s in known if s[0] == old[0]] or [old])
    elif old.isdigit():
        new = str(int(old) + 1)
    else:
        new = {"+": "-", "-": "+", "*": "+", "/": "*", "**": "*"}[old]
    changed = text[: mark.start()] + new + text[mark.end() :]
    return sympy.parse_expr(changed, {s: sympy.Symbol(s) for s in known})
