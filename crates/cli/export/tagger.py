class Model(nn.Module):
    """A tagger: a Transformer's encoder, and a linear layer for each token (Devlin et al. 2019, 5.3)."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        width = config["width"]
        self.source_embedding = Embedding(config["source_vocabulary"], config)
        self.encoder = nn.ModuleList(Layer(config, config["encoder_self"]) for _ in range(config["layers"]))
        self.encoder_norm = nn.LayerNorm(width) if config["norm_first"] else nn.Identity()
        self.output = nn.Linear(width, config["target_vocabulary"])
        if config["tied"]:
            self.output.weight = self.source_embedding.tokens.weight

    def forward(self, source):
        """Logits of the token at each place: [B, S] -> [B, S, V]."""
        hidden = padding(source, self.config)
        x = self.source_embedding(source)
        for layer in [*self.encoder] * self.config["loops"]:
            x = layer(x, hidden)
        return self.output(self.encoder_norm(x))
