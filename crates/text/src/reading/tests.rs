//! Every text is read, or refused by the name of its kind.

#![allow(clippy::unwrap_used)]

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use super::*;

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read(bytes: &[u8]) -> String {
    unpacked_text("t", bytes).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    unpacked_text("t", bytes).unwrap_err().to_string()
}

/// A reader that returns one byte at a time, like a slow pipe.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(1).min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

const TEXT: &str = "der Hund schläft\nüber 我 und 👍\n";

fn wide(text: &str, unit: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}"
        .encode_utf16()
        .chain(text.encode_utf16())
        .flat_map(unit)
        .collect()
}

fn wider(text: &str, unit: impl Fn(u32) -> [u8; 4]) -> Vec<u8> {
    let marked = "\u{feff}".chars().chain(text.chars());
    marked.flat_map(|it| unit(u32::from(it))).collect()
}

#[test]
fn a_byte_order_mark_tells_the_encoding_and_is_taken_off() {
    let texts = [
        TEXT.as_bytes().to_vec(),
        format!("\u{feff}{TEXT}").into_bytes(),
        wide(TEXT, u16::to_le_bytes),
        wide(TEXT, u16::to_be_bytes),
        wider(TEXT, u32::to_le_bytes),
        wider(TEXT, u32::to_be_bytes),
    ];
    for bytes in texts {
        assert_eq!(read(&bytes), TEXT);
        assert_eq!(read(&pack(&bytes)), TEXT);
        let mut slowly = String::new();
        let slow = BufReader::with_capacity(1, Slow(&bytes));
        TextReader::new("t", slow)
            .unwrap()
            .read_to_string(&mut slowly)
            .unwrap();
        assert_eq!(slowly, TEXT);
    }
    // A file with only the mark of UTF-8 is empty; inside a text, the mark is part of the text.
    assert_eq!(read(b"\xef\xbb\xbf"), "");
    assert_eq!(read("a\n\u{feff}b".as_bytes()), "a\n\u{feff}b");
    assert_eq!(read(b""), "");
}

#[test]
fn a_byte_order_mark_that_lies_is_told_with_the_line() {
    for cut in [1, 3] {
        let mut bytes = wide("a\nb👍", u16::to_le_bytes);
        bytes.truncate(bytes.len() - cut);
        let error = refused(&bytes);
        assert!(
            error.starts_with("t, line 2: this is not UTF-16LE"),
            "{error}"
        );
    }
    let swapped = wide("a\n", |it| {
        if it == 0xfeff {
            it.to_be_bytes()
        } else {
            [0xdc, 0]
        }
    });
    assert!(refused(&swapped).contains("not UTF-16BE"));
    assert!(refused(b"\xff\xfe\0\0\0\0\0\x7f").contains("not UTF-32LE"));
}

#[test]
fn an_encoding_without_mark_is_named_where_it_is_certain() {
    let unmarked = |bytes: Vec<u8>, mark: usize| refused(&bytes[mark..]);
    let text = "ein Hund und eine Katze\n".repeat(3);
    for (error, name) in [
        (unmarked(wide(&text, u16::to_le_bytes), 2), "UTF-16LE"),
        (unmarked(wide(&text, u16::to_be_bytes), 2), "UTF-16BE"),
        (unmarked(wider(&text, u32::to_le_bytes), 4), "UTF-32LE"),
        (unmarked(wider(&text, u32::to_be_bytes), 4), "UTF-32BE"),
    ] {
        assert!(error.contains(&format!("looks like {name}")), "{error}");
        assert!(error.contains(&format!("iconv -f {name}")), "{error}");
    }
    // Text without Latin letters has few zeros in UTF-16, but is no UTF-8 either.
    let chinese = "今天 天气 很 好\n".repeat(5);
    let error = unmarked(wide(&chinese, u16::to_le_bytes), 2);
    assert!(error.contains("UTF-16LE"), "{error}");
    let error = unmarked(wide("今天天气很好\n我喜欢猫\n", u16::to_be_bytes), 2);
    assert!(error.contains("UTF-16BE"), "{error}");
    // A few zeros are faults of the text, which are reported elsewhere.
    assert_eq!(read(b"a\0b c d e f g h\n"), "a\0b c d e f g h\n");
    assert!(refused(&[0; 100]).contains("full of zeros"));
}

