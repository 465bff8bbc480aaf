r"""Units after values: l = 0.3\,\mathrm{m} is l = 0.3, g = 9.81 m/s^2 is g = 9.81.

Formulas here have no units, so those of SI are dropped and others refused. In l = 0.3 m, with a
mass m, the m may be either: refused with both readings. In M = 2 m it is none, as masses are not
measured in metres.
"""

from __future__ import annotations

import re

from visviva.errors import ParseError
from visviva.notation.reading.vocabulary import GREEK_WORDS, Vocabulary, simple_key

Dimension = tuple[int, int, int]  # powers of kg, m, s

SI: dict[str, Dimension] = {
    "kg": (1, 0, 0),
    "m": (0, 1, 0),
    "s": (0, 0, 1),
    "rad": (0, 0, 0),
    "N": (1, 1, -2),
    "J": (1, 2, -2),
    "W": (1, 2, -3),
    "Nm": (1, 2, -2),
    "Ns": (1, 1, -1),
    "Nms": (1, 2, -1),
    "kgm": (1, 1, 0),
}
_ENDS = {"Nm": "m", "Ns": "s", "Nms": "s", "kgm": "m"}  # what a power after them is one of
OTHERS: dict[str, Dimension] = dict.fromkeys("cm mm km in ft".split(), (0, 1, 0))
OTHERS |= dict.fromkeys("g gram grams lb lbs".split(), (1, 0, 0))
OTHERS |= dict.fromkeys("ms min h hr".split(), (0, 0, 1)) | {"kN": (1, 1, -2), "mN": (1, 1, -2)}
OTHERS |= dict.fromkeys("deg degree degrees °".split(), (0, 0, 0))
OTHERS |= {"Hz": (0, 0, -1), "rpm": (0, 0, -1)}
UNITS = SI | OTHERS

# what the letters of books are measured in, for forces and for moments
_MEASURES: dict[str, set[Dimension]] = {}
for _letters, _dimensions in (
    ("m M", {(1, 0, 0)}),
    ("l L a r R h d lc Lc rc", {(0, 1, 0)}),
    ("I J", {(1, 2, 0)}),
    ("g ag", {(0, 1, -2)}),
    ("b c d mu beta B D nu", {(1, 0, -1), (1, 2, -1)}),
    ("k K kappa", {(1, 0, -2), (1, 2, -2)}),
    ("omega Omega w W", {(0, 0, -1)}),
):
    for _letter in _letters.split():
        _MEASURES.setdefault(_letter, set()).update(_dimensions)

# what quantities are measured in, of forces and of moments
_ENERGY: set[Dimension] = {(1, 2, -2)}
_FORCE: set[Dimension] = {(1, 1, -2), (1, 2, -2)}
_INERTIA: set[Dimension] = {(1, 0, 0), (1, 1, 0), (1, 2, 0)}
_DAMPING: set[Dimension] = {(1, 0, -1), (1, 1, -1), (1, 2, -1)}
_LENGTH: set[Dimension] = {(0, 1, 0)}
_ANGLE: set[Dimension] = {(0, 0, 0)}
_RATES: set[Dimension] = {(0, 0, -1), (0, 1, -1), (0, 0, -2), (0, 1, -2)}

_QUANTITIES: dict[str, set[Dimension]] = {}
for _letters, _dimensions in (
    ("T K KE Ek Ekin V U P PE Ep Epot L E H", _ENERGY),
    ("tau Q u F f g G N V v h b d D", _FORCE),
    ("M H D B d b h c Gamma", _INERTIA),
    ("C b d c p", _DAMPING),
    ("x y z p J Jv l L r R lc Lc rc", _LENGTH),
    ("I J", {(1, 2, 0)}),
    ("m", {(1, 0, 0)}),
    ("q theta phi psi alpha beta gamma", _ANGLE | _LENGTH),
):
    for _letter in _letters.split():
        _QUANTITIES[_letter] = _QUANTITIES.get(_letter, set()) | _dimensions

