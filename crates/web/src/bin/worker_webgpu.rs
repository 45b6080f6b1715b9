//! The worker that computes on the graphics card.

fn main() {
    strata_web::worker::run(strata_web::worker::Backend::WebGpu);
}
