class StrataModel(Wrapper):
    """A tagger, which gives an answer for each token."""

    def forward(self, input_ids=None, attention_mask=None, labels=None, **kwargs):
        """Logits of the token at each place."""
        if attention_mask is not None:
            input_ids = input_ids.masked_fill(attention_mask == 0, PAD)
        logits = self.model(input_ids)
        loss = None if labels is None else nn.functional.cross_entropy(logits.transpose(1, 2), labels)
        return TokenClassifierOutput(loss=loss, logits=logits)

    @torch.no_grad()
    def generate(self, input_ids, attention_mask=None, **kwargs):
        """The most probable token at each place; special tokens, which have the lowest ids, are never answers."""
        logits = self(input_ids, attention_mask).logits
        best = logits[..., UNK + 1 :].argmax(dim=-1) + UNK + 1
        return best.masked_fill(input_ids == PAD, PAD)
