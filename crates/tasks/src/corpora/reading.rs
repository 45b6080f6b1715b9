//! Corpora of reading comprehension.

use super::{Corpus, CorpusKind, Origin, plain, single};

const SQUAD_DU: Origin = Origin {
    repository: "tomhosking/squad-du-split",
    commit: "beac7f3ddcdd579010c7352646938e8ab31e8add",
};
const CMRC: Origin = Origin {
    repository: "ymcui/cmrc2018",
    commit: "c0eb1b6ba219847457e6af3180da722bbeb656af",
};
const DRCD: Origin = Origin {
    repository: "DRCKnowledgeTeam/DRCD",
    commit: "b944790de5af02c5fbb7cd9cb1473d27d169eebf",
};
const DUREADER: Origin = Origin {
    repository: "baidu/DuReader",
    commit: "c625076b06da8f56d59f19c41c73bd580a98a347",
};

pub(super) const CORPORA: &[Corpus] = &[
    Corpus {
        name: "squad-v1.1-part",
        title: "11,877 questions of the training set of SQuAD v1.1",
        kind: CorpusKind::Reading,
        languages: "English",
        licence: "CC BY-SA 4.0 (Rajpurkar et al. 2016; the part that Du et al. 2017 call test)",
        level: "word",
        preset: "bidaf",
        note: "SQuAD JSON; offsets count code points. A tenth of its articles is held out.",
        files: &[plain(
            SQUAD_DU,
            "test-v1.1.json",
            "train-part-du-test.json",
            3771656,
            "e7853905d95f255090f58a2af5221c7f2b296934f8a6c1d77b36df4686f0d828",
        )],
        parts: &[single("train", "train-part-du-test.json")],
    },
    Corpus {
        name: "chinese-squad-style",
        title: "11,238 questions: CMRC 2018 and DRCD",
        kind: CorpusKind::Reading,
        languages: "Chinese",
        licence: "CC BY-SA 4.0 (CMRC 2018), CC BY-SA 3.0 (DRCD)",
        level: "word",
        preset: "bidaf",
        note: "SQuAD JSON; offsets count code points. DRCD is in traditional script, CMRC 2018 in simplified.",
        files: &[
            plain(
                CMRC,
                "squad-style-data/cmrc2018_dev.json",
                "cmrc2018_dev.json",
                3299139,
                "e9ff74231f05c230c6fa88b84441ee334d97234cbb610991cd94b82db00c7f1f",
            ),
            plain(
                CMRC,
                "squad-style-data/cmrc2018_trial.json",
                "cmrc2018_trial.json",
                800221,
                "f3fae95b57da8e03afb2b57467dd221417060ef4d82db13bf22fc88589f3a6f3",
            ),
            plain(
                DRCD,
                "DRCD_dev.json",
                "DRCD_dev.json",
                2184379,
                "e236df03861ba241bd7b29628cd48b3b8e339c60137e041a4358b5320ed61928",
            ),
            plain(
                DRCD,
                "DRCD_test.json",
                "DRCD_test.json",
                2125600,
                "d9de0b4d247a8391ac8daee6c02c2c8272b75562a1e2377b50ae04ecc09a7438",
            ),
        ],
        parts: &[
            single("train", "DRCD_dev.json"),
            single("validation", "DRCD_test.json"),
            single("cmrc-trial", "cmrc2018_trial.json"),
            single("cmrc-dev", "cmrc2018_dev.json"),
        ],
    },
    Corpus {
        name: "dureader-demo",
        title: "300 questions of DuReader 2.0",
        kind: CorpusKind::Reading,
        languages: "Chinese",
        licence: "Apache 2.0",
        level: "word",
        preset: "bidaf_dureader",
        note: "A JSON object a line; several documents a question. The full data are not public.",
        files: &[
            plain(
                DUREADER,
                "DuReader-2.0/data/demo/trainset/search.train.json",
                "search.train.jsonl",
                3054051,
                "ce2f61b93861203b4b2e1c03a2db558142bfa4edb2c758b9665bd003adfc49bc",
            ),
            plain(
                DUREADER,
                "DuReader-2.0/data/demo/devset/search.dev.json",
                "search.dev.jsonl",
                2759038,
                "f7d7174d2cc81738f2554c3aa69f89af7b8d0f4bc808f1c3547469d12469e3a8",
            ),
            plain(
                DUREADER,
                "DuReader-2.0/data/demo/testset/search.test.json",
                "search.test.jsonl",
                2310940,
                "0bef9888ec67e8734b95b18b51907ae8c277e12eb8b9c90a4fd903783c72bd22",
            ),
        ],
        parts: &[
            single("train", "search.train.jsonl"),
            single("validation", "search.dev.jsonl"),
            single("test", "search.test.jsonl"),
        ],
    },
];
