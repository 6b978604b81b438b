//! Systems that run outside ragmeter: behind an HTTP address, or as a program that speaks JSON
//! Lines. Both are [`RagSystem`](ragmeter_core::RagSystem)s like the built-in chain.

mod command;
mod http;
mod pointer;
mod reply;
mod stream;
mod template;
mod wait;
mod worker;

pub use command::{CommandSettings, CommandSystem};
pub use http::{HttpMethod, HttpSettings, HttpSystem, StreamSettings};
pub use pointer::{Pointer, PointerError};
pub use reply::ReplyPointers;
pub use stream::StreamKind;
pub use template::{PLACEHOLDERS, Template, UnknownPlaceholder};
pub use worker::Listener;
