def recurrent(config, width, layers=1, bidirectional=True):
    """Recurrent layers over texts of this width."""
    kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[config["cell"]]
    return kind(width, config["hidden"], layers, bidirectional=bidirectional, batch_first=True)


def read_texts(layers, x, hidden):
    """States of recurrent layers, 0 at padding: [B, T, D], [B, T] -> [B, T, H]. `hidden` is true at padding."""
    lengths = (~hidden).sum(dim=1).clamp(min=1).cpu()
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    packed, _ = layers(packed)
    return nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])[0]
