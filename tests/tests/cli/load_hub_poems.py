"""Loads an exported model of poems by `transformers`, and prints logits and written lines as JSON.

Arguments: the folder, and the four lines of a poem. Logits are those of the fourth line and its end.
"""

import json
import sys

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

folder, *lines = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
model = AutoModelForSeq2SeqLM.from_pretrained(folder, trust_remote_code=True).eval()
begins = torch.tensor([[model.config.bos_token_id]])
line = torch.cat([begins, tokenizer(text_target=lines[3], return_tensors="pt").input_ids], dim=1)
read = tokenizer("，".join(lines[:3]), return_tensors="pt")
other = "江" * (5 if len(lines[0]) == 7 else 7)
several = tokenizer([lines[0], other, "\n".join(lines[:3])], return_tensors="pt", padding=True)
first = tokenizer(lines[0], return_tensors="pt")
with torch.no_grad():
    alone = model(**read, decoder_input_ids=line).logits[0]
    in_batch = model(**several, decoder_input_ids=line.expand(3, -1)).logits[2]
    by_labels = model(**read, labels=line[:, 1:]).logits[0]
assert torch.allclose(by_labels, alone[:-1], atol=1e-6)
texts = tokenizer.batch_decode(model.generate(**several))
assert texts[0] == tokenizer.decode(model.generate(**first)[0]) and len(texts[1].split("\n")) == 3, texts
try:
    tokenizer("，".join(lines))
    refusal = ""
except ValueError as error:
    refusal = str(error)
print(
    json.dumps(
        {
            "alone": alone.tolist(),
            "in_batch": in_batch.tolist(),
            "text": texts[0],
            "greedy": tokenizer.decode(model.generate(**first, num_beams=1)[0]),
            "refusal": refusal,
        }
    )
)
