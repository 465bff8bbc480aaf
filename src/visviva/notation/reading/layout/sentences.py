r"""Sentences about formulas as formulas: M is symmetric is M = M^T, M_{12}|_{q_2 = 0} is M12 there.

Examples:
    >>> in_formulas("M' - 2C is skew-symmetric")
    "(M' - 2C)^T = -(M' - 2C)"
    >>> in_formulas(r"\left. M_{12} \right|_{q_2 = 0} = I_2")
    'q_2 = 0; M_{12} = I_2'
"""

from __future__ import annotations

import re

from visviva.errors import ParseError
from visviva.notation.reading.layout.programs import programmed

_START = r"(?:^|(?<=[;\n]))"
_IS = r"\s+(?:is|ist)\s+(?:an?\s+|eine?\s+)?"
_SIDE = r"(?P<of>[^;\n=]{1,200}?)"
_SYMMETRIC = re.compile(
    rf"{_START}\s*{_SIDE}{_IS}(?P<minus>(?:skew|anti|schief)[- ]?)?symm?etri(?:c|sch)"
    r"(?:e?\s+matri(?:x|ce))?(?=\s*(?:[.;\n]|$))",
    re.IGNORECASE,
)
_DEFINITE = re.compile(rf"{_SIDE}{_IS}(?:strictly\s+)?positiv\w*[- ]?(?:semi-?)?definit\w*", re.I)
_BAR = re.compile(
    r"(?P<open>\\left\s*\.\s*)?(?P<of>[^|=;\n]{1,200}?)\s*"
    r"(?:\\right|\\[bB]igg?r?)?\s*(?:\||\\vert|\\rvert)\s*_\s*"
    r"(?:\{(?P<at>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|(?P<one>\w+))"
)
_WORDS = r"where|with|and|for|at|if|when|then|let|so|hence|thus|therefore|now|also|finally"
_SET = re.compile(
    rf"\\(?:text|textrm|mathrm|mbox)\s*\{{\s*({_WORDS})[\s,:]*\}}|\\(?=(?:for|if)\s*\\quad)",
    re.IGNORECASE,
)
# Let h = …. Then …, so M12 = …
_LEADING = re.compile(
    rf"(?:{_START}|(?P<stop>(?<=[^\s.])\.\s+))\s*(?:(?:let|then|so|hence|thus|therefore|now|also|finally"
    r"|we\s+(?:have|get|obtain|find))\b[ \t]*[,:]?[ \t]*(?:that\b)?(?=[ \t]))+",
    re.IGNORECASE,
)
# … for q2 = 0, for q2 = 0: …, if q2 = 0 then …
_CONDITION = re.compile(
    r"(?<![\w\\])(?:for|at|if|when|für|falls|wenn)\s+(?P<at>\\?[\w{}\\']+\s*=\s*[^;:,=\n]{1,40}?)"
    r"\s*(?=(?P<end>[:,;\n.]|then\b|$))(?:[:,]|then\b)?",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"≈|≃|\\(?:approx|simeq)(?![A-Za-z])")
_TRANSPOSED = re.compile(r"\s*([A-Z])\s*=\s*\1'\s*")
_DOT = re.compile(r"(?<![A-Za-z_\\])([MDH])dot(?![A-Za-z_0-9])")  # Mdot is M'
_TRACE = re.compile(
    r"\\(?:operatorname\*?|mathrm|text|textrm|mathop|rm)\s*\{\s*(?:tr|trace|Spur)\s*\}"
    r"|(?<![A-Za-z0-9_\\])\\?(?:tr|trace|Spur)(?=\s*(?:\(|\[|\{|\\left)|\s+[A-Z]\b)",
    re.IGNORECASE,
)


def in_formulas(text: str) -> str:
    """A text with such sentences as formulas; others as they are."""
    if found := _DEFINITE.search(text):
        said = found["of"].strip()
        raise ParseError(
            text,
            found.start("of"),
            f"that {said} is positive definite is no equation: claim its determinant, det {said} "
            "= ..., or look at numpy.linalg.eigvalsh(model.mass_matrix(q))",
        )
    if found := _TRANSPOSED.fullmatch(text):
        said = found[1]
        raise ParseError(
            text, 0, f"{said}' is the rate d{said}/dt; for the transpose write {said} = {said}^T"
        )
    text = _DOT.sub(r"\1'", _TRACE.sub("trace ", programmed(text)))
    text = _ABOUT.sub("=", text)
    text = _SET.sub(r" \1 ", text)
    text = _CONDITION.sub(lambda m: f"; {m['at']};", _LEADING.sub("; ", text))
    return _at_values(_SYMMETRIC.sub(_transposed, text))


def _transposed(match: re.Match[str]) -> str:
    said = match["of"].strip()
    whole = said if re.fullmatch(r"\\?\w+", said) else f"({said})"
    return f"{whole}^T = {'-' if match['minus'] else ''}{whole}"


def _at_values(text: str) -> str:
    """f|_{q = 0} = … as q = 0; f = …, where that is all that is said."""
    bar = _BAR.search(text)
    if bar is None:
        return text
    values = (bar["at"] or bar["one"]).replace(",", ";")
    before, after = text[: bar.start()].strip(), text[bar.end() :]
    alone = not before and re.match(r"\s*&?\s*=", after) and not re.search(r";|\n.*=", after)
    if not alone or "=" not in values:
        said = values if "=" in values else f"q = {values}"
        raise ParseError(
            text,
            bar.start("of"),
            "values beside a bar are read where they stand alone on a left side; otherwise say "
            f"them first: {said}; {bar['of'].strip()} = ...",
        )
    return f"{values}; {bar['of'].strip()}{after}"
