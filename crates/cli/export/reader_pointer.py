class Pooling(nn.Module):
    """The mean of a question by trained weights: [B, Q, D] -> [B, D]."""

    def __init__(self, width, hidden):
        super().__init__()
        self.key, self.energy = nn.Linear(width, hidden), nn.Linear(hidden, 1, bias=False)

    def forward(self, question, hidden):
        energies = self.energy(self.key(question).tanh()).squeeze(2)
        return (weigh(energies, hidden)[:, None] @ question).squeeze(1)


class PointerDirection(nn.Module):
    """A cell that looks at the passages twice."""

    def __init__(self, config, width, hidden):
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[config["cell"]]
        self.cell = kind(width, hidden, batch_first=True)
        self.score = AdditiveScore(hidden, width, config["hidden"])

    def look(self, state, memory, hidden):
        return self.score(state[:, None], memory).squeeze(1).masked_fill(hidden, -math.inf).log_softmax(dim=1)

    def forward(self, state, memory, hidden):
        """ln p of the end of the answer at which it looks first, and of the other."""
        first = self.look(state, memory, hidden)  # [B, K P]
        context = first.exp()[:, None] @ memory  # [B, 1, D]
        before = state[None]
        step, _ = self.cell(context, (before, before) if isinstance(self.cell, nn.LSTM) else before)
        return first, self.look(step[:, 0], memory, hidden)


class Pointer(nn.Module):
    """The boundary pointer (Wang and Jiang 2017, 3.3); a second one looks for the end first."""

    def __init__(self, config, question_width):
        super().__init__()
        width = 2 * config["hidden"]
        self.hidden = width if config["architecture"] == "rnet" else config["hidden"]
        directions = 2 if config.get("both_directions") else 1
        self.directions = nn.ModuleList(PointerDirection(config, width, self.hidden) for _ in range(directions))
        self.pool = Pooling(question_width, config["hidden"]) if config.get("pooled", True) else None
        self.project = None
        if self.pool is not None and question_width != self.hidden:
            self.project = nn.Linear(question_width, self.hidden)

    def forward(self, matched, memory, hidden, question, question_hidden):
        """ln p of start and end: [B, K, P, D], [B, K, P] -> [B, K P] twice."""
        memory, hidden = memory.flatten(1, 2), hidden.flatten(1)
        state = memory.new_zeros(memory.shape[0], self.hidden)
        if self.pool is not None:
            state = self.pool(question, question_hidden)
            state = state if self.project is None else self.project(state)
        start, end = self.directions[0](state, memory, hidden)
        if len(self.directions) > 1:
            # The mean of both probabilities.
            later, earlier = self.directions[1](state, memory, hidden)
            start, end = (torch.stack(it).logsumexp(dim=0) - math.log(2) for it in ((start, earlier), (end, later)))
        return start, end
