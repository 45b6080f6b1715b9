def looked_up(token):
    return token.lower() if READING["lowercase"] else token


def encode(vocabulary, tokens):
    """Identifiers of tokens."""
    identifiers = {token: identifier for identifier, token in enumerate(vocabulary) if identifier > UNK}
    return [identifiers.get(looked_up(token), UNK) for token in tokens]


def padded(rows):
    """Rows of several lengths, side by side."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def windows(length, longest):
    """Windows in which a passage is read, each half of its length behind the one before."""
    found, start = [], 0
    while True:
        end = min(start + longest, length)
        found.append((max(end - longest, 0), end))
        if end == length:
            return found
        start += -(-longest // 2)


def best(start, end, read, count):
    """The most probable answers: (ln p, passage, first token, last token)."""
    found = []
    for (passage, begin, tokens), starts, ends in zip(read, start, end):
        for first in range(len(tokens)):
            for last in range(first, min(first + READING["longest_answer"], len(tokens))):
                found.append((starts[first] + ends[last], passage, begin + first, begin + last))
    # An answer that several windows hold counts once.
    distinct = {it[1:]: it for it in sorted(found, key=lambda it: it[0])}.values()
    return sorted(distinct, key=lambda it: (-it[0], *it[1:]))[:count]


def main():
    parser = argparse.ArgumentParser(description="Prints the most probable answers to a question.")
    parser.add_argument("question", help="a question, with spaces between its tokens")
    parser.add_argument("passages", nargs="+", metavar="passage", help="a text in which the answer is, likewise")
    parser.add_argument("--json", action="store_true", help="print ln p of all tokens as start and as end of the answer")
    given = parser.parse_args()
    vocabularies = json.loads((Path(__file__).parent / "vocabularies.json").read_text(encoding="utf-8"))
    asked = given.question.split()[: READING["question"]]
    texts = [text.split() for text in given.passages[: READING["passages"]]]
    read = [
        (at, start, tokens[start:end])
        for at, tokens in enumerate(texts)
        for start, end in windows(len(tokens), READING["passage"])
    ]
    if not asked or not any(texts):
        sys.exit("error: a question and a passage with an answer are needed.")
    rows = [encode(vocabularies["source"], tokens) for _, _, tokens in read]
    question = encode(vocabularies["source"], asked)
    every, known = [*asked, *sum(texts, [])], encode(vocabularies["source"], [*asked, *sum(texts, [])])
    unknown = dict.fromkeys(f"`{token}`" for token, it in zip(every, known) if it == UNK)
    if unknown:
        print(
            f"warning: the model does not know {', '.join(unknown)}, and reads <unk> there. It learned from texts that "
            f"were cut into tokens by `{READING['level']}`: give its tokens with spaces between them.",
            file=sys.stderr,
        )
    inputs = [torch.tensor([question]), padded(rows)[None]]
    SPELLING
    with torch.no_grad():
        start, end = (it[0].unflatten(0, (len(rows), -1)).tolist() for it in load()(*inputs))
    start, end = ([it[: len(row)] for it, row in zip(found, rows)] for found in (start, end))
    if given.json:
        print(json.dumps({"start": start, "end": end, "best": best(start, end, read, 1)[0][1:]}))
        return
    for score, passage, first, last in best(start, end, read, 3):
        answer = " ".join(texts[passage][first : last + 1])
        print(f"{answer}  (ln p {score:.4f}; passage {passage + 1}, tokens {first + 1} to {last + 1})")
