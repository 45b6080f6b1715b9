class MatchScore(nn.Module):
    """vᵀ tanh(W q + R r + U u + b), for the query q and the state r."""

    def __init__(self, config, width):
        super().__init__()
        hidden = config["hidden"]
        self.word = nn.Linear(width, hidden, bias=False)
        self.state = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(width, hidden)
        self.energy = nn.Linear(hidden, 1, bias=False)


class Matching(nn.Module):
    """A recurrent layer over the passage, in both directions, that asks at each word (Wang and Jiang 2017, 3.2)."""

    def __init__(self, config, width):
        super().__init__()
        kind = {"lstm": nn.LSTMCell, "gru": nn.GRUCell, "rnn": nn.RNNCell}[config["cell"]]
        self.has_difference = config.get("input", "concat") == "difference"
        read = (4 if self.has_difference else 2) * width
        sharing = config.get("sharing", "attention")
        scores, cells = {"all": (1, 1), "attention": (1, 2), "none": (2, 2)}[sharing]
        self.scores = nn.ModuleList(MatchScore(config, width) for _ in range(scores))
        gates = scores if config["architecture"] == "rnet" else 0
        self.gates = nn.ModuleList(nn.Linear(read, read, bias=False) for _ in range(gates))
        self.cells = nn.ModuleList(kind(read, config["hidden"]) for _ in range(cells))
        self.levels = Mix(config["question"])

    def forward(self, passage, hidden, question, question_hidden):
        """[B, P, D], [B, Q, D] -> [B, P, 2 H]."""
        forwards = self.read(passage, question, question_hidden, 0)
        backwards = self.read(mirrored(passage, hidden), question, question_hidden, -1)
        return torch.cat([forwards, mirrored(backwards, hidden)], dim=2)

    def read(self, passage, question, question_hidden, direction):
        score, cell = self.scores[direction], self.cells[direction]
        keys = score.key(question)  # [B, Q, H]
        state = passage.new_zeros(len(passage), cell.hidden_size)
        carried, rows = state, []
        for word in passage.unbind(dim=1):
            asked, levels = word, []
            for _ in range(self.levels.depth):
                query = score.word(asked) + score.state(state)
                energies = score.energy((query[:, None] + keys).tanh()).squeeze(2)  # [B, Q]
                # The context asks on the next level, in place of the word.
                asked = (weigh(energies, question_hidden)[:, None] @ question).squeeze(1)
                levels.append(asked)
            found = self.levels(levels)
            parts = [word, found]
            if self.has_difference:
                parts += [word - found, word * found]
            z = torch.cat(parts, dim=1)
            if len(self.gates) > 0:
                z = self.gates[direction](z).sigmoid() * z
            if isinstance(cell, nn.LSTMCell):
                state, carried = cell(z, (state, carried))
            else:
                state = cell(z, state)
            rows.append(state)
        return torch.stack(rows, dim=1)


def mirrored(x, hidden):
    """Rows of each text from its last word to its first: [B, T, D] -> [B, T, D]."""
    at = torch.arange(x.shape[1], device=x.device)
    last = (~hidden).sum(dim=1, keepdim=True) - 1
    order = torch.where(at <= last, last - at, at)  # [B, T]
    return x.gather(1, order[..., None].expand_as(x))
