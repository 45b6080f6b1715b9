def main():
    parser = argparse.ArgumentParser(description="Prints what may follow each token of a translation.")
    parser.add_argument("source", help="a sentence, with spaces between its tokens")
    parser.add_argument("target", nargs="?", default="", help="its translation")
    parser.add_argument("--json", action="store_true", help="print all logits, a row for each token of the target")
    given = parser.parse_args()
    vocabularies = json.loads((Path(__file__).parent / "vocabularies.json").read_text(encoding="utf-8"))
    source = read(vocabularies, "source", given.source.strip())
    target = [BOS] + read(vocabularies, "target", given.target.strip())
    with torch.no_grad():
        logits = load()(torch.tensor([source]), torch.tensor([target]))[0]
    tell(vocabularies["target"], target, logits, given.json)
