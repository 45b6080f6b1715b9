//! The page's side of a worker: starts it, sends it commands, moves the run to another worker, and
//! replaces a worker that fails.

use super::autosave::Autosave;
use super::connection::{Connection, WorkerMessage};
use super::failures::Failures;
use super::inbox::Inbox;
use super::outbox::Outbox;
use super::recovery::Recovery;
use super::wear::Wear;
use super::worker_texts::WorkerTexts;
use crate::address::Device;
use crate::keeping::model_file;
use crate::sentence::sentence;
use crate::state::{Action, Beside};
use crate::texts::WorkerRequest;
use gloo::timers::callback::Interval;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::{Command, Event};
use strata_tasks::TaskConfig;
use strata_training::Experiment;
use yew::Callback;

/// Milliseconds between two checks of whether a worker is silent.
const LOOK_EVERY: u32 = 5_000;

/// Number of checks without a message after which a busy worker is given up, unless `OF_USUAL` is
/// more.
const LONGEST_SILENCE: u32 = 60;
/// A busy worker is not given up before this many times its longest silence so far.
const OF_USUAL: u32 = 5;

/// The page's only access to the worker; clones share one worker.
#[derive(Clone)]
pub struct WorkerHandle {
    act: Callback<Action>,
    /// Called with every command that the page sends.
    told: Rc<dyn Fn(&Command)>,
    inbox: Inbox,
    link: Rc<RefCell<Link>>,
}

#[derive(Default)]
struct Link {
    device: Device,
    connection: Option<Connection>,
    /// Requests that wait until the worker listens.
    waiting: Outbox,
    given: WorkerTexts,
    listening: bool,
    recovery: Recovery,
    autosave: Autosave,
    failures: Failures,
    wear: Wear,
    /// The device to which the run moves as soon as its checkpoint comes.
    moving_to: Option<Device>,
    /// Name of the file to which the next checkpoint is saved.
    file: Option<String>,
    /// The command to send once the requested run is ready; dropped if the worker refuses the run.
    then: Option<Command>,
    /// Number of checks since the worker's last message, and the highest such number so far.
    silence: (u32, u32),
    look: Option<Interval>,
}

impl WorkerHandle {
    /// Returns a handle without a worker; the first command starts one. `told` is called with every
    /// command that the page sends.
    pub fn new(act: Callback<Action>, told: impl Fn(&Command) + 'static) -> Self {
        Self {
            inbox: Inbox::new(act.clone()),
            act,
            told: Rc::new(told),
            link: Rc::default(),
        }
    }

    /// Sends the worker a request, now or as soon as the worker listens.
    pub fn send(&self, letter: impl Into<WorkerRequest>) {
        let letter = letter.into();
        (self.told)(&letter.command);
        let device = {
            let mut link = self.link.borrow_mut();
            if letter.command.begins_another_run() && link.can_save() && link.autosave.is_worth_it()
            {
                // Another run replaces the present one in the worker: save its last steps first.
                // The borrow ends here, since `save` sends a request of its own.
                drop(link);
                self.save();
                link = self.link.borrow_mut();
            }
            if letter.command.begins_another_run() {
                link.then = None;
            }
            link.recovery.command(&letter.command);
            link.given.note(&letter);
            if let Some(connection) = &link.connection {
                // While the run moves, all requests but `Save` wait for the worker that takes the
                // run over.
                let moves = link.moving_to.is_some() && !matches!(letter.command, Command::Save);
                if !link.listening || moves {
                    link.waiting.push(letter);
                    return;
                }
                let posted = connection.post(&letter);
                drop(link);
                if let Err(reason) = posted {
                    self.act.emit(Action::Tell(reason));
                }
                return;
            }
            // The user tries again after too many failures, or has just loaded the page.
            link.failures.forgive();
            link.waiting.push(letter);
            link.device
        };
        self.start(device);
    }

