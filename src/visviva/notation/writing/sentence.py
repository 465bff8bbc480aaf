"""Sentences for LaTeX: words in text mode, formulas among them in mathematics mode."""

from __future__ import annotations

import re
import unicodedata

from visviva.notation.names import LETTERS, LOW_DIGITS, Parts, printable
from visviva.notation.writing import page
from visviva.notation.writing.latex import tex

TEXT = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}"}
TEXT |= {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
TEXT |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}"}
TEXT |= {letter: rf"$\{name}$" for letter, name in LETTERS.items()}
TEXT |= {
    "·": r"$\cdot$",
    "∂": r"$\partial$",
    "½": r"$\frac12$",
    "–": "--",
    "−": "$-$",
    "×": r"$\times$",
}
TEXT |= {"ᵀ": r"$^{\mathsf T}$", "φ": r"$\varphi$", "ω̇": r"$\dot\omega$"}
TEXT |= {"q̇": r"$\dot q$", "q̈": r"$\ddot q$", "ṙ": r"$\dot r$", "Ṁ": r"$\dot M$"}
TEXT |= {"v̇": r"$\dot v$", "Ṙ": r"$\dot R$", "Ȧ": r"$\dot A$", "ȧ": r"$\dot a$"}
TEXT |= {"⁻¹": "$^{-1}$", "∫": r"$\int$", "²": "$^2$"}
TEXT |= {low: f"$_{k}$" for k, low in enumerate(LOW_DIGITS)}
_MARKS = re.compile("|".join(map(re.escape, sorted(TEXT, key=len, reverse=True))))

_LOW = str.maketrans(dict(zip(LOW_DIGITS, "0123456789", strict=True)))
RAISED = {"": "", "ᵀ": "^{T}", "⁻¹": "^{-1}", "²": "^{2}", "³": "^{3}"}
_SIGNS = {"=": "=", "+": "+", "−": "-", "-": "-", "/": "/", "×": r"\times", "·": r"\cdot"}
_SIGNS |= {"∫": r"\int", "∂": r"\partial", "½": r"\tfrac{1}{2}", "dm": r"\,\mathrm{d}m"}
_SIGNS |= {"det": r"\det"}
# a letter that stands alone is a symbol, but for articles, and for units after a number and a space
# that does not break; capitals also after one digit, 2C
LONE_SYMBOL = (
    r"(?:(?<![\w'.])|(?<=\W\d)(?=[A-CE-Z]))(?<!\d\u00a0)"
    r"(?!a(?![\w\u0307\u0308,.:;)]|$| (?:and|is|in|has)\b)|(?<![^.?!] )A [a-z]{2}|(?<!inertia )I\b)"
    r"(?P<letter>[A-Za-zΑ-Ωα-ω])(?P<dots>[\u0307\u0308]?)"
    r"(?P<low>_[A-Za-z]{1,3}(?![A-Za-z0-9_])|[₀-₉]*)(?P<high>ᵀ|⁻¹|²|³|)"
    r"(?![\w'\u0307\u0308]|\.\w)"
)
_TOKEN = re.compile(
    rf"(?P<symbol>{LONE_SYMBOL})|(?P<number>(?<![\w.])\d+(?:\.\d+)?(?!\w|\.\d)|(?<!\w)\d(?=[A-CE-Z]\b))"
    r"|(?P<sign>[=+−×·/∫∂½]|(?<= )-(?= )|\bdm\b|\bdet\b(?= [A-Z]\b))"
    r"|(?P<open>\()|(?P<close>\)(?:ᵀ|⁻¹|²|³)?)|(?P<comma>,)|(?P<space> )"
)
_COMMAND = re.compile(r"\\[a-z]+$")
_NO_START, _NO_END = "=+×·/", "=+−·/∫∂½-"


def sentence(text: str) -> str:
    """Words in text mode: nothing of them is a command; what is a formula is set as one.

    Examples:
        >>> sentence("Where I_xy is −∫ x y dm & c = (x_C, 0)")
        'Where $I_{xy}$ is $-\\\\int x y\\\\,\\\\mathrm{d}m$ \\\\& $c = (x_{C}, 0)$'
    """
    whole = unicodedata.normalize("NFD", text)
    made, done = [], 0
    for run in _runs(whole):
        made.append(_words(whole[done : run[0].start()]))
        made.append(f"${_formula(run)}$")
        done = run[-1].end()
    return "".join([*made, _words(whole[done:])])


def _words(text: str) -> str:
    return _MARKS.sub(lambda match: TEXT[match[0]], printable(unicodedata.normalize("NFC", text)))


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Formulas: tokens side by side with a symbol among them, commas only inside brackets."""
    tokens = list(_TOKEN.finditer(text))
    partner = _partners(tokens)
    found: list[list[re.Match[str]]] = [[]]
    depth = 0
    for k, x in enumerate(tokens):
        if found[-1] and found[-1][-1].end() != x.start():
            found.append([])
        if x.lastgroup in ("open", "close") and k not in partner:
            found.append([])
            continue
        depth += {"open": 1, "close": -1}.get(x.lastgroup or "", 0)
        if x.lastgroup == "comma" and not depth:
            found.append([])
            continue
        found[-1].append(x)
    return [run for run in map(_trimmed, found) if any(x["symbol"] for x in run)]


def _partners(tokens: list[re.Match[str]]) -> set[int]:
    """Places of brackets that have a partner, with nothing but tokens between."""
    found: set[int] = set()
    waiting: list[int] = []
    for k, x in enumerate(tokens):
        if k and tokens[k - 1].end() != x.start():
            waiting = []
        if x.lastgroup == "open":
            waiting.append(k)
        elif x.lastgroup == "close" and waiting:
            found |= {k, waiting.pop()}
    return found


def _trimmed(run: list[re.Match[str]]) -> list[re.Match[str]]:
    """Without spaces and signs at its ends that belong to the words around it."""
    while run and (run[0]["space"] or run[0][0] in _NO_START):
        run = run[1:]
    while run and (run[-1]["space"] or run[-1][0] in _NO_END or _is_counted(run)):
        run = run[:-1]
    return run


def _is_counted(run: list[re.Match[str]]) -> bool:
    """Whether the number at the end counts what is said next: with q 3 times."""
    before = [x for x in run[:-1] if not x["space"]]
    return bool(run[-1]["number"]) and not (before and before[-1]["sign"])


def _formula(run: list[re.Match[str]]) -> str:
    made = ""
    for written in map(_token, run):
        if written.startswith(r"\,"):
            made = made.rstrip(" ")
        apart = _COMMAND.search(made) and written[0].isalpha()  # or the command would go on
        made += f" {written}" if apart else written
    return made


def _token(x: re.Match[str]) -> str:
    if x["symbol"]:
        low = x["low"].removeprefix("_").translate(_LOW)
        dots = ("", "\u0307", "\u0308").index(x["dots"])
        return tex(page.Name(Parts(x["letter"], low, dots))) + RAISED[x["high"]]
    if x["close"]:
        return ")" + RAISED[x[0][1:]]
    return _SIGNS.get(x[0], x[0])
