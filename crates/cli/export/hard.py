class Hard(nn.Module):
    """The value of the key with the highest score (Xu et al. 2015, 4.1)."""

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)

    def forward(self, query, keys, values, hidden, past=None):
        weights = weigh(self.score(query, keys), hidden)
        best = weights.argmax(dim=-1, keepdim=True)
        one = torch.zeros_like(weights).scatter(-1, best, 1.0)
        # Zeros where all keys are hidden.
        return one * (weights.sum(dim=-1, keepdim=True) > 0) @ values
