"""Formulas as a person sees them: MathML and LaTeX in a browser, and the pictures looked at.

Every page is shown by headless Chromium, our LaTeX by KaTeX. Boxes are measured in the page, ink in
the picture, and the pictures are kept in build/screenshots.
"""

import json
import re
import shutil
import subprocess
from functools import cache

import pytest

import visviva as vv
from tests.support.browser import Browser, needs_browser
from tests.support.counts import SOAK
from tests.support.generators.named_systems import HOSTILE, WORDS, by_builder
from tests.support.readers.browser import (
    MEASURE,
    Seen,
    katex_page,
    needs_katex,
)
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.judge.closed.printed import printed
from visviva.judge.derive.derivation import derivation


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


# ---- what is shown


@cache
def odd():
    """Fractions in fractions, roots, exponentials, a force from outside."""
    return Lagrangian(
        "x theta",
        "m*(1 + h^2*sin(x/w)^2/w^2)*x'^2/2 + I*theta'^2/(2*(1 + x^2))",
        "m*g*h*cos(x/w) + k*(sqrt(x^2 + d^2) - l)^2/2 + a*exp(-x^2/(2*w^2))",
        dissipation="c*theta'^2/2",
        forces=["F*cos(Omega*t)", 0],
        parameters=dict.fromkeys("m h w I g k d l a c F Omega".split(), 1.0),
        name="odd",
    ).closed_form()


@cache
def form(name):
    return vv.catalog.build(name).closed_form()


@cache
def steps(name, method):
    return derivation(vv.catalog.build(name), method)


FORMS = {
    "two_link-standard": lambda to: printed(form("two_link"), "standard", to),
    "two_link-christoffel": lambda to: printed(form("two_link"), "christoffel", to),
    "scara-equations": lambda to: printed(form("scara"), "equations", to),
    "planar_3r-standard": lambda to: printed(form("planar_3r"), "standard", to),
    "odd-standard": lambda to: printed(odd(), "standard", to),
    "odd-equations": lambda to: printed(odd(), "equations", to),
    "craig_6_5-newton-euler": lambda to: getattr(steps("craig_6_5", "newton-euler"), to)(),
    "two_link-lagrange": lambda to: getattr(steps("two_link", "lagrange"), to)(),
}
NOTEBOOK = {
    "two_link-notebook": lambda: form("two_link")._repr_latex_(),
    "planar_3r-notebook": lambda: form("planar_3r")._repr_latex_(),
    "odd-notebook": lambda: odd()._repr_latex_(),
}


def formulas_of(text):
    """What stands in mathematics mode."""
    return [max(x) for x in re.findall(r"\\\[(.*?)\\\]|\$\$(.*?)\$\$|\$(.*?)\$", text, re.S)]


def check(seen, count):
    assert seen.errors == []
    assert seen.missing == []
    assert len(seen.formulas) == count > 0
    assert all(w > 5 and h > 5 for _, _, w, h in seen.formulas)
    assert all(sum(rows) > 20 for rows in seen.ink)  # each formula has ink
    assert 0.001 < seen.part < 0.3
    assert seen.clipped == []
    assert seen.touching == []
    assert all(own > 0.7 * whole for own, whole in seen.fences)  # brackets that have grown


# ---- tests


@pytest.mark.spread(4)
@needs_browser
@pytest.mark.parametrize("name", FORMS)
def test_pages_in_a_browser(browser, tmp_path, name):
    page = FORMS[name]("html")
    seen = Seen(browser, page, tmp_path, f"{name}-mathml")
    check(seen, page.count("<math "))
    assert len(seen.accents) == page.count("<mover ")
    assert seen.accents or "christoffel" in name


@pytest.mark.spread(5)
@needs_browser
@needs_katex
@pytest.mark.parametrize("name", [*FORMS, *NOTEBOOK])
def test_latex_in_a_browser(browser, tmp_path, name):
    text = NOTEBOOK[name]() if name in NOTEBOOK else FORMS[name]("latex")
    formulas = formulas_of(text)
    seen = Seen(browser, katex_page(formulas), tmp_path, f"{name}-latex")
    check(seen, len(formulas))
    assert len(seen.accents) == len(re.findall(r"\\(?:dot|ddot|hat|vec)\b", "".join(formulas)))


