class RecurrentSummary(nn.Module):
    """The last state of a GRU over each block: [B, S, D] -> [B, n, D]."""

    def __init__(self, width, block):
        super().__init__()
        self.layer = nn.GRU(width, width, batch_first=True)
        self.block = block

    def forward(self, states, absent):
        absent, children, shares = blocks(absent, self.block)
        members = states[:, children[0]]  # [B, n, k, D]
        rows = self.layer(members.flatten(0, 1))[0].reshape(members.shape)
        # Behind the last real member are only absent ones.
        last = (shares == 0).sum(dim=-1).clamp(min=1) - 1
        nodes = rows.gather(2, last[..., None, None].expand(-1, -1, 1, rows.shape[-1])).squeeze(2)
        return nodes.masked_fill(absent[..., None], 0.0), absent, children, shares
