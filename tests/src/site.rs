//! A plain static server for the tests: a folder of files, and headers of all answers.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

/// No headers beyond the headers of every server.
pub const PLAIN: &str = "";

/// Header by which pages of other origins may load the files.
pub const SHARED: &str = "Access-Control-Allow-Origin: *\r\n";

/// Headers by which a page is isolated from others, and so may share memory with its workers.
pub const ISOLATED: &str = "Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Embedder-Policy: require-corp\r\n";

/// A server of a folder, which runs until the tests end.
pub struct StaticSite {
    port: u16,
}

impl StaticSite {
    /// Serves the files of a folder with these headers.
    pub fn serve(folder: &Path, headers: &'static str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("the server has a port").port();
        let folder = folder.to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = folder.clone();
                // A browser that closed the connection is no fault.
                thread::spawn(move || drop(answer(stream, &folder, headers)));
            }
        });
        Self { port }
    }

    /// Address of the server, without a slash at the end.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

fn answer(mut stream: TcpStream, folder: &Path, headers: &'static str) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The head ends with an empty line.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or("/");
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = path.trim_start_matches('/');
    let mut file: PathBuf = folder.join(path);
    if file.is_dir() {
        file.push("index.html");
    }
    let (status, body) = match fs::read(&file) {
        Ok(body) if !path.contains("..") => ("200 OK", body),
        // Browsers ask for an icon by themselves.
        Err(_) if path == "favicon.ico" => ("200 OK", Vec::new()),
        _ => ("404 Not Found", b"There is no such file.".to_vec()),
    };
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    let kind = match &*ending {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{headers}\
         Connection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}