_LONGEST = 120  # characters of a value with its unit

SPACE = r"(?:\s|~|&|\\[,;:! ]|\\q?quad(?![A-Za-z]))*"
FONT = r"\\(?:mathrm|text|textrm|mathsf|operatorname|rm|si|unit)(?![A-Za-z])"
_NAME = re.compile(rf"(?<![\w\\}}])(\\?[^\W\d_]{{1,20}}(?:_\{{\w{{1,9}}\}}|_?\w{{0,9}})){SPACE}:?$")
VALUE = re.compile(
    rf"{SPACE}[-+−]?\s*(?:[0-9]{{1,20}}\.?[0-9]{{0,20}}|\.[0-9]{{1,20}})(?:[eE][-+]?[0-9]+)?"
    rf"(?:{SPACE}(?:\\times|\\cdot|[*×·])\s*10\s*(?:\^|\*\*)\s*\{{?[-−]?[0-9]{{1,3}}\}}?)?"
)
_END = re.compile(r"(?<!\\)[,;=+]|[\n$]|\.\s|\.?\s*$|\\\\|\\q?quad|\\end|\b(?:and|where|with)\b")
UPRIGHT_UNIT = rf"(?:{FONT}\s*\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|\{{\\rm\s(?:[^{{}}])*\}})"
_TOKEN = re.compile(
    r"\s*(?:\.?([A-Za-z°]+)|(\^|\*\*)\s*\{?\s*([-−]?[0-9]+)\s*\}?|([/()])|([²³])|$)"
)
_POWERS = {"²": 2, "³": 3}
_ARGUMENTS = re.compile(r"\((?:[^()]|\([^()]*\))*\)\s*$")
_SUM = re.compile(r"[-+*/·]|\w\s+\w|\)\s*\(")
_DOTTED = re.compile(r"'|\\d+ot|[\u0307\u0308\u00a8]|dot|dd")


def without_units(text: str, vocabulary: Vocabulary) -> str:
    """The text with the units of values blanked, every column kept."""
    bare, at = text, text.find("=")
    while at >= 0:
        name = _NAME.search(text[max(0, at - 40) : at])
        right = text[at + 1 : at + 1 + _LONGEST]
        value = VALUE.match(right)
        end = _END.search(right, value.end()) if name and value else None
        if name and value and end:
            start, stop = at + 1 + value.end(), at + 1 + end.start()
            if _is_unit(name[1], text, start, stop, vocabulary):
                bare = bare[:start] + " " * (stop - start) + bare[stop:]
        at = text.find("=", at + 1)
    return bare


def _is_unit(name: str, text: str, start: int, stop: int, vocabulary: Vocabulary) -> bool:
    """Whether what stands after the value of a name is its unit; if it may be, an error."""
    unit = text[start:stop]
    said = None if re.match(r"\s*(?:[*·⋅×]|\\cdot|\\times)", unit) else measured(unit)
    if said is None or "°" in said[0]:  # degrees are numbers
        return False
    words, dimension = said
    key = simple_key(name)
    wanted = _measured_in(key)
    if wanted is not None and dimension not in wanted:
        return False  # M = 2 m
    official, dots = vocabulary.known.get(key, ("", 0))
    moving = dots or official in vocabulary.coordinates
    is_parameter = simple_key(official) == key and not moving
    known = [x for x in words if x in vocabulary.known]
    own = is_parameter or moving or (wanted and not key[-1:].isdigit())
    if not own and len(unit.strip()) > 1 and measures(name) is not None:
        return False  # of a quantity, M22 = 0.2 kg: as after any formula
    upright = not _words(re.sub(UPRIGHT_UNIT, " ", unit))
    several = len(words) > 1 and not known
    clear = upright or any(_is_nothing_else(x, vocabulary) for x in words)
    if not (wanted or is_parameter or clear or several):
        return False
    place = start + len(unit) - len(unit.lstrip(" ~\\,;:!"))
    if not clear and (known or not (wanted or several)):
        listed = " ".join(known or words)
        raise ParseError(
            text,
            place,
            f"{unit.strip()} may be a unit or a factor {listed}: leave units out, or write a "
            "factor with *",
        )
    strange = [x for x in words if x not in SI]
    if strange:
        units = "kg, m, s, rad, N, J, W"
        raise ParseError(text, place, f"{strange[0]} is no unit of SI: write the value in {units}")
    return True


