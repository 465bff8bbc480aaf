r"""One name of a claim from its marks: letter, accents, indices, dots.

θ₁, theta_1, \theta_{1}, \dot{\mathbf{q}}_1, l_{c,2}, \Gamma^1_{22}, q1'', q1.dot, M[1,2]; dq1/dt,
d^2 q1/dt^2 and \frac{d q_1}{dt} are names too.
"""

from __future__ import annotations

import re

from visviva.errors import ParseError
from visviva.notation.names import LONGEST_NAME
from visviva.notation.reading.counting import counted_from, unclear
from visviva.notation.reading.marks import Mark, is_latex
from visviva.notation.reading.vocabulary import GREEK_WORDS, Piece, Vocabulary

DOTTED = {"dot": 1, "ddot": 2, "dddot": 3, "ddddot": 4}
BARRED = {"bar": "bar", "hat": "hat", "tilde": "tilde", "overline": "bar", "widehat": "hat"}
BARRED |= {"widetilde": "tilde"}
# fonts say nothing; in the first ones letters are one word
UPRIGHT = set("mathrm text operatorname operatorname* mathsf textrm textsf mbox mathit rm".split())
FONTS = UPRIGHT | set("mathbf boldsymbol bm textbf textit mathcal vec underline bf it sf".split())
ACCENTS = {*DOTTED, *BARRED, *FONTS}
LETTER_COMMANDS = {x: x for x in GREEK_WORDS} | {"ell": "l", "imath": "i", "jmath": "j"}
LETTER_COMMANDS |= {f"var{x}": x for x in ("theta", "phi", "epsilon", "rho", "sigma", "pi")}
Rate = tuple[list[Piece], int, int]  # pieces of the name, order, the mark after the quotient
_DOT_WORD = re.compile(r"\.(dd?ot)(?![A-Za-z0-9_])")


