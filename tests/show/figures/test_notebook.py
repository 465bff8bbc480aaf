"""A notebook without a network: its cells are run, and what they return is shown by a browser.

A cell's value goes the way of a notebook: by plotly's mime type, which the notebook's own plotly
draws, or by its HTML.
"""

import ast
import json

import pytest

from tests.support.pictures import SCRIPT
from visviva.show.figures import view

CELLS = [
    "import visviva as vv\narm = vv.catalog.rp_arm()",
    "arm.plot([0.5, 0.6])",
    "arm.potential_energy.plot()",
    "run = arm.simulate([0.5, 0.6], [0, 0], 1.0)\nrun.plot()",
    "vv.Inertia.box(2.0, x=1.0, y=0.4, z=0.1).plot()",
    "arm.statics([0.5, 0.6]).plot()",
    "arm.show([0.5, 0.6])",
    "run.animate()",
]


def values(cells):
    """What every cell returns: the value of its last line, if that is an expression."""
    names = {}
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        yield None if last is None else eval(ast.unparse(last), names)


def shown(value):
    """The HTML of a cell, by the first of the ways that a notebook knows."""
    if hasattr(value, "to_plotly_json"):
        figure = json.dumps(value.to_json())
        return (
            "<div></div><script>{ const f = JSON.parse(" + figure.replace("</", r"<\/") + ");"
            "Plotly.newPlot(document.currentScript.previousSibling, f.data, f.layout); }</script>"
        )
    return value._repr_svg_() if hasattr(value, "_repr_svg_") else value._repr_html_()


@pytest.mark.parametrize("way", ["mime type", "html"])
def test_cells_are_shown(browser, monkeypatch, capsys, way):
    monkeypatch.setattr(view, "_in_notebook", lambda: True)
    found = [x for x in values(CELLS if way == "mime type" else CELLS[:2]) if x is not None]
    assert capsys.readouterr().out == ""
    if way == "html":  # whoever asks for HTML gets all of it
        browser.open(found[0]._repr_html_(), width=760)
    else:
        script = SCRIPT.read_text(encoding="utf-8").replace("</script", r"<\/script")
        page = "".join(f"<section>{shown(x)}</section>" for x in found)
        browser.open(f"<!doctype html><script>{script}</script>{page}", width=760)
        assert browser.run("document.querySelectorAll('iframe').length") == 2
        assert browser.run("document.querySelectorAll('svg.vvfb').length") == 1
        plots = browser.run("document.querySelectorAll('.js-plotly-plot').length")
        assert plots == 4
        browser.wait(
            "[...document.querySelectorAll('iframe')].every((x) => x.scrollIntoView() || "
            "x.contentDocument.querySelector('.stage canvas'))"
        )
    browser.wait("!!document.querySelector('.js-plotly-plot .main-svg text')")
    browser.check()
