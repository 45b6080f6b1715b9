//! Settings that a mechanism is built from, and settings that are refused.

use burn::tensor::{Device, Tolerance};
use strata_attention::{
    Beam, HamConfig, HamSConfig, LocalConfig, MechanismConfig, MultiHeadConfig, MultilevelConfig,
    MultilevelMix, ParamInit, PyramidConfig, Recursion, ScoreKind, Site, Widths,
};

#[test]
fn impossible_combinations_are_refused_with_a_sentence() {
    let refused = |config: MechanismConfig, site, widths, part: &str| {
        let error = config.check(site, widths).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let (equal, unequal) = (
        Widths::all(4),
        Widths {
            query: 4,
            keys: 6,
            values: 6,
            states: 6,
        },
    );
    let vanilla = MechanismConfig::default();
    refused(vanilla, Site::Cross, unequal, "one width");

    let multilevel = |config| MechanismConfig::Multilevel(config);
    let none = multilevel(MultilevelConfig {
        levels: 0,
        ..MultilevelConfig::default()
    });
    refused(none, Site::Cross, equal, "`levels`");
    let by_keys = multilevel(MultilevelConfig {
        score: ScoreKind::Bilinear,
        ..MultilevelConfig::default()
    });
    refused(by_keys, Site::Cross, unequal, "`causal`");
    let recursion = multilevel(MultilevelConfig {
        recursion: Recursion::QueryKeyValue,
        ..MultilevelConfig::default()
    });
    refused(recursion, Site::Cross, equal, "`query_key_value`");
    let by_token = multilevel(MultilevelConfig {
        recursion: Recursion::QueryKeyValue,
        mix: MultilevelMix::Token,
        ..MultilevelConfig::default()
    });
    refused(by_token, Site::EncoderSelf, equal, "no mix `token`");

    let pyramid = |config| MechanismConfig::Pyramid(config);
    let plain = PyramidConfig::default();
    refused(pyramid(plain), Site::DecoderSelf, equal, "no causal form");
    let whole = PyramidConfig { block: 1, ..plain };
    refused(pyramid(whole), Site::Cross, equal, "`block`");
    let closed = PyramidConfig {
        beam: Beam::Nodes(0),
        ..plain
    };
    refused(pyramid(closed), Site::Cross, equal, "or all");

    let blind = LocalConfig {
        window: 0,
        ..LocalConfig::default()
    };
    refused(
        MechanismConfig::Local(blind),
        Site::Cross,
        equal,
        "`window`",
    );

    let ham = HamConfig::default();
    let ham_s = MechanismConfig::HamS(HamSConfig::default());
    refused(ham_s, Site::Cross, equal, "`ham_v`");
    let additive = HamConfig {
        score: ScoreKind::Additive,
        ..ham
    };
    refused(
        MechanismConfig::HamV(additive),
        Site::Cross,
        unequal,
        "width of the query",
    );
    let residual = HamConfig {
        score: ScoreKind::Additive,
        depth: 1,
        residual: true,
        ..ham
    };
    refused(
        MechanismConfig::HamV(residual),
        Site::Cross,
        unequal,
        "width of the query",
    );
}

#[test]
fn a_width_that_heads_cannot_share_is_refused() {
    let init = &mut ParamInit::new(0, &Device::flex());
    let error = MultiHeadConfig::new(10, 3, MechanismConfig::default())
        .init(Site::Cross, init)
        .unwrap_err();
    assert!(error.to_string().contains("3 heads"), "{error}");
}

#[test]
fn the_same_seed_gives_the_same_parameters() {
    let device = Device::flex();
    let draw = |seed| ParamInit::new(seed, &device).xavier(5, 7).val().into_data();
    draw(1).assert_approx_eq::<f32>(&draw(1), Tolerance::absolute(0.0));
    assert_ne!(draw(1), draw(2));
}
