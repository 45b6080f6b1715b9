//! The page's side of a worker: starts the worker, sends commands, moves the run to another worker,
//! and replaces a worker that fails.
//!
//! `link`: state of the link, and what follows from events. The link is in a `RefCell`, and most
//! functions here call others that borrow it again (an event may send a request, a request may save
//! the run, a failed worker is replaced). So each function decides while it borrows the link, ends
//! the borrow, and then acts.

mod link;

use super::connection::{Connection, WorkerMessage};
use super::inbox::Inbox;
use super::program_sizes;
use super::wear::Wear;
use crate::address::Device;
use crate::sentence::sentence;
use crate::state::{Action, Beside};
use crate::texts::WorkerRequest;
use gloo::timers::callback::Interval;
use link::{Consequences, Link, now};
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::{Command, Event};
use strata_tasks::TaskConfig;
use strata_training::Experiment;
use yew::Callback;

/// Milliseconds between two checks of whether a worker is silent.
const CHECK_EVERY: u32 = 5_000;

/// The page's only access to the worker; clones share one worker.
#[derive(Clone)]
pub struct WorkerHandle {
    act: Callback<Action>,
    /// Called with every command that the page sends.
    on_command: Rc<dyn Fn(&Command)>,
    inbox: Inbox,
    link: Rc<RefCell<Link>>,
}

impl WorkerHandle {
    /// Returns a handle without a worker; the first command starts one. `on_command` is called with
    /// every command that the page sends.
    pub fn new(act: Callback<Action>, on_command: impl Fn(&Command) + 'static) -> Self {
        Self {
            inbox: Inbox::new(act.clone()),
            act,
            on_command: Rc::new(on_command),
            link: Rc::default(),
        }
    }

    /// Sends the worker a request, now or as soon as the worker listens.
    pub fn send(&self, request: impl Into<WorkerRequest>) {
        let request = request.into();
        (self.on_command)(&request.command);
        if request.command.begins_another_run() {
            // Another run replaces the present one in the worker: save its last steps first.
            self.save_what_could_be_lost();
            self.link.borrow_mut().when_ready = None;
        }
        let mut link = self.link.borrow_mut();
        // Noted even while the request waits: if the worker dies meanwhile, the next one is
        // prepared as if the request had arrived.
        link.recovery.command(&request.command);
        link.texts.note(&request);
        let Some(connection) = &link.connection else {
            // The user tries again after too many failures, or has just loaded the page.
            link.failures.forgive();
            link.waiting.push(request);
            let device = link.device;
            drop(link);
            self.start(device);
            return;
        };
        // While the run moves, all requests but `Save` wait for the worker that takes the run over:
        // the old worker ends once it has sent the checkpoint.
        let moves = link.moving_to.is_some() && !matches!(request.command, Command::Save);
        if !link.listening || moves {
            link.waiting.push(request);
            return;
        }
        let posted = connection.post(&request);
        drop(link);
        if let Err(reason) = posted {
            self.act.emit(Action::Tell(reason));
        }
    }

    /// Sends this command as soon as the run that was just requested is ready. If the worker
    /// refuses the run, the command is dropped: a user who wants that run trained does not want
    /// another one trained instead.
    pub fn then(&self, command: Command) {
        self.link.borrow_mut().when_ready = Some(command);
    }

    /// Continues the present run under this experiment; training goes on if it was under way.
    pub fn go_on_as(&self, experiment: Experiment) {
        let trains = self.link.borrow().recovery.is_training();
        let experiment = Box::new(experiment);
        self.send(Command::GoOn { experiment });
        if trains {
            self.then(Command::Train);
        }
        // The stored run gets the changed experiment, too.
        if self.link.borrow().can_save() {
            self.save();
        }
    }

    /// Moves to this device, with the run if there is one.
    pub fn choose(&self, device: Device) {
        if device == Device::WebGpu && !has_webgpu() {
            self.act.emit(Action::Stay(self.link.borrow().device));
            self.act.emit(Action::Tell(
                "This browser has no WebGPU, so the CPU does the work.".to_owned(),
            ));
            return;
        }
        let mut link = self.link.borrow_mut();
        if link.connection.is_none() {
            link.device = device;
            return;
        }
        if link.device == device {
            return;
        }
        let saves = link.can_save();
        // A run moves by its checkpoint, so the new worker starts when the checkpoint has come (in
        // `take`).
        link.moving_to = saves.then_some(device);
        drop(link);
        self.act.emit(Action::Move(device));
        if saves {
            self.save();
        } else {
            self.start(device);
        }
    }

