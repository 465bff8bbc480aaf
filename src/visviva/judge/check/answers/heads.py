"""What a column of a sheet is, by its head alone: whatever stands in its cells.

Examples:
    >>> head_of("Question 2: M12 (2 points)")
    Head(kind='question', asked='M12', number='2')
    >>> [head_of(x).kind for x in ("First name", "Response 1", "$g_2$", "Right answer 1", "Group")]
    ['name', 'answer', 'question', 'aside', 'other']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from visviva.describe.quantities import KINDS

# words over columns, in German too
PERSONS = (
    *("name", "student", "label", "full name", "student name", "participant", "username", "id"),
    *("id number", "student id", "student number", "matriculation", "matriculation number"),
    *("vollständiger name", "teilnehmer", "anmeldename", "matrikelnummer", "matrikel nr"),
)
FIRST_NAMES = ("first name", "given name", "vorname")
LAST_NAMES = ("surname", "last name", "family name", "nachname")
QUESTIONS = tuple("question task item exercise part problem frage aufgabe".split())
_CLAIMS = {
    *"claim claims answer answers response equation solution result formula".split(),
    *"antwort gleichung lösung ergebnis formel".split(),
}
_BESIDES = {  # of columns with formulas of others: of who asks, of who grades
    *"right correct model expected reference richtige musterlösung comment comments".split(),
    *"remark remarks note notes feedback bemerkung kommentar".split(),
}
_ASIDE = {  # of columns in which nobody answers
    *"text title id name student email mail e address department institution course".split(),
    *"section semester group team tutor tutorial state status started completed date time".split(),
    *"duration attempt language grade grades point points score mark marks total".split(),
    *"kurs gruppe begonnen beendet dauer datum zeit versuch bewertung punkte summe".split(),
    *"institut sprache adresse".split(),
}
_MECHANICS = {  # a head with one of these asks for something, perhaps for nothing that has a letter
    *(x for kind in KINDS for x in kind.split("_")),
    *"inertia matrix vector torque torques force moment momentum weight centrifugal".split(),
    *"position velocity acceleration motion kinematics dynamics determinant formula".split(),
    *"masse trägheit energie drehmoment kraft kräfte gewicht impuls lage geschwindigkeit".split(),
    *"beschleunigung bewegungsgleichung massenmatrix determinante".split(),
}
_SPOKEN = {  # besides the exact names of quantities
    "inertia matrix": "M",
    "gravity vector": "gravity",
    "total energy": "energy",
    "massenmatrix": "M",
    "kinetische energie": "T",
    "potentielle energie": "V",
}
_BESIDE = {*"joint kinetic potential generalized entry element term total".split()}
_LETTERS = re.compile(r"[^\W\d_]+")
_TORQUE = re.compile(r"(?:joint )?(?:torque|drehmoment)(?: (?:of|at|in) joint)? ?(\d+)")
_NUMBER = r"(?P<number>\d{1,3}(?:\.\d+)*[a-z]?|\(?[a-z]\)?)"
_NUMBERED = re.compile(
    rf"(?:(?P<word>{'|'.join((*sorted(_CLAIMS), *QUESTIONS))})(?:[\s._-]+|(?=\d)){_NUMBER}"
    rf"|(?P<claim>{'|'.join(sorted(_CLAIMS))})\s*(?=:)"
    r"|(?P<q>q)[\s._-]*(?P<of_q>\d{1,3}(?:\.\d+)*[a-z]?)|\(?(?P<bare>\d{1,2}[a-z]?|[a-z]\))\)?\.?)"
    r"(?=\Z|[\s:(\[]|[.)\]–—-](?:\s|\Z))(?P<rest>.*)",
    re.DOTALL | re.IGNORECASE,
)
_QUANTITY = re.compile(  # M22, G_1, C(1,2), V, q1'', det J
    r"(?:\\?(?:det|tr|trace)\b\s*|\\d?dot\s*)?\(?"
    r"(?:\\?[^\W\d_₀-₉]{1,12}[̇̈]?(?:_?\d+|[₀-₉]+|[_^({\[].{1,20}?)|\\?[^\W\d_][̇̈]?)'{0,2}\)?"
)
_MAY_BE_LABEL = re.compile(r"[^\W\d_]{1,2}\d?")  # of an exercise: C, A1
_OUT_OF = re.compile(r"\s*/\s*[\d.,]+\s*")  # points
_FENCE = re.compile(r"[$`]|\\[()\[\]]")  # around formulas
_LEADING = re.compile(
    r"\A(?:[\s:.)\]]+|[–—-]\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+"
    r"|(?:what is|find|compute|calculate|give|determine|derive|state|write|the|entry|element"
    r"|(?:formula|expression) for)\s+(?=\S))",
    re.IGNORECASE,
)
_POINTS = r"(?:max\.?\s*)?\d+(?:[.,]\d+)?\s*(?:points?|pts?\.?|marks?|punkte?|pkt\.?"
_TRAILING = re.compile(
    rf"(?:\s*[(\[]\s*{_POINTS}|p\.?|%)\s*[)\]]|\s+{_POINTS})|\s+\[[A-Za-z][\w^/·* ]*\]"
    r"|\s*=?\s*\?+|\s*=|[\s:;,.]+)\Z",
    re.IGNORECASE,
)


class Head(NamedTuple):
    """The kind of a column, the quantity that it asks for, and its number, if it has those."""

    kind: str  # name, answer, question, "the question" (its text is in the cells), aside or other
    asked: str = ""
    number: str = ""


def head_of(text: str) -> Head:
    """What a column is."""
    low = spoken(text)
    if low in (*PERSONS, *FIRST_NAMES, *LAST_NAMES):
        return Head("name")
    if low in QUESTIONS:
        return Head("the question")
    found = _NUMBERED.fullmatch(text.strip())
    rest = found["rest"] if found else text
    asked = quantity_of(rest)
    said = {x.lower() for x in _LETTERS.findall(_stripped(rest))}
    if not asked and (said & (_ASIDE | _BESIDES) or _OUT_OF.fullmatch(rest)):
        return Head("aside" if said & (_BESIDES | {*QUESTIONS}) else "other")
    of = found.groupdict(default="") if found else {}
    number = "".join(of.get(x, "") for x in ("number", "of_q", "bare")).strip("()").lower()
    claims = {of.get("word", "").lower(), of.get("claim", "").lower()}
    if claims & _CLAIMS or (not asked and said & _CLAIMS):
        return Head("answer", asked, number)
    if found or asked or said & _MECHANICS:
        return Head("question", asked, number)
    return Head("other")


def answered(heads: Sequence[Head]) -> list[int]:
    """Columns that have answers; beside "Response 1" stands "Question 1" with its own text."""
    numbers = {x.number for x in heads if x.kind == "answer"} - {""}
    return [
        k
        for k, x in enumerate(heads)
        if x.kind == "answer" or (x.kind == "question" and x.number not in numbers)
    ]


def quantity_of(text: str) -> str:
    """The one quantity that a head names: "M12 = ? (2 points)", "$M_{12}$", "mass matrix"."""
    bare = _stripped(text)
    if exact := _exactly(bare):
        return exact
    before, _, last = bare.rpartition(" ")
    words = spoken(before)
    if before and {*words.split()} <= _MECHANICS | _BESIDE and (symbol := quantity_of(last)):
        entry = re.search(r"\d", symbol)  # mass matrix M is that matrix, mass matrix M12 is M12
        return symbol if entry else _exactly(before) or symbol
    aside = (_ASIDE | _BESIDES) & {x.lower() for x in _LETTERS.findall(bare) if len(x) > 1}
    return bare if _QUANTITY.fullmatch(bare) and not aside else ""


def _exactly(said: str) -> str:
    """The quantity that words name."""
    words = spoken(said)
    exact = words.replace(" ", "_")
    if exact in KINDS and ("_" in exact or exact.endswith("ian")):  # "position" may be of anything
        return exact
    torque = _TORQUE.fullmatch(words)
    return f"tau{torque[1]}" if torque else _SPOKEN.get(words, "")


def may_be_label(asked: str) -> bool:
    """Whether a quantity may as well be a label of an exercise: C, A1."""
    return _MAY_BE_LABEL.fullmatch(asked) is not None


def spoken(text: str) -> str:
    """A head in small letters, its words apart by one blank."""
    return " ".join(re.split(r"[\s_]+|(?<=\w)-(?=\w)", text.strip().lower()))


def _stripped(text: str) -> str:
    """Without what stands before and after a quantity: a number, points, a question mark."""
    bare, before = _FENCE.sub("", text).strip(), ""
    while bare != before:
        before = bare
        bare = _TRAILING.sub("", _LEADING.sub("", bare).strip()).strip()
        bare = bare[1:-1] if re.fullmatch(r"\([^()]*\)", bare) else bare
    return bare
