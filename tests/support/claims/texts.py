"""SymPy formulas written as people write them: plain, Unicode or LaTeX, in any order."""

import re

import sympy

GREEK = {"theta": "θ", "phi": "φ", "psi": "ψ", "alpha": "α", "tau": "τ", "Omega": "Ω", "omega": "ω"}
GREEK |= {"gamma": "γ", "beta": "β", "kappa": "κ", "rho": "ρ", "sigma": "σ", "eta": "η"}
GREEK |= {"zeta": "ζ", "mu": "μ", "Delta": "Δ"}
LOW, HIGH = (str.maketrans("0123456789-", x) for x in ("₀₁₂₃₄₅₆₇₈₉₋", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
QUARTER = sympy.pi / 2


def parts(name):
    """Letters and index: ("theta", "1"), ("lc", "2"), ("a", "g")."""
    stem, _, index = name.partition("_")
    if index:
        return stem, index
    letters = name.rstrip("0123456789")
    return letters, name[len(letters) :]


def rates_of(rates):
    return {q for q, _ in rates.values()}


class Writer:
    """One way of writing; `rates` maps symbols to (coordinate, dots), `names` renames."""

    kind = "plain"

    def __init__(self, chance, rates, names):
        self.chance, self.rates, self.names = chance, rates, names
        self.times = chance.choice(["*", " * ", " "])
        self.raised = chance.choice(["^", "**"])
        self.turning = chance.random() < 0.15
        self.shuffled = chance.random() < 0.7
        self.index = chance.choice(["", "_"])
        self.rate = chance.choice(["'", "d", "dot", "first", "d/dt", ".dot"])
        if "d" in rates_of(rates):  # dq1 is d q1 then
            self.rate = "'"
        if self.rate == "d/dt":  # f (dx/dt) could be a function
            self.times = "*"

    def __call__(self, x):
        if isinstance(x, sympy.MatrixBase):
            return self.matrix(x)
        if isinstance(x, sympy.Eq):
            return f"{self.sum(x.lhs)} = {self.sum(x.rhs)}"
        return self.sum(x)

    def matrix(self, x):
        if x.shape[1] == 1:
            return f"[{', '.join(self.sum(e) for e in x)}]"
        return f"[{', '.join(self.matrix(x[i, :].T) for i in range(x.shape[0]))}]"

    def order(self, items):
        items = list(items)
        if self.shuffled:
            self.chance.shuffle(items)
        return items

    def sum(self, x):
        if not x.is_Add:
            return self.signed(x, True)
        return "".join(self.signed(t, k == 0) for k, t in enumerate(self.order(x.args)))

    def signed(self, x, first):
        minus = bool(x.is_number and x.is_negative) or (
            x.is_Mul and x.args[0].is_Rational and x.args[0].is_negative
        )
        body = self.product(-x if minus else x)
        if first:
            return f"-{body}" if minus else body
        return f" - {body}" if minus else f" + {body}"

    def product(self, x):
        top, bottom = [], []
        for f in sympy.Mul.make_args(x):
            if f.is_Rational:
                top += [sympy.Integer(f.p)] if f.p != 1 else []
                bottom += [sympy.Integer(f.q)] if f.q != 1 else []
            elif f.is_Pow and f.exp.is_Integer and f.exp < 0:
                bottom.append(1 / f)
            else:
                top.append(f)
        return self.quotient(top, bottom)

    def quotient(self, top, bottom):
        above = self.factors(top) or "1"
        if not bottom:
            return above
        number = next((f for f in top if f.is_Integer), 1)
        rest = [f for f in top if not f.is_Integer]
        if all(f.is_Integer for f in bottom) and rest and self.chance.random() < 0.5:
            before = f"{number}/{sympy.prod(bottom)}"  # (1/2) m v^2, so that it has one meaning
            above = self.factors(rest)
            return f"({before}){self.times}{above}" if self.times == " " else f"{before}*{above}"
        below = self.factors(bottom)
        whole = len(bottom) == 1 and (bottom[0].is_Integer or bottom[0].is_Symbol)
        return f"{above}/{below if whole else f'({below})'}"

    def factors(self, x):
        numbers = [f for f in x if f.is_Integer]
        others = self.order(f for f in x if not f.is_Integer)
        return self.times.join(self.factor(f) for f in [*numbers, *others])

    def factor(self, x):
        if x.is_Pow and x.exp.is_Integer and x.exp > 0:
            return self.power(x.base, int(x.exp))
        if x.is_Symbol:
            return self.name(x.name)
        if x is sympy.pi:
            return self.pi()
        if isinstance(x, (sympy.sin, sympy.cos, sympy.tan)):
            return self.call(x)
        if x.is_Integer and x >= 0:
            return str(x)
        return self.bracket(self.sum(x))

    def pi(self):
        return "pi"

    def bracket(self, text):
        return f"({text})"

    def call(self, x):
        inside = x.args[0]
        word = type(x).__name__
        if self.turning and word != "tan":  # SymPy would undo these
            k = self.chance.randrange(3)
            angle = self.sum(inside)
            if word == "cos":
                forms = [f"cos(-({angle}))", f"sin({self.pi()}/2 + {angle})"]
                forms += [f"sin({self.pi()}/2 - ({angle}))"]
            else:
                forms = [f"cos({self.pi()}/2 - ({angle}))", f"(-sin(-({angle})))"]
                forms += [f"(-cos({self.pi()}/2 + {angle}))"]
            return self.word(forms[k])
        return f"{self.word(word)}{self.bracket(self.sum(inside))}"

    def word(self, text):
        return text

    def power(self, base, k):
        text = self.factor(base)
        if not (base.is_Symbol or base.is_Add) or not re.fullmatch(r"\w+'?|\(.*\)", text):
            text = self.bracket(text)
        return f"{text}{self.exponent(k)}"

    def exponent(self, k):
        return f"{self.raised}{k}"

    def name(self, name):
        coordinate, dots = self.rates.get(name, (name, 0))
        return self.spelled(self.names.get(coordinate, coordinate), dots)

    def spelled(self, name, dots):
        stem, index = parts(name)
        plain = f"{stem}_{index}" if index and not index.isdigit() else f"{stem}{self.index}{index}"
        plain = plain if index else stem
        if not dots:
            return plain
        if index and not index.isdigit():
            return plain + "'" * dots
        return {
            "'": plain + "'" * dots,
            "d": f"{stem}{'d' * dots}{index}",
            "dot": f"{plain}{'d' * (dots - 1)}dot",
            "first": "d" * dots + stem + index,
            "d/dt": f"(d{plain}/dt)" if dots == 1 else f"(d^2{plain}/dt^2)",
            ".dot": f"{plain}.{'d' * (dots - 1)}dot",
        }[self.rate]


class Unicode(Writer):
    """θ̇₁² · sin(θ₂)."""

    kind = "unicode"

    def __init__(self, *args):
        super().__init__(*args)
        self.times = self.chance.choice([" ", "·", " × "])

    def pi(self):
        return "π"

    def word(self, text):
        return text

    def exponent(self, k):
        return str(k).translate(HIGH)

    def spelled(self, name, dots):
        stem, index = parts(name)
        letters = GREEK.get(stem, stem)
        mark = {0: "", 1: "\u0307", 2: "\u0308"}[dots]
        if index and not index.isdigit():
            index = f"_{index}"
        if mark and len(letters) > 1:
            return f"{letters}{index.translate(LOW)}{chr(39) * dots}"
        return f"{letters}{mark}{index.translate(LOW)}"


class Latex(Writer):
    """As typed in papers."""

    kind = "latex"

    def __init__(self, *args):
        super().__init__(*args)
        self.times = self.chance.choice([" ", r" \cdot ", r"\,"])
        self.sized = self.chance.random() < 0.5
        self.braces = self.chance.random() < 0.5
        self.rate = self.chance.choice(["dot", "bare", "over", "frac"])

    def pi(self):
        return r"\pi"

    def matrix(self, x):
        word = self.chance.choice(["bmatrix", "pmatrix"])
        rows = (" & ".join(self.sum(e) for e in x[i, :]) for i in range(x.shape[0]))
        body = r" \\ ".join(rows)
        return rf"\begin{{{word}}} {body} \end{{{word}}}"

    def bracket(self, text):
        return rf"\left({text}\right)" if self.sized else f"({text})"

    def word(self, text):
        return re.sub(r"\b(sin|cos|tan)\b", r"\\\1", text)

    def quotient(self, top, bottom):
        if not bottom:
            return self.factors(top) or "1"
        number = next((f for f in top if f.is_Integer), 1)
        rest = [f for f in top if not f.is_Integer]
        if rest and all(f.is_Integer for f in bottom) and self.chance.random() < 0.5:
            return rf"\frac{{{number}}}{{{sympy.prod(bottom)}}} {self.factors(rest)}"
        return rf"\frac{{{self.factors(top) or '1'}}}{{{self.factors(bottom)}}}"

    def power(self, base, k):
        if isinstance(base, (sympy.sin, sympy.cos)) and not self.turning:
            inside = self.bracket(self.sum(base.args[0]))
            return rf"\{type(base).__name__}^{{{k}}}{inside}"
        text = self.factor(base)
        if not base.is_Symbol or "frac" in text:
            text = self.bracket(self.sum(base))
        return f"{text}^{{{k}}}"

    def spelled(self, name, dots):
        stem, index = parts(name)
        if stem in GREEK:
            stem = "\\" + stem
        elif len(stem) > 1:  # lc2 is l_{c2}
            stem, index = stem[0], stem[1:] + index
        low = (f"_{{{index}}}" if self.braces or len(index) > 1 else f"_{index}") if index else ""
        if not dots:
            return stem + low + (" " if stem.startswith("\\") and not low else "")
        word = {1: r"\dot", 2: r"\ddot"}[dots]
        order = "" if dots == 1 else "^2"
        return {
            "dot": f"{word}{{{stem}}}{low}",
            "bare": f"{word} {stem}{low} ",
            "over": f"{word}{{{stem}{low}}}",
            "frac": rf"\frac{{d{order} {stem}{low}}}{{dt{order}}}",
        }[self.rate]
