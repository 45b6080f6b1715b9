//! Small server of static files, for this machine only.
//!
//! Each connection has one request and one thread: browsers open connections that they may never
//! use, and such a connection must not delay others.

use crate::{publish, site};
use anyhow::{Context, Result, anyhow};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Headers of every answer. The first makes a reload show the latest build; the next two isolate
/// the page from other origins, so that it can use threads and precise clocks; the fourth lets
/// isolated pages of other origins show it in a frame. (The service worker adds these three to
/// pages of servers that do not send them.)
const HEADERS: &str = "Cache-Control: no-cache\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Embedder-Policy: require-corp\r\n\
    Cross-Origin-Resource-Policy: cross-origin\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Connection: close\r\n";

/// Largest size of a request's head that is read, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// Time limit for sending a request, and for each silence of the client during the answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Binds a port of this machine; 0 binds any free port.
pub fn take_port(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!(
            "port {port} is taken by another program; choose another one with `--port {}`",
            if port == 8080 { 8081 } else { 8080 }
        ),
        ErrorKind::PermissionDenied => {
            anyhow!("port {port} is kept for the system; choose one above 1023 with `--port 8080`")
        }
        _ => anyhow!(error).context(format!("port {port} cannot be opened")),
    })
}

/// Folder of files to serve, and the policy that is sent with the files.
struct Site {
    folder: PathBuf,
    /// Content-Security-Policy of the page; the policy also holds for workers.
    policy: String,
}

/// A server that runs on threads of its own until the program ends.
pub struct Server {
    /// Address on which the server listens.
    pub address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Starts a server for the files of a folder.
    pub fn start(listener: TcpListener, folder: &Path) -> Result<Self> {
        let address = listener.local_addr().context("the server has no address")?;
        let folder = folder
            .canonicalize()
            .with_context(|| format!("there is no folder {} to serve", folder.display()))?;
        let policy = publish::policy(&folder)?;
        let site = Arc::new(Site { folder, policy });
        let accepting = thread::spawn(move || {
            for connection in listener.incoming() {
                match connection {
                    Ok(stream) => {
                        let site = Arc::clone(&site);
                        // A client that closed the connection is not an error.
                        thread::spawn(move || drop(answer(&site, &stream)));
                    }
                    // File handles have probably run out; they become free as answers end.
                    Err(_) => thread::sleep(Duration::from_millis(50)),
                }
            }
        });
        Ok(Self { address, accepting })
    }

    /// Serves until the program is stopped.
    pub fn wait(self) -> Result<()> {
        self.accepting
            .join()
            .map_err(|_| anyhow!("the server stopped unexpectedly"))
    }
}

/// Reads one request and sends the answer.
fn answer(site: &Site, stream: &TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let Some(head) = head(stream, Instant::now() + PATIENCE)? else {
        let refusal = "The head of a request may have 64 KiB.\n";
        return site.say(stream, "431 Request Header Fields Too Large", refusal);
    };
    let request = String::from_utf8_lossy(&head);
    let mut words = request.lines().next().unwrap_or_default().split(' ');
    let (method, path) = (words.next(), words.next());
    let (Some(method @ ("GET" | "HEAD")), Some(path)) = (method, path) else {
        let refusal = "Only GET and HEAD are answered here.\n";
        return site.say(
            stream,
            "405 Method Not Allowed\r\nAllow: GET, HEAD",
            refusal,
        );
    };
    let found = site::find(&site.folder, path).and_then(|file| {
        let content_type = site::content_type(&file);
        Some((content_type, File::open(file).ok()?))
    });
    let Some((content_type, mut file)) = found else {
        return site.say(stream, "404 Not Found", "There is no such file here.\n");
    };
    let length = file.metadata()?.len();
    site.send_head(stream, "200 OK", content_type, length)?;
    if method == "GET" {
        io::copy(&mut file, &mut &*stream)?;
    }
    Ok(())
}

/// Reads the head of a request, up to its empty line; `None` if the head is too long. The time
/// limit `end` also holds for clients that send byte by byte.
fn head(mut stream: &TcpStream, end: Instant) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    let mut part = [0; 4096];
    // All of the head is read: closing a connection with unread bytes would cut the answer.
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            read => head.extend_from_slice(&part[..read]),
        }
        if head.len() > LONGEST_HEAD {
            return Ok(None);
        }
    }
    Ok(Some(head))
}

impl Site {
    fn say(&self, mut stream: &TcpStream, status: &str, text: &str) -> io::Result<()> {
        let content_type = "text/plain; charset=utf-8";
        self.send_head(stream, status, content_type, text.len() as u64)?;
        stream.write_all(text.as_bytes())
    }

