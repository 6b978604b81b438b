//! One running program: a line in, a line out, and nothing of it left behind.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::command::CommandSettings;

/// The longest line that is read from a program.
const LONGEST_LINE: usize = 16 << 20;
/// The longest line of its stderr that is kept and shown.
const LONGEST_WORD: usize = 4 << 10;
/// Lines of stderr that an error shows.
const LAST_WORDS: usize = 5;
/// What a program that ended gets for its last words to arrive.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// Hears every line that a program writes to stderr.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

type Said = Arc<Mutex<VecDeque<String>>>;

/// A running program. It leads a process group of its own, so that Ctrl-C at the terminal reaches
/// ragmeter alone, and so that everything it started ends with it.
pub(crate) struct Worker {
    child: Child,
    /// The process group, until it was ended.
    group: Group,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    said: Said,
    /// Empties stderr: a full pipe would stop the program.
    hearing: JoinHandle<()>,
}

/// Why a line was not answered by a line.
#[derive(Debug)]
pub(crate) enum Silence {
    /// The program ended, with its status where that is known.
    Ended(Option<ExitStatus>),
    /// It wrote a line without an end.
    Endless,
    /// Its pipe broke.
    Broken(std::io::Error),
}

impl Worker {
    pub(crate) fn start(settings: &CommandSettings) -> std::io::Result<Self> {
        let mut command = Command::new(&settings.program);
        command
            .args(&settings.args)
            .current_dir(&settings.folder)
            .env_clear()
            .envs(settings.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let gone = || std::io::Error::other("a pipe to the program is missing");
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        let stderr = child.stderr.take().ok_or_else(gone)?;
        let said = Said::default();
        let hearing = tokio::spawn(hear(stderr, Arc::clone(&said), settings.listener.clone()));
        let group = group_of(&child);
        Ok(Self { child, group, stdin: Some(stdin), stdout, said, hearing })
    }

    /// Writes a line and waits for the next one. Both go on at once: a program may answer before
    /// it has read everything, and neither pipe may fill up.
    pub(crate) async fn exchange(&mut self, line: &str) -> Result<String, Silence> {
        match self.talk(line).await? {
            (Some(line), _) => Ok(line),
            (None, status) => Err(Silence::Ended(self.ended(status).await)),
        }
    }

    /// The next line, or none with the status of a program that was seen to end.
    async fn talk(&mut self, line: &str) -> Result<(Option<String>, Option<ExitStatus>), Silence> {
        let Self { child, group, stdin, stdout, .. } = self;
        let write = async {
            // A program that is gone can't be written to; what it said before still counts.
            if let Some(stdin) = stdin {
                let _ = stdin.write_all(line.as_bytes()).await;
                let _ = stdin.write_all(b"\n").await;
                let _ = stdin.flush().await;
            }
        };
        let read = async {
            loop {
                let line = read_line(stdout).await?;
                if line.as_ref().is_none_or(|line| !line.trim().is_empty()) {
                    return Ok::<_, Silence>(line);
                }
            }
        };
        let mut talk = std::pin::pin!(async { tokio::join!(write, read).1 });
        // A program's own children may hold its pipes open after it: its end is watched too.
        tokio::select! {
            biased;
            line = &mut talk => Ok((line?, None)),
            status = child.wait() => {
                end_group(group);
                let line = tokio::time::timeout(LAST_BREATH, &mut talk).await;
                Ok((line.unwrap_or(Ok(None))?, status.ok()))
            }
        }
    }

    /// The status of a program that says nothing more, after its last words have come.
    async fn ended(&mut self, status: Option<ExitStatus>) -> Option<ExitStatus> {
        let waited = tokio::time::timeout(LAST_BREATH, self.child.wait()).await;
        end_group(&mut self.group);
        let _ = tokio::time::timeout(LAST_BREATH, &mut self.hearing).await;
        status.or_else(|| waited.ok()?.ok())
    }

    /// The last lines that it wrote to stderr.
    pub(crate) fn last_words(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Tells the program that there is nothing more to do.
    pub(crate) fn dismiss(&mut self) {
        self.stdin = None;
    }

    /// Whether it has ended by itself.
    pub(crate) fn is_over(&mut self) -> bool {
        let over = !matches!(self.child.try_wait(), Ok(None));
        if over {
            end_group(&mut self.group);
        }
        over
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        end_group(&mut self.group);
        let _ = self.child.start_kill();
        self.hearing.abort();
    }
}

#[cfg(unix)]
type Group = Option<rustix::process::Pid>;
#[cfg(not(unix))]
type Group = ();

#[cfg(unix)]
fn group_of(child: &Child) -> Group {
    child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?))
}
#[cfg(not(unix))]
fn group_of(_: &Child) -> Group {}

/// Ends a program with everything that it has started, once: later its number may be another's.
#[cfg(unix)]
fn end_group(group: &mut Group) {
    if let Some(group) = group.take() {
        // An error says that nothing of it is left.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}
#[cfg(not(unix))]
fn end_group(_: &mut Group) {}

/// A line without its end; `None` at the end of the stream.
async fn read_line(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<String>, Silence> {
    let mut line = Vec::new();
    loop {
        let buffer = reader.fill_buf().await.map_err(Silence::Broken)?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let take = end.map_or(buffer.len(), |at| at + 1);
        if take == 0 && line.is_empty() {
            return Ok(None);
        }
        line.extend_from_slice(&buffer[..take]);
        reader.consume(take);
        if line.len() > LONGEST_LINE {
            return Err(Silence::Endless);
        }
        if end.is_some() || take == 0 {
            return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
        }
    }
}

/// Keeps the last lines of stderr, and passes each on.
async fn hear(stderr: ChildStderr, said: Said, listener: Option<Listener>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        let Ok(buffer) = reader.fill_buf().await else { return };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let take = end.map_or(buffer.len(), |at| at + 1);
        let over = take == 0;
        let room = LONGEST_WORD.saturating_sub(line.len()).min(take);
        line.extend_from_slice(&buffer[..room]);
        reader.consume(take);
        if end.is_some() || over {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if !text.is_empty() {
                if let Some(listener) = &listener {
                    listener(&text);
                }
                let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                if said.len() == LAST_WORDS {
                    said.pop_front();
                }
                said.push_back(text);
            }
        }
        if over {
            return;
        }
    }
}
