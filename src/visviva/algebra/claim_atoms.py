"""What a factor of a claim can be besides numbers and brackets: names, functions, fractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from visviva.algebra.claim_marks import Mark
from visviva.algebra.claim_powers import read_exponent
from visviva.algebra.claim_tables import bracket
from visviva.algebra.syntax_tree import FUNCTIONS, Call, Name, Node, Number, Power, Product

if TYPE_CHECKING:
    from visviva.algebra.claim_grammar import Grammar

VECTORS = ("q", "qd", "qdd", "dq", "ddq", "qdot", "qddot")
ANGLES = ("q", "theta", "phi", "psi", "alpha", "beta", "gamma")


def name(g: Grammar) -> Node:
    """A name; the (t) of a function of time is dropped, and SymPy's ways are known."""
    word = g.take()
    if g.next.sign("("):
        if word.text in ("Matrix", "ImmutableDenseMatrix") and g.words[g.at + 1].sign("["):
            return bracket(g)
        if word.text == "Derivative":
            return _derivative(g)
        arguments, end = g.listed(g.at)
        moving = arguments and all(a.key == "t" or _is_vector(g, a) for a in arguments)
        known = word.text in g.vocabulary.known
        if moving and not g.is_own(word):
            g.at = end
        elif arguments and (moving or not known) and g.next.column == word.stop:
            said = g.text[word.column : g.words[end - 1].stop]
            raise g.error(f"{said:.40} is not clear: a function? write {word.text} or a * before (")
    made: Name = word.value
    return made


def _is_vector(g: Grammar, name: Name) -> bool:
    """Whether a name is that of all coordinates or rates together."""
    return name.key in VECTORS and name.key not in g.vocabulary.known


def _derivative(g: Grammar) -> Node:
    """Derivative(q1(t), t) or Derivative(q1(t), (t, 2))."""
    g.take()
    start = g.next
    made = g.atom()
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
    g.expect(")")
    if not isinstance(made, Name) or not order:
        raise g.error("expected the derivative of one name by t", start)
    return replace(made, dots=made.dots + order)


def _time(g: Grammar) -> None:
    word = g.take()
    if word.kind != "name" or word.text != "t":
        raise g.error(f"expected t, got {word}", word)


def short(g: Grammar) -> Node:
    """A shorthand, as c12."""
    made: Node = g.take().value[0]
    return made


def absolute(g: Grammar) -> Node:
    """|x|."""
    word = g.take()
    if g.bars:
        raise g.error("expected a number, a name or a bracket, got '|'", word)
    g.bars += 1
    inside = g.sum()
    g.expect("|")
    g.bars -= 1
    return Call("abs", (inside,), column=word.column)


def call(g: Grammar) -> Node:
    """A function with parentheses, or of a number times a name."""
    word = g.take()
    power = _power_of_function(g, word) if g.next.kind == "super" or g.next.sign("^") else None
    if g.next.sign("(", "[", "\\{"):
        arguments = _arguments(g)
    elif g.next.sign("{"):
        arguments = (bracket(g),)
    else:
        arguments = (_bare(g, word),)
    wanted = FUNCTIONS[word.text]
    if len(arguments) != wanted:
        raise g.error(f"{word.text} takes {wanted} arguments, got {len(arguments)}", word)
    made = Call(word.text, arguments, column=word.column)
    if power is None:
        return made
    if g.next.kind == "super" or g.next.sign("^"):
        raise g.error(f"{word.text} has a power already: put parentheses around one of them")
    return Power(made, power, column=word.column)


def _power_of_function(g: Grammar, word: Mark) -> Node:
    at = g.next
    exponent = read_exponent(g)
    value = g.sizes.constant(exponent) if exponent is not None else None
    f = word.text
    if value is not None and value < 0:
        raise g.error(f"{f}^-1 is not clear: write a{f}(...) or 1/{f}(...)", at)
    if value is None or value.denominator != 1 or value > 1000:
        raise g.error(f"expected a whole number as the power of {f}", at)
    return Number(value, column=at.column)


def _arguments(g: Grammar) -> tuple[Node, ...]:
    opening = g.words[g.at]
    commas = any(w.sign(",") for w in g.words[g.at : opening.partner])
    if not commas or opening.text == "[":
        return (bracket(g),)
    g.take()
    outer = g.bars, g.gaps
    g.bars = 0
    found = [g.sum()]
    while g.next.sign(","):
        g.take()
        found.append(g.sum())
    g.expect(g.words[opening.partner].text)
    g.bars, g.gaps = outer
    return tuple(found)


def _bare(g: Grammar, word: Mark) -> Node:
    """An argument without parentheses; where it ends must be clear."""
    f, start = word.text, g.next
    number: Node | None = None
    if start.kind == "number":
        number = Number(Fraction(g.take().text), column=start.column)
    elif start.kind == "frac":
        number = fraction(g)
    named = g.next.kind == "name" and (number is None or isinstance(number, Number))
    if named and g.next.value.dots == 0:
        made = name(g)
        argument = made if number is None else Product((number, made), column=start.column)
        after = g.next.value if g.next.kind == "name" else None
        unclear = isinstance(after, Name) and _is_angle(g, after, made)
    elif number is not None and not named:
        argument, unclear = number, g.next.kind == "short" or g.next.sign("(", "[", "{", "\\{")
    else:
        raise g.error(f"{f} needs parentheses here: write {f}(...)")
    if unclear or g.next.kind == "super" or g.next.sign("^", "/"):
        said = g.text[start.column : g.words[g.at - 1].stop].strip()
        problem = (
            f"where the argument of {f} ends is not clear: put it in parentheses, {f}({said:.40})"
        )
        raise g.error(problem)
    return argument


def _is_angle(g: Grammar, name: Name, before: Node) -> bool:
    """Whether a name may be an angle: a coordinate, or with the letter of the one before."""
    letter = name.key.rstrip("0123456789")
    alike = isinstance(before, Name) and letter == before.key.rstrip("0123456789")
    return name.dots == 0 and (name.key in g.vocabulary.coordinates or alike or letter in ANGLES)


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
        made: Name = word.value
        return made
    if word.kind == "number" and word.text.isdigit():
        if len(word.text) > 1:
            g.words[g.at] = replace(word, text=word.text[1:], column=word.column + 1)
        else:
            g.take()
        return Number(Fraction(int(word.text[0])), column=word.column)
    raise g.error(f"expected {{...}}, a digit or a name, got {word}")


ATOMS: dict[str, Callable[[Grammar], Node]] = {
    "name": name,
    "short": short,
    "|": absolute,
    "function": call,
    "frac": fraction,
    "root": root,
}
