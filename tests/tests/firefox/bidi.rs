//! WebDriver BiDi: commands, their answers and events, each a JSON text in a WebSocket.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Error, Message, WebSocket};

/// Time limit of a command on a busy machine, loading a page included.
const PATIENCE: Duration = Duration::from_secs(180);

/// Time after which a silent connection is checked again.
const GLANCE: Duration = Duration::from_millis(500);

/// Key of the handshake and its answer: the pair of RFC 6455, section 1.3.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// Length of the longest answer to the handshake, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// A connection to a browser.
pub struct Bidi {
    socket: WebSocket<TcpStream>,
    /// Number of the last command.
    last: u64,
    events: Vec<Value>,
}

impl Bidi {
    /// Connects to the browser that listens on a port of this machine.
    pub fn connect(port: u16) -> Result<Self, String> {
        let refused = |why: String| format!("nothing speaks WebDriver BiDi on port {port}: {why}");
        let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).and_then(|stream| {
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok(stream)
        });
        let mut stream = connected.map_err(|error| refused(error.to_string()))?;
        shake_hands(&mut stream, port).map_err(refused)?;
        let quick = stream.set_read_timeout(Some(GLANCE));
        quick.map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            socket: WebSocket::from_raw_socket(stream, Role::Client, None),
            last: 0,
            events: Vec::new(),
        })
    }

    /// Sends a command, and returns its result. Events that come meanwhile are kept.
    pub fn command(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        let command = json!({ "id": self.last, "method": method, "params": parameters });
        let sent = self.socket.send(Message::text(command.to_string()));
        sent.map_err(|error| format!("{method} could not be sent: {error}"))?;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let message = match self.socket.read() {
                Ok(Message::Text(text)) => text,
                Ok(_) => continue,
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    continue;
                }
                Err(error) => return Err(format!("{method} got no answer: {error}")),
            };
            let message: Value = serde_json::from_str(message.as_str())
                .map_err(|error| format!("the browser sent what is no JSON: {error}"))?;
            if message["type"] == "event" {
                self.events.push(message);
            } else if message["id"] == self.last {
                return answer(method, &message);
            }
        }
        let seconds = PATIENCE.as_secs();
        Err(format!("{method} got no answer within {seconds} s"))
    }

    /// Returns the events since the last call. Events are received only while a command waits.
    pub fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }
}

fn answer(method: &str, message: &Value) -> Result<Value, String> {
    match message["error"].as_str() {
        None => Ok(message["result"].clone()),
        Some(error) => {
            let why = message["message"].as_str().unwrap_or_default();
            Err(format!("{method} was refused ({error}): {why}"))
        }
    }
}

/// Requests a WebSocket; returns a sentence if there is none.
fn shake_hands(stream: &mut TcpStream, port: u16) -> Result<(), String> {
    let request = format!(
        "GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    );
    let sent = stream.write_all(request.as_bytes());
    sent.map_err(|error| error.to_string())?;
    // Byte by byte, since bytes after the head belong to the socket.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) if head.len() < LONGEST_HEAD => head.push(byte[0]),
            Ok(_) => return Err("it does not answer as a WebSocket does".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    let accepts = lines
        .filter_map(|line| line.split_once(':'))
        .any(|(name, value)| {
            name.eq_ignore_ascii_case("Sec-WebSocket-Accept") && value.trim() == ACCEPT
        });
    match status.split(' ').nth(1) {
        Some("101") if accepts => Ok(()),
        _ => Err(format!("it answers {status:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    /// Acts as a browser for one connection: answers the handshake with `head`, then each command
    /// with texts.
    fn browser(
        head: &'static str,
        texts: fn(&Value) -> Vec<Value>,
    ) -> (u16, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let port = listener.local_addr().expect("the port is bound").port();
        let serving = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody connects");
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a whole request");
                request.push(byte[0]);
            }
            stream.write_all(head.as_bytes()).expect("it listens");
            let mut methods = Vec::new();
            let mut socket = WebSocket::from_raw_socket(stream, Role::Server, None);
            while let Ok(Message::Text(text)) = socket.read() {
                let command: Value = serde_json::from_str(text.as_str()).expect("JSON");
                methods.push(command["method"].as_str().unwrap_or_default().to_owned());
                for text in texts(&command) {
                    let sent = socket.send(Message::text(text.to_string()));
                    sent.expect("it listens");
                }
            }
            methods
        });
        (port, serving)
    }

    const UPGRADED: &str = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\
        sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

    #[test]
    fn events_between_a_command_and_its_answer_are_kept() {
        let (port, serving) = browser(UPGRADED, |command| {
            let event = json!({ "type": "event", "method": "log.entryAdded" });
            let other = json!({ "type": "success", "id": 77, "result": "another's" });
            let answer =
                json!({ "type": "success", "id": command["id"], "result": command["params"] });
            vec![event, other, answer]
        });
        let mut bidi = Bidi::connect(port).expect("it is a browser");
        for number in 1..=2 {
            let result = bidi.command("session.status", json!({ "number": number }));
            assert_eq!(result, Ok(json!({ "number": number })));
        }
        assert_eq!(bidi.take_events().len(), 2);
        assert_eq!(bidi.take_events(), Vec::<Value>::new());
        drop(bidi);
        let methods = serving.join().expect("it served");
        assert_eq!(methods, ["session.status", "session.status"]);
    }

    #[test]
    fn a_refusal_is_a_sentence_with_the_command() {
        let (port, _serving) = browser(UPGRADED, |command| {
            vec![
                json!({ "type": "error", "id": command["id"], "error": "no such node", "message": "gone" }),
            ]
        });
        let mut bidi = Bidi::connect(port).expect("it is a browser");
        let refused = bidi.command("script.evaluate", json!({}));
        let sentence = "script.evaluate was refused (no such node): gone";
        assert_eq!(refused, Err(sentence.to_owned()));
    }

    #[test]
    fn what_is_no_websocket_is_told() {
        for head in [
            "HTTP/1.1 404 Not Found\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: another's\r\n\r\n",
        ] {
            let (port, _serving) = browser(head, |_| Vec::new());
            let refused = Bidi::connect(port).err().unwrap_or_default();
            let status = head.lines().next().unwrap_or_default();
            assert!(refused.contains(status), "{refused}");
            assert!(refused.contains(&port.to_string()), "{refused}");
        }
    }
}
