def main():
    parser = argparse.ArgumentParser(description="Prints which tokens each place of the answer may have.")
    parser.add_argument("source", help="a sentence, with spaces between its tokens")
    parser.add_argument("--json", action="store_true", help="print all logits, a row for each token of the sentence")
    given = parser.parse_args()
    vocabularies = json.loads((Path(__file__).parent / "vocabularies.json").read_text(encoding="utf-8"))
    source = read(vocabularies, "source", given.source.strip())
    with torch.no_grad():
        logits = load()(torch.tensor([source]))[0]
    if given.json:
        print(json.dumps(logits.tolist()))
        return
    for token, row in zip(source, logits):
        # Special tokens, which have the lowest identifiers, are never answers.
        best = (row[UNK + 1 :].topk(min(3, len(row) - UNK - 1)).indices + UNK + 1).tolist()
        named = ", ".join(f"{vocabularies['target'][it]} {row[it]:.4f}" for it in best)
        print(f"{vocabularies['source'][token]:>12} -> {named}")
