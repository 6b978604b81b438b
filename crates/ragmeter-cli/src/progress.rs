use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ragmeter::{Counters, Limits, RunEvent, Waiting};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::MissedTickBehavior;

/// How often a plain line is printed where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// How often the endpoints are looked at while nothing happens: during a pause nothing does.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Shorter waits come and go with every few calls; they are not worth a line.
const WORTH_A_LINE: Duration = Duration::from_secs(1);

/// Shows what happens: a bar on a terminal, a plain line now and then elsewhere.
pub(crate) async fn show(
    mut events: UnboundedReceiver<RunEvent>,
    counters: Arc<Counters>,
    verbose: bool,
) {
    let mut stage = Stage::begin("", 0);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = looks.tick() => {
                stage.look(&counters);
                continue;
            }
        };
        let Some(event) = event else { break };
        match event {
            RunEvent::Answering { total, kept } => {
                stage.end();
                stage = Stage::begin("answering", total.saturating_sub(kept));
                if kept > 0 {
                    stage.say(&format!("{kept} of {total} answers kept from before"));
                }
            }
            RunEvent::Judging { total } => {
                stage.end();
                stage = Stage::begin("judging", total);
            }
            RunEvent::Embedding { total } => {
                stage.end();
                stage = Stage::begin("embedding", total);
            }
            RunEvent::Answered { system, case_id, error } => {
                stage.step(1, &counters);
                if let Some(error) = error.filter(|_| verbose) {
                    stage.say(&format!("{system}: case {case_id}: {error}"));
                }
            }
            RunEvent::Said { system, line } => {
                if verbose {
                    stage.say(&format!("{system}: {line}"));
                }
            }
            RunEvent::Judged { failed, index } => {
                stage.step(1, &counters);
                if verbose && failed > 0 {
                    stage.say(&format!("record {}: {failed} facts failed", index + 1));
                }
            }
            RunEvent::Embedded { count } => stage.step(count, &counters),
        }
    }
    stage.end();
}

