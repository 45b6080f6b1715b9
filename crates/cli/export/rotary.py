def rotate(x, start):
    """Features 2i and 2i + 1 turned by position · 10000^(−2i/D) (Su et al. 2021): [B, H, T, D] -> [B, H, T, D]."""
    width = x.shape[-1]
    pace = 10_000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angle = (torch.arange(x.shape[-2]) + start)[:, None] * pace  # [T, D / 2]
    cosine, sine = angle.cos().to(x.device, x.dtype), angle.sin().to(x.device, x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, odd * cosine + even * sine), dim=-1).flatten(-2)


def turn(score, rows):
    """Hook before a score: the score reads turned queries and keys. The queries are the last of the positions."""
    query, keys = rows
    return rotate(query, keys.shape[-2] - query.shape[-2]), rotate(keys, 0)
