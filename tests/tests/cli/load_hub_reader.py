"""Loads an exported reader by `transformers`, and prints ln p of all places of the passages and the answer as JSON.

Arguments: the folder, the question, and the passages.
"""

import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer

folder, question, *passages = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
model = AutoModel.from_pretrained(folder, trust_remote_code=True).eval()
read = tokenizer([question], [passages])
with torch.no_grad():
    found = model(**read)
is_real = (read["passage_ids"] != 0).flatten()
print(
    json.dumps(
        {
            "start": found.start_logits[0][is_real].tolist(),
            "end": found.end_logits[0][is_real].tolist(),
            "text": tokenizer.answer(passages, model.answer(**read)[0]),
        }
    )
)
