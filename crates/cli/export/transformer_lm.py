class Model(nn.Module):
    """A language model of Transformer layers."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        width = config["width"]
        self.embedding = Embedding(config["target_vocabulary"], config)
        self.layers = nn.ModuleList(Layer(config, config["decoder_self"]) for _ in range(config["layers"]))
        self.norm = nn.LayerNorm(width) if config["norm_first"] else nn.Identity()
        self.output = nn.Linear(width, config["target_vocabulary"])
        if config["tied"]:
            self.output.weight = self.embedding.tokens.weight

    def forward(self, text, past=None):
        """Logits of what follows each token: [B, T] -> [B, T, V]. `past` has the rows of the text before."""
        hidden, start = past_hidden(text, self.config, past)
        x = self.embedding(text, start)
        for layer in [*self.layers] * self.config["loops"]:
            x = layer(x, hidden, past=past)
        return self.output(self.norm(x))
