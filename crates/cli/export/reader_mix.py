class Mix(nn.Module):
    """The mix of the levels of Ham-V, or their last."""

    def __init__(self, config):
        super().__init__()
        self.depth = config.get("depth", 1)
        is_mixed = config.get("mix", "last") != "last"
        self.mix = nn.Parameter(torch.zeros(1, self.depth)) if is_mixed else None

    def forward(self, levels):
        if self.mix is None:
            return levels[-1]
        return sum(share * level for share, level in zip(self.mix.softmax(dim=1)[0], levels))
