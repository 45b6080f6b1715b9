"""Loads an exported folder by `transformers`, and prints its logits and greedy texts as JSON.

Arguments: the folder, the source (or the text), and for a model of pairs the target.
"""

import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer

folder, *texts = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
model = AutoModel.from_pretrained(folder, trust_remote_code=True).eval()
read = tokenizer(texts[0], return_tensors="pt")
with torch.no_grad():
    if len(texts) == 2:
        target = tokenizer(text_target=texts[1], return_tensors="pt").input_ids
        begun = torch.cat([torch.tensor([[model.config.bos_token_id]]), target[:, :-1]], dim=1)
        logits = model(**read, decoder_input_ids=begun).logits
    else:
        logits = model(**read).logits
written = model.generate(**read)
print(json.dumps({"logits": logits[0].tolist(), "text": tokenizer.decode(written[0], skip_special_tokens=True)}))