    /// Sends the worker a model, as the bytes of a checkpoint file, to compare with the present
    /// one.
    pub fn lay_beside(&self, beside: Beside, checkpoint: Vec<u8>) {
        self.act.emit(Action::Beside(Some(Box::new(beside))));
        let checkpoint = Some(checkpoint);
        self.send(Command::Beside { checkpoint });
    }

    /// True if the worker has prepared a run.
    pub fn has_run(&self) -> bool {
        self.link.borrow().recovery.is_prepared()
    }

    /// True if the worker has the texts that this task reads.
    pub fn has_texts_of(&self, task: &TaskConfig) -> bool {
        self.link.borrow().texts.has(task)
    }

    /// Saves the run if it has unsaved steps, for instance when the page may be about to end.
    pub fn save_what_could_be_lost(&self) {
        let link = self.link.borrow();
        let saves = link.can_save() && link.autosave.is_worth_it();
        drop(link);
        if saves {
            self.save();
        }
    }

    /// Saves the run to a file as soon as its checkpoint comes; returns false if there is no run.
    pub fn save_to_file(&self, name: String) -> bool {
        let mut link = self.link.borrow_mut();
        if !link.can_save() {
            return false;
        }
        link.file = Some(name);
        drop(link);
        self.save();
        true
    }

    fn save(&self) {
        self.link.borrow_mut().autosave.ask(now());
        self.send(Command::Save);
    }

    /// Starts a worker that goes on with the run; the old worker, if there is one, ends.
    fn start(&self, device: Device) {
        let connection = self.connect(device);
        let mut link = self.link.borrow_mut();
        link.device = device;
        link.listening = false;
        link.wear = Wear::default();
        link.moving_to = None;
        // The new worker gets, in this order, the texts that the run reads, the commands that
        // restore the run, and the requests that still wait.
        let run = link.recovery.commands();
        let first = link.texts.around(run.into_iter().map(WorkerRequest::from));
        link.waiting.begin_again(first.into_iter());
        link.autosave.restart(now());
        link.silence = link.silence.of_next(program_sizes::megabytes(device));
        match connection {
            Some(connection) => {
                // Dropping the old connection ends its worker.
                link.connection = Some(connection);
                let handle = self.clone();
                link.watchdog = Some(Interval::new(CHECK_EVERY, move || handle.check_silence()));
            }
            None => {
                link.connection = None;
                drop(link);
                self.act.emit(Action::Lost(
                    "This browser does not let the page start a worker, so nothing can be computed."
                        .to_owned(),
                ));
            }
        }
    }

    fn connect(&self, device: Device) -> Option<Connection> {
        let (receiving, failing) = (self.clone(), self.clone());
        Connection::start(
            device,
            move |message| receiving.receive(message),
            move |reason| failing.lose(reason),
        )
    }

    fn receive(&self, message: WorkerMessage) {
        self.link.borrow_mut().silence.end();
        match message {
            WorkerMessage::Listening => self.begin(),
            WorkerMessage::Held => self.watch_over(),
            WorkerMessage::Event(event) => self.take(event),
            WorkerMessage::Unknown(error) => self.act.emit(Action::Tell(format!(
                "The worker said something that the page does not understand ({error}): reload the page."
            ))),
        }
    }

    /// Sends the requests that waited until the worker listens.
    fn begin(&self) {
        let waiting = {
            let mut link = self.link.borrow_mut();
            link.listening = true;
            link.waiting.take()
        };
        let posted = waiting.iter().try_for_each(|request| {
            let link = self.link.borrow();
            link.connection
                .as_ref()
                .map_or(Ok(()), |connection| connection.post(request))
        });
        if let Err(reason) = posted {
            self.act.emit(Action::Tell(reason));
        }
    }

