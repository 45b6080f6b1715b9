//! Shares of levels where each token has its own.

use strata_attention::{MechanismConfig, MultilevelConfig, MultilevelMix};
use strata_models::ModelConfig;
use strata_session::protocol::{View, ViewData};

use super::{Conversation, experiment, views, watch};

/// Where each token has its own shares, the shares of a site are their mean over the rows.
#[test]
fn a_mix_of_each_token_is_shown_by_its_mean_shares() {
    let mechanism = MechanismConfig::Multilevel(MultilevelConfig {
        levels: 3,
        mix: MultilevelMix::Token,
        ..MultilevelConfig::default()
    });
    let mut experiment = experiment();
    let ModelConfig::Transformer(config) = &mut experiment.model else {
        panic!("{:?}", experiment.model)
    };
    (config.encoder_self, config.decoder_self, config.cross) = (mechanism, mechanism, mechanism);
    let heads = config.heads;
    let mut conversation = Conversation::new();
    conversation.load(experiment);
    let update = views(&conversation.say(watch(3, View::Shares)))[0].clone();
    let ViewData::Shares(shares) = update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!(shares.len(), update.sites.len());
    for site in shares {
        assert_eq!(site.shares.len(), heads, "{}", site.site);
        for of_head in site.shares {
            assert_eq!(of_head.len(), 3);
            // Shares are equal before training.
            let far = |share: &f32| (share - 1.0 / 3.0).abs() > 1e-6;
            assert!(!of_head.iter().any(far), "{of_head:?}");
        }
    }
}
