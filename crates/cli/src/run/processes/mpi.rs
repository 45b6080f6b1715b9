//! Connects processes by MPI.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mpi::Threading;
use mpi::environment::{Universe, initialize_with_threading, processor_name};
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use strata_training::Exchange;

use super::Processes;
use crate::base::output::warn;

/// True, since this program has MPI: several processes can train one run.
pub const IS_BUILT: bool = true;

/// Environment variables that launchers set in the processes that they start.
const LAUNCHED: [&str; 4] = [
    "PMI_RANK",
    "PMIX_RANK",
    "OMPI_COMM_WORLD_RANK",
    "MPI_LOCALRANKID",
];
/// Environment variables by which launchers tell the number of processes; a single process has
/// nothing to exchange.
const SIZES: [&str; 3] = ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];
/// Interval at which a process checks for a message that may be long in coming: waiting inside MPI
/// would keep a core busy.
const MOMENT: Duration = Duration::from_millis(1);

/// Number of values of a row that are summed at a time: few enough to stay in the processor's
/// cache.
const AT_ONCE: usize = 1 << 18;

/// MPI's environment; dropping the environment ends MPI.
static UNIVERSE: Mutex<Option<Universe>> = Mutex::new(None);

/// Initialises MPI if a launcher started this process; returns its processes, or `None`.
pub fn join() -> Option<Processes> {
    LAUNCHED.iter().find(|name| env::var_os(name).is_some())?;
    if SIZES
        .iter()
        .any(|name| env::var(name).is_ok_and(|size| size == "1"))
    {
        return None;
    }
    // Only one thread calls MPI at a time, but not always the same: training runs in the thread
    // pool.
    let (universe, threading) = initialize_with_threading(Threading::Serialized)?;
    if threading < Threading::Serialized {
        warn(
            "warning: this MPI was built for programs of one thread; if the run hangs, take one that \
             was built with threads.",
        );
    }
    let world = universe.world();
    *UNIVERSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(universe);
    let near = world.split_shared(world.rank());
    let (threads, place) = (threads(&near), near.rank() as usize);
    let host = processor_name().unwrap_or_default();
    Some(Processes::new(Arc::new(World(world)), threads, host, place))
}

/// Ends all processes.
pub fn abort() -> ! {
    if let Some(universe) = &*UNIVERSE.lock().unwrap_or_else(PoisonError::into_inner) {
        universe.world().abort(1);
    }
    process::exit(1)
}

/// Finalises MPI in this process.
pub fn leave() {
    drop(
        UNIVERSE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(),
    );
}

/// Returns the number of threads for each process of a machine: processes that may use the same
/// cores share them evenly. 0 if the environment sets the number.
fn threads(near: &SimpleCommunicator) -> usize {
    // A launcher may have bound each process to cores of its own.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    let cores = status.lines().find(|it| it.starts_with("Cpus_allowed:"));
    cores.hash(&mut hasher);
    let own = hasher.finish();
    let mut all = vec![0u64; near.size() as usize];
    near.all_gather_into(&own, &mut all[..]);
    let sharing = all.iter().filter(|&&it| it == own).count();
    if env::var_os("RAYON_NUM_THREADS").is_some() || near.size() == 1 {
        return 0;
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (cores / sharing.max(1)).max(1)
}

/// All processes that were started together.
struct World(SimpleCommunicator);

impl Exchange for World {
    fn rank(&self) -> usize {
        self.0.rank() as usize
    }

    fn size(&self) -> usize {
        self.0.size() as usize
    }

    /// Sums rows: each process adds one part of the rows of all, and sends the sum to all. MPI's
    /// own sum promises neither an order nor the same bits everywhere. As many bytes are sent as by
    /// a ring.
    fn sum(&self, row: &mut [f32]) {
        let size = self.size();
        let room = row.len().min(AT_ONCE).div_ceil(size) * size;
        let (mut send, mut receive) = (vec![0.0f32; room], vec![0.0f32; room]);
        for row in row.chunks_mut(AT_ONCE) {
            let part = row.len().div_ceil(size);
            let (send, receive) = (&mut send[..part * size], &mut receive[..part * size]);
            // Values beyond the row's end are summed, too, but never read.
            send[..row.len()].copy_from_slice(row);
            // Each process gets its part of every row, and adds them in the order of ranks, so that
            // all processes have the same bits.
            self.0.all_to_all_into(&*send, receive);
            let (sum, further) = receive.split_at_mut(part);
            for further in further.chunks_exact(part) {
                for (sum, x) in sum.iter_mut().zip(further) {
                    *sum += x;
                }
            }
            self.0.all_gather_into(&*sum, send);
            row.copy_from_slice(&send[..row.len()]);
        }
    }

    fn spread(&self, bytes: &mut [u8]) {
        // A message of MPI counts its bytes in 31 bits.
        for bytes in bytes.chunks_mut(1 << 30) {
            scope(|scope| {
                let first = self.0.process_at_rank(0);
                let mut waiting = first.immediate_broadcast_into(scope, bytes);
                while let Err(again) = waiting.test() {
                    waiting = again;
                    thread::sleep(MOMENT);
                }
            });
        }
    }
}
