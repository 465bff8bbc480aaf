"""What a factor of a claim can be besides numbers and brackets: names, functions, fractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from visviva.errors import UnknownNameError
from visviva.notation.reading.brackets import bracket, refuse_other_times
from visviva.notation.reading.marks import Mark
from visviva.notation.reading.vocabulary import CASES, GREEK_WORDS, WANTED
from visviva.notation.tree import (
    FUNCTIONS,
    IN_TIME,
    OF_MATRICES,
    SLOPE,
    Call,
    Matrix,
    Name,
    Node,
    Number,
    Power,
    Product,
    Sum,
    names,
)

if TYPE_CHECKING:
    from visviva.notation.reading.grammar import Grammar

VECTORS = ("q", "qd", "qdd", "dq", "ddq", "qdot", "qddot")
ANGLES = ("q", "theta", "phi", "psi", "alpha", "beta", "gamma")
PHASES = (*ANGLES, "delta", "Delta", "epsilon", "Theta", "Phi", "Psi")
MOST_ON_DIAGONAL = 40  # entries of diag(...)
FREQUENCIES = ("omega", "Omega", "nu", "pi")  # Greek, but no angles by themselves
# functions as Mathematica writes them, where [ comes after
HEADS = {x.capitalize(): x for x in FUNCTIONS}
HEADS |= {f"Arc{x}": f"a{x.lower()}" for x in ("Sin", "Cos", "Tan")}
DEGREES = {f"{x}d": x for x in FUNCTIONS}  # as MATLAB calls them: sind
# as spreadsheets write them, but for those whose meaning is another there: LOG is of base 10
SHEETS = {x.upper(): x for x in FUNCTIONS if x not in ("log", "atan2")} | {"LN": "log"}
OTHERWISE = {
    "LOG": "log is the natural logarithm here: write log(...), or log(...)/log(10)",
    "ATAN2": "spreadsheets have ATAN2(x, y): write atan2(y, x)",
    "POWER": "write a^b",
}


def name(g: Grammar) -> Node:
    """A name; the (t) of a function of time is dropped, and SymPy's ways are known."""
    word = g.take()
    known = word.text in g.vocabulary.known
    if g.next.sign("[") and word.text in HEADS and not known:
        return call(g, replace(word, text=HEADS[word.text]))
    if g.next.sign("(") and not known and not g.vocabulary.formulas:
        if word.text in OTHERWISE:
            raise g.error(f"{word.text}: {OTHERWISE[word.text]}", word)
        if own := (SHEETS | HEADS).get(word.text):
            return call(g, replace(word, text=own))
        if word.text == "PI" and g.next.partner == g.at + 1 and not g.vocabulary.is_taken("pi"):
            g.at += 2
            return Name("pi", text=word.text, column=word.column)
    if g.next.sign("("):
        if word.text in ("Matrix", "ImmutableDenseMatrix") and g.words[g.at + 1].sign("["):
            return bracket(g)
        if word.text == "Derivative":
            return _derivative(g)
        if word.text == "diag" and not known:
            return _diagonal(g)
    if g.vocabulary.formulas and not known and g.next.sign("(") and g.next.column == word.stop:
        listed = dict.fromkeys(g.vocabulary.words.values())
        raise g.error(str(UnknownNameError("function", word.value.text, listed)), word)
    arguments, end = g.listed(g.at)
    moving = arguments and all(a.key == "t" or is_vector(g, a) for a in arguments)
    vector = bool(arguments) and all(is_vector(g, a) for a in arguments)
    node: Name = word.value
    if moving and not g.is_own(word):
        g.at = end
    elif vector and not g.vocabulary.formulas and g.next.column == word.stop:
        g.at = end  # M(q), where M is a parameter too
        return replace(node, arguments=tuple(arguments))
    elif arguments and g.words[g.at].column == word.stop:
        still = all(a.key in g.vocabulary.coordinates and not a.dots for a in arguments)
        if moving or not known or g.vocabulary.formulas or (still and g.is_own(word)):
            said = g.text[word.column : g.words[end - 1].stop]
            if word.text in DEGREES and not known:
                way = f"{DEGREES[word.text]}{said.removeprefix(word.text)}"
                raise g.error(f"{said:.40} is of degrees, which are not read: write {way:.40}")
            raise g.error(f"{said:.40} is not clear: a function? write {word.text} or a * before (")
    if not arguments and node.key in g.vocabulary.coordinates:
        refuse_other_times(g, word)
    return node