struct Stage {
    name: &'static str,
    total: usize,
    done: usize,
    begun: Instant,
    said: Instant,
    /// Whether a wait lasts that a line was worth, and when the last such line was printed.
    waits: bool,
    said_wait: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl Stage {
    fn begin(name: &'static str, total: usize) -> Self {
        let now = Instant::now();
        let bar = (total > 0 && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(total as u64),
                ProgressDrawTarget::stderr_with_hz(5),
            );
            // What is waited for stands within 80 columns; what is beyond the width is cut.
            let style = "{prefix:>10} {bar:12} {pos}/{len} {msg}, {per_sec}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar.set_prefix(name);
            bar
        });
        Self { name, total, done: 0, begun: now, said: now, waits: false, said_wait: None, bar }
    }

    fn step(&mut self, count: usize, counters: &Counters) {
        self.done += count;
        if let Some(bar) = &self.bar {
            bar.inc(count as u64);
        }
        self.show(counters, &counters.limits());
    }

    /// Shows how the endpoints are while no step comes.
    fn look(&mut self, counters: &Counters) {
        if self.done >= self.total {
            return;
        }
        let limits = counters.limits();
        let waits = limits.values().any(|one| one.waiting.is_some_and(|w| left(w) >= WORTH_A_LINE));
        let begins = waits && !self.waits;
        self.waits = waits;
        if begins && self.said_wait.is_none_or(|said| said.elapsed() >= PLAIN_EVERY) {
            self.said_wait = Some(Instant::now());
            self.line(counters, &limits);
        }
        self.show(counters, &limits);
    }

    fn show(&mut self, counters: &Counters, limits: &BTreeMap<String, Limits>) {
        if let Some(bar) = &self.bar {
            let (load, spent) = (load(limits), spent(counters));
            bar.set_message(load.into_iter().chain([spent]).collect::<Vec<_>>().join(", "));
        } else if self.said.elapsed() >= PLAIN_EVERY {
            self.line(counters, limits);
        }
    }

    /// One plain line; nothing where there is a bar.
    fn line(&mut self, counters: &Counters, limits: &BTreeMap<String, Limits>) {
        if self.bar.is_some() {
            return;
        }
        self.said = Instant::now();
        let (done, total) = (self.done, self.total);
        let rate = done as f64 / self.begun.elapsed().as_secs_f64();
        let left = match done {
            0 => String::new(),
            _ => format!(", about {:.0} s left", total.saturating_sub(done) as f64 / rate),
        };
        let load = load(limits).map(|load| format!(", {load}")).unwrap_or_default();
        let spent = spent(counters);
        eprintln!("{}: {done}/{total} ({rate:.1}/s, {spent}{load}{left})", self.name);
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What was spent.
fn spent(counters: &Counters) -> String {
    let usage = counters.usage();
    format!("{} calls, {} tokens", counters.calls(), usage.input + usage.output)
}

/// `in flight 12/16, paused 4 s by the endpoint`; nothing before the first call.
fn load(limits: &BTreeMap<String, Limits>) -> Option<String> {
    let used: Vec<&Limits> = limits.values().filter(|one| one.peak > 0).collect();
    if used.is_empty() {
        return None;
    }
    let places: Vec<String> =
        used.iter().map(|one| format!("{}/{}", one.in_flight, one.limit)).collect();
    let mut said = vec![format!("in flight {}", places.join(" + "))];
    for one in used {
        said.extend(one.waiting.map(why));
        let gone = one.servers.iter().filter(|server| server.gone).count();
        said.extend((gone > 0).then(|| format!("{gone} of {} servers gone", one.servers.len())));
    }
    Some(said.join(", "))
}

fn why(waiting: Waiting) -> String {
    let seconds = left(waiting).as_millis().div_ceil(1000).max(1);
    match waiting {
        Waiting::Asked(_) => format!("paused {seconds} s by the endpoint"),
        Waiting::Requests(_) => format!("no requests left for {seconds} s"),
        Waiting::Tokens(_) => format!("too few tokens left for {seconds} s"),
    }
}

fn left(waiting: Waiting) -> Duration {
    match waiting {
        Waiting::Asked(left) | Waiting::Requests(left) | Waiting::Tokens(left) => left,
    }
}

#[cfg(test)]
mod tests {
    use ragmeter::ServerLimits;

    use super::*;

    #[test]
    fn a_line_says_who_works_and_what_is_waited_for() {
        let of = |in_flight, waiting| Limits {
            limit: 16,
            in_flight,
            peak: 1,
            waiting,
            ..Limits::default()
        };
        let said = |all: &[Limits]| {
            let named = all.iter().enumerate().map(|(at, one)| (at.to_string(), one.clone()));
            load(&named.collect())
        };
        assert_eq!(said(&[Limits::default()]), None);
        assert_eq!(said(&[of(12, None)]).as_deref(), Some("in flight 12/16"));
        let asked = Some(Waiting::Asked(Duration::from_millis(3200)));
        assert_eq!(
            said(&[of(0, asked), of(3, None)]).as_deref(),
            Some("in flight 0/16 + 3/16, paused 4 s by the endpoint")
        );
        let server = |gone| ServerLimits { gone, ..ServerLimits::default() };
        let pool = Limits { servers: vec![server(true), server(false)], ..of(1, None) };
        assert_eq!(said(&[pool]).as_deref(), Some("in flight 1/16, 1 of 2 servers gone"));
        let requests = Some(Waiting::Requests(Duration::from_mins(1)));
        let tokens = Some(Waiting::Tokens(Duration::from_millis(1)));
        assert_eq!(
            said(&[of(1, requests), of(2, tokens)]).as_deref(),
            Some("in flight 1/16 + 2/16, no requests left for 60 s, too few tokens left for 1 s")
        );
    }
}
