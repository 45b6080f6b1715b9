//! Errors of the processes or cards that train a run together.

use std::io;

/// Error of several processes, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// `--cards` with another device than NVIDIA's.
    #[error(
        "`--cards {cards}` trains on NVIDIA cards; add `--device cuda`, or share a run of processors \
         by `--processes {cards}`"
    )]
    CardsOfOtherDevice {
        /// Number of cards that the user asked for.
        cards: usize,
    },
    /// `--cards` in a run of several processes.
    #[error(
        "`--cards {cards}` is for a single process, and a launcher of MPI started several, each of which \
         takes a card of its own; leave it out"
    )]
    CardsOfSeveral {
        /// Number of cards that the user asked for.
        cards: usize,
    },
    /// Fewer cards than the user asked for.
    #[cfg(feature = "cuda")]
    #[error("`--cards {cards}`: this machine has {there}; ask for as many at most")]
    FewerCards {
        /// Number of cards that the user asked for.
        cards: usize,
        /// Number of cards in this machine.
        there: usize,
    },
    /// NCCL, NVIDIA's library, fails to add the cards' gradients.
    #[error(
        "the cards cannot add their gradients by NCCL ({reason}); install NVIDIA's library `libnccl.so`, \
         or train by `--processes` with a program that has MPI"
    )]
    NoNccl {
        /// Reason given by the MPI library or the driver.
        reason: String,
    },
    /// Several processes in a program without MPI.
    #[error(
        "this program was built without MPI, by which {processes} processes train one run; build it \
         with `cargo build --release --package strata-attention-cli --features mpi` where MPICH or Open MPI \
         and libclang are installed"
    )]
    MpiNotBuilt {
        /// Number of processes that the user asked for.
        processes: usize,
    },
    /// `mpiexec` cannot be run.
    #[error(
        "`mpiexec`, which starts several processes, cannot be run ({reason}); install the MPI that \
         this program was built with (MPICH or Open MPI), or put its folder on the PATH"
    )]
    NoLauncher {
        /// Error of the operating system.
        reason: io::Error,
    },
    /// `--processes` with another number than the launcher has started.
    #[error(
        "`--processes {asked}` was asked for, but {started} processes were started; leave it out \
         under a launcher of MPI"
    )]
    StartedOtherwise {
        /// Number of processes that the user asked for.
        asked: usize,
        /// Number of processes that the launcher started.
        started: usize,
    },
    /// A process that cannot train the same run as process 0.
    #[error(
        "process {rank} has {what} than process 0; start all processes with the same program and \
         arguments"
    )]
    OtherProcess {
        /// Rank of the first process that differs.
        rank: usize,
        /// The difference, such as `another program`.
        what: &'static str,
    },
    /// An error in another process of the run.
    #[error("process {rank} on {host}: {reason}")]
    OfProcess {
        /// Rank of the process.
        rank: usize,
        /// Host of the process.
        host: String,
        /// Error of the process.
        reason: String,
    },
    /// A process that ended without a message, and with it all processes of the run.
    #[error("{what}, so that all processes ended; {left}")]
    ProcessEnded {
        /// Name of the process, and the way in which the process ended.
        what: String,
        /// State in which the run is left, and the way to continue the run.
        left: String,
    },
}
