"""The notebook of python/examples runs from beginning to end."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples" / "tour.ipynb"


@pytest.mark.filterwarnings("default")
def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is committed without outputs"
    nbclient.NotebookClient(notebook, timeout=300).execute()
    shown = {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert {"text/markdown", "image/svg+xml", "text/html"} <= shown
