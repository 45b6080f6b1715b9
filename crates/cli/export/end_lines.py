def main():
    parser = argparse.ArgumentParser(description="Writes a poem on to its fourth line, and prints log-probabilities of lines.")
    parser.add_argument("lines", nargs="+", help="the first lines, of 5 or of 7 characters without punctuation")
    parser.add_argument("--beam", type=int, default=10, help="hypotheses of the search; 1 is greedy")
    parser.add_argument("--json", action="store_true", help="print all logits of the given lines but the first, a row for each character")
    given = parser.parse_args()
    length, order = len(given.lines[0]), -1 if BACKWARDS else 1
    if length not in (5, 7) or len(given.lines) > 4 or any(len(line) != length for line in given.lines):
        sys.exit("error: give one to four lines, all of 5 or all of 7 characters without punctuation")
    vocabularies = json.loads((Path(__file__).parent / "vocabularies.json").read_text(encoding="utf-8"))
    model, source, logits, poem = load(), encode(vocabularies["source"], f"<{length}>"), [], []
    for line in given.lines:
        target = read(vocabularies, "target", line)[::order]
        if poem:
            with torch.no_grad():
                rows = model(torch.tensor([source]), torch.tensor([[BOS] + target[:-1]]))[0]
            logits += rows.tolist()
            poem.append((line, rows.log_softmax(dim=1)[range(length), target].sum().item()))
        else:
            poem.append((line, None))
        source += encode(vocabularies["source"], " ".join(["<sep>", *line[::order]]))
    if given.json:
        print(json.dumps(logits))
        return
    if len(poem) < 4:
        for line, score in model.go_on(torch.tensor([source]), given.beam):
            poem.append(("".join(vocabularies["target"][it] for it in line.tolist()[::order]), score))
    for line, score in poem:
        print(line if score is None else f"{line} {score:.4f}")