def _is_nothing_else(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word can only be a unit: kg, where k and g are no names."""
    letters = len(word) > 1 and not all(c in vocabulary.known for c in word)
    return word not in vocabulary.known and (letters or word == "°")


def _measured_in(key: str) -> set[Dimension] | None:
    """The units of a letter; None if it may have any."""
    stem = key.rstrip("0123456789")
    greek = max((x for x in GREEK_WORDS if stem.startswith(x)), key=len, default="")
    return _MEASURES.get(stem) or _MEASURES.get(greek or stem[:1])


def measured(unit: str) -> tuple[list[str], Dimension] | None:
    """The words of a unit and what it measures; None if it is no unit."""
    plain = re.sub(FONT, " ", unit)
    plain = re.sub(r"\\[dt]?frac\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*\{", r"(\1)/(", plain)
    plain = re.sub(r"\\[,;:! ]|~|&|\\cdot(?![A-Za-z])|[*·⋅×](?!\*)|(?<![\^{\s])[{}]", " ", plain)
    total, turn, last, words, at = [0, 0, 0], 1, (0, 0, 0), [], 0
    plain = plain.replace("{", " ").replace("}", " ").rstrip()
    while at < len(plain):
        token = _TOKEN.match(plain, at)
        if token is None or token.end() == at:
            return None
        word, power = token[1], token[3] or _POWERS.get(token[5] or "")
        if word:
            if word not in UNITS:
                return None
            words.append(word)
            total = [a + turn * b for a, b in zip(total, UNITS[word], strict=True)]
            kg, m, s = UNITS[_ENDS.get(word, word)]
            last = (turn * kg, turn * m, turn * s)
        elif power:
            times = int(str(power).replace("−", "-")) - 1
            total = [a + times * b for a, b in zip(total, last, strict=True)]
        elif token[4] == "/":
            turn = -1
        at = token.end()
    return (words, (total[0], total[1], total[2])) if words else None


def spelled(dimension: Dimension) -> str:
    """A unit of SI that measures it.

    Examples:
        >>> spelled((1, 2, -2)), spelled((1, 2, 0)), spelled((0, 0, -2))
        ('N m', 'kg m^2', 'rad/s^2')
    """
    kg, m, s = dimension
    if (kg, s) == (1, -2) and m in (1, 2):
        return "N m" if m == 2 else "N"
    above = [_power(x, k) for x, k in (("kg", kg), ("m", m), ("s", s)) if k > 0]
    below = [_power(x, -k) for x, k in (("kg", kg), ("m", m), ("s", s)) if k < 0]
    whole = " ".join(above) or "rad"
    return f"{whole}/{' '.join(below)}" if below else whole


def _power(unit: str, k: int) -> str:
    return unit if k == 1 else f"{unit}^{k}"


def _words(text: str) -> list[str]:
    return re.findall(r"(?<![\\A-Za-z])[A-Za-z°]+", text)


def measures(left: str) -> set[Dimension] | None:
    """The dimensions that a left side may have; None if it may have any."""
    plain = _ARGUMENTS.sub("", left.strip(" \t&${}")).strip()
    if not plain:
        return None
    if _DOTTED.search(plain):
        return _FORCE if _SUM.search(plain) else _RATES | _FORCE
    if _SUM.search(plain):
        return _FORCE  # an equation of motion
    key = simple_key(plain.replace("{", "").replace("}", "").replace(",", ""))
    stem = key.rstrip("0123456789")
    greek = max((x for x in GREEK_WORDS if stem.startswith(x)), key=len, default="")
    return _QUANTITIES.get(stem) or _QUANTITIES.get(greek)
