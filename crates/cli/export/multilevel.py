class Multilevel(nn.Module):
    """A^N V: the values are fed back N times (Zhou and Li, Multilevel Attention).

    A mix has the sum of all levels, A V to A^N V, with trained shares: for all heads, for each, or for each token.
    """

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)
        self.levels = config["levels"]
        self.chain = config["chain"] if is_cross and self.levels > 1 else None
        self.mix = self.gate = None
        if config["mix"] == "token":
            self.gate = nn.Linear(query_width, self.levels)
        elif config["mix"] != "last":
            self.mix = nn.Parameter(torch.zeros(heads if config["mix"] == "head" else 1, self.levels))

    def forward(self, query, keys, values, hidden, past=None):
        rows = query.shape[-2]
        if self.chain == "paper_leaky":
            # A later row changes the earlier ones, so that all are computed again.
            query = grow(past, query)
        levels = self.attend(query, keys, values, hidden, past)
        if self.gate is not None:
            shares = self.gate(query).softmax(dim=-1)  # [..., T, N]
        elif self.mix is not None:
            shares = self.mix.softmax(dim=1).unsqueeze(1)  # [1 or H, 1, N]
        else:
            return levels[-1][..., -rows:, :]
        return sum(shares[..., level, None] * context for level, context in enumerate(levels))[..., -rows:, :]

    def attend(self, query, keys, values, hidden, past):
        """The context of each level, [..., T, D_v]."""
        scores = self.score(query, keys)  # [..., T, S]
        first = weigh(scores, hidden)
        if self.chain is None:
            levels = [first @ values]
            for _ in range(self.levels - 1):
                levels.append(first @ grow(past, levels[-1]))
            return levels
        if self.chain == "keys":
            # From key to key, then to the query.
            step = weigh(self.score(keys, keys), hidden)
            levels = [values]
            for _ in range(self.levels - 1):
                levels.append(step @ levels[-1])
            return [first @ values for values in levels]
        # Rows are fed back as if they were keys, cut or filled with zeros.
        rows, columns = scores.shape[-2:]
        levels, later = [first @ values], first
        for level in range(self.levels - 1):
            fed = levels[-1]
            if self.chain == "causal":
                fed = grow(past, fed)
                if level == 0:
                    later = weigh(scores, hidden | ahead(rows, fed.shape[-2] - rows, columns, scores.device))
            fed = torch.cat([fed, torch.zeros_like(values)], dim=-2)[..., :columns, :]
            levels.append(later @ fed)
        return levels
