//! Embeds the lines of a file and prints how long it took, for `scripts/bench_embed.py`.
//!
//!     embed_bench FILE THREADS [ROUNDS]

use std::time::Instant;

use ragmeter_core::EmbedRole;
use ragmeter_local::E5Embedder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: embed_bench FILE THREADS [ROUNDS]")?;
    let threads = args.next().map_or(Ok(1), |n| n.parse())?;
    let rounds: u32 = args.next().map_or(Ok(1), |n| n.parse())?;
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<_> = text.lines().collect();
    let started = Instant::now();
    E5Embedder::bundled()?.with_threads(threads).embed_texts(&["warm"], EmbedRole::Query);
    let load = started.elapsed().as_secs_f64();
    let tokens: usize = {
        let embedder = E5Embedder::bundled()?;
        lines.iter().map(|line| embedder.count_tokens(line)).sum()
    };
    // The fastest round: another process's turn on the core is no property of this one.
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        // A fresh embedder each time, for its cache would answer the second round.
        let embedder = E5Embedder::bundled()?.with_threads(threads);
        embedder.embed_texts(&["warm"], EmbedRole::Query);
        let started = Instant::now();
        let vectors = embedder.embed_texts(&lines, EmbedRole::Passage);
        best = best.min(started.elapsed().as_secs_f64());
        assert_eq!(vectors.len(), lines.len());
    }
    #[expect(clippy::print_stdout, reason = "this is a program")]
    {
        println!("{}\t{tokens}\t{load:.4}\t{best:.4}", lines.len());
    }
    Ok(())
}
