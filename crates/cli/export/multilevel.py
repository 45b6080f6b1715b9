class Multilevel(nn.Module):
    """A^N V: the values are fed back N times (Zhou and Li, Multilevel Attention)."""

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)
        self.levels = config["levels"]
        self.chain = config["chain"] if is_cross and self.levels > 1 else None

    def forward(self, query, keys, values, hidden):
        scores = self.score(query, keys)  # [..., T, S]
        first = weigh(scores, hidden)
        if self.chain is None:
            for _ in range(self.levels):
                values = first @ values
            return values
        if self.chain == "keys":
            # From key to key, then to the query.
            step = weigh(self.score(keys, keys), hidden)
            for _ in range(self.levels - 1):
                values = step @ values
            return first @ values
        # Rows are fed back as if they were keys, cut or filled with zeros.
        rows, columns = scores.shape[-2:]
        later = first
        if self.chain == "causal":
            ahead = torch.ones(rows, columns, dtype=torch.bool, device=scores.device).triu(1)
            later = weigh(scores, hidden | ahead)
        both = min(rows, columns)
        context = first @ values
        for _ in range(self.levels - 1):
            context = later[..., :both] @ context[..., :both, :]
        return context