class NameReader:
    """Reads names; methods take the index of a mark and return that after what they read."""

    def __init__(self, text: str, marks: list[Mark], vocabulary: Vocabulary) -> None:
        self.text, self.marks, self.vocabulary = text, marks, vocabulary
        self.latex = is_latex(text)

    def error(self, i: int, problem: str) -> ParseError:
        """An error at a mark."""
        return ParseError(self.text, self.marks[i].column, problem)

    def glued(self, i: int) -> bool:
        """Whether nothing is between a mark and the one before."""
        return i > 0 and self.marks[i].column == self.marks[i - 1].stop

    def is_letter(self, i: int) -> bool:
        """Whether a mark is a letter of the text."""
        return self.marks[i].kind in ("letter", "greek")

    def pieces(self, i: int) -> tuple[list[Piece], int]:
        """The pieces of a run of letters, or the one that a command or a group begins."""
        if self.is_letter(i):
            return self.run(i)
        piece, j = self.piece(i)
        return [piece], j

    def run(self, i: int) -> tuple[list[Piece], int]:
        """The pieces of letters, digits and indices without anything between."""
        start = i
        pieces: list[Piece] = []
        while self.is_letter(i) and (not pieces or self.glued(i)):
            piece, i = self.piece(i)
            pieces.append(piece)
            if piece.stop - self.marks[start].column > LONGEST_NAME:
                raise self.error(start, f"a name has at most {LONGEST_NAME} characters")
        return pieces, i

    def piece(self, i: int) -> tuple[Piece, int]:
        """A letter, command or group in braces, and what belongs to it."""
        key, dots, j = self.nucleus(i)
        key, dots, j = self.tail(j, key, dots)
        if len(key) > LONGEST_NAME or dots > 9:
            problem = f"a name has at most {LONGEST_NAME} characters and 9 dots"
            raise self.error(i, problem)
        first = self.marks[i]
        greek = first.kind == "greek"
        return Piece(key, dots, first.column, self.marks[j - 1].stop, greek), j

    def nucleus(self, i: int) -> tuple[str, int, int]:
        """What an index or a prime is put to: key, dots and the next mark."""
        over, word = [], False
        while self.marks[i].kind == "command" and self.marks[i].text in ACCENTS:
            over.append(self.marks[i].text)
            word = over[-1] in UPRIGHT
            i += 1
        mark = self.marks[i]
        dots = sum(DOTTED.get(x, 0) for x in over)
        if self.is_letter(i):
            key, i = mark.text, i + 1
        elif mark.kind == "command" and mark.text in LETTER_COMMANDS:
            key, i = LETTER_COMMANDS[mark.text], i + 1
        elif mark.sign("{") and word:
            key, i = self.flat(i), mark.partner + 1
        elif mark.sign("{"):
            key, more = self.grouped(i)
            dots, i = dots + more, mark.partner + 1
        elif mark.kind == "command" and mark.text == "partial":
            way = "\\frac{\\partial T}{\\partial q_1}" if self.latex else "∂T/∂q1"
            raise self.error(i, f"a derivative is written {way}, of a formula d/dt(...)")
        elif mark.kind == "command" and not over:
            nearly = mark.text in ("approx", "simeq", "cong", "sim")
            way = ": what is nearly so is not judged, write =" if nearly else ""
            way = ": write the sum out, term by term" if mark.text == "sum" else way
            way = ": write \\frac{...}{...}" if mark.text == "over" else way
            raise self.error(i, f"the command \\{mark.text:.40} has no meaning here{way}")
        else:
            raise self.error(i, f"expected a name, got {mark}")
        return key + "".join(BARRED.get(x, "") for x in over[::-1]), dots, i

    def grouped(self, i: int) -> tuple[str, int]:
        """The one name between braces."""
        pieces, j = self.pieces(i + 1)
        key = "".join(p.key for p in pieces)
        known = key in self.vocabulary.known or key.rstrip("0123456789") in GREEK_WORDS
        if j != self.marks[i].partner or (len(pieces) > 1 and not known):
            raise self.error(i, "expected a single name between these braces")
        return key, sum(p.dots for p in pieces)

    def flat(self, i: int) -> str:
        """The letters and digits between braces; commas, blanks and inner braces are dropped."""
        letters = []
        for k in range(i + 1, self.marks[i].partner):
            mark = self.marks[k]
            whole = mark.kind == "number" and mark.text.isdigit()
            if whole or mark.kind in ("letter", "greek", "digits", "sub"):
                letters.append(mark.text)
            elif mark.kind == "command" and mark.text in LETTER_COMMANDS:
                letters.append(LETTER_COMMANDS[mark.text])
            elif not mark.sign("_", ",", "{", "}") and mark.text not in FONTS:
                raise self.error(k, f"expected letters and digits in an index, got {mark}")
        if not letters:
            raise self.error(i, "expected a name or an index between these braces")
        return "".join(letters)

    def tail(self, i: int, key: str, dots: int) -> tuple[str, int, int]:
        """Indices and primes after a letter."""
        scripts = 0
        while True:
            mark = self.marks[i]
            upper = self.upper(i, key)
            if upper is not None:
                key, i = upper
            elif self.glued(i) and self.is_index(i):
                key, i = key + mark.text, i + 1
            elif mark.kind == "dots" and (self.glued(i) or self.latex):
                dots, i = dots + int(mark.value), i + 1
            elif mark.sign("_") and (self.glued(i) or self.latex):
                scripts += 1
                if self.latex and scripts > 1 and self.marks[i + 1].sign("{"):
                    raise self.error(i, "expected at most one index: this is the second")
                index, i = self.subscript(i + 1)
                key += index
            elif primes := self.primes(i):
                dots, i = dots + primes[0], primes[1]
            else:
                return key, dots, i

    def is_index(self, i: int) -> bool:
        """Whether a mark belongs to the name before, as the digits of q1 and \\theta1 do."""
        mark, before = self.marks[i], self.marks[i - 1]
        after_command = mark.kind == "number" and before.kind == "command" and mark.text.isdigit()
        return after_command or mark.kind in ("digits", "sub")

    def subscript(self, i: int) -> tuple[str, int]:
        """What stands after an underscore."""
        mark = self.marks[i]
        if mark.sign("{"):
            return self.flat(i), mark.partner + 1
        whole = mark.kind == "number" and mark.text.isdigit()
        if whole or mark.kind in ("letter", "greek", "digits"):
            return mark.text, i + 1
        key, dots, j = self.nucleus(i)
        if dots:
            raise self.error(i, "expected an index without dots")
        return key, j

    def primes(self, i: int) -> tuple[int, int] | None:
        """Dots written as ^\\prime, ^{\\prime\\prime} or .dot, and the next mark."""
        mark = self.marks[i]
        if mark.sign("."):
            match = _DOT_WORD.match(self.text, mark.column) if self.glued(i) else None
            if match is None:
                return None
            return len(match[1]) - 2, i + len(match[0])  # every letter is a mark
        if not mark.sign("^"):
            return None
        first = self.marks[i + 1]
        inside = range(i + 2, first.partner) if first.sign("{") else range(i + 1, i + 2)
        raised = [self.marks[k] for k in inside]
        if not raised or any(m.text != "prime" and m.kind != "dots" for m in raised):
            return None
        end = first.partner + 1 if first.sign("{") else i + 2
        return sum(1 if m.text == "prime" else int(m.value) for m in raised), end

    def upper(self, i: int, key: str) -> tuple[str, int] | None:
        """The first index of a Christoffel symbol, written above: key and next mark."""
        if not key.startswith("Gamma") or key in self.vocabulary.known:
            return None
        number, j = self.raised(i)
        named = number in self.vocabulary.coordinates  # Gamma^r_{theta theta}
        if not named and (not number.isdigit() or len(number) > 1 or len(key) not in (5, 7)):
            return None
        if key == "Gamma":  # otherwise it is a power
            follows = self.marks[j].sign("_") or self.marks[j].kind == "sub"
            return (key + number, j) if follows else None
        lower = key[5:].isdigit() or named
        return (f"Gamma{number}{key[5:]}", j) if lower else None

    def raised(self, i: int) -> tuple[str, int]:
        """What is raised as ², ^2 or ^{2}, and the next mark; nothing if it is more than a mark."""
        mark = self.marks[i]
        if mark.kind == "super":
            return mark.text, i + 1
        if not mark.sign("^"):
            return "", i
        first = self.marks[i + 1]
        if not first.sign("{"):
            return first.text, i + 2
        return (self.marks[i + 2].text, i + 4) if first.partner == i + 3 else ("", i)

    def bracketed(self, i: int, key: str = "") -> tuple[str, int]:
        """Indices in brackets, M[1,2], tau[1], M[0][1], M(1,2): digits from 1 on, the next mark."""
        numbers, j = self._numbers(i)
        square = self.marks[i].sign("[")
        if not numbers or (len(numbers) == 1 and not square):
            return "", i
        more, k = self._numbers(j) if square and len(numbers) == 1 else ([], j)
        if more and self.marks[j].sign("[") and len(more) == 1:
            numbers, j = numbers + more, k
        shift = 0
        if square:
            start = counted_from(self.text, len(self.vocabulary.coordinates))
            if start is None:
                raise self.error(i, unclear(key, numbers))
            shift = 1 - start
        return "".join(str(n + shift) for n in numbers), j

    def counted(self, i: int) -> str:
        """The one number in parentheses at a mark, from 1 on; LaTeX has no such entries."""
        other = self.latex or self.vocabulary.formulas
        numbers, _ = ([], i) if other else self._numbers(i)
        single = len(numbers) == 1 and numbers[0] > 0 and self.marks[i].sign("(")
        return str(numbers[0]) if single else ""

    def _numbers(self, i: int) -> tuple[list[int], int]:
        """The whole numbers between brackets, and the next mark."""
        mark = self.marks[i]
        if not mark.sign("[", "(") or not self.glued(i) or not 1 < mark.partner - i < 9:
            return [], i
        inside = self.marks[i + 1 : mark.partner]
        numbers, commas = inside[::2], inside[1::2]
        whole = all(m.kind == "number" and m.text.isdigit() for m in numbers)
        if not whole or not all(m.sign(",") for m in commas) or len(inside) % 2 == 0:
            return [], i
        return [int(m.text) for m in numbers], mark.partner + 1

    # ---- rates as quotients

    def slash(self, i: int) -> Rate | None:
        """dq1/dt at a mark, if it is there."""
        start = self.after_d(i) if self.vocabulary.has_rates else None
        if start is None:
            return None
        order, j = self.order(start)
        own = "dt" in self.vocabulary.known
        if self.marks[j].sign("/") and self._after_dt(j + 1) and not own:
            raise self.error(
                i, "expected the derivative written out, as in q1' or dq1/dt, got d/dt"
            )
        name = self.rated(j)
        end = self._after_dt(name[1] + 1) if name and self.marks[name[1]].sign("/") else None
        if name is None or end is None or (self.glued(end[1]) and self.is_letter(end[1])):
            return None
        if self._is_quotient(i, name[0]):
            return None
        if end[0] != order:
            raise self.error(i, f"expected dt^{order} below a derivative of order {order}")
        return name[0], order, end[1]

    def fraction(self, i: int) -> Rate | None:
        r"""\frac{d q_1}{dt} at the command, if it is one."""
        over = self.marks[i + 1]
        below = self.marks[over.partner + 1]
        if not (self.vocabulary.has_rates and over.sign("{") and below.sign("{")):
            return None
        end = self._after_dt(over.partner + 2)
        start = self.after_d(i + 2)
        if end is None or end[1] != below.partner:
            other = self.after_d(over.partner + 2)
            if start and other and self.glued(other) and self.rated(other):
                raise self.error(over.partner + 2, "only derivatives by t can be read")
            return None
        order, j = self.order(start) if start is not None else (0, 0)
        name = self.rated(j) if order else None
        if name is None or name[1] != over.partner or order != end[0]:
            raise self.error(i, "expected the derivative of one name here, as in \\frac{d q_1}{dt}")
        return None if self._is_quotient(i, name[0]) else (name[0], order, below.partner + 1)

    def _is_quotient(self, i: int, pieces: list[Piece]) -> bool:
        """Whether dt is a name of the system, so that dx/dt is no rate; unclear if x is one too."""
        if "dt" not in self.vocabulary.known:
            return False
        key = "".join(p.key for p in pieces)
        if key in self.vocabulary.known:
            either = f"may be the rate {key}' or have the name dt below"
            raise self.error(i, f"d{key}/dt {either}: write one of these")
        return True

    def after_d(self, i: int) -> int | None:
        """The mark after a d, upright or not."""
        while self.marks[i].kind == "command" and self.marks[i].text in FONTS:
            i += 1
        mark = self.marks[i]
        if mark.sign("{") and mark.partner == i + 2:
            return self.after_d(i + 1) and i + 3
        return i + 1 if mark.kind == "letter" and mark.text == "d" else None

    def _after_dt(self, i: int) -> tuple[int, int] | None:
        """The order of dt or dt^2, and the mark after it."""
        j = self.after_d(i)
        if j is None or self.marks[j].kind != "letter" or self.marks[j].text != "t":
            return None
        return self.order(j + 1)

    def order(self, i: int) -> tuple[int, int]:
        """How often is derived, and the mark after the exponent."""
        number, j = self.raised(i)
        return (int(number), j) if number in ("1", "2", "3", "4") else (1, i)

    def rated(self, i: int) -> tuple[list[Piece], int] | None:
        """The name after a d and the next mark, if there is one."""
        try:
            return self.pieces(i)
        except ParseError:
            return None
