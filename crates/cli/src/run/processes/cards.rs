//! `strata train --cards N`: NVIDIA cards of one machine that train one run, each in a thread of
//! this process. They add their gradients by NCCL, a library that is loaded at the first sum.

use std::process::{self, ExitCode};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread;

use strata_training::Exchange;

use super::Processes;
use crate::base::error::{Error, ProcessError};
use crate::base::output::failed;
use crate::command::train::TrainArguments;
use crate::model::device::DeviceChoice;

/// Replaces a row by the sum of the rows of all cards.
type Sum = Box<dyn Fn(&mut [f32]) -> Result<(), String> + Send + Sync>;

/// Cards to train on; each is given by the sum in which it takes part.
pub struct Cards(Vec<Sum>);

impl Cards {
    /// Returns the cards that the arguments ask for; `None` if this process trains on one device.
    ///
    /// # Errors
    /// If there are fewer cards, if the arguments ask for another device, or if this is one of
    /// several processes.
    pub fn from_arguments(
        arguments: &TrainArguments,
        present: &Processes,
    ) -> Result<Option<Self>, Error> {
        let Some(cards) = arguments.cards.filter(|&cards| cards > 1) else {
            return Ok(None);
        };
        if arguments.device != DeviceChoice::Cuda {
            return Err(ProcessError::CardsOfOtherDevice { cards }.into());
        }
        if present.size() > 1 {
            return Err(ProcessError::CardsOfSeveral { cards }.into());
        }
        Ok(Some(Self(nccl::sums(cards)?)))
    }

    /// Calls `train` for each card, in a thread of its own; the first card's thread is this one.
    pub fn run(
        self,
        train: impl Fn(&'static Processes) -> Result<ExitCode, Error> + Sync,
    ) -> Result<ExitCode, Error> {
        let mut all = members(self.0).into_iter();
        let first = all.next().expect("there are two cards or more");
        thread::scope(|scope| {
            for other in all {
                let train = &train;
                scope.spawn(move || train(other));
            }
            train(first)
        })
    }
}

/// Returns the processes of the run, a process for each sum.
fn members(sums: Vec<Sum>) -> Vec<&'static Processes> {
    let broadcast = Arc::new(Broadcast {
        barrier: Barrier::new(sums.len()),
        bytes: Mutex::default(),
    });
    let size = sums.len();
    let member = |(rank, sum)| {
        let card = Card {
            rank,
            size,
            sum,
            broadcast: Arc::clone(&broadcast),
        };
        let mut member = Processes::new(Arc::new(card), 0, format!("card {rank}"), rank);
        member.are_cards = true;
        // Leaked, since processes must live as long as the program, as `Processes::present` does.
        &*Box::leak(Box::new(member))
    };
    sums.into_iter().enumerate().map(member).collect()
}

/// A card, which acts as a process of the run.
struct Card {
    rank: usize,
    size: usize,
    sum: Sum,
    broadcast: Arc<Broadcast>,
}

/// Barrier and buffer by which bytes of process 0 reach the threads of all cards.
struct Broadcast {
    barrier: Barrier,
    /// Bytes of process 0.
    bytes: Mutex<Vec<u8>>,
}

impl Exchange for Card {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, row: &mut [f32]) {
        if let Err(reason) = (self.sum)(row) {
            // The other threads wait for this card inside the driver, where nothing reaches them:
            // end the program.
            failed(ProcessError::NoNccl { reason }.into());
            process::exit(1);
        }
    }

    fn spread(&self, bytes: &mut [u8]) {
        let buffer = || {
            self.broadcast
                .bytes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if self.rank == 0 {
            *buffer() = bytes.to_vec();
        }
        // Each thread reads the buffer only after process 0 has written it.
        self.broadcast.barrier.wait();
        bytes.copy_from_slice(&buffer());
        // Process 0 writes its next bytes only after all threads have read these.
        self.broadcast.barrier.wait();
    }
}

#[cfg(feature = "cuda")]
mod nccl {
    use std::panic::{self, AssertUnwindSafe};

