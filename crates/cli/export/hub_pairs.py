@dataclass
class Encoded(ModelOutput):
    """Inputs of the decoder: the encoder's rows, a mask that is true at padding, first states of a recurrent decoder."""

    last_hidden_state: torch.Tensor = None
    hidden: torch.Tensor = None
    state: torch.Tensor = None
    cell: torch.Tensor = None


class Encoder(nn.Module):
    """The encoder alone, as `generate` calls it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids=None, attention_mask=None, **kwargs):
        return Encoded(*self.model.encode(without_padding(input_ids, attention_mask)))


class StrataModel(Wrapper, GenerationMixin):
    """A model that translates."""

    def get_encoder(self, *which, **kwargs):
        return Encoder(self.model)

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        decoder_input_ids=None,
        encoder_outputs=None,
        past_key_values=None,
        labels=None,
        **kwargs,
    ):
        """Logits of what follows each token of the target. Without `decoder_input_ids` the target is `labels`."""
        if encoder_outputs is None:
            encoder_outputs = Encoded(*self.model.encode(without_padding(input_ids, attention_mask)))
        if decoder_input_ids is None:
            if labels is None:
                raise ValueError("the decoder reads nothing: give `decoder_input_ids`, which begin with <s>, or `labels`")
            decoder_input_ids = labels.masked_fill(labels == -100, PAD).roll(1, dims=1)
            decoder_input_ids[:, 0] = BOS
        encoded = list(encoder_outputs.values())
        logits = self.model.decode(decoder_input_ids, *encoded, past=past_key_values)
        loss = None if labels is None else nn.functional.cross_entropy(logits.transpose(1, 2), labels)
        return Seq2SeqLMOutput(
            loss=loss, logits=logits, past_key_values=past_key_values, encoder_last_hidden_state=encoded[0]
        )

    def prepare_inputs_for_generation(self, input_ids, encoder_outputs=None, past_key_values=None, **kwargs):
        """The first step reads all tokens, each other step one more than the step before."""
        past = Past() if past_key_values is None else past_key_values.next()
        read = input_ids if past_key_values is None else input_ids[:, -1:]
        return {"decoder_input_ids": read, "encoder_outputs": encoder_outputs, "past_key_values": past}

    def generate(self, inputs=None, **options):
        """Translations; if no length is given, of at most as many tokens as `strata translate` writes."""
        source = options.get("input_ids") if inputs is None else inputs
        if source is not None and "generation_config" not in options and not {"max_length", "max_new_tokens"} & {*options}:
            most = max(self.config.longest_target, 2 * source.shape[1]) + 1
            options["max_new_tokens"] = min(most, (self.config.positions or most + 1) - 1)
        return super().generate(inputs, **options)


def without_padding(tokens, attention_mask):
    """Tokens with <pad> where `attention_mask` is 0."""
    return tokens if attention_mask is None else tokens.masked_fill(attention_mask == 0, PAD)
