"""Words of a claim to the tree of a formula.

    statement = sum { "=" sum }
    sum       = product { ("+" | "-") product }
    product   = power { ["*" | "/"] power }
    power     = atom [ "^" exponent ]
    atom      = number | name | function argument | fraction | root | bracket | matrix | "|" sum "|"

Where a text can be read in two ways, as 1/2m or sin x^2 can, it is refused with both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from visviva.errors import ParseError
from visviva.notation.reading.atoms import ATOMS, is_vector
from visviva.notation.reading.bounds import Sizes
from visviva.notation.reading.brackets import bracket, environment
from visviva.notation.reading.marks import Mark
from visviva.notation.reading.powers import raised
from visviva.notation.reading.vocabulary import Vocabulary, simple_key
from visviva.notation.tree import (
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Product,
    Quotient,
    Sum,
)

OPENING = ("(", "[", "{", "\\{")
STARTS = ("name", "short", "function", "frac", "root", "begin")


class Grammar:
    """Reads one statement; one method per line of the grammar, and for what an atom can be."""

    def __init__(self, text: str, words: list[Mark], vocabulary: Vocabulary, latex: bool) -> None:
        self.text, self.words, self.vocabulary, self.latex = text, words, vocabulary, latex
        self.at = 0
        self.bars = 0  # open |
        self.gaps = 0  # products by blanks in the bracket being read
        self.levels = 0  # of exponents inside exponents
        self.lists: dict[int, Node] = {}  # vectors written [a, b], by their id
        self.sizes = Sizes()

    @property
    def next(self) -> Mark:
        return self.words[self.at]

    def take(self) -> Mark:
        self.at += 1
        return self.words[self.at - 1]

    def error(self, problem: str, at: Mark | Node | None = None) -> ParseError:
        return ParseError(self.text, (at or self.next).column, problem)

    def statement(self) -> list[Node]:
        """An equation for every = sign, or the formula alone."""
        claim = None if self.vocabulary.formulas else self.sympy_equation() or self.subject()
        first = claim or self.sum()
        made: list[Node] = []
        while self.next.sign("="):
            sign = self.take()
            made.append(Equation(first, self.side(first), column=sign.column))
        if self.next.kind != "stop":
            wanted = "an operator, '=' or the end of the statement"
            raise self.error(f"expected {wanted}, got {self.next}")
        return made or [first]

    def side(self, left: Node) -> Node:
        """What stands right of =; of a system with one coordinate, M = [m] is a vector or matrix.

        Where a left side is one letter that is no name of the system, or has arguments, as g(q).
        """
        start = self.next
        made = self.sum()
        whole = start.sign("[") and start.partner == self.at - 1 and not isinstance(made, Matrix)
        if not whole or not isinstance(left, Name) or len(self.vocabulary.coordinates) != 1:
            return made
        letter = left.key not in self.vocabulary.known and not left.key[-1:].isdigit()
        if left.dots or not (letter or left.arguments):
            return made
        return Matrix(((made,),), column=start.column)

    def sympy_equation(self) -> Node | None:
        """Eq(a, b), as SymPy prints equations."""
        word, after = self.next, self.words[min(self.at + 1, len(self.words) - 1)]
        if word.kind != "name" or word.text != "Eq" or not after.sign("("):
            return None
        self.at += 2
        left = self.sum()
        self.expect(",")
        right = self.sum()
        self.expect(")")
        return Equation(left, right, column=word.column)

    def expect(self, sign: str) -> Mark:
        """Take a sign."""
        if not self.next.sign(sign):
            raise self.error(f"expected {sign!r} or an operator, got {self.next}")
        return self.take()

    def subject(self) -> Node | None:
        """A name alone on the left, as C_{12} or M(q) with its arguments."""
        head = self.next
        if head.kind not in ("name", "short"):
            return None
        arguments, end = self.listed(self.at + 1)
        alone = self.words[end].sign("=") or self.words[end].kind == "stop"
        inside = self.words[self.at + 2 : end]
        if not alone or any(w.kind == "name" and self.is_own(w) for w in inside):
            return None
        if arguments and arguments[0].dots:  # a product with a rate in brackets
            return None
        if arguments and self.is_own(head) and not self.is_function(arguments, end):
            problem = f"{head.text} is a parameter: write {head.text}*(...), or another left side"
            raise self.error(problem)
        self.at = end
        name: Name = head.value[1] if head.kind == "short" else head.value
        return replace(name, arguments=tuple(arguments))

    def is_function(self, arguments: list[Name], end: int) -> bool:
        """Whether g(q) is no product though g is a parameter: q is no name, or g a vector."""
        if not self.words[end].sign("="):
            return False
        after = self.words[end + 1]
        tabular = after.kind == "begin" or after.sign("[")
        return len(arguments) > 1 or tabular or is_vector(self, arguments[0])

    def listed(self, i: int) -> tuple[list[Name], int]:
        """Names with commas in parentheses at a word, and the next word; nothing if it is else.

        Brackets as in x[t] and braces around the parentheses, as SymPy writes them, are the same.
        """
        opening = self.words[i]
        if opening.sign("{") and self.words[opening.partner - 1].partner == i + 1:
            names, _ = self.listed(i + 1)
            return (names, opening.partner + 1) if names else ([], i)
        inside = self.words[i + 1 : opening.partner] if opening.sign("(", "[") else []
        right = [w.kind == "name" if k % 2 == 0 else w.sign(",") for k, w in enumerate(inside)]
        if not all(right) or len(inside) % 2 == 0:
            return [], i
        return [w.value for w in inside[::2]], opening.partner + 1

    def is_own(self, word: Mark) -> bool:
        """Whether a word is a parameter, and not a second name of something."""
        official = self.vocabulary.known.get(word.text, ("", 0))[0]
        return simple_key(official) == word.text and official not in self.vocabulary.coordinates

    def sum(self) -> Node:
        start = self.next
        terms = [self.in_order() if self.vocabulary.formulas else self.signed()]
        while self.next.sign("+", "-"):
            terms.append(self.signed())
        return terms[0] if len(terms) == 1 else Sum(tuple(terms), column=start.column)

    def signed(self) -> Node:
        """A product with any signs in front."""
        start, minus = self.next, False
        if self.vocabulary.formulas:
            minus = self.take().text == "-"
            made = self.in_order()
            return Negative(made, column=start.column) if minus else made
        while self.next.sign("+", "-"):
            minus ^= self.take().text == "-"
        made = self.product()
        return Negative(made, column=start.column) if minus else made

    def in_order(self) -> Node:
        """A product of a formula, computed from the left as it is written: a*b/c is (a*b)/c."""
        factors = [self.factor()]
        column = factors[0].column
        while True:
            if self.next.sign("*"):
                self.take()
                factors.append(self.factor())
            elif self.next.sign("/"):
                self.take()
                bottom = self.divisor(factors[-1])
                factors = [Quotient(_product(factors, column), bottom, column=column)]
            elif self.starts():
                self.gaps += self.next.column > self.words[self.at - 1].stop
                factors.append(self.power())
            else:
                return _product(factors, column)

    def product(self) -> Node:
        start = self.next
        factors: list[tuple[Node, list[Node]]] = [(self.power(), [])]
        while True:
            before = self.words[self.at - 1]
            if self.next.sign("*"):
                self.take()
                factors.append((self.factor(), []))
            elif self.next.sign("/"):
                self.take()
                factors[-1][1].append(self.divisor(factors[-1][0]))
            elif self.starts():
                self.gaps += self.next.column > before.stop
                word = self.next
                factors.append((self.power(), []))
                if all(isinstance(f, Number) and not below for f, below in factors[-2:]):
                    raise self.error("two numbers side by side are not clear: write * or +", word)
            else:
                break
        made = [self.quotient(top, bottoms) for top, bottoms in factors]
        return made[0] if len(made) == 1 else Product(tuple(made), column=start.column)

    def starts(self) -> bool:
        """Whether a factor without a sign comes next; a number there is not clear."""
        word = self.next
        inside = self.words[self.at + 1] if word.sign(*OPENING) else word
        if inside.kind == "number" and (inside is word or word.partner == self.at + 2):
            raise self.error(f"expected an operator before {inside}: write * or ^", word)
        return word.kind in STARTS or word.sign(*OPENING) or (word.sign("|") and not self.bars)

    def factor(self) -> Node:
        """What stands after * or /, which may have a sign."""
        start, minus = self.next, False
        while self.next.sign("+", "-"):
            minus ^= self.take().text == "-"
        made = self.power()
        return Negative(made, column=start.column) if minus else made

    def divisor(self, top: Node) -> Node:
        """What stands after /; where it ends must be clear, as in 1/2 m and a/(b) m."""
        start = self.next
        made = self.factor()
        last = self.words[self.at - 1]
        closed = start.sign(*OPENING) or start.kind in ("frac", "root")
        half = isinstance(top, Number) and isinstance(made, Number)
        spaced = half and self.next.column > last.stop
        if self.starts() and not closed and not spaced:
            said = self.text[start.column : last.stop]
            advice = f"put * after {said:.40}, or all of it in parentheses"
            raise self.error(f"what is below the / is not clear: {advice}")
        return made

    def quotient(self, top: Node, bottoms: Sequence[Node]) -> Node:
        if not bottoms:
            return top
        bottom = bottoms[0] if len(bottoms) == 1 else Product(tuple(bottoms), column=top.column)
        for x in bottoms:
            if self.sizes.constant(x) == 0:
                raise self.error("expected something other than zero below the fraction", x)
        if isinstance(top, Number) and isinstance(bottom, Number):
            return Number(Fraction(top.value) / Fraction(bottom.value), column=top.column)
        return Quotient(top, bottom, column=top.column)

    def power(self) -> Node:
        base = self.atom()
        if self.next.kind == "super" or self.next.sign("^"):
            base = raised(self, base)
            if self.next.kind == "super" or self.next.sign("^"):
                raise self.error("a power of a power needs parentheses")
        return base

    def atom(self) -> Node:
        word = self.next
        if word.kind == "number":
            self.take()
            number = Number(Fraction(word.text), column=word.column)
            if not self.vocabulary.formulas and not self.sizes.spend(number):
                raise self.error("the numbers of this formula are too large", word)
            return number
        if word.kind == "begin":
            return environment(self)
        if word.sign(*OPENING):
            return bracket(self)
        reader = ATOMS.get(word.text if word.kind == "sign" else word.kind)
        if reader is None:
            raise self.error(f"expected a number, a name, a function or a bracket, got {word}")
        return reader(self)


def _product(factors: list[Node], column: int) -> Node:
    return factors[0] if len(factors) == 1 else Product(tuple(factors), column=column)
