def blocks(absent, size):
    """Blocks of `size` neighbours: true at absent blocks, [B, n]; children and ln of their shares, [B, n, k]."""
    length, device = absent.shape[1], absent.device
    children = torch.arange(0, length, size, device=device)[:, None] + torch.arange(size, device=device)
    outside = children >= length
    children = children.masked_fill(outside, 0)
    missing = absent[:, children] | outside
    shares = torch.zeros_like(missing, dtype=torch.float32).masked_fill(missing, -math.inf)
    return missing.all(dim=-1), children.expand_as(missing), shares