    fn send_head(
        &self,
        mut stream: &TcpStream,
        status: &str,
        content_type: &str,
        length: u64,
    ) -> io::Result<()> {
        let policy = &self.policy;
        let head = format!(
            "HTTP/1.1 {status}\r\n{HEADERS}Content-Security-Policy: {policy}\r\n\
             Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs;

    const PAGE: &str =
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">";

    fn serve() -> (tempfile::TempDir, Server) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), PAGE).unwrap();
        fs::write(folder.path().join("worker.wasm"), "\0asm").unwrap();
        let server = Server::start(take_port(0).unwrap(), folder.path()).unwrap();
        (folder, server)
    }

    fn ask(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_come_with_their_type_length_and_isolation() {
        let (_folder, server) = serve();
        let page = ask(&server, "GET /?seed=3");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.ends_with(&format!("\r\n\r\n{PAGE}")), "{page}");
        let worker = ask(&server, "GET /worker.wasm");
        for line in [
            "Content-Type: application/wasm\r\n",
            "Content-Length: 4\r\n",
            "Cache-Control: no-cache\r\n",
            "Cross-Origin-Opener-Policy: same-origin\r\n",
            "Cross-Origin-Embedder-Policy: require-corp\r\n",
            "Content-Security-Policy: default-src 'none'; frame-ancestors *\r\n",
        ] {
            assert!(worker.contains(line), "no {line} in {worker}");
        }
    }

    #[test]
    fn what_is_not_there_is_404() {
        let (folder, server) = serve();
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(folder.path().join(".hidden"), "secret").unwrap();
        for path in [
            "/../Cargo.toml",
            "/inner/../../Cargo.toml",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/%2e%2e%2f%2e%2e%2fetc/passwd",
            "/..%5c..%5cetc",
            "/worker.wasm%00.html",
            "/worker.wasm\0",
            "/.hidden",
            "/%2ehidden",
            // Requests for folders get no listing.
            "/inner",
            "/inner/",
            "http://127.0.0.1/worker.wasm",
            "worker.wasm/",
            &format!("/{}", "a".repeat(60_000)),
            &"/a".repeat(30_000),
        ] {
            let answer = ask(&server, &format!("GET {path}"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
            assert!(!answer.contains("secret"), "{path}: {answer}");
        }
    }

    #[test]
    fn every_answer_keeps_the_page_apart_from_others() {
        let (_folder, server) = serve();
        for request in ["GET /", "GET /none", "PUT /", "HEAD /worker.wasm"] {
            let answer = ask(&server, request);
            for line in HEADERS.lines() {
                assert!(answer.contains(line), "{request}: no {line} in {answer}");
            }
            let policy = "Content-Security-Policy: default-src 'none'; frame-ancestors *\r\n";
            assert!(answer.contains(policy), "{request}: {answer}");
        }
    }

    #[test]
    fn a_part_that_is_asked_for_comes_with_the_whole() {
        let (_folder, server) = serve();
        let answer = ask(
            &server,
            "GET /worker.wasm HTTP/1.1\r\nRange: bytes=1-2\r\nX:",
        );
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\n\0asm"), "{answer}");
    }

    #[test]
    fn heads_that_never_end_are_refused() {
        let (_folder, server) = serve();
        for request in [
            format!("GET /{}", "a".repeat(100_000)),
            format!("GET / HTTP/1.1{}", "\r\nX-More: more".repeat(10_000)),
        ] {
            let mut stream = TcpStream::connect(server.address).unwrap();
            // The server answers before the whole request is sent.
            drop(stream.write_all(request.as_bytes()));
            let mut answer = [0; 12];
            if stream.read_exact(&mut answer).is_ok() {
                assert_eq!(&answer, b"HTTP/1.1 431");
            }
        }
        assert!(ask(&server, "GET /").starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn bytes_that_are_no_request_are_answered() {
        let (_folder, server) = serve();
        for bytes in [&b"\x16\x03\x01\x02\0\n\n"[..], b"\xff\xfe\r\n\r\n", b"\n\n"] {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(bytes).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
        }
    }

    #[test]
    fn who_asks_byte_by_byte_has_no_more_time_than_others() {
        let listener = take_port(0).unwrap();
        let mut slow = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let dripping = thread::spawn(move || {
            while slow.write_all(b"G").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        });
        let given_up = head(&stream, Instant::now() + Duration::from_millis(50)).unwrap_err();
        let kinds = [ErrorKind::TimedOut, ErrorKind::WouldBlock];
        assert!(kinds.contains(&given_up.kind()), "{given_up}");
        drop(stream);
        dripping.join().unwrap();
    }

    #[test]
    fn head_has_no_body_and_other_methods_are_refused() {
        let (_folder, server) = serve();
        let head = ask(&server, "HEAD /");
        assert!(
            head.contains(&format!("Content-Length: {}\r\n", PAGE.len())),
            "{head}"
        );
        assert!(head.ends_with("\r\n\r\n"), "{head}");
        for request in ["POST /", "get /", ""] {
            let answer = ask(&server, request);
            assert!(answer.starts_with("HTTP/1.1 405"), "{request}: {answer}");
        }
    }

    #[test]
    fn silent_connections_hold_up_nobody() {
        let (_folder, server) = serve();
        let connect = |_| TcpStream::connect(server.address).unwrap();
        let silent: Vec<_> = (0..40).map(connect).collect();
        assert!(ask(&server, "GET /").starts_with("HTTP/1.1 200"));
        drop(silent);
    }

    #[test]
    fn a_taken_port_is_told_with_the_way_out() {
        let taken = take_port(0).unwrap();
        let port = taken.local_addr().unwrap().port();
        let sentence = take_port(port).unwrap_err().to_string();
        assert!(
            sentence.contains(&format!("port {port} is taken")),
            "{sentence}"
        );
        assert!(sentence.contains("--port"), "{sentence}");
    }
}
