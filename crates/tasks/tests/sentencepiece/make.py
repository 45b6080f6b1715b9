"""Makes the models and what SentencePiece makes of hostile lines with them.

python3 -m venv venv && venv/bin/pip install sentencepiece==0.2.3 && venv/bin/python make.py

Other models of the same names in another folder: STRATA_SENTENCEPIECE=FOLDER of the test.
"""
import io
import json
import os
import random
import unicodedata

import sentencepiece as spm

random.seed(1)
WORDS = """the a red green small old man woman dog house river sees finds takes gives walked slowly under
over near without Straße über größer schön kommt geht weiß nicht gestern heute Fluß 春 夜 江 月 花 風
山 水 こんにちは 世界 приветствую мир naïve café don't it's e-mail 3.14 1,000 (yes) “quoted” end. why? stop!""".split()
CORPUS = [
    " ".join(random.choice(WORDS) for _ in range(random.randint(3, 12))) for _ in range(800)
]

# A few of the rules of nmt_nfkc; all of them take 240 kB.
SPACES = "\t\n\r\u00a0\u2028\u3000"
REMOVED = "\x01\x1f\x7f\u200b\ufeff"
FOLDED = "ＡＢＣａｂｃ１２３ｆｕｌｌｗｉｄｔｈﬁﬀﬃⅧ①㍿ﾊﾟﾋﾟ½²…ﷺ𝔘𝔫𝔦ǅ"
JOINED = ["A\u030a", "e\u0301", "e\u0301\u0327", "カ\u3099", "ハ\u309a", "\u1100\u1161\u11a8"]


def rules():
    made = {it: " " for it in SPACES} | {it: "" for it in REMOVED}
    made |= {it: unicodedata.normalize("NFKC", it) for it in [*FOLDED, *JOINED]}
    with open("rules.tsv", "w") as out:
        for before, after in made.items():
            out.write("\t".join(" ".join(f"{ord(it):X}" for it in side) for side in (before, after)) + "\n")
    with open("back.tsv", "w") as out:
        out.write("2047\t3F 3F\n")


RULES = dict(normalization_rule_tsv="rules.tsv")
MODELS = {
    "unigram": dict(model_type="unigram", vocab_size=150, **RULES),
    "bpe": dict(model_type="bpe", vocab_size=170, **RULES),
    # Bytes for what is unknown, nothing normalised, white space kept.
    "bpe_bytes": dict(
        model_type="bpe", vocab_size=400, byte_fallback=True, normalization_rule_name="identity",
        remove_extra_whitespaces=False, split_digits=True,
    ),
    "unigram_symbols": dict(
        model_type="unigram", vocab_size=400, byte_fallback=True,
        user_defined_symbols=["<sep>", "ab", "▁x", "the man", "aaaaa"], pad_id=0, unk_id=3, bos_id=1,
        eos_id=2, character_coverage=0.98, denormalization_rule_tsv="back.tsv", **RULES,
    ),
    # White space after a word.
    "unigram_suffix": dict(
        model_type="unigram", vocab_size=150, treat_whitespace_as_suffix=True,
        control_symbols=["<de>", "<en>"], unk_surface="(?)", **RULES,
    ),
    # No space before the text; pieces of several words.
    "bpe_bare": dict(
        model_type="bpe", vocab_size=190, add_dummy_prefix=False, split_by_whitespace=False,
        user_defined_symbols=["dog", "ab"], **RULES,
    ),
}

PARTS = WORDS + [
    " ", "  ", "\t", "\u3000", "\u00a0", "\u200b", "\u200d", "\ufeff", "\u2028", "\u0085", "\r", "\x00", "\x01",
    "\x1f", "\x7f", "ﬁ", "ﬀﬃ", "Ⅷ", "①", "㍿", "Å", "A\u030a", "é", "e\u0301", "e\u0301\u0327\u0302", "ｆｕｌｌ　ｗｉｄｔｈ", "ＡＢＣ１２３",
    "ﾊﾟﾋﾟ", "カ\u3099", "😀", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "▁", "▁▁", "x▁y", "<unk>", "<s>", "</s>", "<pad>", "<sep>", "<de>",
    "ab", "abab", "xab", "<0x41>", "<0xE2>", "½", "²", "…", "’", "“", "¼", "ß", "İ", "ǅ", "ﷺ", "\ufffd", "\ufffe", "\U0010ffff",
    "𝔘𝔫𝔦", "aaaaaaaaaaaa", "xxxxxxxx", "한국어", "ㅎㅏㄴ", "각", "ไทย", "नमस्ते", "שלום", "مرحبا", "123456", "--", "///", "⁇", " ⁇ ",
]


def lines():
    yield from ["", " ", "   ", "\t", "\u3000", "a", " a", "a ", "  a  b  ", "▁", " ▁ ", "⁇", "the man", "The Man"]
    yield from PARTS
    for _ in range(220):
        count = random.randint(1, 9)
        glue = random.choice(["", " ", "  ", "", " "])
        yield glue.join(random.choice(PARTS) for _ in range(count))


def main():
    rules()
    texts = list(dict.fromkeys(lines()))
    for name, settings in MODELS.items():
        file = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS), model_writer=file, minloglevel=2, num_threads=1,
            hard_vocab_limit=False, **settings,
        )
        with open(f"{name}.model", "wb") as out:
            out.write(file.getvalue())
        model = spm.SentencePieceProcessor(model_proto=file.getvalue())
        rows = []
        for text in texts:
            ids = model.encode(text)
            rows.append([text, model.encode(text, out_type=str), ids, model.decode(ids)])
        # A translation may be any pieces.
        written = []
        for _ in range(100):
            ids = [random.randrange(model.get_piece_size()) for _ in range(random.randint(0, 8))]
            written.append([[model.id_to_piece(it) for it in ids], model.decode(ids)])
        with open(f"{name}.json", "w", encoding="utf-8") as out:
            out.write('{"encoded": [\n')
            out.write(",\n".join(json.dumps(row) for row in rows))
            out.write('\n], "decoded": [\n')
            out.write(",\n".join(json.dumps(row) for row in written))
            out.write("\n]}\n")
    for file in ["rules.tsv", "back.tsv"]:
        os.remove(file)


main()
