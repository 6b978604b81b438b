//! A system that is a program: JSON Lines in, JSON Lines out.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ragmeter_core::{Answer, AnswerError, BoxFuture, RagSystem, TestCase};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::pointer::Pointer;
use super::reply::{Reply, ReplyPointers};
use super::template::messages;
use super::wait::backoff;
use super::worker::{Listener, Silence, Worker};
use ragmeter_core::Redactor;

/// What programs get to end by themselves once there is nothing more to do.
const FAREWELL: Duration = Duration::from_secs(2);

/// How a program is run and asked.
#[derive(Clone)]
pub struct CommandSettings {
    /// The system's name in reports.
    pub name: String,
    /// The program: a path, or a name to be looked up in `PATH`. No shell is involved.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// Texts that no message may show.
    pub secrets: Vec<String>,
    /// For one answer.
    pub timeout: Duration,
    /// Times that a case is tried again after the program died or was too slow.
    pub retries: u32,
    /// Programs that run at once, each with one case at a time.
    pub workers: usize,
    /// Hears what the programs write to stderr.
    pub listener: Option<Listener>,
}

impl std::fmt::Debug for CommandSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CommandSettings({} {:?})", self.program.display(), self.args)
    }
}

/// A system that is a program. It is started with the first case and again whenever it dies.
pub struct CommandSystem {
    settings: CommandSettings,
    pointers: ReplyPointers,
    redactor: Redactor,
    places: Semaphore,
    idle: Mutex<Vec<Worker>>,
}

impl std::fmt::Debug for CommandSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CommandSystem({:?})", self.settings)
    }
}

/// Why a try gave no answer.
enum Failure {
    /// It would be the same again.
    Final(String),
    /// The program died or hung: another one may do better.
    Passing(String),
}

impl CommandSystem {
    /// A system; nothing is started yet.
    pub fn new(mut settings: CommandSettings) -> Self {
        let redactor = Redactor::new(settings.secrets.iter().cloned());
        settings.listener = settings.listener.map(|listener| {
            let redactor = redactor.clone();
            let cleaned: Listener = Arc::new(move |line| listener(&redactor.clean(line)));
            cleaned
        });
        Self {
            pointers: layout(),
            redactor,
            places: Semaphore::new(settings.workers.max(1)),
            idle: Mutex::new(Vec::new()),
            settings,
        }
    }

    async fn ask(&self, case: &TestCase) -> Result<Answer, AnswerError> {
        let request =
            json!({ "id": case.id, "question": case.question, "messages": messages(case) });
        let reply = self.request(&case.id, &request).await?;
        let reply = Reply { parts: &[reply], delta: None, redactor: &self.redactor };
        self.pointers.read(reply).map_err(|detail| AnswerError(self.redactor.clean(&detail)))
    }

    /// The program's reply to one line, an object with the same `id`; a program that dies or hangs
    /// is started again as often as the settings say. An object with `error` is an error.
    pub async fn request(&self, id: &str, request: &Value) -> Result<Value, AnswerError> {
        let line = request.to_string();
        let error = |detail: String| AnswerError(self.redactor.clean(&detail));
        let _place = self.places.acquire().await.map_err(|closed| error(closed.to_string()))?;
        let mut retry = 0;
        loop {
            match self.once(id, &line).await {
                Ok(reply) => return Ok(reply),
                Err(Failure::Final(detail)) => return Err(error(detail)),
                Err(Failure::Passing(detail)) if retry >= self.settings.retries => {
                    let tried = match retry {
                        0 => String::new(),
                        retries => format!(" (tried {} times)", retries + 1),
                    };
                    return Err(error(format!("{detail}{tried}")));
                }
                // The first successor may begin at once: most programs die of one case in many.
                Err(Failure::Passing(_)) if retry > 0 => {
                    tokio::time::sleep(backoff(retry - 1)).await;
                }
                Err(Failure::Passing(_)) => {}
            }
            retry += 1;
        }
    }