    /// Notices when the worker ends. A worker that the browser kills for its memory says nothing and
    /// fires no event, but its lock becomes free.
    fn watch_over(&self) {
        let link = self.link.borrow();
        if let Some(connection) = &link.connection {
            let handle = self.clone();
            let device = link.device.title();
            connection.when_gone(move || {
                handle.lose(format!("The browser ended the {device} worker"));
            });
        }
    }

    /// Gives up a worker that should be busy but has been silent for far longer than ever before.
    fn check_silence(&self) {
        let mut link = self.link.borrow_mut();
        if !link.recovery.is_busy() {
            link.silence.checks = 0;
            return;
        }
        link.silence.checks += 1;
        if !link.silence.is_too_long() {
            return;
        }
        let told = link.silence.told(link.device);
        drop(link);
        self.lose(told);
    }

    /// Takes in an event: records the event for the next worker, hands it to the state, and does
    /// what follows.
    fn take(&self, event: Event) {
        if let Event::Lost { reason } = event {
            self.lose(reason);
            return;
        }
        let Consequences {
            texts,
            requests,
            file_fault,
            moves_to,
            saves,
        } = self.link.borrow_mut().take(&event);
        if let Some(texts) = texts {
            // Events that are still queued are of a run with other texts.
            self.inbox.hand_over();
            self.act.emit(Action::Texts(texts));
        }
        self.inbox.gather(event);
        for request in requests {
            self.send(request);
        }
        if let Some(reason) = file_fault {
            self.act.emit(Action::Tell(reason));
        }
        // Queued events come before those of the new worker, which reports its own run.
        if let Some(device) = moves_to {
            self.inbox.hand_over();
            self.start(device);
        } else if saves {
            self.save();
        }
    }

    /// Replaces a worker that is gone by one on the CPU, which goes on from the last checkpoint;
    /// too many failures in a short time end that.
    fn lose(&self, reason: String) {
        // A GPU reports a list of causes, line by line; the first is enough.
        let reason = sentence(reason.lines().next().unwrap_or_default());
        self.inbox.hand_over();
        let (device, step, too_often, given_up) = {
            let mut link = self.link.borrow_mut();
            // Ends the worker, too, if it only was silent: its late events must not reach the
            // state.
            link.connection = None;
            link.watchdog = None;
            link.file = None;
            let given_up = link.recovery.lose();
            if given_up {
                link.texts.refused();
            }
            let too_often = link.failures.add(now());
            // The same failure would come again at once: nothing is sent or trained until the user
            // asks for it.
            if too_often {
                link.waiting.take();
                link.recovery.stop();
                link.device = Device::Cpu;
            }
            (link.device, link.recovery.step(), too_often, given_up)
        };
        if given_up {
            // For the state, giving up a run is the same as a refusal by the worker.
            let reason = "The worker fails over what it was given, so the page stays with the run \
                          before"
                .to_owned();
            self.act
                .emit(Action::Events(vec![Event::Refused { reason }]));
        }
        if too_often {
            self.act.emit(Action::Stay(Device::Cpu));
            self.act.emit(Action::Lost(format!(
                "{reason} That was the third time within a minute, so no other is started. Press \
                 Train to try again from step {step}, or Reset to begin the run again."
            )));
            return;
        }
        let goes_on = match (device, step) {
            (Device::WebGpu, 0) => "The CPU starts the run from the beginning.".to_owned(),
            (Device::WebGpu, step) => format!("The CPU goes on from step {step}."),
            (Device::Cpu, 0) => "Another one starts the run from the beginning.".to_owned(),
            (Device::Cpu, step) => format!("Another one goes on from step {step}."),
        };
        // A GPU that has failed is not tried again by itself; the user can choose it.
        self.act.emit(Action::Move(Device::Cpu));
        self.act.emit(Action::Tell(format!("{reason} {goes_on}")));
        self.start(Device::Cpu);
    }
}

fn has_webgpu() -> bool {
    web_sys::window().is_some_and(|window| {
        js_sys::Reflect::get(&window.navigator(), &"gpu".into())
            .is_ok_and(|gpu| !gpu.is_undefined() && !gpu.is_null())
    })
}
