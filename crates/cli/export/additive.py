class AdditiveScore(nn.Module):
    """vᵀ tanh(W h + U g + b): [..., T, D_h], [..., S, D_g] -> [..., T, S]."""

    def __init__(self, query_width, key_width, width=None):
        super().__init__()
        width = width or query_width
        self.query = nn.Linear(query_width, width, bias=False)
        self.key = nn.Linear(key_width, width)
        self.energy = nn.Linear(width, 1, bias=False)

    def forward(self, query, keys):
        query, keys = self.query(query), self.key(keys)
        return self.energy((query[..., :, None, :] + keys[..., None, :, :]).tanh()).squeeze(-1)
