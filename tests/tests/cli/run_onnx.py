"""Computes the logits of an exported ONNX model by onnxruntime, token by token with its cache, and prints them as JSON.

Arguments: the folder, the ids of the source (or of the text) as JSON, and for a model of pairs those that the decoder reads;
of a reader the folder and all inputs by their names.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime

folder, *texts = sys.argv[1:]
folder, texts = Path(folder), [json.loads(text) for text in texts]


def opened(name):
    return onnxruntime.InferenceSession(str(folder / name), providers=["CPUExecutionProvider"])


def run(session, inputs):
    known = {it.name for it in session.get_inputs()}
    found = session.run(None, {name: value for name, value in inputs.items() if name in known})
    return dict(zip((it.name for it in session.get_outputs()), found))


if isinstance(texts[0], dict):
    found = run(opened("model.onnx"), {name: np.array(ids, dtype=np.int64) for name, ids in texts[0].items()})
    print(json.dumps({name: np.maximum(row[0], -1e9).tolist() for name, row in found.items()}))
    sys.exit()
ids = [np.array([text], dtype=np.int64) for text in texts]
if (folder / "model.onnx").exists():
    print(json.dumps(run(opened("model.onnx"), {"source": ids[0]})["logits"][0].tolist()))
    sys.exit()
told = json.loads((folder / "onnx.json").read_text())
encoded = run(opened("encoder.onnx"), {"source": ids[0]}) if len(ids) == 2 else {}
past = {it["name"]: np.zeros([1 if n == "batch" else n for n in it["shape"]], it["dtype"]) for it in told["past"]}
past.update({name: encoded[of] for name, of in told["past_from_encoder"].items()})
step, logits = opened("step.onnx"), []
for token in ids[-1][0]:
    found = run(step, {"target": np.array([[token]]), **encoded, **past})
    logits.append(found.pop("logits")[0, 0].tolist())
    past = {name.replace("next", "past"): rows for name, rows in found.items()}
print(json.dumps(logits))
