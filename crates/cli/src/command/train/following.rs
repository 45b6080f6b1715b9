//! A process of a run that process 0 leads: trains, writes nothing, and prints nothing but why it
//! cannot go on.

use std::process::ExitCode;

use pollster::block_on;
use strata_session::Session;
use strata_session::protocol::{Activity, Command, Event};

use super::arguments::TrainArguments;
use super::open;
use crate::base::error::Error;
use crate::base::interrupt::{self, Stage};
use crate::base::output;
use crate::run::processes::Processes;

/// Leaves printing to process 0, and the reaction to signals, too: a signal may take long to reach
/// this process.
pub fn be_quiet() {
    output::be_quiet();
    interrupt::listen();
    interrupt::enter(Stage::Run(String::new()));
}

/// Trains until process 0 ends the run.
///
/// # Errors
/// Those that process 0 has, too, and prints.
pub fn run(arguments: &TrainArguments, processes: &Processes) -> Result<ExitCode, Error> {
    processes.meet(arguments.is_launched)?;
    // The same exchanges, in the same order, as in process 0 (`train`): otherwise all wait for
    // ever.
    let Some(command) = processes.hand_on(None) else {
        return Ok(ExitCode::FAILURE);
    };
    let (mut session, _) = processes.all(open(arguments, processes, command, None))?;
    block_on(session.join(processes.exchange())).map_err(Error::Session)?;
    if processes.agree_to_stop(false) {
        return Ok(ExitCode::FAILURE);
    }
    obey(&mut session, Command::Train, processes);
    loop {
        let stops = processes.agree_to_stop(interrupt::stop_requested());
        if stops || session.activity() != Activity::Training {
            return Ok(ExitCode::SUCCESS);
        }
        let mut events = Vec::new();
        block_on(session.advance(&mut |event| events.push(event)));
        take(events, processes);
        if session.activity() == Activity::Diverged {
            return Ok(ExitCode::FAILURE);
        }
    }
}

fn obey(session: &mut Session, command: Command, processes: &Processes) {
    let mut events = Vec::new();
    block_on(session.handle(command, &mut |event| events.push(event)));
    take(events, processes);
}

/// Ends all processes if this one cannot go on. A loss that is not finite is the same in all.
fn take(events: Vec<Event>, processes: &Processes) {
    for event in events {
        if let Event::Refused { reason } | Event::Lost { reason } = event {
            processes.fail(&reason);
        }
    }
}
