class Model(nn.Module):
    """A tagger: gated convolutions (Gehring et al. 2017), and a linear layer for each token."""

    def __init__(self, config):
        super().__init__()
        width, kernel = config["width"], config["kernel_size"]
        self.source_embedding = Embedding(config["source_vocabulary"], config)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, 2 * width, kernel, padding=kernel // 2) for _ in range(config["layers"])
        )
        self.output = nn.Linear(width, config["target_vocabulary"])
        if config["tied"]:
            self.output.weight = self.source_embedding.tokens.weight

    def forward(self, source):
        """Logits of the token at each place: [B, S] -> [B, S, V]."""
        absent = (source == PAD)[..., None]
        x = self.source_embedding(source)
        for convolution in self.convolutions:
            found = convolution(x.masked_fill(absent, 0.0).transpose(1, 2)).transpose(1, 2)
            x = (x + nn.functional.glu(found, dim=-1)) * math.sqrt(0.5)
        return self.output(x)
