"""What the real sacreBLEU's `--paired-bs` says of invented systems.

    python paired.py > paired.json

needs a Python that has the package `sacrebleu`.
"""

import json
import random

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

WORDS = "the a man woman dog cat sees reads book house red small in on with and".split()


def damaged(line, share):
    """A line with some words replaced and some left out."""
    words = [random.choice(WORDS) if random.random() < share else it for it in line.split() if random.random() > share / 3]
    return " ".join(words)


def tested(samples, tokenize, lowercase):
    metric = BLEU(tokenize=tokenize, lowercase=lowercase, references=[references])
    test = PairedTest(systems, {"BLEU": metric}, None, test_type="bs", n_samples=samples)
    signatures, results = test()
    return {
        "samples": samples,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "signature": str(list(signatures.values())[0]),
        "results": [
            {"score": it.score, "mean": float(it.mean), "interval": float(it.ci), "p": it.p_value} for it in results["BLEU"]
        ],
    }


random.seed(7)
lengths = [random.randint(4, 14) for _ in range(60)]
references = [" ".join(random.choice(WORDS) for _ in range(length)) + " ." for length in lengths]
shares = {"base": 0.3, "better": 0.2, "alike": 0.3, "worse": 0.5}
systems = [(name, [damaged(line, share) for line in references]) for name, share in shares.items()]
cases = [tested(1000, "13a", False), tested(200, "intl", True), tested(37, "none", False)]
print(json.dumps({"references": references, "systems": systems, "cases": cases}, indent=1))
