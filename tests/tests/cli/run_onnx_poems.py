"""Computes the logits of a line by an exported ONNX model of poems in onnxruntime, and prints them as JSON.

Arguments: the folder, the identifiers of the lines before, and those of the line, as JSON.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime

folder, lines, line = Path(sys.argv[1]), *map(json.loads, sys.argv[2:])
told = json.loads((folder / "onnx.json").read_text())


def opened(name):
    return onnxruntime.InferenceSession(str(folder / name), providers=["CPUExecutionProvider"])


reader, step = opened(f"line_{len(line)}.onnx"), opened("step.onnx")
context = state = np.zeros((1, told["width"]), np.float32)
for read in lines:
    context, conditions = reader.run(None, {"line": np.array([read], np.int64), "context": context})
rows = []
for at, before in enumerate([told["begins_with"], *line[:-1]]):
    inputs = {"before": np.array([before], np.int64), "condition": conditions[:, at], "state": state}
    logits, state = step.run(None, inputs)
    rows.append(logits[0].tolist())
print(json.dumps(rows))
