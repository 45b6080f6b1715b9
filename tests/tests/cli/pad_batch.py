"""Prints how far the results of a batch with padding are from those of its items alone.

Argument: the folder of an exported program, of a model of pairs or of a reader.
"""

import json
import sys

import torch

sys.path.insert(0, sys.argv[1])
import model as program


def padded(rows, length):
    """Rows and rows of rows, each behind by padding up to `length`."""
    return torch.nn.functional.pad(rows, (0, length - rows.shape[-1]))


model = program.load()
torch.manual_seed(1)
words = program.CONFIG["source_vocabulary"]
differences = []
with torch.no_grad():
    if hasattr(model, "encoder") and hasattr(model, "head") and not hasattr(model, "decoder"):
        # Questions of two lengths, each with passages of two lengths, or with one and an absent one.
        questions = [torch.randint(4, words, (1, length)) for length in (6, 3)]
        passages = [torch.randint(4, words, (1, length)) for length in (9, 4, 7)]
        spelt = hasattr(model.encoder, "characters")
        letters = program.CONFIG.get("target_vocabulary", 5)
        absent = torch.zeros(1, 9, dtype=torch.long)
        batch = [torch.cat([padded(it, 6) for it in questions]), torch.cat([*(padded(it, 9) for it in passages), absent])]
        batch[1] = batch[1].unflatten(0, (2, 2))
        alone = [
            [questions[0], torch.cat([passages[0], padded(passages[1], 9)])[None]],
            [questions[1], passages[2][None]],
        ]
        if spelt:
            # The same spelling of a word wherever it stands.
            table = torch.randint(4, letters, (words, 6)) * (torch.arange(6) < torch.randint(1, 7, (words, 1)))
            table[0] = 0
            batch += [table[it] for it in batch]
            alone = [it + [table[of] for of in it] for it in alone]
        found = model(*batch)
        for at, (inputs, places) in enumerate(zip(alone, ([*range(9), *range(9, 13)], range(7)))):
            for whole, part in zip(found, model(*inputs)):
                differences.append((whole[at][list(places)] - part[0][list(places)]).abs().max())
    else:
        sources = [torch.randint(4, words, (1, length)) for length in (9, 4, 1)]
        target = torch.randint(4, program.CONFIG["target_vocabulary"], (1, 5))
        found = model(torch.cat([padded(it, 9) for it in sources]), target.repeat(3, 1))
        for source, row in zip(sources, found):
            differences.append((model(source, target)[0] - row).abs().max())
print(json.dumps(float(torch.stack(differences).max())))
