//! Reads the output of the processes that `strata train --processes` has started: marks of process
//! 0, and the launcher's messages about a process that has ended.

use serde::{Deserialize, Serialize};

/// First character of a line that is a mark: the ASCII record separator, which no text contains.
const SIGN: char = '\u{1e}';

/// A mark: a line from process 0 for the command that started it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// All processes have met: the process id and the host of each.
    Began { processes: Vec<(u64, String)> },
    /// The run has begun.
    GoingOn {
        /// The command that continues the run.
        command: String,
    },
    /// A checkpoint was written.
    Saved {
        /// Step of the checkpoint.
        step: u64,
    },
}

impl Mark {
    /// Writes the mark as a line.
    pub fn line(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        format!("{SIGN}{text}")
    }

    fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line.strip_prefix(SIGN)?).ok()
    }
}

/// Messages of the launcher and the processes about the run.
#[derive(Clone, Debug, PartialEq)]
pub struct LauncherMessages {
    /// The command that started the processes.
    command: String,
    processes: Vec<(u64, String)>,
    /// Command that continues the run.
    resume_command: Option<String>,
    saved: Option<u64>,
    end: ProcessEnd,
    /// Messages of MPICH's launcher about its own code, which help if there are no other messages.
    internal: Vec<String>,
}

/// The launcher's message about the first process that ended badly.
#[derive(Clone, Debug, Default, PartialEq)]
struct ProcessEnd {
    rank: Option<usize>,
    /// Process id of the process.
    number: Option<u64>,
    host: Option<String>,
    /// Number and name of the signal that ended the process.
    signal: Option<String>,
    /// Exit code of the process.
    code: Option<String>,
    /// A process that noticed the end before the launcher did.
    noticed: Option<usize>,
}

impl LauncherMessages {
    /// Returns an empty record, for processes that `command` has started.
    pub fn new(command: String) -> Self {
        Self {
            command,
            processes: Vec::new(),
            resume_command: None,
            saved: None,
            end: ProcessEnd::default(),
            internal: Vec::new(),
        }
    }

    /// Reads a line of the launcher's output; returns true if the line is for the user.
    pub fn read_line(&mut self, line: &str) -> bool {
        if line.starts_with(SIGN) {
            match Mark::read(line) {
                Some(Mark::Began { processes }) => self.processes = processes,
                Some(Mark::GoingOn { command }) => self.resume_command = Some(command),
                Some(Mark::Saved { step }) => self.saved = Some(step),
                None => {}
            }
            return false;
        }
        if line.starts_with("[mpiexec@") || line.starts_with("[proxy:") {
            self.internal.push(line.to_owned());
            return false;
        }
        !self.end.read_line(line)
    }

    /// Returns the launcher's messages about its own code.
    pub fn internal(&self) -> &[String] {
        &self.internal
    }

    /// Returns a sentence on the process that ended the run, if the launcher has named it.
    pub fn end(&self) -> Option<String> {
        let how = self.end.how()?;
        let by_number = || {
            let number = self.end.number?;
            self.processes.iter().position(|(it, host)| {
                *it == number && self.end.host.as_ref().is_none_or(|ended| ended == host)
            })
        };
        let who = match self.end.rank.or_else(by_number) {
            Some(rank) => format!("process {rank} of {}", self.processes.len()),
            None => "one of the processes".to_owned(),
        };
        let place = match &self.end.host {
            Some(host) => format!(" on {host}"),
            None => String::new(),
        };
        Some(format!("{who}{place} {how}"))
    }

    /// Returns a sentence on the process that noticed the end of another one, if any did.
    pub fn noticed(&self) -> Option<String> {
        let rank = self.end.noticed?;
        let of_all = match self.processes.len() {
            0 => String::new(),
            size => format!(" of {size}"),
        };
        Some(format!(
            "process {rank}{of_all} could reach another one no longer"
        ))
    }

