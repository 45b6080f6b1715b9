class AdaptiveSummary(nn.Module):
    """The mean of a block whose borders are learned (after Graves 2016): [B, S, D] -> [B, S, D].

    Member t adds p to a sum c; block j takes what is added between j and j + 1. There are at most as many blocks as
    members, of which the last are absent.
    """

    def __init__(self, width, block):
        super().__init__()
        self.layer = nn.Linear(width, 1)
        self.block = block

    def forward(self, states, absent):
        (items, length), device = absent.shape, absent.device
        halting = 1 / self.block + (1 - 1 / self.block) * self.layer(states).squeeze(-1).sigmoid()
        ends = halting.masked_fill(absent, 0.0).cumsum(dim=1)  # [B, S]
        begins = nn.functional.pad(ends, (1, 0))[:, :-1]
        number = torch.arange(length, device=device)[:, None]  # j, [n, 1]
        first = (ends[:, None] <= number).sum(dim=-1, keepdim=True)
        # A member adds at least 1 / k, so that a block has at most k + 1.
        children = first + torch.arange(self.block + 1, device=device)  # [B, n, k + 1]
        outside = children >= length
        children = children.masked_fill(outside, 0)
        item = torch.arange(items, device=device)[:, None, None]
        mass = ends[item, children].minimum(number + 1.0) - begins[item, children].maximum(number + 0.0)
        mass = mass.relu().masked_fill(outside, 0.0)
        whole = mass.sum(dim=-1)
        # Rounding makes no block.
        absent = whole <= 1e-4
        shares = mass / whole.masked_fill(absent, 1.0)[..., None]
        nodes = (shares[..., None] * states[item, children]).sum(dim=2)
        return nodes.masked_fill(absent[..., None], 0.0), absent, children, shares.log()
