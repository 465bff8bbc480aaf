"""The notebooks of examples/ are run from top to bottom, in kernels of their own."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
OUTSIDE = ("https://cdn", "http://cdn", "require.js", "unpkg.com", "mathjax")


def test_there_are_six():
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda x: x.stem)
def test_a_notebook_runs_and_shows_what_it_says(path, tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_PROGRESS", "off")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    stored = nbformat.read(path, 4)
    assert not any(x.outputs or x.execution_count for x in stored.cells if x.cell_type == "code")
    where = {"metadata": {"path": str(tmp_path)}}
    ran = NotebookClient(stored, timeout=600, kernel_name="python3", resources=where).execute(
        env=dict(os.environ)
    )
    code = [x for x in ran.cells if x.cell_type == "code"]
    shown = [x for x in code if x.outputs]
    assert len(shown) >= 5
    last = code[-1]
    assert last.outputs, "a notebook ends with something to look at"
    for cell in code:
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", output.text
            text = json.dumps(output.get("data", {}))
            assert not any(x in text.lower() for x in OUTSIDE), cell.source  # offline
