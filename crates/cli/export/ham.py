class Ham(nn.Module):
    """A mix of d levels (Hierarchical Attention: What Really Counts in Various NLP Tasks).

    Ham-V: each level's result asks again, with the same keys and values, and is added to the query where there is a
    residual. Ham-S: each level's result is query, keys and values of the next.
    """

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)
        self.depth = config["depth"]
        self.is_chained = config["kind"] == "ham_s"
        self.residual = not self.is_chained and config["residual"]
        if config["mix"] != "last":
            self.mix = nn.Parameter(torch.zeros(heads if config["mix"] == "head" else 1, self.depth))
        else:
            self.register_parameter("mix", None)

    def forward(self, query, keys, values, hidden, past=None):
        state, levels = query, []
        for level in range(self.depth):
            if self.is_chained and level > 0:
                keys = values = grow(past, state)
            context = weigh(self.score(state, keys), hidden) @ values
            state = state + context if self.residual else context
            levels.append(state)
        if self.mix is None:
            return state
        shares = self.mix.softmax(dim=1)  # [1 or H, d]
        return sum(shares[:, level, None, None] * state for level, state in enumerate(levels))
