"""Puts the parameters of a run into PyTorch's modules and prints the logits of a translation.

    pip install numpy safetensors torch
    python examples/read_checkpoint_torch.py RUN "er sieht den mann ." "he sees the man ."

A Transformer becomes nn.Transformer; a recurrent encoder and decoder become nn.LSTM, nn.GRU or nn.RNN, with vanilla
attention between them. read_checkpoint.py computes every architecture, in numpy.
"""

import math
import sys

import torch
from torch import nn

from read_checkpoint import main


def linear(p, name):
    """Of nn.Linear, which has [out, in] where Strata has [in, out]."""
    return {"weight": p[f"{name}.weight"].T, "bias": p[f"{name}.bias"]}


def multi_head(p, name):
    """Of nn.MultiheadAttention, which has queries, keys and values in one matrix."""
    query, key, value, out = (linear(p, f"{name}.{part}") for part in ("query", "key", "value", "output"))
    return {
        "in_proj_weight": torch.cat([query["weight"], key["weight"], value["weight"]]),
        "in_proj_bias": torch.cat([query["bias"], key["bias"], value["bias"]]),
        "out_proj.weight": out["weight"],
        "out_proj.bias": out["bias"],
    }


def layer_norm(p, name):
    """Of nn.LayerNorm, with PyTorch's own epsilon of 1e-5."""
    return {"weight": p[f"{name}.gamma"], "bias": p[f"{name}.beta"]}


def transformer_modules(config, p):
    """Parameters of nn.Transformer, module by module."""
    for side in ("encoder", "decoder"):
        for layer in range(config["layers"]):
            name, module = f"{side}.{layer}", f"{side}.layers.{layer}"
            yield f"{module}.self_attn", multi_head(p, f"{name}.attention")
            if side == "decoder":
                yield f"{module}.multihead_attn", multi_head(p, f"{name}.cross")
            yield f"{module}.linear1", linear(p, f"{name}.feed_forward.inner")
            yield f"{module}.linear2", linear(p, f"{name}.feed_forward.outer")
            for index in range(3 if side == "decoder" else 2):
                yield f"{module}.norm{index + 1}", layer_norm(p, f"{name}.residuals.{index}.norm")
        if config["norm_first"]:
            yield f"{side}.norm", layer_norm(p, f"{side}_norm")


