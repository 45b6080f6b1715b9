class Highway(nn.Module):
    """g ∘ ReLU(W x + b) + (1 − g) ∘ x, where g is a gate (Srivastava et al. 2015)."""

    def __init__(self, width):
        super().__init__()
        self.transform, self.gate = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.gate(x).sigmoid() * (self.transform(x).relu() - x)
