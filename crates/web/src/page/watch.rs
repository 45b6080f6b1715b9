//! Pictures of the model at work.
//!
//! - `curves`: loss, accuracy and speed over the steps; `scale`: marks of their axes
//! - `inspector`: views of a held-out example; `attention`: the picture of the user's own sentence;
//!   `attention_file`: weights of any program, from a file
//! - `view`: a matrix of weights; `heat_map` draws the matrix in the colours of `colours`; `recorded`:
//!   a recorded run, which plays on a first visit
//! - `drawing`: other pictures, on the page and in files; `exporting`: the files
//! - `status`: measurements of the run; `beside`: the note below the buttons

pub mod attention;
pub mod attention_file;
pub mod beside;
pub mod colours;
pub mod curves;
pub mod drawing;
pub mod exporting;
pub mod heat_map;
pub mod inspector;
pub mod recorded;
pub mod scale;
pub mod status;
pub mod view;
