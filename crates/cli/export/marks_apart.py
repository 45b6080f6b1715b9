ALPHANUMERIC, NUMERIC = regex.compile(r"[\p{Alphabetic}\p{N}]"), regex.compile(r"\p{N}")


def marks_apart(word):
    """Words and punctuation marks of a stretch of text without white space."""
    characters, pieces, kind, last = regex.findall(r"\X", word), [], None, ""
    for at, character in enumerate(characters):
        after = characters[at + 1] if at + 1 < len(characters) else ""
        if character in ("'", "’", "-", "\u2010", "\u2011", "·"):
            is_letter = all(side and ALPHANUMERIC.match(side) for side in (last, after))
        elif character in (".", ","):
            is_letter = all(side and NUMERIC.match(side) for side in (last, after))
        else:
            is_letter = character[0] == "_" or ALPHANUMERIC.match(character) is not None
        goes_on = kind == is_letter and (is_letter or last == character)
        if goes_on:
            pieces[-1] += character
        else:
            pieces.append(character)
        kind, last = is_letter, character
    return pieces
