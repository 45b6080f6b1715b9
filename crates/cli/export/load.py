def load(folder=Path(__file__).parent):
    """The model with its parameters, which `model.safetensors` holds as a `state_dict`."""
    model = Model(CONFIG)
    missing, unexpected = model.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
    # A tied output is stored once, as the embedding.
    assert not unexpected and set(missing) <= ({"output.weight"} if CONFIG.get("tied") else set()), (missing, unexpected)
    return model.eval()
