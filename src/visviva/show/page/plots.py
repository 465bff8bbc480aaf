"""plotly's figures in a page, and its script, packed."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from visviva.errors import ArgumentError
from visviva.show.page.escaping import in_script

HEIGHT = 400  # pixels, where a figure states none
COMPILED = ("parcoords", "pointcloud", "scattergl", "scatterpolargl", "splom")


def figure_data(figure: Any) -> tuple[str, int]:
    """A figure as JSON for a script element, and its height; colours and width are the page's.

    Traces whose drawing plotly compiles in the browser are refused: the page forbids it.
    """
    if not callable(getattr(figure, "to_json", None)):
        raise ArgumentError(f"a plot is a figure of plotly, got {type(figure).__name__}")
    stated = json.loads(figure.to_json())
    for trace in stated["data"]:
        if trace.get("type") in COMPILED:
            raise ArgumentError(
                f"a page cannot draw {trace['type']!r}, which is compiled where it is shown"
            )
    layout = stated["layout"]
    layout.pop("template", None)
    layout.pop("width", None)
    height = int(layout.pop("height", HEIGHT))
    return in_script(json.dumps(stated, separators=(",", ":"))), height


def still_image(figure: Any) -> str:
    """Lines as a picture for paper, which shows them before plotly has; of others nothing."""
    from visviva.drawing.figure import lines_svg

    try:
        text = lines_svg(figure)
    except ArgumentError:
        return ""
    packed = base64.b64encode(text.encode()).decode()
    return f'<img class="still" alt="" src="data:image/svg+xml;base64,{packed}">'


@cache
def packed_plotly() -> str:
    """plotly's script, gzipped, in base64."""
    import plotly

    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return base64.b64encode(gzip.compress(script.read_bytes(), 9, mtime=0)).decode()