    /// Returns a sentence on the state in which the run is left, and how to continue it.
    pub fn left(&self) -> String {
        let Some(command) = &self.resume_command else {
            // The same command is right for both: a resumed run has its checkpoint, a new one
            // begins again.
            return format!(
                "training had not begun; give the command again: `{}`",
                self.command
            );
        };
        match self.saved {
            Some(step) => format!("the run is saved up to step {step}; go on with `{command}`"),
            None => format!("nothing of the run was saved; begin it again with `{command}`"),
        }
    }
}

impl ProcessEnd {
    /// Says how the process ended.
    fn how(&self) -> Option<String> {
        // For processes on several hosts, MPICH reports the number of a signal as an exit code.
        let of_code = |code: &str| match code {
            _ if self.noticed.is_some() => None,
            "6" | "134" => Some("6 (Aborted)".to_owned()),
            "9" | "137" => Some("9 (Killed)".to_owned()),
            "11" | "139" => Some("11 (Segmentation fault)".to_owned()),
            _ => None,
        };
        let code = self.code.as_deref();
        match self.signal.clone().or_else(|| code.and_then(of_code)) {
            Some(signal) => Some(format!("was ended by signal {signal}")),
            None => code.map(|code| format!("ended with exit code {code}")),
        }
    }

    /// Reads a line; returns true if the line is a message of the launcher.
    fn read_line(&mut self, line: &str) -> bool {
        // Hydra, the launcher of MPICH and Intel MPI, prints a frame and two sentences after it.
        let of_hydra = line.starts_with("=   ")
            || line.starts_with("======")
            || line.starts_with("YOUR APPLICATION TERMINATED WITH")
            || line.starts_with("This typically refers to a problem")
            || line.starts_with("Please see the FAQ page");
        // MPI prints this line when a process ends all others, which has already told the reason.
        let of_abort = line.starts_with("Abort(") && line.contains("MPI_Abort");
        let mut words = line.split_whitespace();
        if let Some(rest) = line.strip_prefix("=   PID ") {
            let mut words = rest.split_whitespace();
            self.number = words.next().and_then(|it| it.parse().ok());
            self.host = words.next_back().map(str::to_owned);
        } else if let Some(code) = line.strip_prefix("=   EXIT CODE: ") {
            self.code.get_or_insert(code.trim().to_owned());
        } else if of_hydra {
            self.signal = signal(line).or(self.signal.take());
        } else if let Some(rest) = line.strip_prefix("Abort(") {
            // MPICH prints this line if a process cannot reach another one.
            if rest.contains("Fatal error in ") {
                let rank = rest.split_once("(rank ").map(|(_, rest)| rest);
                let rank = rank.and_then(|it| it.split_once(' ')?.0.parse().ok());
                self.noticed = self.noticed.or(rank);
            }
        } else if line.contains("noticed that process rank") {
            // Open MPI says all in one sentence.
            words.by_ref().find(|&word| word == "rank");
            self.rank = words.next().and_then(|it| it.parse().ok());
            words.by_ref().find(|&word| word == "node");
            self.host = words.next().map(str::to_owned);
            let signal = line.rsplit_once("signal ").map(|(_, signal)| signal);
            self.signal = signal.map(|signal| signal.trim_end_matches('.').to_owned());
            return true;
        }
        of_hydra || of_abort
    }
}

