class StrataModel(Wrapper, GenerationMixin):
    """A language model without a cache: each step of `generate` reads the whole text again."""

    def forward(self, input_ids=None, attention_mask=None, labels=None, **kwargs):
        """Logits of what follows each token. As everywhere in `transformers`, `labels` are the tokens themselves."""
        if attention_mask is not None:
            input_ids = input_ids.masked_fill(attention_mask == 0, PAD)
        logits = self.model(input_ids)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:])
        return CausalLMOutput(loss=loss, logits=logits)

    def prepare_inputs_for_generation(self, input_ids, **kwargs):
        return {"input_ids": input_ids}

    def generate(self, inputs=None, **options):
        """Texts that begin as given; if no length is given, at most as long as `strata translate` writes them."""
        text = options.get("input_ids") if inputs is None else inputs
        if text is not None and (text == PAD).any():
            raise ValueError("texts of several lengths are not continued together: call `generate` for one at a time")
        if text is not None and "generation_config" not in options and not {"max_length", "max_new_tokens"} & {*options}:
            most = max(self.config.longest_target, 2 * (text.shape[1] - 1)) + 2
            options["max_length"] = min(most, self.config.positions or most)
        return super().generate(inputs, **options)
