//! Corpora with links between words, made by hand.

use super::{Corpus, CorpusKind, Origin, plain, single};

const AWESOME_ALIGN: Origin = Origin {
    repository: "neulab/awesome-align",
    commit: "5f150d45bbe51e167daf0a84abebaeb07c3323d1",
};

pub(super) const CORPORA: &[Corpus] = &[Corpus {
    name: "word-alignment",
    title: "447 to 582 sentence pairs each, linked word by word",
    kind: CorpusKind::Alignment,
    languages: "English-French, Chinese-English, Romanian-English, Japanese-English",
    licence: "BSD 3-clause (the repository); research data: Hansards (Mihalcea and Pedersen 2003), KFTT, TsinghuaAligner",
    level: "word",
    preset: "",
    note: "X.src-tgt: source ||| target; X.gold: its links, counted from 1, `-` sure and `p` possible. Six links of jaen point outside their sentence.",
    files: &[
        plain(
            AWESOME_ALIGN,
            "examples/enfr.src-tgt",
            "enfr.src-tgt",
            82330,
            "19d56c3de3634ab8420d553df4d9dfd849502b18225f1599382e98a6de9cfc72",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/enfr.gold",
            "enfr.gold",
            86961,
            "0a11b51cba8a92a7608fb00884cb3cf50fe0fcc4e4aa92d70624fd11451c4ddd",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/zhen.src-tgt",
            "zhen.src-tgt",
            155611,
            "2a35fb66ad1631587cd00fbd11255dd9a8f4c11413b90aaa10f20d7f1a1cd9a9",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/zhen.gold",
            "zhen.gold",
            61315,
            "39e4de909481013653a9bf2b3b0520d9b75c728eff4ff769bd8d11f9cc703a5d",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/roen.src-tgt",
            "roen.src-tgt",
            61253,
            "e3ae360038e44813c27ebd470e359bf2d2a2a10e4697129060b3cbafbd2742a7",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/roen.gold",
            "roen.gold",
            32439,
            "12c3ae50f32817ce27edbd272c90b91ac8156823505d25ecd34266804ed65b10",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/jaen.src-tgt",
            "jaen.src-tgt",
            143992,
            "64471c1189a30979966078c1172e264558d2aefb376553f7fb1a629d585f5a18",
        ),
        plain(
            AWESOME_ALIGN,
            "examples/jaen.gold",
            "jaen.gold",
            72330,
            "05cace5aad9ee118dca8f73d9a98434c80fa5d6531e83a2b27b16057b583afa6",
        ),
    ],
    parts: &[
        single("enfr", "enfr.src-tgt"),
        single("zhen", "zhen.src-tgt"),
        single("roen", "roen.src-tgt"),
        single("jaen", "jaen.src-tgt"),
    ],
}];
