class Characters(nn.Module):
    """The last states of a GRU over the characters of a word, in both directions: [N, C] -> [N, 2 F]."""

    def __init__(self, config):
        super().__init__()
        width, filters = config["character_embedding"], config["character_filters"]
        self.width = 2 * filters
        self.table = nn.Embedding(config["target_vocabulary"], width)
        self.layer = nn.GRU(width, filters, bidirectional=True, batch_first=True)

    def forward(self, characters):
        is_real = characters != PAD
        states = read_texts(self.layer, self.table(characters), ~is_real)
        # One direction ends at the last character, the other at the first.
        last = is_real.sum(dim=1, keepdim=True).clamp(min=1) - 1
        is_last = torch.arange(characters.shape[1], device=characters.device) == last
        forwards, backwards = (states * is_last[..., None]).sum(dim=1), states[:, 0]
        return torch.cat([forwards[:, : self.width // 2], backwards[:, self.width // 2 :]], dim=1)
