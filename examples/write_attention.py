"""Writes the attention weights of another program's model as a file that `strata attention` shows.

    python write_attention.py torch "a b c" | strata attention -      # an untrained nn.Transformer, as an example
    python write_attention.py transformers MODEL "a text" > weights.json
    python write_attention.py joeynmt CONFIG.yaml "a sentence ." > weights.json

docs/attention-files.md describes the file, of which each `of_…` returns a sentence.
"""
import json, re, sys  # noqa: E401


def site(name, rows, columns, weights):
    """Returns a site of weights [heads, rows, columns], cut to the tokens where a batch was padded."""
    heads = [[row[: len(columns)] for row in head[: len(rows)]] for head in weights.tolist()]
    return {"site": name, "rows": rows, "columns": columns, "heads": heads}


def of_torch(model, run, source, target=(), read=()):
    """Of every nn.MultiheadAttention in `model`, while `run()` passes one sentence through the model. A decoder writes
    the tokens `target`, and reads `read`. Sites are told by the names that nn.Transformer gives to its parts."""
    sites, hooks = [], []

    def watch(path, module):
        side, layer = "decoder" if "decoder" in path else "encoder", re.search(r"\d+", path) or "0"
        kind = "cross" if "multihead_attn" in path else "self"
        rows, columns = (target if side == "decoder" else source), (read if side + kind == "decoderself" else source)

        def ask(module, given, options):
            return given, {**options, "need_weights": True, "average_attn_weights": False}

        def keep(module, given, result):
            weights = result[1] if result[1].dim() == 3 else result[1][0]  # without or with a batch
            sites.append(site(f"{side}.{layer[0]}.{kind}", list(rows), list(columns), weights))

        hooks.extend([module.register_forward_pre_hook(ask, with_kwargs=True), module.register_forward_hook(keep)])

    for path, module in model.named_modules():
        if type(module).__name__ == "MultiheadAttention":
            watch(path, module)
    run()
    [hook.remove() for hook in hooks]
    return {"source": list(source), "target": list(target), "sites": sites}


def of_example(text):
    """Returns a sentence of an untrained Transformer."""
    import torch

    source, target = text.split(), ["x", "y", "</s>"]
    model = torch.nn.Transformer(16, 2, 2, 2, 32, batch_first=True).eval()
    vectors = torch.randn(1, len(source), 16), torch.randn(1, len(target), 16)
    mask = model.generate_square_subsequent_mask(len(target))
    return of_torch(model, lambda: model(*vectors, tgt_mask=mask), source, target, ["<s>", "x", "y"])


def of_transformers(name, text):
    """Returns a sentence of an encoder, a language model, or an encoder-decoder model."""
    import transformers

    has_both = transformers.AutoConfig.from_pretrained(name).is_encoder_decoder
    kind = transformers.AutoModelForSeq2SeqLM if has_both else transformers.AutoModel
    model = kind.from_pretrained(name, attn_implementation="eager").eval()  # other implementations keep no weights
    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    given = tokenizer(text, return_tensors="pt")
    source = tokenizer.convert_ids_to_tokens(given["input_ids"][0])

    def sites(part, kind, layers, rows, columns):
        return [site(f"{part}.{at}.{kind}", rows, columns, layer[0]) for at, layer in enumerate(layers)]

    if not has_both:
        layers = model(**given, output_attentions=True).attentions
        part = "encoder" if any(layer.triu(1).any() for layer in layers) else "decoder"  # which never looks ahead
        return {"source": source, "sites": sites(part, "self", layers, source, source)}
    ids = model.generate(**given)
    found = model(**given, decoder_input_ids=ids[:, :-1], output_attentions=True)
    target, read = (tokenizer.convert_ids_to_tokens(it) for it in (ids[0, 1:], ids[0, :-1]))
    all_sites = sites("encoder", "self", found.encoder_attentions, source, source)
    all_sites += sites("decoder", "self", found.decoder_attentions, target, read)
    all_sites += sites("decoder", "cross", found.cross_attentions, target, source)
    return {"source": source, "target": target, "sites": all_sites}


def of_joeynmt(config, text):
    """Of a model of JoeyNMT 2, which gives cross-attention alone: a Transformer's last layer, the mean of the heads."""
    from joeynmt.config import load_config, parse_global_args
    from joeynmt.hub_interface import TranslatorHubInterface
    from joeynmt.prediction import prepare

    options = parse_global_args(load_config(config), rank=0, mode="translate")
    model, _, _, data = prepare(options, rank=0, mode="translate")
    found = TranslatorHubInterface(model, data, options).score([text], beam_size=1, n_best=1)[0]  # a beam keeps none
    data.set_item(text)
    source = [*data.get_item(0, data.src_lang, is_train=False), "</s>"]
    target = found.tokens[0]
    cross = site("decoder.cross", target, source, found.attention_probs[0][None])
    return {"source": source, "target": target, "sites": [cross]}


if __name__ == "__main__":
    kinds = {"torch": of_example, "transformers": of_transformers, "joeynmt": of_joeynmt}
    if len(sys.argv) < 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    file = {"format": "strata-attention", "version": 1, "sentences": [kinds[sys.argv[1]](*sys.argv[2:])]}
    json.dump(file, sys.stdout)
