ATTENTION = KINDS


def build_attention(config, query_width, key_width, heads, is_cross):
    """The mechanism of these settings."""
    return ATTENTION[config["kind"]](config, query_width, key_width, heads, is_cross)
