class Vanilla(nn.Module):
    """softmax(f(h, g)) V."""

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)

    def forward(self, query, keys, values, hidden, past=None):
        return weigh(self.score(query, keys), hidden) @ values
