"""Computes a model of Strata in numpy: reads the checkpoint of a run and prints the logits of a translation.

    pip install numpy safetensors
    python examples/read_checkpoint.py RUN "er sieht den mann ." "he sees the man ."

RUN is a run's folder, or a checkpoint. Every architecture but rnnpg and readers, with vanilla attention; one sentence
at a time, so that there is no batch and no padding: [S, D] of the source, [T, D] of the target. docs/checkpoints.md says
what each tensor is, and read_checkpoint_torch.py puts them into PyTorch's modules.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from safetensors import safe_open

BOS, EOS, UNK = 1, 2, 3  # <s>, </s>, <unk>; 0 is <pad>


def read(run):
    """What a checkpoint says of itself, and its parameters by their names. `run` is a run's folder, or a file."""
    path = Path(run) / "checkpoint.safetensors" if Path(run).is_dir() else Path(run)
    with safe_open(path, framework="numpy") as file:
        contents = json.loads(file.metadata()["strata"])
        names = [name for name in file.keys() if name.startswith("model.")]
        return contents, {name.removeprefix("model."): file.get_tensor(name) for name in names}


def encode(vocabulary, text):
    """Identifiers of the tokens of a text, which stand between spaces."""
    identifiers = {token: identifier for identifier, token in enumerate(vocabulary)}
    return [identifiers.get(token, UNK) for token in text.split()]


def tokens(contents, source, target):
    """What the model reads: source and target. A language model reads `source` on its own, as a line of a text. A
    tagger answers in place: its rows are the tokens of `source`."""
    if contents["experiment"]["model"]["architecture"] == "tagger":
        return 2 * (encode(contents["source_vocabulary"], source),)
    if contents["experiment"]["model"]["architecture"].endswith("_lm"):
        return [], [EOS] + encode(contents["target_vocabulary"], source)
    return encode(contents["source_vocabulary"], source), [BOS] + encode(contents["target_vocabulary"], target)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