def _diagonal(g: Grammar) -> Node:
    """diag(m1, m2)."""
    start, entries = g.next, _arguments(g)
    if len(entries) == 1 and isinstance(entries[0], Matrix):  # np.diag([m1, m2])
        entries = tuple(x for row in entries[0].rows for x in row)
    zero, n = Number(0), len(entries)
    if n > MOST_ON_DIAGONAL:
        raise g.error(f"diag takes at most {MOST_ON_DIAGONAL} entries, got {n}", start)
    rows = ([x if j == i else zero for j in range(n)] for i, x in enumerate(entries))
    return Matrix(tuple(map(tuple, rows)), column=entries[0].column)


def is_vector(g: Grammar, name: Name) -> bool:
    """Whether a name is that of all coordinates or rates together."""
    return name.key in VECTORS and name.key not in g.vocabulary.known


def _derivative(g: Grammar) -> Node:
    """Derivative(q1(t), t), Derivative(q1(t), t, t) or Derivative(q1(t), (t, 2))."""
    g.take()
    start = g.next
    node = g.atom()
    g.expect(",")
    order = 1
    if g.next.sign("("):
        g.take()
        _time(g)
        g.expect(",")
        order = int(g.next.text) if g.next.text in ("1", "2", "3") else 0
        g.take()
        g.expect(")")
    else:
        _time(g)
        while g.next.sign(","):
            g.take()
            _time(g)
            order += 1
    g.expect(")")
    if not isinstance(node, Name) or not order:
        raise g.error("expected the derivative of one name by t", start)
    return replace(node, dots=node.dots + order)


def _time(g: Grammar) -> None:
    word = g.take()
    if word.kind != "name" or word.text != "t":
        raise g.error(f"expected t, got {word}", word)


def short(g: Grammar) -> Node:
    """A shorthand, as c12."""
    node: Node = g.take().value[0]
    return node


def absolute(g: Grammar) -> Node:
    """The absolute value |x|; bars do not stand inside bars."""
    word = g.take()
    if g.bars:
        raise g.error("expected a number, a name or a bracket, got '|'", word)
    with g.within(bars=1):
        inside = g.sum()
        g.expect("|")
    return Call("abs", (inside,), column=word.column)


def call(g: Grammar, word: Mark | None = None) -> Node:
    """A function with parentheses, or of a number times a name; `word` if it was taken already."""
    word = word or g.take()
    power = _power_of_function(g, word) if g.is_raised() else None
    if g.next.sign("(", "[", "\\{"):
        arguments = _arguments(g)
    elif g.next.sign("{"):
        start = g.next
        arguments = (bracket(g),)
        _refuse_open_end(g, word, start, arguments[0])
    elif word.text in OF_MATRICES:
        arguments = (g.atom(),)
    else:
        arguments = (_bare(g, word),)
    wanted = WANTED.get(word.text) or CASES[word.text]
    several = word.text in ("min", "max") and len(arguments) > wanted
    if len(arguments) != wanted and not several:
        raise g.error(f"{word.text} takes {wanted} arguments, got {len(arguments)}", word)
    node = Call(word.text, arguments, column=word.column)
    if power is None:
        return node
    if power == Number(-1):  # of a function, where that is its inverse
        return Call(f"a{word.text}", arguments, column=word.column)
    if g.is_raised():
        raise g.error(f"{word.text} has a power already: put parentheses around one of them")
    return Power(node, power, column=word.column)


def _power_of_function(g: Grammar, word: Mark) -> Node:
    at = g.next
    exponent = g.exponent()
    value = g.sizes.constant(exponent) if exponent is not None else None
    f = word.text
    if value is not None and value < 0:
        if g.vocabulary.inverses and value == -1 and f"a{f}" in FUNCTIONS:
            return Number(value, column=at.column)
        raise g.error(f"{f}^-1 is not clear: write a{f}(...) or 1/{f}(...)", at)
    if value is None or value.denominator != 1 or value > 1000:
        raise g.error(f"expected a whole number as the power of {f}", at)
    return Number(value, column=at.column)


