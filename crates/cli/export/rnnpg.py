MARKS = 3  # <5>, <7> and <sep>, which stand before the characters in the source vocabulary alone


def layout(tokens):
    """Number and length of the lines in a source of so many tokens."""
    for length in (5, 7):
        lines, rest = divmod(tokens - 1, length + 1)
        if rest == 0 and lines in (1, 2, 3):
            return lines, length
    raise ValueError("a source has the mark of a length, then one to three lines of 5 or 7 characters, each behind <sep>")


class Model(nn.Module):
    """RNNPG (Zhang and Lapata 2014): each line of a poem becomes a vector, and all lines so far the next line.

    A source is the mark of a length M, then one to three lines, each behind <sep>.
    """

    def __init__(self, config):
        super().__init__()
        width = config["width"]
        self.source_embedding = nn.Embedding(config["source_vocabulary"], width)
        self.convolutions = nn.ParameterList(torch.empty(columns, width) for columns in (2, 2, 3, 3))
        self.merge = nn.Linear(2 * width, width, bias=False)
        self.places = nn.ParameterList(torch.empty(length, width, width) for length in (5, 7))
        self.condition = nn.Linear(width, width, bias=False)
        self.target_embedding = nn.Embedding(config["target_vocabulary"], width)
        self.recurrence = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, config["target_vocabulary"], bias=False)

    def read(self, line, context):
        """The context of the lines up to `line`, from that of the lines before: [B, M], [B, D] -> [B, D]."""
        columns = self.source_embedding(line).transpose(1, 2)
        for weights in self.convolutions:
            # Each feature has weights of its own. Columns that are left: 5, 4, 3, 1, or 7, 6, 5, 3, 1.
            columns = nn.functional.conv1d(columns, weights.T[:, None], groups=weights.shape[1]).sigmoid()
            if columns.shape[2] == 1:
                break
        return self.merge(torch.cat([columns[:, :, 0], context], dim=1)).sigmoid()

    def conditions(self, context, length):
        """What each place of the next line reads of the lines so far: [B, D] -> [B, M, D]."""
        places = self.places[0 if length == 5 else 1]
        return self.condition((context @ places).transpose(0, 1).sigmoid())

    def encode(self, source):
        """The conditions of the next line, [B, M, D], with zeros behind shorter lines, and the lengths of the lines, [B]."""
        counts = (source != PAD).sum(dim=1)
        layouts = {count: layout(count) for count in counts.unique().tolist()}
        width, longest = self.condition.out_features, max(length for _, length in layouts.values())
        conditions = self.condition.weight.new_zeros(len(source), longest, width)
        lengths = torch.zeros_like(counts)
        for count, (lines, length) in layouts.items():
            rows = counts == count
            context = conditions.new_zeros(int(rows.sum()), width)
            for line in source[rows, 1:count].unflatten(1, (lines, length + 1))[:, :, 1:].unbind(1):
                context = self.read(line, context)
            conditions[rows, :length] = self.conditions(context, length)
            lengths[rows] = length
        return conditions, lengths

    def step(self, before, condition, state):
        """The state at a place, from the character and the state before: [B], [B, D], [B, D] -> [B, D]."""
        return (self.recurrence(state) + self.target_embedding(before) + condition).sigmoid()

    def forward(self, source, target):
        """Logits of what follows each token of `target`: [B, S], [B, T] -> [B, T, V]."""
        conditions, lengths = self.encode(source)
        state, states = torch.zeros_like(conditions[:, 0]), []
        for before, condition in zip(target.unbind(1), conditions.unbind(1)):
            state = self.step(before, condition, state)
            states.append(state)
        logits = self.output(torch.stack(states, dim=1))
        logits = nn.functional.pad(logits, (0, 0, 0, target.shape[1] - len(states)))
        # A line ends with its length: </s> alone may stand behind it.
        end = torch.full_like(logits[0, 0], -1e4)
        end[EOS] = 0.0
        ended = torch.arange(target.shape[1], device=target.device) >= lengths[:, None]
        return torch.where(ended[..., None], end, logits)

    @torch.no_grad()
    def write(self, source, beam):
        """The next line of one source, [M], and its log-probability: the best that a beam finds without a character twice."""
        conditions, _ = self.encode(source)
        state, last = torch.zeros_like(conditions[:, 0]), source.new_tensor([BOS])
        written, scores = source.new_empty(1, 0), conditions.new_zeros(1, dtype=torch.float64)
        for condition in conditions.unbind(1):
            state = self.step(last, condition, state)
            likely = self.output(state).log_softmax(dim=1)
            likely[:, : UNK + 1] = -math.inf
            likely = scores[:, None] + likely.scatter(1, written, -math.inf)
            scores, best = likely.flatten().topk(min(beam, likely.numel()))
            rows, last = best // likely.shape[1], best % likely.shape[1]
            state, written = state[rows], torch.cat([written[rows], last[:, None]], dim=1)
        return written[0], scores[0].item()

    def go_on(self, source, beam):
        """The lines behind those of one source, up to the fourth, with their log-probabilities."""
        found = []
        for _ in range(4 - layout(source.shape[1])[0]):
            found.append(self.write(source, beam))
            source = torch.cat([source, source[:, 1:2], found[-1][0][None] + MARKS], dim=1)
        return found
