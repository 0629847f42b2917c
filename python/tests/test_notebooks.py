"""Every lesson's notebook runs, cell after cell, as a reader would run it."""
import json
import pathlib

import pytest

shell = pytest.importorskip("IPython.core.interactiveshell")
NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parent / "notebooks").glob("*.ipynb"))


@pytest.fixture
def ipython(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some cells write files
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    instance = shell.InteractiveShell()
    yield instance
    instance.reset()


def has_nvcc():
    from wideload._magic import UsageError, find_nvcc

    try:
        return bool(find_nvcc())
    except UsageError:
        return False


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 17


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, ipython):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    ran = 0
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] != "code" or (text.startswith("%%cuda") and not has_nvcc()):
            continue
        ipython.run_cell(text).raise_error()
        ran += 1
    assert ran >= 2
