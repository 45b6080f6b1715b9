//! Corpora of running text.

use super::{Corpus, CorpusKind, Origin, plain, single};

const PYTORCH: Origin = Origin {
    repository: "pytorch/examples",
    commit: "77f55b912142e11fcfdf5b530231fb9c52f181e8",
};
const OPENNMT_PY: Origin = Origin {
    repository: "OpenNMT/OpenNMT-py",
    commit: "97111d97551c24857076a4102eabdb468b35cff4",
};
const CHAR_RNN: Origin = Origin {
    repository: "karpathy/char-rnn",
    commit: "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e",
};
const RNNLM: Origin = Origin {
    repository: "timbmg/RNNLM",
    commit: "e26dff5d8f4b5d07ee459f192ee2131923d7584f",
};

pub(super) const CORPORA: &[Corpus] = &[
    Corpus {
        name: "wikitext-2",
        title: "2 million words of Wikipedia, tokenised",
        kind: CorpusKind::LanguageModel,
        languages: "English",
        licence: "CC BY-SA 3.0 (Merity et al. 2016; text of Wikipedia)",
        level: "word",
        preset: "lstm_lm",
        note: "Rare words are <unk>; the .raw files have every word.",
        files: &[
            plain(
                PYTORCH,
                "word_language_model/data/wikitext-2/train.txt",
                "train.txt",
                10797148,
                "9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f",
            ),
            plain(
                PYTORCH,
                "word_language_model/data/wikitext-2/valid.txt",
                "valid.txt",
                1121681,
                "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
            ),
            plain(
                PYTORCH,
                "word_language_model/data/wikitext-2/test.txt",
                "test.txt",
                1256449,
                "d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",
            ),
            plain(
                OPENNMT_PY,
                "eval_llm/WIKITEXT2/wikitext-2-raw-v1/wikitext-2-raw/wiki.valid.raw",
                "valid.raw.txt",
                1146846,
                "4cd0f6876d07a413aa911261ff6d363c72d757d47f0fdd6015702014c89cb9c7",
            ),
            plain(
                OPENNMT_PY,
                "eval_llm/WIKITEXT2/wikitext-2-raw-v1/wikitext-2-raw/wiki.test.raw",
                "test.raw.txt",
                1290590,
                "173c87a53759e0201f33e0ccf978e510c2042d7f2cb78229d9a50d79b9e7dd08",
            ),
        ],
        parts: &[
            single("train", "train.txt"),
            single("validation", "valid.txt"),
            single("test", "test.txt"),
        ],
    },
    Corpus {
        name: "tiny-shakespeare",
        title: "40,000 lines of plays",
        kind: CorpusKind::LanguageModel,
        languages: "English",
        licence: "public domain",
        level: "character",
        preset: "lstm_lm_characters",
        note: "One file: the last tenth of it is held out.",
        files: &[plain(
            CHAR_RNN,
            "data/tinyshakespeare/input.txt",
            "input.txt",
            1115394,
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        )],
        parts: &[single("train", "input.txt")],
    },
    Corpus {
        name: "war-and-peace",
        title: "a novel in three parts",
        kind: CorpusKind::LanguageModel,
        languages: "English",
        licence: "public domain in the United States (Project Gutenberg's English edition)",
        level: "character",
        preset: "lstm_lm_characters",
        note: "",
        files: &[
            plain(
                RNNLM,
                "data/wap.train.txt",
                "wap.train.txt",
                2281656,
                "8ebb39059034fd00517e25fb2d5ca1a75f37d39a156762c51f146ff988f4bd41",
            ),
            plain(
                RNNLM,
                "data/wap.valid.txt",
                "wap.valid.txt",
                490831,
                "f07f149651ba86619d97483c35f83841a964486328ca43e2a92877426a6d6a1e",
            ),
            plain(
                RNNLM,
                "data/wap.test.txt",
                "wap.test.txt",
                504362,
                "bdf3aada8ee2f91b2988a616fa25414d846fda6855749023016954739b6689d8",
            ),
        ],
        parts: &[
            single("train", "wap.train.txt"),
            single("validation", "wap.valid.txt"),
            single("test", "wap.test.txt"),
        ],
    },
];
