def build_score(kind, query_width, key_width):
    """The score function of this name."""
    BRANCHES
    raise ValueError(kind)