def _arguments(g: Grammar) -> tuple[Node, ...]:
    opening = g.words[g.at]
    commas = any(w.sign(",") for w in g.words[g.at : opening.partner])
    if not commas or opening.text == "[":
        return (bracket(g),)
    with g.within(bars=0, gaps=0):
        arguments: list[Node] = []
        while not arguments or g.next.sign(","):
            g.take()
            arguments.append(g.sum())
        g.expect(g.words[opening.partner].text)
    return tuple(arguments)


def _bare(g: Grammar, word: Mark) -> Node:
    """An argument without parentheses: a number, names; it ends with an angle or with t.

    In sin 2θ l and cos ω t l, l is outside. Where the end is not clear, as in sin k x, or in
    sin θ₁ + θ₂, which may be meant as the sine of a sum, an error.
    """
    start = g.next
    factors: list[Node] = []
    if start.kind == "number":
        factors.append(Number(Fraction(g.take().text), column=start.column))
    elif start.kind == "frac":
        factors.append(fraction(g))
    if g.next.kind == "short" and isinstance(g.next.value[0], Sum):  # sin θ₁₂
        factors.append(short(g))
    elif _is_still(g.next) and all(isinstance(x, Number) for x in factors):
        factors.append(name(g))
    factors += _up_to_time(g, factors)
    named = g.next.kind == "name" and isinstance(factors[-1] if factors else None, Number)
    if not factors or named:
        raise g.error(f"{word.text} needs parentheses here: write {word.text}(...)")
    one = len(factors) == 1
    argument = factors[0] if one else Product(tuple(factors), column=start.column)
    _refuse_open_end(g, word, start, argument)
    return argument


def _up_to_time(g: Grammar, factors: list[Node]) -> list[Node]:
    """More names of an argument, if it is a frequency so far and they end with t."""
    numbers = all(isinstance(x, Number) for x in factors)
    if numbers or any(_has_angle(g, x) for x in factors):
        return []
    end = g.at
    while _is_still(g.words[end]) and not _has_angle(g, g.words[end].value):
        end += 1
    if not _is_still(g.words[end]) or g.words[end].value.key != "t":
        return []
    return [name(g) for _ in range(end + 1 - g.at)]


def _refuse_open_end(g: Grammar, word: Mark, start: Mark, argument: Node) -> None:
    """An error if what follows may belong to an argument that has no parentheses."""
    last, whole, grouped = g.words[g.at - 1], _has_angle(g, argument), start.sign("{")
    raised = g.is_raised()
    at = g.at + 1 if g.next.sign("*") and not whole else g.at
    after = g.words[at]
    opens = after.sign("(", "[", "{", "\\{") or after.kind in ("short", "frac")
    if isinstance(argument, Number):
        unclear = opens and not grouped
    elif not whole:
        unclear = opens or _is_still(after)
    else:
        timed = any(x.key == "t" for x in names(argument))
        follows = _is_still(after) and _may_follow(g, after.value, argument)
        unclear = follows and not grouped and not timed
    angles = 0 if unclear or grouped else _sum_of_angles(g, argument)
    if not (unclear or raised or angles or (g.next.sign("/") and not grouped)):
        return
    end = at + angles + (g.next.kind == "sign" and at == g.at and not angles and not opens)
    end = g.words[end].partner if g.words[end].partner > end else end
    said = g.text[start.column : last.stop].strip(" {}")
    more = g.text[start.column : g.words[end].stop].strip()
    f = word.text
    raise g.error(
        f"where the argument of {f} ends is not clear: put it in parentheses, "
        f"{f}({said:.40}) or {f}({more:.40})"
    )


def _sum_of_angles(g: Grammar, argument: Node) -> int:
    """The number of words of a term that is an angle alone, as in sin θ₁ + θ₂; 0 for others."""
    if not g.next.sign("+", "-"):
        return 0
    k = 2 if g.words[g.at + 1].kind == "number" else 1
    term, end = g.words[g.at + k], g.at + k + 1
    if not _is_still(term) or not (_letter(term.value) in PHASES or _alike(term.value, argument)):
        return 0
    arguments, behind = g.listed(end)
    after = g.words[behind if arguments and all(a.key == "t" for a in arguments) else end]
    goes_on = after.kind in (*ATOMS, "begin", "super") or after.sign("(", "[", "\\{", "^", "*", "/")
    return 0 if goes_on else k


