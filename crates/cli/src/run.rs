//! Files of a run, its continuation, and the processes that train it.
//!
//! - `run_folder`, `lock`, `log`, `tensorboard` (`appended` files)
//! - `resume`, `moved`: continues a run, also one whose files have moved
//! - `origin`: program and data of a run, which decide whether the run is the one asked for
//! - `outcome`: results of a run
//! - `processes`: several processes that train one run, by MPI

pub mod appended;
pub mod lock;
pub mod log;
pub mod moved;
pub mod origin;
pub mod outcome;
pub mod processes;
pub mod resume;
pub mod run_folder;
pub mod tensorboard;
