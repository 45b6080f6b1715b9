class LinearHead(nn.Module):
    """softmax(w · [G; M]) for the start, and one more layer over M for the end (Seo et al. 2017, 2.6)."""

    def __init__(self, config, width):
        super().__init__()
        hidden = 2 * config["hidden"]
        self.start, self.end = (nn.Linear(width + hidden, 1, bias=False) for _ in range(2))
        self.end_encoder = recurrent(config, hidden)

    def forward(self, matched, memory, hidden, question, question_hidden):
        """ln p of start and end: [B, K, P, D], [B, K, P] -> [B, K P] twice."""
        later = read_texts(self.end_encoder, memory.flatten(0, 1), hidden.flatten(0, 1))
        start = self.start(torch.cat([matched, memory], dim=3))
        end = self.end(torch.cat([matched, later.reshape(memory.shape)], dim=3))
        hidden = hidden.flatten(1)
        return tuple(it.flatten(1).masked_fill(hidden, -math.inf).log_softmax(dim=1) for it in (start, end))