    /// Sends this command as soon as the run that was just requested is ready. If the worker
    /// refuses the run, the command is dropped: a user who wants that run trained does not want
    /// another one trained instead.
    pub fn then(&self, command: Command) {
        self.link.borrow_mut().then = Some(command);
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
        self.link.borrow().given.has(task)
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
        let run = link
            .recovery
            .commands()
            .into_iter()
            .map(WorkerRequest::from);
        let first = link.given.around(run);
        link.waiting.begin_again(first.into_iter());
        link.autosave.restart(now());
        link.silence = (0, 0);
        match connection {
            Some(connection) => {
                // Dropping the old connection ends its worker.
                link.connection = Some(connection);
                let handle = self.clone();
                link.look = Some(Interval::new(LOOK_EVERY, move || handle.look()));
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
        let (heard, failed) = (self.clone(), self.clone());
        Connection::start(
            device,
            move |said| heard.hear(said),
            move |reason| failed.lose(reason),
        )
    }

    fn hear(&self, said: WorkerMessage) {
        {
            let mut link = self.link.borrow_mut();
            let (silent, most) = link.silence;
            link.silence = (0, most.max(silent));
        }
        match said {
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
        let posted = waiting.iter().try_for_each(|letter| {
            let link = self.link.borrow();
            link.connection
                .as_ref()
                .map_or(Ok(()), |connection| connection.post(letter))
        });
        if let Err(reason) = posted {
            self.act.emit(Action::Tell(reason));
        }
    }

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
    fn look(&self) {
        let mut link = self.link.borrow_mut();
        if !link.recovery.is_busy() {
            link.silence.0 = 0;
            return;
        }
        link.silence.0 += 1;
        let (looks, usual) = link.silence;
        // The limit follows the slowest answer so far: a large model on a slow machine is not given
        // up.
        if looks <= LONGEST_SILENCE.max(OF_USUAL * usual) {
            return;
        }
        let device = link.device.title();
        drop(link);
        let minutes = looks * LOOK_EVERY / 60_000;
        self.lose(format!(
            "The {device} worker has not answered for {minutes} minutes"
        ));
    }

    fn take(&self, event: Event) {
        if let Event::Lost { reason } = event {
            self.lose(reason);
            return;
        }
        let mut link = self.link.borrow_mut();
        // All decisions are made while `link` is borrowed, and carried out once the borrow has
        // ended: sending and starting borrow it again.
        link.recovery.event(&event);
        let saves = link.autosave.event(&event, now());
        let file = match &event {
            Event::Saved { step, checkpoint } => link.file.take().map(|name| {
                model_file::download(&format!("{name}-step{step}.safetensors"), checkpoint)
            }),
            Event::Refused { .. } => {
                link.file = None;
                None
            }
            _ => None,
        };
        let texts = match &event {
            Event::Ready(ready) => Some(link.given.ready(&ready.experiment.task)),
            _ => None,
        };
        let worn = matches!(&event, Event::Ready(ready) if link.wear.ready(ready));
        // Moves to the present device, that is, into a new worker, which takes the run over by its
        // checkpoint.
        let renews = worn && link.moving_to.is_none() && link.can_save();
        if renews {
            link.moving_to = Some(link.device);
        }
        // A run moves once its checkpoint is here, or without the last steps if the worker refuses
        // to save.
        let (moves, again) = match &event {
            Event::Saved { .. } => (link.moving_to, None),
            Event::Refused { .. } => (link.moving_to, link.given.refused()),
            _ => (None, None),
        };
        let then = match &event {
            Event::Ready(_) => link.then.take(),
            Event::Refused { .. } => {
                link.then = None;
                None
            }
            _ => None,
        };
        drop(link);
        if let Some(texts) = texts {
            // Events that are still queued are of a run with other texts.
            self.inbox.hand_over();
            self.act.emit(Action::Texts(texts));
        }
        self.inbox.gather(event);
        if let Some(letter) = again {
            self.send(letter);
        }
        if let Some(command) = then {
            self.send(command);
        }
        if let Some(Err(reason)) = file {
            self.act.emit(Action::Tell(reason));
        }
        // Queued events come before those of the new worker, which reports its own run.
        if let Some(device) = moves {
            self.inbox.hand_over();
            self.start(device);
        } else if saves || renews {
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
            link.look = None;
            link.file = None;
            let given_up = link.recovery.lose();
            if given_up {
                link.given.refused();
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

impl Link {
    /// True if a worker listens and has prepared a run.
    fn can_save(&self) -> bool {
        self.listening && self.connection.is_some() && self.recovery.is_prepared()
    }
}

fn has_webgpu() -> bool {
    web_sys::window().is_some_and(|window| {
        js_sys::Reflect::get(&window.navigator(), &"gpu".into())
            .is_ok_and(|gpu| !gpu.is_undefined() && !gpu.is_null())
    })
}

fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}
