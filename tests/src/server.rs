//! A file server for the tests, which answers each connection with the next of its replies.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time for which a silent server stays silent; longer than any time limit in a test.
const SILENCE: Duration = Duration::from_secs(20);

/// A server that runs until its replies are used up.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A request that the server got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path of the requested file.
    pub path: String,
    /// Requested range, such as `bytes=5-`.
    pub range: Option<String>,
}

/// A reply of the server.
pub struct Reply {
    head: String,
    body: Vec<u8>,
    /// True if nothing follows, and the connection stays open.
    is_silent: bool,
}

impl Reply {
    /// Replies with the whole file.
    pub fn ok(body: &[u8]) -> Self {
        Self::of("200 OK", body, "")
    }

    /// Announces the whole file, but sends only its first bytes.
    pub fn cut(body: &[u8], bytes: usize) -> Self {
        Self::ok(body).cut_after(bytes)
    }

    /// Replies with the file from a byte on.
    pub fn part(body: &[u8], start: usize) -> Self {
        let range = format!("bytes {start}-{}/{}", body.len() - 1, body.len());
        let range = format!("Content-Range: {range}\r\n");
        Self::of("206 Partial Content", &body[start..], &range)
    }

    /// Replies with this status code.
    pub fn status(code: u16) -> Self {
        Self::of(&format!("{code} Refused"), b"no", "")
    }

    /// Replies that the file is elsewhere.
    pub fn redirect(path: &str) -> Self {
        Self::of("302 Found", b"", &format!("Location: {path}\r\n"))
    }

    /// Closes the connection without a reply.
    pub fn nothing() -> Self {
        Self {
            head: String::new(),
            body: Vec::new(),
            is_silent: true,
        }
    }

    /// Returns the reply, cut after some bytes of the file, where the connection breaks.
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.body.truncate(bytes);
        self
    }

    /// Returns the reply, after which the connection stays open.
    pub fn then_silence(self) -> Self {
        Self {
            is_silent: true,
            ..self
        }
    }

    fn of(status: &str, body: &[u8], more: &str) -> Self {
        let length = body.len();
        Self {
            head: format!(
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n"
            ),
            body: body.to_vec(),
            is_silent: false,
        }
    }

    fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        stream.write_all(self.head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

impl Server {
    /// Starts listening on a free port of this machine.
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("the port is bound");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&requests);
        thread::spawn(move || {
            for reply in replies {
                let Ok((mut stream, _)) = listener.accept() else {
                    break;
                };
                let request = hear(&stream);
                heard
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(request);
                // The client may have gone away.
                let _ = reply.send(&mut stream);
                if reply.is_silent {
                    thread::spawn(move || {
                        thread::sleep(SILENCE);
                        drop(stream);
                    });
                }
            }
        });
        Self { address, requests }
    }

    /// Returns the server's address, `http://127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Request> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads a request up to the end of its head.
fn hear(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let mut range = None;
    for line in lines.take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("range") {
            range = Some(value.trim().to_owned());
        }
    }
    Some(Request { path, range })
}
