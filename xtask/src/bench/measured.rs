//! A program run to its end: how long it took, and what it used.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// What a program said and used.
pub(super) struct Measured {
    pub(super) out: String,
    /// Seconds.
    pub(super) wall: f64,
    /// Seconds of user and system time.
    pub(super) cpu: f64,
    /// The most memory it held, in MiB.
    pub(super) memory: f64,
}

/// How often memory is looked at. The kernel keeps the peak, so only that of the last moments can
/// be missed.
const LOOK: Duration = Duration::from_millis(10);

/// Runs a command; an error if it fails. Out of /proc (Linux).
pub(super) fn measured(command: &mut Command) -> Result<Measured> {
    let name = command.get_program().to_string_lossy().into_owned();
    let before = children_cpu()?;
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{name} does not start"))?;
    let status = format!("/proc/{}/status", child.id());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let reader = |from: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            from.map(|mut from| from.read_to_string(&mut text)).transpose().map(|_| text)
        })
    };
    let out = reader(out.map(|one| Box::new(one) as _));
    let err = reader(err.map(|one| Box::new(one) as _));
    let mut memory = 0.0_f64;
    let ended = loop {
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        memory = memory.max(peak(&status).unwrap_or(0.0));
        std::thread::sleep(LOOK);
    };
    let wall = begun.elapsed().as_secs_f64();
    let said = |reader: std::thread::JoinHandle<std::io::Result<String>>| match reader.join() {
        Ok(text) => text.with_context(|| format!("what {name} says is no text")),
        Err(_) => bail!("what {name} says could not be read"),
    };
    let (out, err) = (said(out)?, said(err)?);
    if !ended.success() {
        bail!("{name} failed ({ended}): {err}");
    }
    Ok(Measured { out, wall, cpu: children_cpu()? - before, memory })
}

fn peak(status: &str) -> Option<f64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

/// CPU seconds of all children that have ended.
fn children_cpu() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[13].parse::<u64>()? + fields[14].parse::<u64>()?;
    Ok(ticks as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_measured_and_its_failure_told() {
        let mut program = Command::new("sh");
        program.args([
            "-c",
            "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.1; echo done",
        ]);
        let found = measured(&mut program).expect("it ends well");
        assert_eq!(found.out, "done\n");
        assert!(found.wall >= 0.1 && found.cpu > 0.0 && found.memory > 0.1);
        let error = measured(Command::new("sh").args(["-c", "echo why >&2; exit 3"]));
        assert!(error.err().is_some_and(|error| error.to_string().contains("why")));
    }
}
