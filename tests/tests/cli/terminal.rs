//! Tests that `strata train` refuses `--tui`.

use strata_tests::cli::Workplace;

use crate::train;

#[test]
fn the_former_terminal_view_is_refused_with_what_to_use() {
    let place = Workplace::new();
    let refused = place.run(&train("--tui --out run"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for part in ["`--tui`", "progress bar", "TensorBoard"] {
        assert!(refused.stderr.contains(part), "no {part}: {refused:?}");
    }
    assert!(!place.path("run").exists());
}
