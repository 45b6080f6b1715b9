def spelling(vocabularies, rows):
    """Identifiers of the first characters of words, in rows of several lengths: [rows, words, characters]."""
    identifiers = {character: identifier for identifier, character in enumerate(vocabularies["target"])}
    spelt = [[regex.findall(r"\X", looked_up(word))[:16] for word in row] for row in rows]
    longest = max(len(row) for row in rows)
    words = [word for row in spelt for word in row + [[]] * (longest - len(row))]
    return padded([[identifiers.get(it, UNK) for it in word] for word in words]).unflatten(0, (len(rows), longest))
