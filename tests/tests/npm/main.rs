//! The JavaScript package as a user installs it: from the packed file, behind a plain static server.

mod element;
mod installed;
mod projects;
mod script;
