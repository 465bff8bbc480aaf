r"""Sentences about formulas as formulas: M is symmetric is M = M^T, M_{12}|_{q_2 = 0} is M12 there.

Patterns begin at a word or a sign and have bounded runs, so that no text takes long.

Examples:
    >>> in_formulas("M' - 2C is skew-symmetric")
    "(M' - 2C)^T = -(M' - 2C)"
    >>> in_formulas("E is conserved")
    'E = const'
    >>> in_formulas(r"\left. M_{12} \right|_{q_2 = 0} = I_2")
    'q_2 = 0; M_{12} = I_2'
    >>> in_formulas("Let h = 2. Then M12 = h for q2 = 0")
    '; h = 2; M12 = h ; q2 = 0;'
"""

from __future__ import annotations

import re

from visviva.errors import ParseError
from visviva.notation.reading.layout.programs import programmed

_BLANK = r"[ \t]{0,9}"
_IS = r"(?<=\s)(?:is|ist)\s{1,5}(?:an?\s{1,5}|eine?\s{1,5})?(?:strictly\s{1,5})?"
_SYMMETRIC = re.compile(
    rf"{_IS}(?P<minus>(?:skew|anti|schief)[- ]?)?symm?etri(?:c|sch)e?"
    rf"(?:\s{{1,5}}matri(?:x|ce))?(?={_BLANK}(?:[.;\n]|$))",
    re.IGNORECASE,
)
_CONSERVED = re.compile(
    rf"{_IS}(?:conserved|constant(?:\s{{1,5}}of\s{{1,5}}(?:the\s{{1,5}})?motion)?|konstant|erhalten)"
    rf"(?={_BLANK}(?:[.;\n]|$))",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?<=[ck]onst)\.(?=\s{0,9}\})")  # \text{const.}
_DEFINITE = re.compile(rf"{_IS}positiv\w{{0,3}}[- ]?(?:semi-?)?definit", re.IGNORECASE)
_BAR = re.compile(
    rf"(?:\\right|\\[bB]igg?r?)?{_BLANK}(?:\||\\r?vert){_BLANK}_{_BLANK}"
    r"(?:\{(?P<at>[^{}]{0,80}(?:\{[^{}]{0,20}\}[^{}]{0,40}){0,6})\}|(?P<one>\w{1,20}))"
)
_BREAK = re.compile(r"[;\n=]")
_WORDS = r"where|with|and|for|at|if|when|then|let|so|hence|thus|therefore|now|also|finally"
_SET = re.compile(
    rf"\\(?:text|textrm|mathrm|mbox)\{{\s{{0,9}}({_WORDS})[\s,:]{{0,9}}\}}", re.IGNORECASE
)
# Let h = …. Then …, so M12 = …
_LEADING = re.compile(
    r"(?:^|(?<=[;\n])|(?<=[^\s.])\.\s{1,9})[ \t]{0,9}"
    r"(?:let|then|so|hence|thus|therefore|now|also|finally|we\s{1,5}(?:have|get|obtain|find))"
    r"(?:,|:|[ \t]that)?(?=[ \t])",
    re.IGNORECASE,
)
# … for q2 = 0, for q2 = 0: …, if q2 = 0 then …
_CONDITION = re.compile(
    r"(?<![\w\\])(?:for|at|if|when|für|falls|wenn)\s{1,9}"
    r"(?P<at>\\?[\w{}\\']{1,30}\s{0,9}=\s{0,9}[^;:,=\n]{1,40}?)"
    r"\s{0,9}(?=[:,;\n.]|then\b|$)(?:[:,]|then\b)?",
    re.IGNORECASE,
)
_ABOUT = re.compile(  # a rounded number
    r"(?:≈|≃|\\(?:approx|simeq)(?![A-Za-z]))(?=\s{0,9}-?[0-9.]{1,20}\s{0,9}(?:$|[;\n]))"
)
_TRANSPOSED = re.compile(r"\s*([A-Z])\s*=\s*\1'\s*")
_DOT = re.compile(r"(?<![A-Za-z_\\])([MDH])dot(?![A-Za-z_0-9])")  # Mdot is M'
_TRACE = re.compile(
    r"\\(?:operatorname\*?|mathrm|text|textrm|mathop|rm)\s{0,9}\{\s{0,9}(?:tr|trace|Spur)\s{0,9}\}"
    r"|(?<![A-Za-z0-9_\\])\\?(?:tr|trace|Spur)(?=\s{0,9}(?:\(|\[|\{|\\left)|\s{1,9}[A-Z]\b)",
    re.IGNORECASE,
)


def in_formulas(text: str) -> str:
    """A text with such sentences as formulas; others as they are."""
    if found := _DEFINITE.search(text):
        said = text[_start(text, found.start()) : found.start()].strip()
        raise ParseError(
            text,
            found.start(),
            f"that {said} is positive definite is no equation: claim its determinant, det {said} "
            "= ..., or look at numpy.linalg.eigvalsh(model.mass_matrix(q))",
        )
    if found := _TRANSPOSED.fullmatch(text):
        said = found[1]
        raise ParseError(
            text, 0, f"{said}' is the rate d{said}/dt; for the transpose write {said} = {said}^T"
        )
    text = _CONSERVED.sub("= const", _SHORT.sub("", text))
    text = _DOT.sub(r"\1'", _TRACE.sub("trace ", programmed(text)))
    text = _SET.sub(r" \1 ", _ABOUT.sub("=", text))
    text = _CONDITION.sub(lambda m: f"; {m['at']};", _LEADING.sub(";", text))
    return _at_values(_transposed(text))


def _start(text: str, end: int) -> int:
    """Where the formula begins that ends somewhere."""
    return max((x.end() for x in _BREAK.finditer(text, 0, end)), default=0)


def _transposed(text: str) -> str:
    """M is symmetric as M^T = M."""
    while found := _SYMMETRIC.search(text):
        start = _start(text, found.start())
        said = text[start : found.start()].strip()
        whole = said if re.fullmatch(r"\\?\w+", said) else f"({said})"
        formula = f"{whole}^T = {'-' if found['minus'] else ''}{whole}"
        text = text[:start] + formula + text[found.end() :]
    return text


def _at_values(text: str) -> str:
    """f|_{q = 0} = … as q = 0; f = …, where that is all that is said."""
    bar = _BAR.search(text)
    if bar is None:
        return text
    start = _start(text, bar.start())
    values = (bar["at"] or bar["one"] or "").replace(",", ";")
    before, of, after = text[:start].strip(), text[start : bar.start()], text[bar.end() :]
    of = of.replace("\\left.", "").replace("\\left .", "").strip()
    alone = not before and re.match(r"\s{0,9}&?\s{0,9}=", after) and ";" not in after
    if not alone or "=" not in values:
        said = values if "=" in values else f"q = {values}"
        raise ParseError(
            text,
            start,
            "values beside a bar are read where they stand alone on a left side; otherwise say "
            f"them first: {said}; {of} = ...",
        )
    return f"{values}; {of}{after}"
