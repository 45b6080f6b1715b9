class Model(nn.Module):
    """SUMMARY"""

    def __init__(self, config):
        super().__init__()
        self.encoder = TextEncoder(config)
        width = config["hidden"] * (2 if config.get("bidirectional", True) else 1)
        MATCHES
        layers = config["modelling"]
        self.modelling = recurrent(config, MATCHED, layers) if layers else None
        self.head = HEAD

    def forward(self, questions, passages, question_characters=None, passage_characters=None):
        """ln p of each place of the passages to begin and to end the answer: [B, Q], [B, K, P] -> [B, K P] twice.

        A passage of padding is absent. `…_characters` have the characters of each word on a further axis.
        """
        each, rows = passages.shape[1], passages.flatten(0, 1)
        characters = None if passage_characters is None else passage_characters.flatten(0, 1)
        passage, hidden = self.encoder(rows, characters, is_question=False), rows == PAD
        question, question_hidden = self.encoder(questions, question_characters, is_question=True), questions == PAD
        # Every passage is matched with its question.
        asked, asked_hidden = (it.repeat_interleave(each, dim=0) for it in (question, question_hidden))
        x = MATCH
        modelled = x if self.modelling is None else read_texts(self.modelling, x, hidden)
        x, modelled = (it.unflatten(0, (-1, each)) for it in (x, modelled))
        return self.head(x, modelled, passages == PAD, question, question_hidden)
