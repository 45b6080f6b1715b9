class TrilinearScore(nn.Module):
    """w · [h; g; h ∘ g]: [..., T, D], [..., S, D] -> [..., T, S]."""

    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.product = (nn.Linear(width, 1, bias=False) for _ in range(3))

    def forward(self, query, keys):
        of_both = (query * self.product.weight) @ keys.transpose(-2, -1)
        return self.query(query) + self.key(keys).transpose(-2, -1) + of_both
