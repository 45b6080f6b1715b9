"""Writes the model beside this file as ONNX, by PyTorch's exporter.

    pip install torch safetensors onnx onnxscript
    python to_onnx.py

`line_5.onnx` and `line_7.onnx` read a line, by the source vocabulary, and the context of the lines before (zeros for the
first line). Their outputs are the next context, and the conditions of the characters of the next line. `step.onnx` reads
the character before (at first <s>, by the target vocabulary), the condition of the next one, and a state (at first zeros);
its outputs are the logits of the next character, and the next state. `onnx.json` tells the width of all vectors.
"""

BEGIN


class Line(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, line, context):
        context = self.model.read(line, context)
        return context, self.model.conditions(context, line.shape[1])


class Step(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, before, condition, state):
        state = self.model.step(before, condition, state)
        return self.model.output(state), state


def main():
    model, width = program.load(), program.CONFIG["width"]
    vectors, by_batch = torch.zeros(BATCH, width), [{0: "batch"}] * 3
    for length in (5, 7):
        line = torch.full((BATCH, length), program.UNK)
        write(f"line_{length}.onnx", Line(model), [line, vectors], ["line", "context"], ["next_context", "conditions"], by_batch[:2])
    before = torch.full((BATCH,), program.BOS)
    names, outputs = ["before", "condition", "state"], ["logits", "next_state"]
    write("step.onnx", Step(model), [before, vectors, vectors], names, outputs, by_batch)
    told = {"begins_with": program.BOS, "width": width}
    (FOLDER / "onnx.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
