class Model(nn.Module):
    """A tagger: a recurrent encoder, and a linear layer for each token (Graves 2012, 4)."""

    def __init__(self, config):
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[config["cell"]]
        width, directions = config["width"], 2 if config["bidirectional"] else 1
        self.source_embedding = nn.Embedding(config["source_vocabulary"], width)
        self.encoder = kind(
            width, width // directions, config["layers"], bidirectional=config["bidirectional"], batch_first=True
        )
        self.output = nn.Linear(width, config["target_vocabulary"])
        if config["tied"]:
            self.output.weight = self.source_embedding.weight

    def forward(self, source):
        """Logits of the token at each place: [B, S] -> [B, S, V]."""
        x = self.source_embedding(source) * math.sqrt(self.source_embedding.embedding_dim)
        lengths = (source != PAD).sum(dim=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed, _ = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, total_length=source.shape[1])
        return self.output(states)
