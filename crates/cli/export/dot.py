class DotScore(nn.Module):
    """hᵀg, divided by √D where it is scaled: [..., T, D], [..., S, D] -> [..., T, S]."""

    def __init__(self, is_scaled):
        super().__init__()
        self.is_scaled = is_scaled

    def forward(self, query, keys):
        scale = math.sqrt(query.shape[-1]) if self.is_scaled else 1
        return query @ keys.transpose(-2, -1) / scale
