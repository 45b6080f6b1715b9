//! The page, which shows what a worker (`strata-worker-core`) computes.
//!
//! The page carries no tensor code. It speaks with the worker in the two enums of
//! [`strata_session::protocol`] and nothing else. Each folder uses those below it alone:
//!
//! - [`page`]: the Yew components
//! - [`link`]: the page's side of a worker: starts it, speaks with it, and starts another one that
//!   goes on with the run
//! - [`keeping`]: runs that outlive the page, in the browser or as files
//! - [`state`]: state of the page, changed by events
//!
//! Below them all:
//!
//! - [`sentence`]: wording of errors; [`labels`]: the form's labels of the settings that they name
//! - [`language`]: the page's language: words for the English that components write
//! - [`served_file`]: a file of the page's own origin
//! - [`by_pointer`]: large things that components share
//! - `presets`, `address`: experiments to begin with, from `strata_settings`
//! - `texts`, `encoding`, `time_limit`: from `strata_wire`
//!
//! # Invariants
//!
//! - The page carries no tensor code, and speaks to a worker by the protocol alone. Not tested.
//! - The page lives under the policy in `index.html`: no inline script and no style attribute
//!   (yew's `~style` sets the property, which the policy allows). Tests:
//!   `training_needs_nothing_that_the_policy_forbids`,
//!   `a_script_that_gets_into_the_page_does_not_run`.
//! - Files of two builds never meet: the service worker gives out the files of its own build.
//!   Tests: `the_service_worker_knows_every_file_and_is_another_one_after_a_change`,
//!   `two_builds_in_two_folders_work_without_their_server`.
//! - The page survives a browser's translator, which replaces texts by elements of its own:
//!   numbers, states and the words of users and models (`page::foreign`) have `translate="no"`, and
//!   `www/translated.js` puts every other text back before it changes. Test:
//!   `a_page_that_is_translated_goes_on`.
//! - Components write English; every text of the page has words in every other language
//!   ([`language`]), and no words are for a text that is gone. Tests:
//!   `every_text_of_the_page_has_words_in_every_language`,
//!   `no_words_are_for_a_text_that_the_page_has_no_longer`, `a_german_page_says_nothing_in_english`.
//! - Before the first run the page waits for nothing without a limit of time (`time_limit`),
//!   since a browser's storage may never answer. Tests:
//!   `a_returning_visitor_begins_though_the_database_never_answers`,
//!   `the_browser_may_never_say_how_much_room_there_is`.
//! - Each failure of the storage is named by its cause (`keeping::StoreError`). Test:
//!   `each_failure_of_the_database_is_told_by_its_cause`.
//! - Drawing the page takes at most a twentieth of the time (`link::pace`). Test:
//!   `drawing_takes_at_most_a_twentieth_of_the_time`.
//! - The page keeps runs as the worker's own checkpoints ([`keeping`]), and tells a new worker the
//!   last one. Tests: `a_run_goes_on_after_a_reload_as_if_there_had_been_none`,
//!   `a_run_goes_on_from_its_last_checkpoint`.
//! - The page also keeps the checkpoint of the run beside the present one for a new worker
//!   (`link::recovery`). Not tested.
//! - A worn worker hands its run to a new one (`link::wear`), since WebAssembly never gives memory
//!   back. Tests: `after_many_runs_another_worker_goes_on`,
//!   `a_large_model_that_is_dropped_gives_its_memory_back`.
//! - A tab never overwrites a run that another tab wrote: it branches. Tests:
//!   `two_tabs_do_not_overwrite_each_other`, `who_is_overtaken_goes_on_as_another_run`.
//! - A URL that names an experiment starts it. A URL without one, or an entry of the browser's
//!   history (`page::visits`), resumes the run. Tests: `a_link_begins_anew_and_a_reload_goes_on`,
//!   `back_goes_to_the_experiment_before_with_its_run`.
//! - A user's own texts are kept with the run that reads them; `link::worker_texts` knows which
//!   texts those are. Tests: `own_texts_are_branched_deleted_and_brought_back_with_their_run`,
//!   `a_run_keeps_its_texts_while_others_are_looked_at`.
//! - The page hands a user's texts on without reading them. The worker decodes, unpacks, checks and
//!   keeps them (`strata_worker_core`, `strata_text::Uploads`). Test:
//!   `twenty_megabytes_do_not_hold_up_the_page`.
//! - A text that is only looked at never takes the name of a text of the present run. Tests:
//!   `the_names_of_the_present_run_stay_its_own`,
//!   `texts_that_are_only_looked_at_are_not_those_of_the_run`.
//! - One place puts the form's labels into sentences of the session ([`sentence`]). Test:
//!   `keys_become_what_the_form_says`.
//! - Train uses the settings in the form, or the page says that Train does not (`page::pressing`).
//!   Tests: `what_stands_in_the_form_is_trained_where_nothing_is_lost`,
//!   `changed_settings_are_trained_or_it_is_said_that_they_are_not`.
//! - A lesson sets the page up by intents, as a user could (`page::lesson`). Not tested.
//! - The page works without the recorded models of lessons: where a recorded model cannot be
//!   fetched, its run is trained. Test: `a_recorded_model_that_is_served_need_not_be_trained`.
//! - A file or code that somebody else handed in makes the page train nothing but experiments of the
//!   lesson. Test: `nothing_but_the_lesson_is_trained`.
//! - Packages lie beside the page without being part of it: the service worker keeps none, and no
//!   package holds another. Tests: `packages_beside_the_page_are_linked_with_their_sizes`,
//!   `an_archive_holds_the_page_in_a_folder_of_its_own`.
//! - Runs of lessons are kept as others are, but a bare address never means one of them. Test:
//!   `who_leaves_a_lesson_has_the_own_run_again`.

pub mod by_pointer;
pub mod keeping;
pub mod labels;
pub mod language;
pub mod link;
pub mod page;
pub mod sentence;
pub mod served_file;
pub mod state;
#[cfg(test)]
mod testing;

pub use strata_settings::{address, presets};
pub use strata_wire::{encoding, texts, time_limit};
