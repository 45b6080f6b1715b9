def main():
    parser = argparse.ArgumentParser(description="Prints what may follow each token of a text.")
    parser.add_argument("text", help="a text, with spaces between its tokens")
    parser.add_argument("--json", action="store_true", help="print all logits, a row for each token")
    given = parser.parse_args()
    vocabularies = json.loads((Path(__file__).parent / "vocabularies.json").read_text(encoding="utf-8"))
    # As if a line had just ended; the end of each typed line but the last is a token, too.
    text = []
    for line in given.text.split("\n"):
        text += [EOS] + read(vocabularies, "target", line.removesuffix("\r"))
    with torch.no_grad():
        logits = load()(torch.tensor([text]))[0]
    tell(vocabularies["target"], text, logits, given.json)
