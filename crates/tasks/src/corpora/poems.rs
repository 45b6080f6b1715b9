//! Corpora of poems.

use super::{Corpus, CorpusFile, CorpusKind, Origin, Packing, single};

/// Files of poems from which quatrains are chosen.
struct Collection {
    origin: Origin,
    /// Folder of the files in the repository.
    path: &'static str,
    /// Total length of the files in bytes.
    bytes: u64,
}

/// The complete Tang and Song poems, in the folder 全唐诗.
const TANG_AND_SONG: Collection = Collection {
    origin: Origin {
        repository: "chinese-poetry/chinese-poetry",
        commit: "99ebbef7e1345c0985c44b9fd96a3f9e776f117b",
    },
    path: "%E5%85%A8%E5%94%90%E8%AF%97",
    bytes: 134_710_698,
};

/// Poems of the Yuan and Qing dynasties and of Taiwan.
const LATER: Collection = Collection {
    origin: Origin {
        repository: "Disiok/poetry-seq2seq",
        commit: "6fa4959ac489c5615008156cbf88817bba8d98be",
    },
    path: "data/raw",
    bytes: 4_546_519,
};

impl Collection {
    /// Creates a file of quatrains chosen from this collection.
    const fn quatrains(self, name: &'static str, bytes: u64, sha256: &'static str) -> CorpusFile {
        CorpusFile {
            name,
            origin: self.origin,
            path: self.path,
            packing: Packing::Made { bytes: self.bytes },
            bytes,
            sha256,
        }
    }
}

pub(super) const CORPORA: &[Corpus] = &[Corpus {
    name: "chinese-quatrains",
    title: "103,811 classical quatrains of 5 and 7 characters a line",
    kind: CorpusKind::Poems,
    languages: "Chinese",
    licence: "MIT (chinese-poetry; Disiok/poetry-seq2seq); the poems themselves are in the public domain",
    level: "character",
    preset: "ppg_smoke",
    note: "Chosen here from all poems of 316 files: brackets with what is in them deleted, four lines of 5 or of 7 ideographs, no repeats. Tang and Song are in traditional script, Yuan, Qing and Taiwan in simplified. A clone of both repositories will do, too: `--from FOLDER` with both in it.",
    files: &[
        TANG_AND_SONG.quatrains(
            "traditional-5char.tsv",
            1_944_156,
            "b147ddfbed22a853973075b981dc165559f9596dc92b9dfced4c37af720c513f",
        ),
        TANG_AND_SONG.quatrains(
            "traditional-7char.tsv",
            11_447_345,
            "4d4c0be20672d6fd9dbc17f314c15b895023c9c6f1b4a2f0e4e16e7eb2fd5888",
        ),
        LATER.quatrains(
            "simplified-5char.tsv",
            36_999,
            "487e9cfd5845331b8680c7c6408d420010dd355e653951eed46ac95c39ec7a1e",
        ),
        LATER.quatrains(
            "simplified-7char.tsv",
            406_142,
            "bc534c6d0a2417e8c22ed7fac72043f32f3cf4a39a4ad1c14a97645cdef750e1",
        ),
    ],
    parts: &[
        single("traditional-5", "traditional-5char.tsv"),
        single("traditional-7", "traditional-7char.tsv"),
        single("simplified-5", "simplified-5char.tsv"),
        single("simplified-7", "simplified-7char.tsv"),
    ],
}];