    async fn once(&self, id: &str, line: &str) -> Result<Value, Failure> {
        let mut worker = self.worker()?;
        let exchanged = tokio::time::timeout(self.settings.timeout, worker.exchange(line)).await;
        // Whoever returns early drops the worker, which ends it with all that it has started.
        let line = match exchanged {
            Ok(Ok(line)) => line,
            Ok(Err(silence)) => {
                let detail = format!("{}{}", silent(&silence, id), last_words(&worker));
                return Err(match silence {
                    Silence::Endless => Failure::Final(detail),
                    Silence::Ended(_) | Silence::Broken(_) => Failure::Passing(detail),
                });
            }
            Err(_) => {
                let seconds = self.settings.timeout.as_secs_f64();
                let detail = format!("the program did not answer within {seconds} s and was ended");
                return Err(Failure::Passing(format!("{detail}{}", last_words(&worker))));
            }
        };
        let reply = self.reply_to(id, &line).map_err(Failure::Final)?;
        // The line was an answer to this case: the worker can go on whatever stands in it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        match &reply["error"] {
            Value::Null => Ok(reply),
            Value::String(said) => Err(Failure::Final(self.redactor.beginning(said))),
            other => Err(Failure::Final(self.redactor.beginning(&other.to_string()))),
        }
    }

    /// The reply in a line, if it is one to this case.
    fn reply_to(&self, id: &str, line: &str) -> Result<Value, String> {
        let shown = || self.redactor.beginning(line);
        let reply: Value = match serde_json::from_str(line) {
            Ok(reply @ Value::Object(_)) => reply,
            _ => {
                return Err(format!(
                    "the program wrote a line that is no JSON object (talk belongs on stderr): {}",
                    shown()
                ));
            }
        };
        let told = match &reply["id"] {
            Value::String(told) => told.clone(),
            other => other.to_string(),
        };
        if told == id {
            return Ok(reply);
        }
        Err(format!("the program was asked `{id}` and answered `{told}`: {}", shown()))
    }

    /// An idle worker that still lives, or a new one.
    fn worker(&self) -> Result<Worker, Failure> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(mut worker) = idle.pop() {
            if !worker.is_over() {
                return Ok(worker);
            }
        }
        drop(idle);
        Worker::start(&self.settings).map_err(|error| {
            Failure::Final(format!(
                "cannot start `{}` in {}: {error}",
                self.settings.program.display(),
                self.settings.folder.display()
            ))
        })
    }
}

impl Drop for CommandSystem {
    fn drop(&mut self) {
        let mut idle =
            std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        idle.iter_mut().for_each(Worker::dismiss);
        let until = Instant::now() + FAREWELL;
        while idle.iter_mut().any(|worker| !worker.is_over()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn silent(silence: &Silence, id: &str) -> String {
    match silence {
        Silence::Ended(status) => {
            let how = status.map_or_else(String::new, |status| format!(" ({status})"));
            format!("the program ended{how} before it answered case `{id}`")
        }
        Silence::Endless => "the program wrote a line of more than 16 MiB".to_owned(),
        Silence::Broken(error) => format!("the pipe to the program broke: {error}"),
    }
}

fn last_words(worker: &Worker) -> String {
    let words = worker.last_words();
    if words.is_empty() {
        return String::new();
    }
    format!("; its last words on stderr:\n{}", words.join("\n"))
}

/// The layout of a reply: all but `answer` may be left out.
fn layout() -> ReplyPointers {
    ReplyPointers {
        answer: Pointer::to(&["answer"]),
        contexts: Some(Pointer::to(&["contexts"])),
        context_text: Pointer::to(&["text"]),
        context_id: Some(Pointer::to(&["id"])),
        context_source: Some(Pointer::to(&["source"])),
        context_score: Some(Pointer::to(&["score"])),
        ids: None,
        tokens_in: Some(Pointer::to(&["usage", "input"])),
        tokens_out: Some(Pointer::to(&["usage", "output"])),
        lenient: true,
    }
}

impl RagSystem for CommandSystem {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn concurrency(&self) -> Option<usize> {
        Some(self.settings.workers)
    }

    fn answer<'a>(&'a self, case: &'a TestCase) -> BoxFuture<'a, Result<Answer, AnswerError>> {
        Box::pin(self.ask(case))
    }
}
