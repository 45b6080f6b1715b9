def weigh(scores, hidden):
    """Softmax over the keys that are not hidden; zeros where all are. `hidden` is true at hidden keys."""
    return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).nan_to_num(0.0)
