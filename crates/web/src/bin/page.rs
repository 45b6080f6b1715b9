//! The page.

fn main() {
    strata_web::page::run();
}