/// Returns number and name of the signal in `EXIT STRING: Killed (signal 9)`.
fn signal(line: &str) -> Option<String> {
    let (before, number) = line.split_once(" (signal ")?;
    let name = before.rsplit_once(": ")?.1;
    Some(format!("{} ({name})", number.trim_end_matches(')')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYDRA: &str = "
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 27211 RUNNING AT vm
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions";

    const OPEN_MPI: &str =
        "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).";

    const COMMAND: &str = "strata train --resume 'runs/a b' --processes 2";

    fn read(marks: &[Mark], text: &str) -> (LauncherMessages, Vec<String>) {
        let mut messages = LauncherMessages::new(COMMAND.to_owned());
        for mark in marks {
            assert!(!messages.read_line(&mark.line()));
        }
        let shown = text.lines().filter(|line| !line.is_empty());
        let shown = shown.filter(|line| messages.read_line(line));
        let shown = shown.map(str::to_owned).collect();
        (messages, shown)
    }

    fn began() -> Mark {
        Mark::Began {
            processes: vec![(27210, "vm".to_owned()), (27211, "vm".to_owned())],
        }
    }

    #[test]
    fn a_killed_process_is_named_and_the_frame_is_not_shown() {
        for said in [HYDRA, OPEN_MPI] {
            let (messages, shown) = read(&[began()], said);
            let end = messages.end().unwrap_or_default();
            let expected = "process 1 of 2 on vm was ended by signal 9 (Killed)";
            assert_eq!(end, expected);
            assert!(shown.is_empty(), "{shown:?}");
        }
    }

    #[test]
    fn what_processes_say_is_shown() {
        let said = "error: no\nprocess rank\n= 3\nAbort(1) is no command";
        let (messages, shown) = read(&[], said);
        assert_eq!(shown.join("\n"), said);
        assert_eq!(messages.end(), None);
    }

    #[test]
    fn an_unknown_process_is_one_of_them() {
        let (messages, _) = read(&[], "=   PID 3 RUNNING AT vm\n=   EXIT CODE: 101");
        let end = messages.end().unwrap_or_default();
        assert_eq!(end, "one of the processes on vm ended with exit code 101");
    }

    #[test]
    fn a_process_that_is_killed_on_another_host_is_named() {
        let began = Mark::Began {
            processes: vec![(27210, "one".to_owned()), (27210, "two".to_owned())],
        };
        let said = "=   PID 27210 RUNNING AT two\n=   EXIT CODE: 9\n\
                    [proxy:0@one] main (pmip.c:123): demux engine error waiting for event\n\
                    [mpiexec@one] main (mpiexec.c:270): process manager error";
        let (messages, shown) = read(&[began], said);
        let end = messages.end().unwrap_or_default();
        assert_eq!(end, "process 1 of 2 on two was ended by signal 9 (Killed)");
        assert!(shown.is_empty(), "{shown:?}");
        assert_eq!(messages.internal().len(), 2);
    }

    #[test]
    fn a_process_that_noticed_the_end_is_named() {
        let said = "Abort(17) on node 1 (rank 1 in comm 0): Fatal error in internal_Alltoall: See \
                    the MPI_ERROR field in MPI_Status for the error code";
        let (late, shown) = read(&[began()], said);
        let expected = "process 1 of 2 could reach another one no longer";
        assert_eq!(late.noticed().unwrap_or_default(), expected);
        assert_eq!(late.end(), None);
        assert_eq!(shown, [said]);
        let (early, _) = read(&[], said);
        let expected = "process 1 could reach another one no longer";
        assert_eq!(early.noticed().unwrap_or_default(), expected);
        let own = "Abort(1) on node 0 (rank 0 in comm 0): application called MPI_Abort(comm=1, 1)";
        assert_eq!(read(&[began()], own).0.noticed(), None);
    }

    #[test]
    fn what_is_left_names_step_and_command() {
        let command = "strata train --resume runs/x --processes 2";
        let going_on = Mark::GoingOn {
            command: command.to_owned(),
        };
        let (none, _) = read(&[Mark::Saved { step: 40 }], "");
        let expected = format!("training had not begun; give the command again: `{COMMAND}`");
        assert_eq!(none.left(), expected);
        let (begun, _) = read(std::slice::from_ref(&going_on), "");
        let expected = format!("nothing of the run was saved; begin it again with `{command}`");
        assert_eq!(begun.left(), expected);
        let (saved, _) = read(
            &[going_on, Mark::Saved { step: 40 }, Mark::Saved { step: 50 }],
            "",
        );
        let expected = format!("the run is saved up to step 50; go on with `{command}`");
        assert_eq!(saved.left(), expected);
    }
}
