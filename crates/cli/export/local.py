class Local(nn.Module):
    """Softmax over the keys within a window around a position (Luong et al. 2015, 3.2).

    The position is that of the query, or S · σ(vᵀ tanh(W h)), where S counts the keys that are not hidden.
    """

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        self.score = build_score(config["score"], query_width, key_width)
        self.window = config["window"]
        self.predictor = self.energy = None
        self.turned = None  # what turns queries by rotary positions
        if config["position"] == "predictive":
            self.predictor = nn.Linear(query_width, query_width, bias=False)
            self.energy = nn.Linear(query_width, 1, bias=False)

    def forward(self, query, keys, values, hidden, past=None):
        scores = self.score(query, keys)  # [..., T, S]
        rows, columns = scores.shape[-2:]
        if self.predictor is None:
            start = grow(past, query[..., :1]).shape[-2] - rows
            centre = torch.arange(rows, device=scores.device)[:, None] + start
        else:
            visible = (~hidden).sum(dim=-1, keepdim=True)
            asked = query if self.turned is None else self.turned(query, columns - rows)
            centre = self.energy(self.predictor(asked).tanh()).sigmoid() * visible
        distance = torch.arange(columns, device=scores.device) - centre  # [..., T, S]
        weights = weigh(scores, hidden | (distance.abs() > self.window))
        if self.predictor is not None:
            weights = weights * (-2 * (distance / self.window) ** 2).exp()
        return weights @ values
