class BilinearScore(nn.Module):
    """hᵀ W g: [..., T, D_h], [..., S, D_g] -> [..., T, S]."""

    def __init__(self, query_width, key_width):
        super().__init__()
        self.through = nn.Linear(query_width, key_width, bias=False)

    def forward(self, query, keys):
        return self.through(query) @ keys.transpose(-2, -1)
