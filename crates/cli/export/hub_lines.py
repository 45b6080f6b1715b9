class StrataModel(Wrapper):
    """A model that writes poems on."""

    def forward(self, input_ids=None, attention_mask=None, decoder_input_ids=None, labels=None, **kwargs):
        """Logits of what follows each token of a line. Without `decoder_input_ids` the line is `labels`."""
        if attention_mask is not None:
            input_ids = input_ids.masked_fill(attention_mask == 0, PAD)
        if decoder_input_ids is None:
            if labels is None:
                raise ValueError("there is no line: give `decoder_input_ids`, which begin with <s>, or `labels`")
            decoder_input_ids = labels.masked_fill(labels == -100, PAD).roll(1, dims=1)
            decoder_input_ids[:, 0] = BOS
        logits = self.model(input_ids, decoder_input_ids)
        loss = None if labels is None else nn.functional.cross_entropy(logits.transpose(1, 2), labels)
        return Seq2SeqLMOutput(loss=loss, logits=logits)

    @torch.no_grad()
    def generate(self, input_ids, attention_mask=None, num_beams=10, **kwargs):
        """Lines behind the given ones, up to the fourth, each with </s> at its end, as `strata poem` writes them."""
        if attention_mask is not None:
            input_ids = input_ids.masked_fill(attention_mask == 0, PAD)
        poems = []
        for source in input_ids:
            lines = self.model.go_on(source[None, source != PAD], num_beams)
            poems.append(torch.cat([nn.functional.pad(line, (0, 1), value=EOS) for line, _ in lines]))
        return nn.utils.rnn.pad_sequence(poems, batch_first=True, padding_value=PAD)