class Model:
    """The architectures. In every function, `name` is what the names of its parameters begin with."""

    def __init__(self, contents, parameters):
        self.config = contents["experiment"]["model"]
        self.parameters = {name: values.astype(np.float64) for name, values in parameters.items()}

    def __getitem__(self, name):
        return self.parameters[name]

    def logits(self, source, target):
        """Of what follows each token of `target`: [T, V]."""
        architecture = self.config["architecture"]
        if not hasattr(self, architecture):
            sys.exit(f"error: this example does not compute {architecture}; docs/checkpoints.md tells what each tensor is")
        return getattr(self, architecture)(np.array(source, int), np.array(target, int))

    def linear(self, name, x):
        return x @ self[f"{name}.weight"] + self[f"{name}.bias"]

    # Attention

    def score(self, name, kind, query, keys):
        """f(h, g): [..., T, D], [..., S, D] -> [..., T, S]."""
        if kind == "additive":
            query = query @ self[f"{name}.query"]
            keys = keys @ self[f"{name}.key"] + self[f"{name}.bias"]
            return np.tanh(query[..., :, None, :] + keys[..., None, :, :]) @ self[f"{name}.energy"]
        if kind == "bilinear":
            query = query @ self[f"{name}.weight"]
        if kind == "scaled_dot":
            query = query / np.sqrt(query.shape[-1])
        return query @ keys.swapaxes(-2, -1)

    def attend(self, name, mechanism, query, keys, values, causal=False):
        if mechanism["kind"] != "vanilla":
            sys.exit(f"`{name}` is {mechanism['kind']} attention: this example computes vanilla attention only")
        scores = self.score(f"{name}.score", mechanism["score"], query, keys)
        if causal:
            scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
        return softmax(scores) @ values

    def multi_head(self, name, mechanism, query, states, causal=False):
        def heads(projection, x):  # [T, D] -> [H, T, D / H]
            return self.linear(f"{name}.{projection}", x).reshape(len(x), self.config["heads"], -1).swapaxes(0, 1)

        query, keys, values = heads("query", query), heads("key", states), heads("value", states)
        context = self.attend(f"{name}.mechanism", mechanism, query, keys, values, causal)
        return self.linear(f"{name}.output", context.swapaxes(0, 1).reshape(query.shape[1], -1))

    # Transformers

    def layer_norm(self, name, x):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)
        return x * self[f"{name}.gamma"] + self[f"{name}.beta"]

    def residual(self, name, x, block):
        if self.config["norm_first"]:
            return x + block(self.layer_norm(f"{name}.norm", x))
        return self.layer_norm(f"{name}.norm", x + block(x))

    def layer(self, name, x, mechanism, causal=False, memory=None):
        """Self-attention, cross-attention in a decoder, feed-forward."""
        blocks = [lambda x: self.multi_head(f"{name}.attention", mechanism, x, x, causal)]
        if memory is not None:
            blocks.append(lambda x: self.multi_head(f"{name}.cross", self.config["cross"], x, memory))
        inner, outer = f"{name}.feed_forward.inner", f"{name}.feed_forward.outer"
        blocks.append(lambda x: self.linear(outer, np.maximum(self.linear(inner, x), 0)))
        for index, block in enumerate(blocks):
            x = self.residual(f"{name}.residuals.{index}", x, block)
        return x

    def stack(self, name, final_norm, x, mechanism, causal=False, memory=None):
        for index in range(self.config["layers"]):
            x = self.layer(f"{name}.{index}", x, mechanism, causal, memory)
        return self.layer_norm(final_norm, x) if self.config["norm_first"] else x

    def embed(self, embedding, positions, tokens):
        """sqrt(D) * embedding + position: a learned one, or sines in even columns and cosines in odd ones."""
        width = self.config["width"]
        x = self[embedding][tokens] * np.sqrt(width)
        if self.config["positions"] in ("rotary", "alibi") or self.config.get("loops", 1) != 1:
            sys.exit("this example computes no `rotary` or `alibi` positions and no `loops`; docs/checkpoints.md tells how")
        if self.config["positions"] == "none":
            return x
        if self.config["positions"] == "learned":
            return x + self[positions][: len(tokens)]
        column = np.arange(width)
        angle = np.arange(len(tokens))[:, None] / 10_000 ** (column // 2 * 2 / width)
        return x + np.where(column % 2 == 0, np.sin(angle), np.cos(angle))

    def output(self, x, embedding):
        return x @ (self[embedding].T if self.config["tied"] else self["output"]) + self["output_bias"]

    def transformer(self, source, target):
        config = self.config
        memory = self.embed("source_embedding", "source_positions", source)
        memory = self.stack("encoder", "encoder_norm", memory, config["encoder_self"])
        x = self.embed("target_embedding", "target_positions", target)
        x = self.stack("decoder", "decoder_norm", x, config["decoder_self"], causal=True, memory=memory)
        return self.output(x, "target_embedding")

    def transformer_lm(self, _, text):
        x = self.embed("embedding", "positions", text)
        return self.output(self.stack("layers", "norm", x, self.config["decoder_self"], causal=True), "embedding")

    def tagger(self, source, _):
        """Logits of each place of the source: [S, V]."""
        if self.config["cell"] == "none":
            x = self.embed("source_embedding", "source_positions", source)
            x = self.stack("encoder", "encoder_norm", x, self.config["encoder_self"])
            return self.output(x, "source_embedding")
        x = self["source_embedding"][source] * np.sqrt(self.config["width"])
        for layer in range(self.config["layers"]):
            x, _ = self.rnn(f"recurrent.{layer}", x)
        return self.output(x, "source_embedding")

    # Recurrent models. A state is h and c, which only an LSTM uses.

    def step(self, name, x, state):
        hidden, cell = state
        x = x @ self[f"{name}.input"] + self[f"{name}.input_bias"]
        h = hidden @ self[f"{name}.hidden"] + self[f"{name}.hidden_bias"]
        if self.config["cell"] == "lstm":
            write, keep, new, read = np.split(x + h, 4)  # i, f, g, o
            cell = sigmoid(keep) * cell + sigmoid(write) * np.tanh(new)
            return sigmoid(read) * np.tanh(cell), cell
        if self.config["cell"] == "gru":
            (x_reset, x_keep, x_new), (h_reset, h_keep, h_new) = np.split(x, 3), np.split(h, 3)  # r, z, n
            keep, new = sigmoid(x_keep + h_keep), np.tanh(x_new + sigmoid(x_reset + h_reset) * h_new)
            return (1 - keep) * new + keep * hidden, cell
        return np.tanh(x + h), cell

    def rnn(self, name, inputs):
        """States of a layer at every position, and its last state; both directions side by side."""
        states, last = [], []
        for direction, order in [(0, 1), (1, -1)]:
            cell = f"{name}.directions.{direction}"
            if f"{cell}.hidden" not in self.parameters:
                continue
            state, passed = 2 * (np.zeros(len(self[f"{cell}.hidden"])),), []
            for x in inputs[::order]:
                state = self.step(cell, x, state)
                passed.append(state[0])
            states.append(np.array(passed[::order]))
            last.append(state)
        return np.concatenate(states, axis=1), [np.concatenate(part) for part in zip(*last)]

    def seq2seq(self, source, target):
        config = self.config

        def bridge(name, state):
            return np.tanh(self.linear(name, state)) if f"{name}.weight" in self.parameters else state

        keys, state = self.rnn("encoder", self["source_embedding"][source])
        states = [(bridge("bridge", state[0]), bridge("cell_bridge", state[1]))]
        for layer in range(config["layers"] - 1):
            keys, state = self.rnn(f"encoder_above.{layer}", keys)
            name = f"bridges_above.{layer}"
            states.append((bridge(f"{name}.hidden", state[0]), bridge(f"{name}.cell", state[1])))

        cells = ["decoder.cell"] + [f"decoder.above.{layer}" for layer in range(config["layers"] - 1)]
        rows, context = [], np.zeros(config["encoder_hidden"])
        for x in self["target_embedding"][target]:
            if config["input_feeding"]:
                x = np.concatenate([x, context])
            for layer, cell in enumerate(cells):
                states[layer] = self.step(f"{cell}.directions.0", x, states[layer])
                x = states[layer][0]
            if config["attend"]:
                context = self.attend("decoder.attention", config["attention"], x[None], keys, keys)[0]
                x = np.concatenate([context, x])
            rows.append(self.head("decoder.head", x))
        return np.array(rows)

    def head(self, name, x):
        if self.config["head"] == "mlp":
            return self.linear(f"{name}.1", np.tanh(self.linear(f"{name}.0", x)))
        return self.linear(name, x)

    def recurrent_lm(self, _, text):
        x = self["embedding"][text]
        for layer in range(self.config["layers"]):
            x, _ = self.rnn(f"layers.{layer}", x)
        return self.output(x, "embedding")


def main(description, compute):
    """Prints what `compute` makes of contents, parameters, source and target: [T, V]."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("run", help="the folder of a run, or a checkpoint")
    parser.add_argument("source", help="a sentence, with spaces between its tokens; for a language model a text")
    parser.add_argument("target", nargs="?", default="", help="its translation")
    parser.add_argument("--json", action="store_true", help="print all logits, a row for each token of the target")
    given = parser.parse_args()
    contents, parameters = read(given.run)
    source, target = tokens(contents, given.source, given.target)
    logits = compute(contents, parameters, source, target)
    if given.json:
        print(json.dumps(logits.tolist()))
        return
    vocabulary = contents["target_vocabulary"]
    in_place = contents["experiment"]["model"]["architecture"] == "tagger"
    read_tokens = contents["source_vocabulary"] if in_place else vocabulary
    for token, row in zip(target, logits):
        best = (-row).argsort()[:3]
        print(f"{read_tokens[token]:>12} -> " + ", ".join(f"{vocabulary[it]} {row[it]:.4f}" for it in best))


if __name__ == "__main__":
    main(__doc__, lambda contents, parameters, *pair: Model(contents, parameters).logits(*pair))
