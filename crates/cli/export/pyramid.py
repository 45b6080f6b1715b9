class Pyramid(nn.Module):
    """A descent through blocks of the input (Gupta and Ahmed, Attention on Hierarchical Representation of Inputs).

    A node summarises a block of the level below; level 0 is the input. From the top down, a query opens the b heaviest
    of the nodes that it has reached: their children take their place. The context is the sum of all nodes that were
    reached and not opened, by their weights. Here the scores of a level are computed for all of its nodes.
    """

    def __init__(self, config, query_width, key_width, heads, is_cross):
        super().__init__()
        levels, self.beam = config["levels"], config["beam"]
        self.scores = nn.ModuleList(
            build_score(config["score"], query_width, key_width) for _ in range(1 if config["shared"] else levels)
        )
        # All heads descend through one pyramid, of the width of all.
        summary, width = SUMMARY[config["summary"]], heads * key_width
        self.summaries = nn.ModuleList(summary(width, config["block"]) for _ in range(levels - 1))

    def levels(self, states, absent):
        """Levels from the input up: nodes, true at absent ones, [B, n], children and ln of their shares, [B, n, k]."""
        levels = [(states.masked_fill(absent[..., None], 0.0), absent, None, None)]
        for summary in self.summaries:
            levels.append(summary(*levels[-1][:2]))
        return levels

    def forward(self, query, keys, values, hidden, past=None, project=lambda nodes: (nodes, nodes)):
        """The nodes are made of `keys`; `project` gives the keys and values of nodes."""
        levels = self.levels(keys, hidden.flatten(1))
        by_item = (query.shape[0], *[1] * (query.dim() - 2), -1)
        item = torch.arange(query.shape[0], device=query.device).reshape(by_item)
        context, opened = 0, None
        for level in reversed(range(len(levels))):
            nodes, absent = levels[level][:2]
            keys, values = project(nodes)
            scores = self.scores[min(level, len(self.scores) - 1)](query, keys)  # [..., T, n]
            if opened is None:
                # Every query reaches all nodes of the top.
                reached = torch.arange(scores.shape[-1], device=scores.device).expand_as(scores)
                weights = weigh(scores, absent.reshape(by_item))
            else:
                children, shares = (table[item, opened] for table in levels[level + 1][2:])  # [..., T, b, k]
                reached = children.flatten(-2)
                of_children = scores.gather(-1, reached).reshape(children.shape) + shares
                of_children = of_children.softmax(dim=-1).nan_to_num(0.0)
                weights = (of_children * weight[..., None]).flatten(-2)
            if level > 0:
                reached, opened, weight, weights = self.open(reached, weights)
            closed = torch.zeros_like(scores).scatter_add(-1, reached, weights)
            context = context + closed @ values
        return context

    @property
    def score(self):
        """The score of the input."""
        return self.scores[0]

    def open(self, reached, weights):
        """Opens the b heaviest nodes: all nodes, the opened ones, their weights, and those of all that stay closed."""
        if self.beam == "all":
            return reached, reached, weights, torch.zeros_like(weights)
        # Further nodes of weight 0, so that there are b.
        reached, weights = (nn.functional.pad(it, (0, self.beam)) for it in (reached, weights))
        left, places = weights, []
        for _ in range(self.beam):
            # Of equally heavy nodes the first of the level.
            is_heaviest = left == left.amax(dim=-1, keepdim=True)
            at = reached.to(left.dtype).masked_fill(~is_heaviest, math.inf).argmin(dim=-1, keepdim=True)
            left = left.scatter(-1, at, -1.0)
            places.append(at)
        at = torch.cat(places, dim=-1)
        return reached, reached.gather(-1, at), weights.gather(-1, at), weights.scatter(-1, at, 0.0)
