"""Tokens of a reader of Strata, written by `strata export --to hub`: as Strata cuts questions and passages."""

import json
import shutil
from pathlib import Path

import regex
import torch
from transformers import BatchEncoding, PreTrainedTokenizer

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
PAD, BOS, EOS, UNK = range(4)
# Letters and digits run; Chinese characters, enclosed letters, marks and all else stand alone.
ALONE = regex.compile(
    r"[\u2e80-\u312f\u31c0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)
ENCLOSED = regex.compile(r"[\u24b6-\u24e9\U0001f130-\U0001f189\p{M}]")
LETTER, DIGIT = regex.compile(r"\p{Alphabetic}"), regex.compile(r"\p{N}")


class StrataTokenizer(PreTrainedTokenizer):
    """Ids of questions and passages, and the text of an answer as it is written in a passage."""

    vocab_files_names = {"vocabularies_file": "vocabularies.json"}
    model_input_names = ["input_ids", "attention_mask"]

    def __init__(self, vocabularies_file, reading=None, reads_characters=False, **others):
        self.file, self.reading, self.reads_characters = vocabularies_file, reading, reads_characters
        self.vocabularies = json.loads(Path(vocabularies_file).read_text(encoding="utf-8"))
        self.ids = {side: {token: id for id, token in enumerate(self.vocabularies[side])} for side in ("source", "target")}
        for name, token in zip(("pad_token", "bos_token", "eos_token", "unk_token"), SPECIAL):
            others[name] = token
        super().__init__(reading=reading, reads_characters=reads_characters, **others)

    def __call__(self, questions, passages, return_tensors="pt", **others):
        """Inputs of the model for a question and its passage (or a list of passages), or for lists of both."""
        if isinstance(questions, str):
            questions, passages = [questions], [passages]
        asked = [self.tokenize(question)[: self.reading["question"]] for question in questions]
        read = [[tokens for _, tokens, _ in self.windows(texts)] for texts in passages]
        most = max(len(windows) for windows in read)
        read = [windows + [[]] * (most - len(windows)) for windows in read]
        ids = padded([[self.id(token) for token in tokens] for tokens in asked])
        every = [tokens for windows in read for tokens in windows]
        found = {
            "input_ids": ids,
            "attention_mask": (ids != PAD).long(),
            "passage_ids": padded([[self.id(token) for token in tokens] for tokens in every]).unflatten(0, (-1, most)),
        }
        if self.reads_characters:
            found["question_characters"] = self.spelling(asked)
            found["passage_characters"] = self.spelling(every).unflatten(0, (-1, most))
        return BatchEncoding(found)

    def answer(self, passages, span):
        """The text of a span of the passages of a question, as `model.answer` gives it."""
        window, first, last = span
        text, _, places = self.windows(passages)[window]
        return text[places[first][0] : places[last][1]]

    def windows(self, texts):
        """Windows of passages, each half of its length behind the one before: text, tokens, places of tokens."""
        windows, longest = [], self.reading["passage"]
        for text in ([texts] if isinstance(texts, str) else texts)[: self.reading["passages"]]:
            places, start = self.places(text), 0
            while True:
                end = min(start + longest, len(places))
                window = places[max(end - longest, 0) : end]
                windows.append((text, [text[slice(*place)] for place in window], window))
                if end == len(places):
                    break
                start += -(-longest // 2)
        return windows

    def places(self, text):
        """First character of each token, and the one behind its last."""
        found = []
        for word in regex.finditer(r"\S+", text):
            at = word.start()
            for piece in self.cut(word.group()):
                found.append((at, at + len(piece)))
                at += len(piece)
        return found

    def cut(self, word):
        """Tokens of a stretch of text without white space."""
        level = self.reading["level"]
        if level == "punctuation":
            return marks_apart(word)
        if level == "character":
            return list(word)
        return fine(word) if level in ("fine", "auto") else [word]

    def tokenize(self, text, **others):
        return [text[slice(*place)] for place in self.places(text)]

    def looked_up(self, token):
        return token.lower() if self.reading["lowercase"] else token

    def id(self, token):
        """The id of a token. No text spells a special token."""
        id = self.ids["source"].get(self.looked_up(token), UNK)
        return id if id > UNK else UNK

    def spelling(self, rows):
        """Ids of the first characters of the words of rows: [rows, words, characters]."""
        longest = max(max(len(row) for row in rows), 1)
        words = [word for row in rows for word in list(row) + [""] * (longest - len(row))]
        spelt = [regex.findall(r"\X", self.looked_up(word))[:16] for word in words]
        ids = padded([[self.ids["target"].get(it, UNK) for it in word] for word in spelt])
        return ids.unflatten(0, (len(rows), longest))

    @property
    def vocab_size(self):
        return len(self.vocabularies["source"])

    def get_vocab(self):
        return dict(self.ids["source"])

    def _convert_token_to_id(self, token):
        return self.ids["source"].get(token, UNK)

    def _convert_id_to_token(self, id):
        return self.vocabularies["source"][id]

    def save_vocabulary(self, save_directory, filename_prefix=None):
        return copied(self.file, save_directory, filename_prefix)


def padded(rows):
    """Ids of rows of several lengths, side by side."""
    longest = max(max(len(row) for row in rows), 1)
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def fine(word):
    """Runs of letters and runs of digits, and every other character alone."""
    pieces, last = [], None
    for character in regex.findall(r"\X", word):
        first = character[0]
        if ALONE.match(first):
            kind = None
        elif DIGIT.match(first):
            kind = "digit"
        else:
            kind = "letter" if LETTER.match(first) and not ENCLOSED.match(first) else None
        if kind is not None and kind == last:
            pieces[-1] += character
        else:
            pieces.append(character)
        last = kind
    return pieces
