use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ragmeter::{Counters, RunEvent};
use tokio::sync::mpsc::UnboundedReceiver;

/// How often a plain line is printed where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Shows what happens: a bar on a terminal, a plain line now and then elsewhere.
pub(crate) async fn show(
    mut events: UnboundedReceiver<RunEvent>,
    counters: Arc<Counters>,
    verbose: bool,
) {
    let mut stage = Stage::begin("", 0);
    while let Some(event) = events.recv().await {
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
            let style = "{prefix:>10} {bar:30} {pos}/{len} {per_sec} {msg} left {eta}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar.set_prefix(name);
            bar
        });
        Self { name, total, done: 0, begun: now, said: now, bar }
    }

    fn step(&mut self, count: usize, counters: &Counters) {
        self.done += count;
        let usage = counters.usage();
        let cost = format!("{} calls, {} tokens", counters.calls(), usage.input + usage.output);
        if let Some(bar) = &self.bar {
            bar.set_message(cost);
            bar.inc(count as u64);
        } else if self.said.elapsed() >= PLAIN_EVERY {
            self.said = Instant::now();
            let seconds = self.begun.elapsed().as_secs_f64();
            let rate = self.done as f64 / seconds;
            let left = self.total.saturating_sub(self.done) as f64 / rate;
            eprintln!(
                "{}: {}/{} ({rate:.1}/s, {cost}, about {left:.0} s left)",
                self.name, self.done, self.total
            );
        }
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
