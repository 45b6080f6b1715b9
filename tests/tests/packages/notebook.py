"""Executes the notebook that an argument names, and checks what its cells show."""

import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
shown = [
    "\n".join(
        str(output.get("text", "")) + "\n".join(str(value) for value in output.get("data", {}).values())
        for output in cell.get("outputs", [])
    )
    for cell in notebook.cells
    if cell.cell_type == "code"
]
training = shown[0]
assert "<progress max=\"1000\" value=\"1000\"" in training, training
assert "<polyline" in training and "validation after step 1,000" in training, training
together = "\n".join(shown)
for part in ["<table", "<svg xmlns", "d e f g h i j k l m n o", "saved; go on"]:
    assert part in together, f"{part} is not shown:\n{together[:5000]}"
