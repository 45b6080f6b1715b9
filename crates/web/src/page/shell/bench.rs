//! The page if its address asks for a workload: shows the result as one line of JSON, and computes
//! nothing else.
//!
//! An error is a line of JSON, too, with the key `error`.

use crate::address::Device;
use crate::link::connection::{Connection, WorkerMessage};
use crate::page::shell::bench_order::BenchOrder;
use crate::sentence::rounded;
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::Event;
use strata_training::workload::WorkloadReport;
use web_sys::{Document, Element};

/// Id of the element that contains the line.
const RESULT: &str = "bench-result";

/// Runs the workload that the address asks for, and writes the line into the page.
pub fn run(root: &Element, order: Result<BenchOrder, String>) {
    let Some(document) = root.owner_document() else {
        return;
    };
    root.set_text_content(None);
    root.set_class_name("bench");
    // `role` is a valid attribute name, so setting it cannot fail.
    let _ = root.set_attribute("role", "main");
    let (Some(title), Some(result)) = (
        append(&document, root, "h1"),
        append(&document, root, "pre"),
    ) else {
        return;
    };
    result.set_id(RESULT);
    let order = match order {
        Ok(order) => order,
        Err(reason) => {
            title.set_text_content(Some("This workload cannot be run"));
            let line = json!({ "peer": "strata", "error": reason });
            return result.set_text_content(Some(&line.to_string()));
        }
    };
    let device = order.device;
    title.set_text_content(Some(&format!("{} on {}", order.name, device.title())));
    measure(order, move |line| result.set_text_content(Some(&line)));
}

/// Starts a worker for the workload; `write` is called with the line.
fn measure(order: BenchOrder, write: impl Fn(String) + 'static) {
    let held: Rc<RefCell<Option<Connection>>> = Rc::default();
    let write: Rc<dyn Fn(Result<WorkloadReport, String>)> = Rc::new({
        let (held, order) = (Rc::clone(&held), order.clone());
        move |outcome| {
            // Tools that count calls to the GPU ask all workers of a page, and wait for each
            // answer. A CPU worker makes no such calls, and its sleeping threads never answer, so
            // it is ended.
            if order.device == Device::Cpu {
                held.take();
            }
            write(line(&order, outcome));
        }
    });
    let heard = {
        let (held, write, order) = (Rc::clone(&held), Rc::clone(&write), order.clone());
        move |said| match said {
            WorkerMessage::Listening => {
                let letter = order.command().into();
                let posted = held.borrow().as_ref().map(|worker| worker.post(&letter));
                if let Some(Err(reason)) = posted {
                    write(Err(reason));
                }
            }
            WorkerMessage::Event(Event::Benched(report)) => write(Ok(report)),
            WorkerMessage::Event(Event::Refused { reason } | Event::Lost { reason })
            | WorkerMessage::Unknown(reason) => write(Err(reason)),
            WorkerMessage::Held | WorkerMessage::Event(_) => {}
        }
    };
    let failed = {
        let write = Rc::clone(&write);
        move |reason| write(Err(reason))
    };
    let worker = Connection::start(order.device, heard, failed);
    if worker.is_none() {
        write(Err(
            "This browser does not let the page start a worker".to_owned()
        ));
    }
    // The worker's listener and this function share the connection, which lives as long as the
    // page.
    *held.borrow_mut() = worker;
}

fn line(order: &BenchOrder, outcome: Result<WorkloadReport, String>) -> String {
    let device = order.device.name();
    let line = match outcome {
        Ok(mut report) => {
            report.device = device.to_owned();
            json!(report)
        }
        Err(reason) => json!({
            "peer": "strata",
            "workload": order.name,
            "device": device,
            "error": rounded(&reason),
        }),
    };
    line.to_string()
}

fn append(document: &Document, root: &Element, name: &str) -> Option<Element> {
    let element = document.create_element(name).ok()?;
    root.append_child(&element).ok()?;
    Some(element)
}