def _is_still(word: Mark) -> bool:
    """Whether a word is a name without dots."""
    return word.kind == "name" and word.value.dots == 0


def _has_angle(g: Grammar, node: Node) -> bool:
    """Whether an angle or t is in a formula, so that it may be all of an argument."""
    own = (*g.vocabulary.coordinates, "t", "q")
    still = [x for x in names(node) if not x.dots]
    greek = (_letter(x) in GREEK_WORDS and _letter(x) not in FREQUENCIES for x in still)
    return any(x.key in own or x.key.rstrip("0123456789") in own for x in still) or any(greek)


def _may_follow(g: Grammar, name: Name, argument: Node) -> bool:
    """Whether a name after an angle may be in the argument: a coordinate, another angle, t."""
    own = name.key in (*g.vocabulary.coordinates, "t") or _letter(name) in ANGLES
    return own or _alike(name, argument)


def _alike(name: Name, node: Node) -> bool:
    """Whether a name has the letter of one in a formula: θ₂ and θ₁."""
    letter = name.key.rstrip("0123456789")
    return name.key != "t" and any(letter == x.key.rstrip("0123456789") for x in names(node))


def _letter(name: Name) -> str:
    """The Greek letter that a name begins with, or its letters: theta of theta_d."""
    greek = (x for x in GREEK_WORDS if name.key.startswith(x))
    return max(greek, key=len, default=name.key.rstrip("0123456789"))


def fraction(g: Grammar) -> Node:
    r"""\frac and its like: groups in braces, or single digits and names."""
    g.take()
    top = _argument(g)
    return g.quotient(top, [_argument(g)])


def root(g: Grammar) -> Node:
    """A square root, of a group or of one number or name."""
    word = g.take()
    if g.next.sign("["):
        raise g.error("only square roots can be read: write a power as ^{1/3}")
    if g.next.sign("(", "\\{"):
        inside = bracket(g)
    elif g.next.kind == "number" and not g.latex:
        inside = g.atom()
    else:
        inside = _argument(g)
    last = g.words[g.at - 1]
    sign = g.text[word.column] == "√" and not last.sign(")", "}", "\\}")
    if sign and g.next.column == last.stop and g.starts():
        raise g.error("where the root ends is not clear: write √(...)")
    return Call("sqrt", (inside,), column=word.column)


def _argument(g: Grammar) -> Node:
    """A group in braces, or the next digit or name."""
    word = g.next
    if word.sign("{"):
        return bracket(g)
    if word.kind == "name":
        g.take()
        node: Name = word.value
        return node
    if word.kind == "number" and word.text.isdigit():
        return g.atom()
    raise g.error(f"expected {{...}}, a digit or a name, got {word}")


def slope(g: Grammar) -> Node:
    """A derivative of what comes next; where that ends must be clear."""
    word = g.take()
    start = g.next
    if start.kind not in ATOMS and not start.sign("(", "[", "{", "\\{"):
        raise g.error(f"expected what is derived, in parentheses, got {start}")
    node = bracket(g) if start.sign("{") else g.atom()
    given = start.sign("(") and start.column == word.column  # above the line
    closed = start.sign("(", "[", "{", "\\{") or start.kind in ("slope", "frac")
    if start.kind == "name" and g.words[g.at - 1] is not start and g.next.kind == "slope":
        closed = True  # d/dt x(t) d/dt y(t), as SymPy writes it
    if not given and (g.is_raised() or (g.starts() and not closed)):
        raise g.error("where the derived formula ends is not clear: put it in parentheses")
    for by in reversed(word.value):
        timed = word.text == "d" and by.key == "t" and not by.dots
        arguments = (node,) if timed else (node, by)
        function, total = IN_TIME if timed else SLOPE, word.text == "d"
        node = Call(function, arguments, total=total, column=word.column)
    return node


ATOMS: dict[str, Callable[[Grammar], Node]] = {
    "name": name,
    "short": short,
    "|": absolute,
    "function": call,
    "frac": fraction,
    "root": root,
    "slope": slope,
}
