class Model(nn.Module):
    """A recurrent language model."""

    def __init__(self, config):
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[config["cell"]]
        self.embedding = nn.Embedding(config["target_vocabulary"], config["embedding"])
        self.layers = kind(config["embedding"], config["hidden"], config["layers"], batch_first=True)
        self.output = nn.Linear(config["hidden"], config["target_vocabulary"])
        if config["tied"]:
            self.output.weight = self.embedding.weight

    def forward(self, text, state=None):
        """Logits of what follows each token: [B, T] -> [B, T, V]. `state` is that of the text before."""
        return self.output(self.layers(self.embedding(text), state)[0])
