class Flow(nn.Module):
    """Attention from the passage to the question and back (Seo et al. 2017, 2.4)."""

    def __init__(self, config, width):
        super().__init__()
        self.context_to_query = build_attention(config["context_to_query"], width, width, 1, is_cross=True)
        self.query_to_context = Mix(config["query_to_context"])

    def forward(self, passage, hidden, question, question_hidden):
        """[h; u; h ∘ u; h ∘ g]: [B, P, D], [B, Q, D] -> [B, P, 4 D]."""
        found = self.context_to_query(passage, question, question, question_hidden[:, None])
        score = self.context_to_query.score
        scores = score(passage, question).masked_fill(question_hidden[:, None], -math.inf)
        scores, levels = scores.amax(dim=2), []  # [B, P]
        for level in range(self.query_to_context.depth):
            if level > 0:
                scores = score(passage, levels[-1]).squeeze(2)
            levels.append(weigh(scores, hidden)[:, None] @ passage)  # [B, 1, D]
        asked = self.query_to_context(levels)
        return torch.cat([passage, found, passage * found, passage * asked], dim=2)
