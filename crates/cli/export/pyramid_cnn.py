class ConvolutionSummary(nn.Module):
    """A convolution over each block: [B, S, D] -> [B, n, D]."""

    def __init__(self, width, block):
        super().__init__()
        self.layer = nn.Conv1d(width, width, block, stride=block)

    def forward(self, states, absent):
        size = self.layer.kernel_size[0]
        absent, children, shares = blocks(absent, size)
        # Zeros fill the last block; a convolution leaves out what then follows.
        nodes = self.layer(nn.functional.pad(states.transpose(1, 2), (0, size - 1))).transpose(1, 2)
        return nodes.masked_fill(absent[..., None], 0.0), absent, children, shares