    use burn::tensor::distributed::{ReduceOperation, all_reduce};
    use burn::tensor::{Device, DeviceType, Tensor};

    use super::Sum;
    use crate::base::error::{Error, ProcessError};
    use crate::model::device::DeviceChoice;

    /// Returns the sums of the first cards of this machine.
    pub fn sums(cards: usize) -> Result<Vec<Sum>, Error> {
        // If there is no card at all, `open` says what is missing.
        DeviceChoice::Cuda.open()?;
        let mut devices = Device::enumerate(DeviceType::Cuda).into_vec();
        if devices.len() < cards {
            let there = devices.len();
            return Err(ProcessError::FewerCards { cards, there }.into());
        }
        devices.truncate(cards);
        let of_card = |device: &Device| -> Sum {
            let (device, all) = (device.clone(), devices.clone());
            Box::new(move |row| {
                // burn panics if the library is missing.
                let summed = panic::catch_unwind(AssertUnwindSafe(|| {
                    let row = Tensor::<1>::from_data(&*row, &device);
                    let summed = all_reduce(row, ReduceOperation::Sum, all.clone());
                    summed.resolve().try_into_data()
                }));
                let summed = match summed {
                    Ok(Ok(summed)) => summed,
                    Ok(Err(reason)) => return Err(reason.to_string()),
                    Err(_) => return Err("the library was not found, or refused".to_owned()),
                };
                let numbers = summed.iter::<f32>();
                row.iter_mut().zip(numbers).for_each(|(to, sum)| *to = sum);
                Ok(())
            })
        };
        Ok(devices.iter().map(of_card).collect())
    }
}

#[cfg(not(feature = "cuda"))]
mod nccl {
    use super::Sum;
    use crate::base::error::Error;

    pub fn sums(_cards: usize) -> Result<Vec<Sum>, Error> {
        Err(Error::DeviceNotBuilt { name: "cuda" })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_session::protocol::Command;

    use super::*;

    /// Returns members that add their rows in memory, without NCCL.
    fn in_memory(size: usize) -> Vec<&'static Processes> {
        let rows = Arc::new((Barrier::new(size), Mutex::new(vec![Vec::new(); size])));
        let sum = |rank: usize| -> Sum {
            let rows = Arc::clone(&rows);
            Box::new(move |row| {
                let (all, rows) = &*rows;
                rows.lock().unwrap()[rank] = row.to_vec();
                all.wait();
                let rows: Vec<Vec<f32>> = rows.lock().unwrap().clone();
                all.wait();
                for (at, to) in row.iter_mut().enumerate() {
                    *to = rows.iter().map(|row| row[at]).sum();
                }
                Ok(())
            })
        };
        members((0..size).map(sum).collect())
    }

    #[test]
    fn what_the_first_card_begins_all_are_given_and_the_first_failure_is_told() {
        let all = in_memory(3);
        let told: Vec<_> = thread::scope(|scope| {
            let threads = all.iter().enumerate().map(|(rank, member)| {
                scope.spawn(move || {
                    assert_eq!(member.leads(), rank == 0);
                    member.meet(false).unwrap();
                    let checkpoint = vec![7; 100];
                    let own = (rank == 0).then_some(Command::Restore { checkpoint });
                    let Some(Command::Restore { checkpoint }) = member.hand_on(own.as_ref()) else {
                        panic!("a checkpoint was handed on");
                    };
                    assert_eq!(checkpoint, [7; 100]);
                    assert!(member.agree_to_stop(rank == 2));
                    assert!(!member.agree_to_stop(false));
                    let done = match rank {
                        0 => Ok(()),
                        _ => Err(format!("card {rank} is full")),
                    };
                    member.all(done).unwrap_err().to_string()
                })
            });
            let threads: Vec<_> = threads.collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(
            told.iter().all(|it| it.ends_with("card 1 is full")),
            "{told:?}"
        );
        assert!(told[0].contains("process 1 on card 1"), "{told:?}");
        let going_on = all[0].of_all("strata train --resume run".to_owned(), None);
        assert_eq!(going_on, "strata train --resume run --cards 3");
    }
}
