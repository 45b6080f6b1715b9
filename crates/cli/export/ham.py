class Ham(nn.Module):
    """A mix of d levels (Hierarchical Attention: What Really Counts in Various NLP Tasks).

    Ham-V: each level's result asks again, with the same keys and values, and is added to the query where there is a
    residual; a level weighs all keys, the keys within a window around the query's position (local), or takes the best
    key (hard). Ham-S: each level's result is query, keys and values of the next.
    """

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)
        self.depth = config["depth"]
        self.is_chained = config["kind"] == "ham_s"
        self.residual = not self.is_chained and config["residual"]
        self.level = "soft" if self.is_chained else config["level_kind"]
        if self.level == "local":
            self.window = config["window"]
        if config["mix"] != "last":
            self.mix = nn.Parameter(torch.zeros(heads if config["mix"] == "head" else 1, self.depth))
        else:
            self.register_parameter("mix", None)

    def forward(self, query, keys, values, hidden, past=None):
        state, levels = query, []
        if self.level == "local":
            rows, columns = query.shape[-2], keys.shape[-2]
            start = grow(past, query[..., :1]).shape[-2] - rows
            centre = torch.arange(rows, device=query.device)[:, None] + start
            distance = torch.arange(columns, device=query.device) - centre  # [T, S]
            hidden = hidden | (distance.abs() > self.window)
        for level in range(self.depth):
            if self.is_chained and level > 0:
                keys = values = grow(past, state)
            weights = weigh(self.score(state, keys), hidden)
            if self.level == "hard":
                best = weights.argmax(dim=-1, keepdim=True)
                one = torch.zeros_like(weights).scatter(-1, best, 1.0)
                # Zeros where all keys are hidden.
                weights = one * (weights.sum(dim=-1, keepdim=True) > 0)
            context = weights @ values
            state = state + context if self.residual else context
            levels.append(state)
        if self.mix is None:
            return state
        shares = self.mix.softmax(dim=1)  # [1 or H, d]
        return sum(shares[:, level, None, None] * state for level, state in enumerate(levels))
