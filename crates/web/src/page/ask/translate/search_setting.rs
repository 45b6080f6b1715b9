//! Settings of a search, read and changed by their names.

use strata_describe::Domain;
use strata_models::Search;

/// Returns the search with another value of a setting; unchanged if the value does not fit.
pub fn with(search: Search, setting: &str, value: f64) -> Search {
    let settings = search.description().settings;
    let Some(described) = settings.iter().find(|it| it.words.name == setting) else {
        return search;
    };
    let value = match described.domain {
        Domain::Whole {
            minimum, maximum, ..
        } => (value as u64).clamp(minimum, maximum).into(),
        Domain::Real {
            minimum, maximum, ..
        } => value.clamp(minimum, maximum).into(),
        Domain::Choice { .. }
        | Domain::YesNo { .. }
        | Domain::Text
        | Domain::Path { .. }
        | Domain::WholeRange { .. } => return search,
    };
    let mut json = as_json(search);
    json[setting] = value;
    // A beam returns at most as many results as it has hypotheses.
    if let (Some(width), Some(results)) = (json["width"].as_u64(), json["results"].as_u64()) {
        match setting {
            "results" => json["width"] = width.max(results).into(),
            _ => json["results"] = results.min(width).into(),
        }
    }
    serde_json::from_value(json).unwrap_or(search)
}

/// Returns the value of a setting.
pub fn value(search: Search, setting: &str) -> f64 {
    as_json(search)[setting].as_f64().unwrap_or_default()
}

/// Returns the search of this name with the page's own defaults: a beam returns all that it finds.
pub fn of_kind(name: &str) -> Search {
    match Search::of_kind(name).unwrap_or_default() {
        Search::Beam(config) => Search::Beam(strata_models::BeamConfig {
            results: config.width,
            ..config
        }),
        other => other,
    }
}

fn as_json(search: Search) -> serde_json::Value {
    serde_json::to_value(search).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_keep_their_ranges() {
        let beam = of_kind("beam");
        assert_eq!(value(beam, "results"), 4.0);
        let wide = with(beam, "width", 9.0);
        assert_eq!((value(wide, "width"), value(wide, "results")), (9.0, 4.0));
        let narrow = with(beam, "width", 2.0);
        assert_eq!(value(narrow, "results"), 2.0);
        assert_eq!(value(with(beam, "results", 7.0), "width"), 7.0);
        assert_eq!(value(with(beam, "width", 1e9), "width"), 256.0);
        assert_eq!(with(beam, "colour", 1.0), beam);
        let sampling = with(of_kind("sampling"), "temperature", -3.0);
        assert_eq!(value(sampling, "temperature"), 0.0);
        for search in Search::all() {
            assert!(with(search, "seed", f64::MAX).check().is_ok());
        }
    }
}
