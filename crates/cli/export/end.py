def encode(vocabulary, text):
    """Identifiers of the tokens of a text, which stand between spaces."""
    identifiers = {token: identifier for identifier, token in enumerate(vocabulary)}
    return [identifiers.get(token, UNK) for token in text.split()]


def read(vocabularies, side, text):
    """Identifiers of the tokens of what was typed; those that the model does not know are named."""
    level = LEVELS[side]
    for _ in range(2):
        text = unicodedata.normalize(NORMALIZE, text) if NORMALIZE else text
        text = text.lower() if LOWERCASE else text
    if level == "character":
        # No space parts these, and a space is one of them.
        text = " ".join("␣" if it.isspace() else it for it in text)
    tokens, found = text.split(), encode(vocabularies[side], text)
    unknown = list(dict.fromkeys(token for token, it in zip(tokens, found) if it == UNK and token != "<unk>"))
    if not unknown:
        return found
    named = ", ".join(f"`{token}`" for token in unknown)
    if level not in ("word", "character"):
        sys.exit(
            f"error: the {side} vocabulary does not know {named}. The model cuts texts in its own way "
            f"({level}), which this program does not: give its tokens with spaces between them, as "
            "`strata translate --attention FILE.json` writes them (`<unk>` for one that is not known)."
        )
    print(f"warning: the model does not know {named}, and reads <unk> there.", file=sys.stderr)
    return found
