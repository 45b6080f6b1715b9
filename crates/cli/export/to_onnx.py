"""Writes the model beside this file as ONNX, by PyTorch's exporter.

    pip install torch safetensors onnx onnxscript
    python to_onnx.py

A model of pairs becomes `encoder.onnx` and `step.onnx`, a language model `step.onnx`, a tagger or a reader `model.onnx`. A
step reads one token of each target, what the encoder computed, and the cache `past_0`, `past_1`, …; its outputs `next_0`,
`next_1`, … are the cache of the next step. `onnx.json` tells the shapes of the first step's cache, in which `batch` is the
number of targets and 0 the length of what was read. A recurrent model has its first states in the cache. Inputs of a reader
are those of `Model.forward`; its outputs are ln p of all places as start and as end.
"""

BEGIN


class Encoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, source):
        return tuple(self.model.encode(source))


class Step(nn.Module):
    """One token of a target. `read` is what the encoder computed, then the cache."""

    def __init__(self, model, encoded, carried):
        super().__init__()
        self.model, self.encoded, self.carried = model, encoded, carried

    def forward(self, target, *read):
        encoded, carried = read[: self.encoded], read[self.encoded :][: self.carried]
        rows = read[self.encoded + self.carried :]
        if self.encoded == 0 and self.carried > 0:
            return recurrent_step(self.model, target, carried)
        past = program.Past(rows, list(carried) or None)
        if self.encoded:
            logits = self.model.decode(target, *encoded, past=past)
        else:
            logits = self.model(target, past)
        return logits, *(past.carried if self.carried else ()), *past.rows


def recurrent_step(model, text, carried):
    """A step of a recurrent language model, whose states are [layers, B, H]."""
    rows, states = model.layers(model.embedding(text), tuple(carried) if len(carried) > 1 else carried[0])
    return model.output(rows), *(states if isinstance(states, tuple) else (states,))


def main():
    model = program.load()
    config = program.CONFIG
    architecture = config["architecture"]
    ids = torch.randint(4, 5, (BATCH, 3))
    source_axes = {0: "batch", 1: "source"}
    if architecture == "tagger":
        write("model.onnx", model, [ids], ["source"], ["logits"], [source_axes])
        return
    if architecture == "bidaf":
        write_reader(model)
        return
    encoded, names, dynamic = [], [], []
    is_recurrent = config.get("cell") is not None
    if architecture in ("transformer", "seq2seq"):
        encoder = Encoder(model)
        with torch.no_grad():
            encoded = list(encoder(ids))
        names = ["memory", "hidden", "state", "cell"][: len(encoded)]
        write("encoder.onnx", encoder, [ids], ["source"], names, [source_axes])
        dynamic = [{0: "batch", 1: "source"}, {0: "batch", encoded[1].dim() - 1: "source"}]
        dynamic += [{0: "batch"} for _ in encoded[2:]]
    with torch.no_grad():
        first, carried = cache(model, config, encoded, ids[:, :1])
    before = [rows.new_zeros(shape_before(rows)) for rows in first]
    # Traced with what a second step reads, so that no length of the cache is taken to be 0.
    past = [f"past_{at}" for at in range(len(carried) + len(first))]
    step = Step(model, len(encoded), len(carried))
    batch_axis = 1 if architecture == "recurrent_lm" else 0
    axes = [{batch_axis: "batch"} for _ in carried] + [{0: "batch", rows.dim() - 2: "read"} for rows in first]
    inputs = [ids[:, :1], *encoded, *carried, *first]
    outputs = ["logits", *(name.replace("past", "next") for name in past)]
    write("step.onnx", step, inputs, ["target", *names, *past], outputs, [{0: "batch"}, *dynamic, *axes])
    begins = [*carried, *before]
    shapes = [["batch" if at == (batch_axis if of < len(carried) else 0) else size for at, size in enumerate(it.shape)] for of, it in enumerate(begins)]
    kinds = ["bool" if it.dtype == torch.bool else "float32" for it in begins]
    # A recurrent decoder begins with the states that the encoder computed, and a context of zeros.
    from_encoder = {f"past_{at + 1}": name for at, name in enumerate(names[2:])} if carried else {}
    told = {
        "begins_with": program.EOS if not encoded else program.BOS,
        "ends_with": program.EOS,
        "past": [{"name": name, "shape": shape, "dtype": kind} for name, shape, kind in zip(past, shapes, kinds)],
        "past_from_encoder": from_encoder,
    }
    (FOLDER / "onnx.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def write_reader(model):
    names = ["questions", "passages", "question_characters", "passage_characters"]
    # Two passages for each question.
    inputs = [torch.randint(4, 5, size) for size in ((BATCH, 3), (BATCH, 2, 5), (BATCH, 3, 4), (BATCH, 2, 5, 4))]
    question, passage = {0: "batch", 1: "question"}, {0: "batch", 1: "passages", 2: "passage"}
    dynamic = [question, passage, {**question, 2: "characters"}, {**passage, 3: "characters of passages"}]
    if not hasattr(model.encoder, "characters"):
        names, inputs, dynamic = names[:2], inputs[:2], dynamic[:2]
    write("model.onnx", model, inputs, names, ["start", "end"], dynamic)


def cache(model, config, encoded, target):
    """Rows and states after one step."""
    if config["architecture"] == "recurrent_lm":
        states = 2 if config["cell"] == "lstm" else 1
        zeros = torch.zeros(config["layers"], len(target), config["hidden"])
        return [], [zeros.clone() for _ in range(states)]
    past = program.Past()
    if encoded:
        model.decode(target, *encoded, past=past)
    else:
        model(target, past)
    return past.rows, past.carried or []


def shape_before(rows):
    """The shape of what the first step reads in place of these rows."""
    return (*rows.shape[:-2], 0, rows.shape[-1])


if __name__ == "__main__":
    main()
