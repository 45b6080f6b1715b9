def sinusoids(start, length, width):
    """Sines in even columns, cosines in odd ones, of positions from `start`: [T, D]."""
    column = torch.arange(width, dtype=torch.float64)
    angle = (torch.arange(length) + start)[:, None] / 10_000 ** (column // 2 * 2 / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


class Embedding(nn.Module):
    """√D · embedding + position."""

    def __init__(self, vocabulary, config):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, config["width"])
        self.kind = config["positions"]
        self.positions = nn.Embedding(config["longest"], config["width"]) if self.kind == "learned" else None

    def forward(self, tokens, start=0):
        width, length = self.tokens.embedding_dim, tokens.shape[1]
        x = self.tokens(tokens) * math.sqrt(width)
        if self.kind == "learned":
            return x + self.positions.weight[start : start + length]
        return x + sinusoids(start, length, width).to(x.device) if self.kind == "sinusoidal" else x
