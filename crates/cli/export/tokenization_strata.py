"""Tokens of a model of Strata, written by `strata export --to hub`: as Strata cuts and joins texts."""

import json
import shutil
import unicodedata
from pathlib import Path

import regex
from transformers import PreTrainedTokenizer

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
PAD, BOS, EOS, UNK = range(4)
OPENING = "([{“‘«‹¿¡#$£@（「『《【"
CLOSING = ",.;:!?…%)]}”’»›°，。、；：？！）」』》】"


class StrataTokenizer(PreTrainedTokenizer):
    """Source tokens of a text, and the text of target tokens. `text_target` names a text of the target side."""

    vocab_files_names = {"vocabularies_file": "vocabularies.json"}
    model_input_names = ["input_ids", "attention_mask"]

    def __init__(self, vocabularies_file, kind="pairs", task="", levels=None, lowercase=False, normalize=None, backwards=False, **others):
        self.file = vocabularies_file
        self.kind, self.task, self.lowercase, self.form = kind, task, lowercase, normalize
        self.order = -1 if backwards else 1
        self.levels = levels or {"source": "word", "target": "word"}
        self.vocabularies = json.loads(Path(vocabularies_file).read_text(encoding="utf-8"))
        self.ids = {side: {token: id for id, token in enumerate(self.vocabularies[side])} for side in ("source", "target")}
        self.pieces = {side: self.subwords(side) for side in ("source", "target")}
        # A language model reads and writes one vocabulary.
        self.reading = self.side = "target" if kind == "text" else "source"
        for name, token in zip(("pad_token", "bos_token", "eos_token", "unk_token"), SPECIAL):
            others[name] = token
        others.update(levels=self.levels, kind=kind, task=task, lowercase=lowercase, normalize=normalize, backwards=backwards)
        super().__init__(**others)

    def subwords(self, side):
        """The model that cuts words into pieces, or none."""
        from tokenizers.models import BPE, Unigram

        kept, tokens = self.vocabularies.get(side + "_subwords"), self.vocabularies[side]
        if kept is None:
            return None
        if kept["kind"] == "bpe":
            known = {token: id for id, token in enumerate(tokens) if id >= UNK}
            return BPE(known, [(tokens[left], tokens[right]) for left, right in kept["merges"]], unk_token=SPECIAL[UNK])
        return Unigram([(SPECIAL[UNK], 0.0), *zip(tokens[UNK + 1 :], kept["scores"])], 0, False)

    @property
    def vocab_size(self):
        return len(self.vocabularies[self.side])

    def get_vocab(self):
        return dict(self.ids[self.side])

    def tokenize(self, text, **others):
        """Tokens of a text. No text spells a special token."""
        side = self.side
        if self.kind == "text":
            tokens = []
            for line in text.split("\n"):
                tokens += [SPECIAL[EOS], *self.cut(self.typed(line.removesuffix("\r")), side, is_line=True)]
            return tokens
        if self.kind == "lines":
            return self.lines(text) if side == "source" else self.cut(text, side)[:: self.order]
        return self.cut(self.typed(text) if side == "source" else text, side)

    def lines(self, text):
        """Tokens of the first lines of a poem: the mark of their length, then each line behind <sep>."""
        lines = [line for line in regex.split(r"[\s\p{P}]+", text) if line]
        length = len(lines[0]) if lines else 0
        if length not in (5, 7) or len(lines) > 3 or any(len(line) != length for line in lines):
            raise ValueError(f"{text!r} is not one to three lines, all of 5 or all of 7 characters")
        return [f"<{length}>"] + [token for line in lines for token in ("<sep>", *self.cut(line, "source")[:: self.order])]

    def cut(self, text, side, is_line=False):
        level = self.levels[side]
        for _ in range(2):
            text = unicodedata.normalize(self.form, text) if self.form else text
            text = text.lower() if self.lowercase else text
        if level == "character":
            found = ["␣" if it.isspace() else it for it in (text if is_line else text.strip())]
        elif level == "punctuation":
            found = [piece for word in text.split() for piece in marks_apart(word)]
        elif level in ("bpe", "unigram"):
            found = []
            for word in text.split():
                for at, piece in enumerate(marks_apart(word)):
                    piece = ("▁" if at == 0 else "") + piece.replace("▁", "_")
                    # Pieces by offset: the token of an unknown character would be <unk>.
                    for start in range(0, len(piece), 1000):
                        part = piece[start : start + 1000]
                        found += [part[slice(*it.offsets)] for it in self.pieces[side].tokenize(part)]
        else:
            found = text.split()
        return [SPECIAL[UNK] if token in SPECIAL else token for token in found]

    def typed(self, text):
        """Returns a typed text in the form of the data of a toy language."""
        if self.task == "variables":
            return "".join(f" {it} " if it in "=;?" else it for it in text.lower())
        if self.task not in ("german_english", "sentences", "chinese_english"):
            return text
        is_chinese = self.task == "chinese_english"
        marks = dict(zip("!！.。?？,，", "。。。。？？，，")) if is_chinese else dict(zip("!,.?", ".,.?"))
        ends = "。？" if is_chinese else ".?"
        normal = "".join(f" {marks[it]} " if it in marks else it for it in text.lower())
        end = normal.rstrip()
        if end and end[-1] not in ends:
            normal += " " + ends[0]
        if is_chinese:
            normal = " ".join(word for run in normal.split() for word in self.longest_matches(run))
        if self.task == "sentences" and not text.rstrip().endswith((".", "!", "?")):
            normal = normal.rstrip(" .")
        return normal

    def longest_matches(self, run):
        """Known words of a run of characters, the longest first; unknown characters stay together."""
        words, unknown, at = [], 0, 0
        while at < len(run):
            end = next((end for end in range(len(run), at, -1) if run[at:end] in self.ids["source"]), None)
            if end is None:
                at += 1
                continue
            words += [run[unknown:at], run[at:end]]
            unknown = at = end
        return [word for word in [*words, run[unknown:]] if word]

    def convert_tokens_to_ids(self, tokens):
        if tokens is None or isinstance(tokens, str):
            return None if tokens is None else self.ids[self.side].get(tokens, UNK)
        return [self.ids[self.side].get(token, UNK) for token in tokens]

    def convert_ids_to_tokens(self, ids, skip_special_tokens=False):
        if isinstance(ids, int):
            return self.vocabularies["target"][ids]
        kept = [int(id) for id in ids if not skip_special_tokens or id not in (PAD, BOS, EOS)]
        return [self.vocabularies["target"][id] for id in kept]

    def _convert_token_to_id(self, token):
        return self.ids[self.side].get(token, UNK)

    def _convert_id_to_token(self, id):
        return self.vocabularies["target"][id]

    def _switch_to_target_mode(self):
        self.side = "target"

    def _switch_to_input_mode(self):
        self.side = self.reading

    def build_inputs_with_special_tokens(self, ids, others=None):
        """The ids themselves; a target ends with </s>."""
        if self.kind == "pairs" and self.side == "target":
            return [*ids, EOS]
        return list(ids)

    def get_special_tokens_mask(self, ids, others=None, already_has_special_tokens=False):
        return [int(id <= UNK) for id in ids]

    def create_token_type_ids_from_sequences(self, ids, others=None):
        return [0] * len(ids)

    def decode(self, token_ids, skip_special_tokens=True, **others):
        """The text of target tokens, or the texts of several."""
        ids = token_ids.tolist() if hasattr(token_ids, "tolist") else token_ids
        ids = [ids] if isinstance(ids, int) else list(ids)
        if ids and not isinstance(ids[0], int):
            return [self.decode(row, skip_special_tokens) for row in ids]
        if not skip_special_tokens:
            return " ".join(self.vocabularies["target"][id] for id in ids)
        if self.kind == "places":
            return self.joined([id for id in ids if id != PAD])
        begins = {"pairs": BOS, "text": EOS}.get(self.kind)
        ids = ids[1:] if ids[:1] == [begins] else ids
        if self.kind == "pairs":
            return self.joined(ids[: ids.index(EOS)] if EOS in ids else ids)
        while ids and ids[-1] == PAD:
            ids.pop()
        ids = ids[:-1] if ids[-1:] == [EOS] else ids
        lines = [[]]
        for id in ids:
            if id == EOS:
                lines.append([])
            else:
                lines[-1].append(id)
        return "\n".join(self.joined(line[:: self.order]) for line in lines)

    def batch_decode(self, sequences, skip_special_tokens=True, **others):
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    def joined(self, ids):
        """Target tokens as text."""
        tokens, level = [self.vocabularies["target"][id] for id in ids], self.levels["target"]
        if level == "character":
            return "".join(" " if token == "␣" else token for token in tokens)
        if level == "punctuation":
            return joined_marks(tokens)
        if level in ("bpe", "unigram"):
            return "".join(tokens).replace("▁", " ").removeprefix(" ")
        return " ".join(tokens)

    def save_vocabulary(self, save_directory, filename_prefix=None):
        return copied(self.file, save_directory, filename_prefix)


def joined_marks(tokens):
    """Words and marks as they are usually written."""
    text, allowed, opened = "", False, {'"': False, "'": False, "german": False}
    for token in tokens:
        mark, before, after = token[:1], True, True
        if mark == '"' or token == "'":
            opened[mark] = not opened[mark]
            before, after = opened[mark], not opened[mark]
        elif mark and mark in "„‚":
            opened["german"], before, after = True, True, False
        elif mark and mark in "“‘" and opened["german"]:
            opened["german"], before, after = False, False, True
        elif mark and mark in OPENING:
            before, after = True, False
        elif mark and mark in CLOSING:
            before, after = False, True
        elif mark == "/":
            before, after = False, False
        text += (" " if allowed and before else "") + token
        allowed = after
    return text
