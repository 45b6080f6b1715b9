import json
from pathlib import Path

import torch
from torch import nn

import model as program

FOLDER = Path(__file__).parent
BATCH = 2  # of the examples by which the graphs are traced


def write(name, module, inputs, names, outputs, dynamic):
    """Exports `module`; `dynamic` has for each input the axes whose lengths may differ, by name."""
    with torch.no_grad():
        torch.onnx.export(
            module,
            tuple(inputs),
            FOLDER / name,
            input_names=names,
            output_names=outputs,
            dynamic_axes={**dict(zip(names, dynamic)), **{it: {0: "batch"} for it in outputs}},
            opset_version=18,
            dynamo=False,
        )
