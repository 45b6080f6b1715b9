def lower(score, rows, scores):
    """Hook after a score: less 2^(−8h/H) · |i − j| in head h (Press et al. 2022): [B, H, T, S] -> [B, H, T, S]."""
    heads, queries, keys = scores.shape[-3:]
    slope = 2 ** (-8 * torch.arange(1, heads + 1) / heads)
    # The queries are the last of the positions.
    distance = (torch.arange(keys) - torch.arange(queries)[:, None] - (keys - queries)).abs()
    return scores - (slope[:, None, None] * distance).to(scores.device, scores.dtype)
