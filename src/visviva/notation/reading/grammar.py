"""Words of a claim to the tree of a formula.

    statement = sum { "=" sum }
    sum       = product { ("+" | "-") product }
    product   = power { ["*" | "/"] power }
    power     = atom [ "^" exponent ]
    atom      = number | name | function argument | fraction | root | bracket | matrix | "|" sum "|"
              | derivative atom

Where a text can be read in two ways, as 1/2m or sin x^2 can, it is refused with both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from visviva.errors import ParseError
from visviva.notation.reading.atoms import ATOMS, is_vector
from visviva.notation.reading.bounds import LARGEST_EXPONENT, Sizes
from visviva.notation.reading.brackets import bracket, environment, power_in_time
from visviva.notation.reading.marks import Mark
from visviva.notation.reading.vocabulary import Vocabulary, simple_key
from visviva.notation.tree import (
    TRANSPOSE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
)

OPENING = ("(", "[", "{", "\\{")
STARTS = ("name", "short", "function", "frac", "root", "slope", "begin")


class Grammar:
    """Reads one statement: a cursor over its words, and one method per line of the grammar."""

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
        """The word under the cursor."""
        return self.words[self.at]

    def take(self) -> Mark:
        """The word under the cursor, which goes on."""
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, sign: str) -> Mark:
        """Take a sign."""
        if not self.next.sign(sign):
            raise self.error(f"expected {sign!r} or an operator, got {self.next}")
        return self.take()

    def error(self, problem: str, at: Mark | Node | None = None) -> ParseError:
        """An error at a word or a piece of the formula; at the cursor if none is given."""
        return ParseError(self.text, (at or self.next).column, problem)

    @contextmanager
    def within(self, **state: int) -> Iterator[None]:
        """Read with other `bars`, `gaps` or `levels`; those outside come back, on errors too."""
        outer = {name: getattr(self, name) for name in state}
        vars(self).update(state)
        try:
            yield
        finally:
            vars(self).update(outer)

    def statement(self) -> list[Node]:
        """An equation for every = sign, or the formula alone."""
        claim = None if self.vocabulary.formulas else self.sympy_equation() or self.subject()
        first = claim or self.sum()
        equations: list[Node] = []
        while self.next.sign("="):
            sign = self.take()
            equations.append(Equation(first, self.side(first), column=sign.column))
        if self.next.kind != "stop":
            wanted = "an operator, '=' or the end of the statement"
            raise self.error(f"expected {wanted}, got {self.next}")
        return equations or [first]

    def side(self, left: Node) -> Node:
        """What stands right of =; of a system with one coordinate, M = [m] is a vector or matrix.

        Where a left side is one letter that is no name of the system, or has arguments, as g(q).
        """
        start = self.next
        right = self.sum()
        whole = start.sign("[") and start.partner == self.at - 1 and not isinstance(right, Matrix)
        if not whole or not isinstance(left, Name) or len(self.vocabulary.coordinates) != 1:
            return right
        letter = left.key not in self.vocabulary.known and not left.key[-1:].isdigit()
        if left.dots or not (letter or left.arguments):
            return right
        return Matrix(((right,),), column=start.column)

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
        """Terms with + and - between them; the one term alone."""
        start = self.next
        terms = [self.in_order() if self.vocabulary.formulas else self.signed(self.product)]
        while self.next.sign("+", "-"):
            terms.append(self.term())
        return terms[0] if len(terms) == 1 else Sum(tuple(terms), column=start.column)

    def term(self) -> Node:
        """A product after a sign; of a formula, further signs belong to its first factor."""
        if not self.vocabulary.formulas:
            return self.signed(self.product)
        sign, product = self.take(), self.in_order()
        return Negative(product, column=sign.column) if sign.text == "-" else product

    def signed(self, read: Callable[[], Node]) -> Node:
        """What is read, with any signs in front."""
        start, minus = self.next, False
        while self.next.sign("+", "-"):
            minus ^= self.take().text == "-"
        node = read()
        return Negative(node, column=start.column) if minus else node

    def factor(self) -> Node:
        """What stands after * or /, which may have a sign."""
        return self.signed(self.power)

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
        """A product of a claim: what stands below a / is below the factor before it."""
        column = self.next.column
        factors: list[tuple[Node, list[Node]]] = [(self.power(), [])]
        while True:
            if self.next.sign("*"):
                self.take()
                factors.append((self.factor(), []))
            elif self.next.sign("/"):
                self.take()
                factors[-1][1].append(self.divisor(factors[-1][0]))
            elif self.starts():
                word = self.next
                self.gaps += word.column > self.words[self.at - 1].stop
                factors.append((self.power(), []))
                if all(isinstance(f, Number) and not below for f, below in factors[-2:]):
                    raise self.error("two numbers side by side are not clear: write * or +", word)
            else:
                return _product([self.quotient(*factor) for factor in factors], column)

    def starts(self) -> bool:
        """Whether a factor without a sign comes next; a number there is not clear."""
        word = self.next
        inside = self.words[self.at + 1] if word.sign(*OPENING) else word
        if inside.kind == "number" and (inside is word or word.partner == self.at + 2):
            raise self.error(self.factor_or_entry(inside), word)
        return word.kind in STARTS or word.sign(*OPENING) or (word.sign("|") and not self.bars)

    def factor_or_entry(self, number: Mark) -> str:
        """What a number after a name may be: g(2) with a parameter g."""
        before, word, n = self.words[self.at - 1], self.next, number.text
        glued = before.kind == "name" and before.stop == word.column and word.sign("(")
        glued = glued and not self.vocabulary.formulas
        if not glued or not n.isdigit() or before.text[-1:].isdigit():
            rows = [w for w in self.words[: self.at] if w.sign("[") and w.partner > self.at]
            way = "write * or ^" if not rows else "numbers in a row need commas, [0, 1; 1, 0]"
            return f"expected an operator before {number}: {way}"
        name, entry = before.text, n if n != "0" else "1, as these count from 1"
        return f"{name}({n}) is not clear: an entry is {name}{entry}, a product {name}*{n}"

    def divisor(self, top: Node) -> Node:
        """What stands after /; where it ends must be clear, as in 1/2 m and a/(b) m."""
        start = self.next
        bottom = self.factor()
        last = self.words[self.at - 1]
        closed = start.sign(*OPENING) or start.kind in ("frac", "root")
        half = isinstance(top, Number) and isinstance(bottom, Number)
        spaced = half and self.next.column > last.stop
        if self.starts() and not closed and not spaced:
            said = self.text[start.column : last.stop]
            advice = f"put * after {said:.40}, or all of it in parentheses"
            raise self.error(f"what is below the / is not clear: {advice}")
        return bottom

    def quotient(self, top: Node, bottoms: Sequence[Node]) -> Node:
        """A fraction with all of these below; of numbers, a number."""
        if not bottoms:
            return top
        bottom = _product(bottoms, top.column)
        for x in bottoms:
            if self.sizes.constant(x) == 0:
                raise self.error("expected something other than zero below the fraction", x)
        if isinstance(top, Number) and isinstance(bottom, Number):
            return Number(Fraction(top.value) / Fraction(bottom.value), column=top.column)
        return Quotient(top, bottom, column=top.column)

    def power(self) -> Node:
        """An atom, perhaps with an exponent or a T."""
        word, base = self.next, self.atom()
        if not self.is_raised():
            return base
        power = self.raised(base)
        power_in_time(self, word, base)
        if self.is_raised():
            raise self.error("a power of a power needs parentheses")
        return power

    def is_raised(self) -> bool:
        """Whether an exponent comes next."""
        return self.next.kind == "super" or self.next.sign("^")

    def raised(self, base: Node) -> Node:
        """The power or transpose of what was just read."""
        sign, claim = self.next, not self.vocabulary.formulas
        exponent = self.exponent()
        if exponent is None:  # [a, b] is a column with and without ^T
            return base if id(base) in self.lists else Call(TRANSPOSE, (base,), column=base.column)
        value = self.sizes.constant(exponent)
        if value is not None:
            if abs(value) > LARGEST_EXPONENT:
                raise self.error(f"an exponent is at most {LARGEST_EXPONENT}", sign)
            if claim and value.denominator > LARGEST_EXPONENT:
                raise self.error("an exponent is a whole number or a short fraction, 3/2", sign)
            if value < 0 and self.sizes.constant(base) == 0:
                raise self.error("expected a positive exponent of zero", sign)
            if claim:
                exponent = Number(value, column=exponent.column)
        elif claim and self.sizes.has_powers(exponent):
            raise self.error("expected an exponent without powers of its own", sign)
        power = Power(base, exponent, column=base.column)
        if claim and not self.sizes.spend(power):
            raise self.error("this power is too large", sign)
        return power

    def exponent(self) -> Node | None:
        """What is raised; None for the T of a transpose."""
        word = self.take()
        if word.kind == "super":
            if word.text == "T":
                return None
            if not word.text.removeprefix("-").isdigit() or len(word.text) > 5:
                raise self.error(f"expected a whole number raised, got {word}", word)
            return Number(Fraction(int(word.text)), column=word.column)
        first = self.next
        if (self.words[self.at + 1] if first.sign("{") else first).kind == "transpose":
            self.at = max(first.partner, self.at) + 1
            return None
        self.refuse_unclear_exponent()
        if not self.vocabulary.formulas:
            return self.signed(self.atom)
        levels, deepest = self.levels + 1 + first.sign("+", "-"), self.vocabulary.limits.deepest
        if levels > deepest:
            raise self.error(f"a formula is nested at most {deepest} deep", word)
        with self.within(levels=levels):
            return self.factor()

    def refuse_unclear_exponent(self) -> None:
        """x^12 in LaTeX, of which only the 1 is raised, and x^{(2)}, which may be a derivative."""
        word = self.next
        digits = word.text.rstrip(".")  # 2. at the end of a sentence
        if word.kind == "number" and self.latex and len(digits) > 1:
            raise self.error(f"^{digits} is not clear in LaTeX: write ^{{{digits}}}")
        inner = self.words[self.at + 1] if word.sign("{") else word
        if word.sign("{") and inner.sign("(") and inner.partner == word.partner - 1 == self.at + 3:
            said = self.words[self.at + 2].text
            raise self.error(f"^{{({said})}} is not clear: write ^{{{said}}} or dots")

    def atom(self) -> Node:
        """A number, a bracket, or what `ATOMS` has for the word."""
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
            way = ": write all entries of a matrix, or M12 = ... for one" * self.is_star()
            wanted = "a number, a name, a function or a bracket"
            raise self.error(f"expected {wanted}, got {word}{way}")
        return reader(self)

    def is_star(self) -> bool:
        """Whether a * stands for an entry of a symmetric matrix."""
        after = self.words[min(self.at + 1, len(self.words) - 1)]
        return self.next.sign("*") and (
            after.sign("&", "\\\\", ",", ";", "]") or after.kind == "end"
        )


def _product(factors: Sequence[Node], column: int) -> Node:
    """A product; the one factor alone."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors), column=column)
