class Characters(nn.Module):
    """A convolution over the characters of a word, and its maximum (Kim 2014): [N, C] -> [N, F]."""

    def __init__(self, config):
        super().__init__()
        width, self.size = config["character_embedding"], config["character_kernel"]
        self.width = config["character_filters"]
        self.table = nn.Embedding(config["target_vocabulary"], width)
        self.layer = nn.Linear(self.size * width, self.width)

    def forward(self, characters):
        places, real = characters.shape[1], characters != PAD
        x = nn.functional.pad(self.table(characters) * real[..., None], (0, 0, 0, self.size - 1))
        windows = torch.cat([x[:, at : at + places] for at in range(self.size)], dim=2)
        found = self.layer(windows).relu()  # [N, C, F]
        # Only the first place counts in a word that is shorter than the convolution.
        last = (real.sum(dim=1) - self.size).clamp(min=0)
        fits = torch.arange(places, device=characters.device) <= last[:, None]
        return (found * fits[..., None]).amax(dim=1)
