def tell(vocabulary, read, logits, as_json):
    if as_json:
        print(json.dumps(logits.tolist()))
        return
    for token, row in zip(read, logits):
        best = row.topk(min(3, len(row))).indices.tolist()
        print(f"{vocabulary[token]:>12} -> " + ", ".join(f"{vocabulary[it]} {row[it]:.4f}" for it in best))
