class Past:
    """Rows of earlier positions, in the order in which the layers ask for them, for a decoder that goes step by step."""

    def __init__(self, before=(), carried=None):
        self.before, self.rows = list(before), []
        self.carried = carried  # states of recurrent layers

    def grown(self, x):
        """`x` behind the rows of earlier positions, which it joins: [..., T, D] -> [..., t + T, D]."""
        if self.before:
            x = torch.cat([self.before[len(self.rows)], x], dim=-2)
        self.rows.append(x)
        return x

    def next(self):
        """Returns the rows and states with which the next step begins."""
        return Past(self.rows, self.carried)

    def reorder_cache(self, items):
        """Chooses items of the batch, as a beam search asks for."""
        self.rows = [rows.index_select(0, items) for rows in self.rows]
        self.carried = self.carried and [states.index_select(0, items) for states in self.carried]


def grow(past, x):
    """`x` behind the rows of earlier positions, if there are any."""
    return x if past is None else past.grown(x)


def ahead(rows, start, columns, device):
    """True at columns after the position of each row, the first of which is `start`: [T, S]."""
    position = torch.arange(rows, device=device)[:, None] + start
    return torch.arange(columns, device=device) > position