/// Sentences in several encodings, written by hand.
#[cfg(not(target_family = "wasm"))]
#[test]
fn bytes_that_are_not_utf8_are_located_and_their_encoding_guessed() {
    let error = refused(b"a\nFran\xe7ois est all\xe9 \xe0 l'\xe9cole pr\xe8s du ch\xe2teau\n");
    assert!(
        error.starts_with("t, line 2: byte 5 of the line is not UTF-8"),
        "{error}"
    );
    assert!(error.contains("iconv -f windows-1252 -t UTF-8"), "{error}");
    // "Today the weather is very good." in GB18030.
    let chinese = b"\xbd\xf1\xcc\xec\xcc\xec\xc6\xf8\xba\xdc\xba\xc3\xa1\xa3\n".repeat(4);
    let error = refused(&chinese);
    assert!(error.contains("iconv -f GB18030"), "{error}");
    // Latin-1 among UTF-8, and half a character of UTF-16.
    let error = refused(
        "été\ncaf"
            .as_bytes()
            .iter()
            .chain(b"\xe9\n")
            .copied()
            .collect::<Vec<_>>()
            .as_slice(),
    );
    assert!(
        error.starts_with("t, line 2: byte 4") && error.contains("iconv -c"),
        "{error}"
    );
    let error = refused(b"a\xed\xa0\x80b\n");
    assert!(
        error.starts_with("t, line 1: byte 2") && error.contains("one half"),
        "{error}"
    );
}

#[test]
fn packed_files_and_documents_are_told_by_name() {
    for (magic, what) in [
        (&b"\xfd7zXZ\0\0\x04"[..], "packed by xz"),
        (b"\x5d\0\0\x80\0\xff\xff", "packed by lzma"),
        (b"BZh91AY&SY\x80", "packed by bzip2"),
        (b"\x28\xb5\x2f\xfd\x04", "packed by zstd"),
        (b"\x50\x2a\x4d\x18\x04", "packed by zstd"),
        (b"PK\x03\x04\x14\0", "packed by zip"),
        (b"7z\xbc\xaf\x27\x1c\0", "packed by 7z"),
        (b"Rar!\x1a\x07\x01\0", "packed by rar"),
        (b"\x04\x22\x4d\x18\x64", "packed by lz4"),
        (b"\x1f\x9d\x90", "packed by compress"),
        (b"LZIP\x01", "packed by lzip"),
        (b"%PDF-1.4\n", "a PDF document"),
        (b"PAR1\x15", "a Parquet table"),
    ] {
        let mut bytes = magic.to_vec();
        bytes.extend([0xff; 200]);
        let error = refused(&bytes);
        assert!(
            error.starts_with(&format!("t: this file is {what}; ")),
            "{error}"
        );
        // Files are also recognised inside gzip, and from a slow pipe.
        assert!(refused(&pack(&bytes)).contains(what));
        let slow = BufReader::with_capacity(1, Slow(&bytes));
        let error = TextReader::new("t", slow).err().unwrap().to_string();
        assert!(error.contains(what), "{error}");
    }
    let mut docx = b"PK\x03\x04".to_vec();
    docx.resize(30, 1);
    docx.extend(b"[Content_Types].xml");
    assert!(refused(&docx).contains("office program"));
    assert!(refused(&pack(&pack(b"a"))).contains("gzip twice"));
    let mut tar = b"de.txt".to_vec();
    tar.resize(257, 0);
    tar.extend(b"ustar\x0000");
    tar.resize(512, 0);
    assert!(refused(&tar).contains("a tar archive; unpack"));
    assert!(refused(&pack(&tar)).contains("a tar archive, packed by gzip"));
    // Words that begin like such files are text.
    for text in ["BZh is a name\n", "PK\n", "Rar!\n", "7z\n", "]\n"] {
        assert_eq!(read(text.as_bytes()), text);
    }
}

