class SelfMatching(nn.Module):
    """The passage attends to itself, and a gated recurrent layer reads what it found (Wang et al. 2017, 3.3)."""

    def __init__(self, config, width):
        super().__init__()
        self.attention = build_attention(config["self_matching"], width, width, 1, is_cross=False)
        self.gate = nn.Linear(2 * width, 2 * width, bias=False)
        self.recurrent = recurrent(config, 2 * width)

    def forward(self, passage, hidden):
        """[B, P, D] -> [B, P, 2 H]."""
        found = self.attention(passage, passage, passage, hidden[:, None])
        z = torch.cat([passage, found], dim=2)
        return read_texts(self.recurrent, self.gate(z).sigmoid() * z, hidden)
