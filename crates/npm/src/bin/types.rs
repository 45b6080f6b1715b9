//! Writes the declarations of the JavaScript package: the protocol's types, the presets and the keys
//! of settings, in TypeScript.

fn main() {
    print!("{}", strata_npm::types());
}
