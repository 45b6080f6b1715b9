class StrataModel(Wrapper):
    """A reader, which finds the answer to a question in passages."""

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        passage_ids=None,
        question_characters=None,
        passage_characters=None,
        start_positions=None,
        end_positions=None,
        **kwargs,
    ):
        """ln p of each place of the passages, [B, K P], to begin and to end the answer; `input_ids` are the questions."""
        if attention_mask is not None:
            input_ids = input_ids.masked_fill(attention_mask == 0, PAD)
        start, end = self.model(input_ids, passage_ids, question_characters, passage_characters)
        loss = None
        if start_positions is not None and end_positions is not None:
            loss = nn.functional.nll_loss(start, start_positions) + nn.functional.nll_loss(end, end_positions)
        return QuestionAnsweringModelOutput(loss=loss, start_logits=start, end_logits=end)

    @torch.no_grad()
    def answer(self, input_ids, passage_ids, **read):
        """The most probable answer to each question: its passage, and its first and last token there."""
        found = self(input_ids, passage_ids=passage_ids, **read)
        length = passage_ids.shape[2]
        start, end = (it.double().unflatten(1, (-1, length)) for it in (found.start_logits, found.end_logits))
        at = torch.arange(length, device=passage_ids.device)
        tokens = at - at[:, None] + 1  # of an answer
        scores = start[..., None] + end[..., None, :]  # [B, K, P, P]
        scores = scores.masked_fill((tokens < 1) | (tokens > self.config.longest_answer), -math.inf)
        best = scores.flatten(1).argmax(dim=1).tolist()
        return [(it // length**2, it // length % length, it % length) for it in best]
