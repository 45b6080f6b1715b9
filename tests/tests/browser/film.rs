//! The animated pictures of the README: the page while it learns, in light and dark colours.
//!
//! `cargo xtask film` makes them.

use std::fs::File;
use std::io::{BufWriter, Cursor};
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use serde_json::json;
use strata_tests::browser::Options;

use crate::playground::{PATIENCE, Playground};

/// Size of the page in CSS pixels; each becomes `SCALE` pixels of the film.
const PAGE: (u32, u32) = (1280, 1010);
const SCALE: f64 = 0.55;
/// Number of frames; the last one is shown for longer.
const FRAMES: usize = 13;
const BETWEEN: Duration = Duration::from_millis(480);
/// Most bytes of a film.
const LARGEST: u64 = 1_000_000;

#[tokio::test]
#[ignore = "writes the pictures of the README"]
async fn the_page_while_it_learns() {
    let folder = env::var("STRATA_FILM").expect("STRATA_FILM names the folder for the pictures");
    for (name, dark) in [("light", false), ("dark", true)] {
        let path = Path::new(&folder).join(format!("learning-{name}.png"));
        write(&path, &frames(dark).await);
        let bytes = fs::metadata(&path).expect("it was written").len();
        println!("{}: {} kB", path.display(), bytes / 1000);
        assert!(bytes <= LARGEST, "{bytes} bytes");
    }
}

/// Returns screenshots from the first step to the last, as PNG files.
async fn frames(dark: bool) -> Vec<Vec<u8>> {
    let options = Options {
        dark,
        ..Options::default()
    };
    let page = Playground::open(options, "?preset=copy").await;
    let (width, height) = PAGE;
    let metrics =
        json!({ "width": width, "height": height, "deviceScaleFactor": SCALE, "mobile": false });
    page.devtools("Emulation.setDeviceMetricsOverride", metrics)
        .await;
    page.wait_for_phase("paused").await;
    let mut frames = vec![screenshot(&page).await];
    page.click("#train").await;
    page.wait_for_step(1).await;
    while frames.len() < FRAMES - 1 {
        tokio::time::sleep(BETWEEN).await;
        frames.push(screenshot(&page).await);
    }
    page.wait_for(
        "end of the run, or the question whether it should go on",
        PATIENCE,
        "document.querySelector('#go-on') || document.querySelector('#status').dataset.state === 'finished'",
    )
    .await;
    frames.push(screenshot(&page).await);
    assert_eq!(page.errors().await, Vec::<String>::new());
    frames
}

async fn screenshot(page: &Playground) -> Vec<u8> {
    let taken = page.client().screenshot().await;
    taken.expect("Chromium takes screenshots")
}

/// Writes the frames as an animated PNG that is repeated without end.
fn write(path: &Path, frames: &[Vec<u8>]) {
    let frames: Vec<(u32, u32, Vec<u8>)> = frames.iter().map(|frame| pixels(frame)).collect();
    let (width, height, _) = frames[0];
    let file = BufWriter::new(File::create(path).expect("the folder can be written"));
    let mut film = png::Encoder::new(file, width, height);
    film.set_color(png::ColorType::Rgb);
    film.set_compression(png::Compression::High);
    film.set_animated(frames.len() as u32, 0)
        .expect("there are frames");
    let mut film = film.write_header().expect("the header is written");
    for (index, (_, _, pixels)) in frames.iter().enumerate() {
        let last = index + 1 == frames.len();
        let (seconds, parts) = if last { (3, 1) } else { (1, 2) };
        film.set_frame_delay(seconds, parts)
            .expect("a frame has a delay");
        let changed = match index {
            0 => (0, 0, width, height),
            _ => changed(&frames[index - 1].2, pixels, width),
        };
        let (x, y, columns, rows) = changed;
        film.reset_frame_position()
            .and_then(|()| film.set_frame_dimension(columns, rows))
            .and_then(|()| film.set_frame_position(x, y))
            .expect("a part lies within the frame");
        film.write_image_data(&part(pixels, width, changed))
            .expect("a frame is written");
    }
    film.finish().expect("the end is written");
}

/// Returns the smallest rectangle that contains all pixels in which two frames differ, as left,
/// top, width and height; a single pixel if the frames are equal.
fn changed(before: &[u8], after: &[u8], width: u32) -> (u32, u32, u32, u32) {
    let pixels = before.chunks_exact(3).zip(after.chunks_exact(3)).zip(0..);
    let differing = pixels.filter(|((before, after), _)| before != after);
    let places: Vec<(u32, u32)> = differing.map(|(_, at)| (at % width, at / width)).collect();
    let range = |of: fn(&(u32, u32)) -> u32| {
        let least = places.iter().map(of).min().unwrap_or(0);
        (least, places.iter().map(of).max().unwrap_or(0) - least + 1)
    };
    let ((x, columns), (y, rows)) = (range(|it| it.0), range(|it| it.1));
    (x, y, columns, rows)
}

/// Returns the pixels of a rectangle.
fn part(pixels: &[u8], width: u32, (x, y, columns, rows): (u32, u32, u32, u32)) -> Vec<u8> {
    let row = |row: u32| {
        let start = 3 * ((y + row) * width + x) as usize;
        &pixels[start..][..3 * columns as usize]
    };
    (0..rows).flat_map(row).copied().collect()
}

/// Decodes a PNG into width, height, and red, green and blue of each pixel.
fn pixels(frame: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(Cursor::new(frame));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("a screenshot is a PNG file");
    let mut pixels = vec![
        0;
        reader
            .output_buffer_size()
            .expect("a screenshot has a size")
    ];
    let info = reader.next_frame(&mut pixels).expect("it is whole");
    let channels = info.color_type.samples();
    let pixels = pixels[..info.buffer_size()].chunks_exact(channels);
    let pixels = pixels.flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    (info.width, info.height, pixels.collect())
}