def transformer(config, p, source, target):
    mechanisms = [config[site] for site in ("encoder_self", "decoder_self", "cross")]
    if any(it != {"kind": "vanilla", "score": "scaled_dot"} for it in mechanisms):
        sys.exit("nn.Transformer has vanilla attention by scaled dot products only")
    if config["positions"] not in ("sinusoidal", "learned") or config.get("loops", 1) != 1:
        sys.exit("this example reads sinusoidal and learned positions and no loops; docs/checkpoints.md tells how")
    width, depth, norm_first = config["width"], config["layers"], config["norm_first"]
    layers = nn.Transformer(
        width, config["heads"], depth, depth, config["feed_forward"], norm_first=norm_first, batch_first=True
    )
    if not norm_first:
        # Where norms come after the blocks, Strata has none after the last one.
        layers.encoder.norm = layers.decoder.norm = None
    modules = transformer_modules(config, p)
    layers.load_state_dict({f"{module}.{name}": it for module, parts in modules for name, it in parts.items()})

    def embed(side, tokens):
        """sqrt(D) * embedding + position: a learned one, or sines in even columns and cosines in odd ones."""
        x = p[f"{side}_embedding"][tokens] * math.sqrt(width)
        if config["positions"] == "learned":
            return (x + p[f"{side}_positions"][: len(tokens)])[None]
        column = torch.arange(width, dtype=torch.float64)
        angle = torch.arange(len(tokens))[:, None] / 10_000 ** (column // 2 * 2 / width)
        return (x + torch.where(column % 2 == 0, angle.sin(), angle.cos()).float())[None]

    causal = nn.Transformer.generate_square_subsequent_mask(len(target))
    x = layers.eval()(embed("source", source), embed("target", target), tgt_mask=causal, tgt_is_causal=True)
    return x[0] @ (p["target_embedding"].T if config["tied"] else p["output"]) + p["output_bias"]


def recurrent(config, p, names):
    """Layers of these names as one nn.LSTM, nn.GRU or nn.RNN, which have the gates in the same order."""
    state = {}
    for layer, name in enumerate(names):
        for direction, suffix in enumerate(["", "_reverse"]):
            cell = f"{name}.directions.{direction}"
            if f"{cell}.input" in p:
                state[f"weight_ih_l{layer}{suffix}"] = p[f"{cell}.input"].T
                state[f"weight_hh_l{layer}{suffix}"] = p[f"{cell}.hidden"].T
                state[f"bias_ih_l{layer}{suffix}"] = p[f"{cell}.input_bias"]
                state[f"bias_hh_l{layer}{suffix}"] = p[f"{cell}.hidden_bias"]
    kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[config["cell"]]
    width, hidden = state["weight_ih_l0"].shape[1], state["weight_hh_l0"].shape[1]
    layers = kind(width, hidden, len(names), batch_first=True, bidirectional="weight_ih_l0_reverse" in state)
    layers.load_state_dict(state)
    return layers


def score(p, kind, query, keys):
    """f(h, g): [T, D], [S, D] -> [T, S]."""
    name = "decoder.attention.score"
    if kind == "additive":
        query, keys = query @ p[f"{name}.query"], keys @ p[f"{name}.key"] + p[f"{name}.bias"]
        return (query[:, None] + keys).tanh() @ p[f"{name}.energy"]
    if kind == "bilinear":
        query = query @ p[f"{name}.weight"]
    if kind == "scaled_dot":
        query = query / math.sqrt(query.shape[1])
    return query @ keys.T


def seq2seq(config, p, source, target):
    if not config["attend"] or config["input_feeding"] or config["attention"]["kind"] != "vanilla":
        sys.exit("a decoder with vanilla attention and without input feeding is what this example computes")
    above = range(config["layers"] - 1)
    encoder = recurrent(config, p, ["encoder"] + [f"encoder_above.{layer}" for layer in above])
    decoder = recurrent(config, p, ["decoder.cell"] + [f"decoder.above.{layer}" for layer in above])

    def bridge(names, state):
        """The decoder's first states of the encoder's last ones, [layers * directions, H]."""
        if f"{names[0]}.weight" not in p:
            return state.reshape(config["layers"], -1)
        rows = zip(names, state.reshape(config["layers"], -1))
        return torch.stack([(row @ p[f"{name}.weight"] + p[f"{name}.bias"]).tanh() for name, row in rows])

    keys, last = encoder(p["source_embedding"][source])
    hidden_bridges = ["bridge"] + [f"bridges_above.{layer}.hidden" for layer in above]
    cell_bridges = ["cell_bridge"] + [f"bridges_above.{layer}.cell" for layer in above]
    if config["cell"] == "lstm":
        first = bridge(hidden_bridges, last[0]), bridge(cell_bridges, last[1])
    else:
        first = bridge(hidden_bridges, last)
    states, _ = decoder(p["target_embedding"][target], first)
    context = score(p, config["attention"]["score"], states, keys).softmax(dim=1) @ keys
    x = torch.cat([context, states], dim=1)
    if config["head"] == "mlp":
        x = (x @ p["decoder.head.0.weight"] + p["decoder.head.0.bias"]).tanh()
    head = "decoder.head.1" if config["head"] == "mlp" else "decoder.head"
    return x @ p[f"{head}.weight"] + p[f"{head}.bias"]


def compute(contents, parameters, source, target):
    config = contents["experiment"]["model"]
    p = {name: torch.tensor(values) for name, values in parameters.items()}
    models = {"transformer": transformer, "seq2seq": seq2seq}
    if config["architecture"] not in models:
        sys.exit(f"read_checkpoint.py computes the architecture {config['architecture']}, this example does not")
    with torch.no_grad():
        return models[config["architecture"]](config, p, torch.tensor(source), torch.tensor(target)).numpy()


if __name__ == "__main__":
    main(__doc__, compute)