@needs_browser
def test_the_measures_see_what_is_wrong(browser, tmp_path):
    page = FORMS["two_link-standard"]("html")

    def spoiled(style):
        made = page.replace("</head>", f"<style>{style}</style></head>")
        return Seen(browser, made, tmp_path, "spoiled", keep=False)

    assert spoiled(".formulas mover > mo:last-child { margin-bottom: -.4em !important; }").touching
    assert spoiled(".line { height: 1.4rem; }").clipped
    assert spoiled(".line { max-width: 20rem; }").clipped
    assert not any(map(sum, spoiled(".line { color: #fff; }").ink))
    assert spoiled("").touching == spoiled("").clipped == []


@needs_browser
@needs_katex
@pytest.mark.soak
def test_latex_under_any_names_in_a_browser(browser, tmp_path):
    """KaTeX knows every name; without a glyph are a ligature, a bracket and what cannot be seen."""
    few = ["θ", "φ₁", "关节1", "épaule", "угол", "q̈_", "7", r"\input{/etc/passwd}"]
    every = [x for x in (*WORDS, *HOSTILE) if x not in ("ﬁ", "⟦", "k\u202ek")]
    formulas = []
    for k, name in enumerate(every if SOAK else few):
        joints, parameters = ((name, "yy"), ("mm", "ll")) if k % 2 else (("xx", "yy"), (name, "ll"))
        made = by_builder(joints, parameters).closed_form()
        formulas += formulas_of(made.latex("equations") + made._repr_latex_())
    page = tmp_path / "names.html"
    page.write_text(katex_page(formulas), encoding="utf-8")
    browser.open(page)
    seen = browser.run(MEASURE)
    assert seen["errors"] == []
    assert len(seen["formulas"]) == len(formulas)


@needs_browser
@needs_katex
def test_latex_that_is_wrong_is_seen(browser, tmp_path):
    seen = Seen(browser, katex_page([r"\dot{q", "q^2"]), tmp_path, "wrong", keep=False)
    assert len(seen.errors) == 1
    assert len(seen.formulas) == 1


@needs_browser
def test_in_a_notebook_a_derivation_leaves_the_rest_as_it_is(browser, tmp_path):
    host = (
        "<!DOCTYPE html><html><body><h1>mine</h1><p>text</p><math><mi>x</mi></math>{}</body></html>"
    )
    script = """JSON.stringify(["html", "body", "h1", "p", "math"].map((name) => {
      const style = getComputedStyle(document.querySelector(name));
      return [...style].filter((k) => !/size|height|width|origin|inset|^(bottom|right)$/.test(k))
        .map((k) => k + ":" + style.getPropertyValue(k)); }))"""
    seen = []
    for body in ("", steps("two_link", "lagrange")._repr_html_()):
        path = tmp_path / "host.html"
        path.write_text(host.format(body), encoding="utf-8")
        browser.open(path, dark=True)
        seen.append(json.loads(browser.run(script)))
    assert seen[0] == seen[1]
    text, paper = browser.run(
        """[".derivation", "body"].map((x) => getComputedStyle(document.querySelector(x)).color)"""
    )
    assert text == paper


@needs_browser
@pytest.mark.parametrize("name", ["two_link-standard", "two_link-lagrange"])
def test_in_the_dark_a_page_is_light_on_dark(browser, tmp_path, name):
    path = tmp_path / "page.html"
    path.write_text(FORMS[name]("html"), encoding="utf-8")
    browser.open(path, dark=True)
    ink, paper = browser.run(
        """(() => { const math = getComputedStyle(document.querySelector("math"));
        const all = (x) => x.match(/\\d+/g).slice(0, 3).map(Number);
        return [all(math.color), all(getComputedStyle(document.body).backgroundColor)]; })()"""
    )
    assert min(ink) > 200
    assert max(paper) < 60


@pytest.mark.spread(4)
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
@pytest.mark.parametrize("name", FORMS)
def test_documents_compile(tmp_path, name):
    text = FORMS[name]("latex")
    if not text.startswith(r"\documentclass"):
        head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"
        text = f"{head}{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 5000
