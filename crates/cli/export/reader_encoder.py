class TextEncoder(nn.Module):
    """Words of passages and questions, and their states."""

    def __init__(self, config):
        super().__init__()
        width = config["embedding"]
        self.words = nn.Embedding(config["source_vocabulary"], width)
        CHARACTERS
        HIGHWAY
        layers = config["layers"], config.get("bidirectional", True)
        self.passage = recurrent(config, width, *layers)
        # One encoder may read both.
        self.question = None if config["encoder_shared"] else recurrent(config, width, *layers)

    def forward(self, tokens, characters, is_question):
        """[B, T], [B, T, C] -> [B, T, D]."""
        x = self.words(tokens)
        READ
        layers = self.passage if self.question is None or not is_question else self.question
        return read_texts(layers, x, tokens == PAD)
