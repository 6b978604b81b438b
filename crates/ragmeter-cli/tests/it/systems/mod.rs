//! Systems that run outside ragmeter, through the built binary: an address, a program.

mod bot;
mod command;
mod config;
mod http;
mod killed;
mod project;
