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
        """The encoder's states, [B, S, H_e]; true at padding, [B, 1, S]; the decoder's first states, [B, layers, H_d]."""
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
            states.append(state.transpose(0, 1))
        return keys, (source == PAD)[:, None], *states

    def decode(self, target, keys, hidden, *states, past=None):
        """Logits of what follows each token of `target`; `past` has the states and rows of the tokens before."""
        first = [torch.zeros_like(keys[:, :1]), *states]
        context, *states = (past and past.carried) or first
        states = [state.transpose(0, 1).contiguous() for state in states]
        state = tuple(states) if len(states) > 1 else states[0]
        x = self.target_embedding(target)
        if self.config["input_feeding"]:
            # Each step reads the context of the one before; a mechanism may read the rows of all.
            step, rows = past or Past(), []
            for at in range(target.shape[1]):
                at_once = torch.cat([x[:, at : at + 1], context], dim=2)
                top, state = self.decoder(at_once, state)
                step = Past(step.before) if at == 0 else Past(step.rows)
                context = self.attention(top, keys, keys, hidden, step)
                rows.append(self.logits(top, context))
            logits = torch.cat(rows, dim=1)
            if past is not None:
                past.rows = step.rows
        else:
            top, state = self.decoder(x, state)
            attended = self.attention(top, keys, keys, hidden, past) if self.config["attend"] else None
            logits = self.logits(top, attended)
        if past is not None:
            states = state if isinstance(state, tuple) else (state,)
            past.carried = [context, *(it.transpose(0, 1) for it in states)]
        return logits

    def forward(self, source, target):
        """Logits of what follows each token of `target`: [B, S], [B, T] -> [B, T, V]."""
        return self.decode(target, *self.encode(source))

    def logits(self, states, context):
        return self.head(states if context is None else torch.cat([context, states], dim=2))