#[test]
fn gzip_is_read_in_parts_and_with_zeros_behind_and_told_where_it_is_broken() {
    let mut packed = pack(b"a\tb\n");
    packed.extend(pack(b"c\td\n"));
    assert_eq!(read(&packed), "a\tb\nc\td\n");
    packed.extend([0; 1000]);
    assert_eq!(read(&packed), "a\tb\nc\td\n");
    packed.extend(pack(b"e\n"));
    assert_eq!(read(&packed), "a\tb\nc\td\ne\n");
    packed.extend(b"rubbish");
    assert!(refused(&packed).starts_with("t: the gzip data is broken"));
    let packed = pack(b"a\tb\n".repeat(100).as_slice());
    for bytes in [&packed[..packed.len() - 6], &[], b"a\tb\n"] {
        let error = unpacked_text("t.gz", bytes).unwrap_err().to_string();
        assert!(
            error.starts_with("t.gz: the gzip data is broken"),
            "{error}"
        );
    }
}

#[test]
fn unpacking_stops_at_its_limit() {
    let packed = pack(&vec![b'a'; (1 << 20) + 1]);
    let error = read_text("bomb.gz", &packed, 1).unwrap_err();
    assert!(error.to_string().contains("larger than 1 MiB"), "{error}");
    assert!(read_text("fits.gz", &pack(&vec![b'a'; 1 << 20]), 1).is_ok());
}

#[test]
fn carriage_returns_as_the_only_line_ends_are_named() {
    let check = |text: &str| check_line_ends("t", text);
    for text in ["a\rb\rc\r", "a\rb", "a\rb\r\n", "\ra"] {
        assert!(
            check(text)
                .unwrap_err()
                .to_string()
                .contains("carriage returns"),
            "{text:?}"
        );
    }
    for text in ["", "a", "a\r\n", "a\r\r\n", "a\rb\nc\n", "\r", "a\n"] {
        check(text).unwrap();
    }
}

#[test]
fn a_line_that_is_typed_is_not_kept_waiting_for_another() {
    /// Reader that returns one line, and panics if it is asked for more.
    struct Typed(bool);
    impl Read for Typed {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0, "it was asked for more than a line");
            self.0 = true;
            buffer[..2].copy_from_slice(b"a\n");
            Ok(2)
        }
    }
    let mut reader = TextReader::new("t", BufReader::new(Typed(false))).unwrap();
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "a\n");
}

#[cfg(unix)]
#[test]
fn a_tilde_is_the_home_folder_unless_there_is_one_of_that_name() {
    use std::path::Path;
    let home = std::env::home_dir().unwrap();
    assert_eq!(expanded(Path::new("~/de.txt")), home.join("de.txt"));
    for path in ["a/~/b", "~someone/de.txt", "de.txt", "/~/x", "./~"] {
        assert_eq!(expanded(Path::new(path)), Path::new(path));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_writes_holds_up_no_other_file() {
    use std::sync::mpsc;
    use std::time::Duration;
    use std::{fs, process, thread};

    let folder = std::env::temp_dir().join(format!("strata-pipe-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let [pipe, file] = ["pipe", "file"].map(|name| folder.join(name));
    let made = process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    fs::write(&file, "file").unwrap();
    let waiting = thread::spawn({
        let pipe = pipe.clone();
        move || file_bytes(&pipe).unwrap()
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(file_bytes(&file).unwrap()));
    let read = receiver.recv_timeout(Duration::from_secs(60));
    fs::write(&pipe, "pipe").unwrap();
    assert_eq!(waiting.join().unwrap(), b"pipe");
    assert_eq!(read.unwrap(), b"file");
    assert_eq!(file_bytes(&pipe).unwrap(), b"pipe");
    fs::remove_dir_all(&folder).unwrap();
}
