class MultiHead(nn.Module):
    """A mechanism in each of H heads, between projections."""

    def __init__(self, width, heads, config, is_cross=False):
        super().__init__()
        self.heads, self.is_cross = heads, is_cross
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.mechanism = build_attention(config, width // heads, width // heads, heads, is_cross)
        POSITIONS

    def forward(self, x, states, hidden, past=None):
        """[B, T, D], [B, S, D], [B, 1, T or 1, S] -> [B, T, D]."""

        def split(projected):
            return projected.reshape(*projected.shape[:2], self.heads, -1).transpose(1, 2)  # [B, H, T, D / H]

        query, keys, values = split(self.query(x)), split(self.key(states)), split(self.value(states))
        if not self.is_cross:
            keys, values = grow(past, keys), grow(past, values)
        context = self.mechanism(query, keys, values, hidden, past)
        return self.output(context.transpose(1, 2).flatten(2))
