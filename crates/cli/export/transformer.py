class Model(nn.Module):
    """A Transformer (Vaswani et al. 2017) whose sites have any attention."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        width, layers = config["width"], range(config["layers"])
        self.source_embedding = Embedding(config["source_vocabulary"], config)
        self.target_embedding = Embedding(config["target_vocabulary"], config)
        self.encoder = nn.ModuleList(Layer(config, config["encoder_self"]) for _ in layers)
        self.decoder = nn.ModuleList(Layer(config, config["decoder_self"], config["cross"]) for _ in layers)
        # Where norms come first, each stack ends with one.
        self.encoder_norm = nn.LayerNorm(width) if config["norm_first"] else nn.Identity()
        self.decoder_norm = nn.LayerNorm(width) if config["norm_first"] else nn.Identity()
        self.output = nn.Linear(width, config["target_vocabulary"])
        if config["tied"]:
            self.output.weight = self.target_embedding.tokens.weight

    def encode(self, source):
        """The encoder's rows, [B, S, D], and true at those that are hidden, [B, 1, 1, S]."""
        source_hidden = padding(source, self.config)
        memory = self.source_embedding(source)
        for layer in [*self.encoder] * self.config["loops"]:
            memory = layer(memory, source_hidden)
        return self.encoder_norm(memory), source_hidden

    def decode(self, target, memory, source_hidden, past=None):
        """Logits of what follows each token of `target`; `past` has the rows of the tokens before."""
        hidden, start = past_hidden(target, self.config, past)
        x = self.target_embedding(target, start)
        for layer in [*self.decoder] * self.config["loops"]:
            x = layer(x, hidden, memory, source_hidden, past)
        return self.output(self.decoder_norm(x))

    def forward(self, source, target):
        """Logits of what follows each token of `target`: [B, S], [B, T] -> [B, T, V]."""
        return self.decode(target, *self.encode(source))
