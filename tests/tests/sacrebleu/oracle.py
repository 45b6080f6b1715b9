"""What the real sacreBLEU says: a case per line comes in, and goes out with its `expected` lines.

    python oracle.py < stored.jsonl > renewed.jsonl

needs a Python that has the package `sacrebleu`.
"""

import json
import logging
import sys

from sacrebleu.metrics import BLEU, CHRF, TER

logging.disable(logging.WARNING)


def lines(metric, score):
    """A score as it is printed by default, and with more digits than anybody reads."""
    signature = metric.get_signature().format()
    return [score.format(width, signature=signature) for width in (2, 9)]


def expected(case):
    """The lines of the whole corpus, then those of every sentence."""
    metric = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[case["metric"]](**case["options"])
    hypotheses = [hypothesis for hypothesis, _ in case["pairs"]]
    most = max(len(references) for _, references in case["pairs"])
    streams = [
        [references[stream] if stream < len(references) else None for _, references in case["pairs"]]
        for stream in range(most)
    ]
    said = lines(metric, metric.corpus_score(hypotheses, streams))
    for hypothesis, references in case["pairs"]:
        said += lines(metric, metric.sentence_score(hypothesis, references))
    return said


for line in sys.stdin:
    case = json.loads(line)
    case["expected"] = expected(case)
    print(json.dumps(case))
