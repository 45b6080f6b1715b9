class Layer(nn.Module):
    """Self-attention, cross-attention in a decoder, feed-forward, each with a residual and a norm."""

    def __init__(self, config, attention, cross=None):
        super().__init__()
        width, heads = config["width"], config["heads"]
        self.norm_first = config["norm_first"]
        self.attention = MultiHead(width, heads, attention)
        self.cross = None if cross is None else MultiHead(width, heads, cross, is_cross=True)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, config["feed_forward"]), nn.ReLU(), nn.Linear(config["feed_forward"], width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 if cross is None else 3))

    def residual(self, index, x, block):
        norm = self.norms[index]
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def forward(self, x, hidden, memory=None, memory_hidden=None, past=None):
        x = self.residual(0, x, lambda x: self.attention(x, x, hidden, past))
        if self.cross is not None:
            x = self.residual(1, x, lambda x: self.cross(x, memory, memory_hidden, past))
        return self.residual(len(self.norms) - 1, x, self.feed_forward)


def padding(tokens, config):
    """True at keys that are hidden as padding: [B, 1, 1, S]."""
    hidden = (tokens == PAD)[:, None, None]
    return hidden if config.get("mask_padding", True) else torch.zeros_like(hidden)


def past_hidden(tokens, config, past):
    """True at keys that a decoder does not see, padding and later positions, [B, 1, T, t + T]; and t."""
    hidden = grow(past, padding(tokens, config).transpose(2, 3)).transpose(2, 3)
    rows, columns = tokens.shape[1], hidden.shape[-1]
    return hidden | ahead(rows, columns - rows, columns, tokens.device), columns - rows
