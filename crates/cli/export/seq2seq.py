class Model(nn.Module):
    """A recurrent encoder and decoder, with attention between them or without."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[config["cell"]]
        layers, width = config["layers"], config["embedding"]
        encoded, decoded = config["encoder_hidden"], config["decoder_hidden"]
        directions = 2 if config["bidirectional"] else 1
        fed_back = encoded if config["input_feeding"] else 0
        context = encoded if config["attend"] else 0
        self.source_embedding = nn.Embedding(config["source_vocabulary"], width)
        self.target_embedding = nn.Embedding(config["target_vocabulary"], width)
        self.encoder = kind(
            width, encoded // directions, layers, bidirectional=config["bidirectional"], batch_first=True
        )
        self.decoder = kind(width + fed_back, decoded, layers, batch_first=True)
        if config["attend"]:
            self.attention = build_attention(config["attention"], decoded, encoded, 1, is_cross=True)
        # From the encoder's last states to the decoder's first: of h and, in an LSTM, of c.
        states = 2 if config["cell"] == "lstm" else 1
        self.bridges = nn.ModuleList(
            nn.ModuleList(nn.Linear(encoded, decoded) for _ in range(layers if encoded != decoded else 0))
            for _ in range(states)
        )
        if config["head"] == "mlp":
            self.head = nn.Sequential(
                nn.Linear(context + decoded, decoded), nn.Tanh(), nn.Linear(decoded, config["target_vocabulary"])
            )
        else:
            self.head = nn.Linear(context + decoded, config["target_vocabulary"])

    def encode(self, source):
        """States of the encoder, [B, S, H_e], and the decoder's first ones."""
        lengths = (source != PAD).sum(dim=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source_embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        packed, last = self.encoder(packed)
        keys, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, total_length=source.shape[1])
        states = []
        for state, bridges in zip(last if isinstance(last, tuple) else (last,), self.bridges):
            # Both directions of a layer side by side: [layers, B, H_e].
            state = state.unflatten(0, (self.config["layers"], -1)).transpose(1, 2).flatten(2)
            if len(bridges) > 0:
                state = torch.stack([bridge(row).tanh() for bridge, row in zip(bridges, state)])
            states.append(state.contiguous())
        return keys, tuple(states) if len(states) > 1 else states[0]

    def attend(self, states, keys, source):
        """[B, T, H_d], [B, S, H_e] -> [B, T, H_e]."""
        return self.attention(states, keys, keys, (source == PAD)[:, None])

    def forward(self, source, target):
        """Logits of what follows each token of `target`: [B, S], [B, T] -> [B, T, V]."""
        keys, state = self.encode(source)
        x = self.target_embedding(target)
        if not self.config["input_feeding"]:
            states, _ = self.decoder(x, state)
            return self.logits(states, self.attend(states, keys, source) if self.config["attend"] else None)
        context, rows = torch.zeros_like(keys[:, :1]), []
        for at in range(target.shape[1]):
            states, state = self.decoder(torch.cat([x[:, at : at + 1], context], dim=2), state)
            context = self.attend(states, keys, source)
            rows.append(self.logits(states, context))
        return torch.cat(rows, dim=1)

    def logits(self, states, context):
        return self.head(states if context is None else torch.cat([context, states], dim=2))
