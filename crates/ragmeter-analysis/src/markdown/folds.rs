//! What stands folded at the end: failures, cost, definitions, settings.

use super::Text;
use super::safe::safe;
use crate::cost::costs;
use crate::number::{count, decimal};
use crate::{SystemSummary, words};

impl Text<'_> {
    pub(super) fn failures(&mut self, summaries: &[SystemSummary]) {
        let (words, lang) = (self.words, self.lang);
        let mut rows = Vec::new();
        for system in summaries {
            for (metric, summary) in self.run.metrics.iter().zip(&system.summaries) {
                let classed: usize = summary.failures.values().sum();
                let unmeasured = summary.n_failed - classed;
                let classes =
                    summary.failures.iter().map(|(class, n)| (words::absence(*class, lang), *n));
                for (class, n) in classes.chain([(words.not_measured, unmeasured)]) {
                    if n > 0 {
                        let n = count(n as u64, lang);
                        rows.push([safe(&system.name), self.title(metric), class.to_owned(), n]);
                    }
                }
            }
        }
        if rows.is_empty() {
            self.line(&format!("{}\n", words.no_failures));
            return;
        }
        self.fold(words.failures, |text| {
            text.heads(
                &[words.system, words.metric, words.class, words.how_many].map(str::to_owned),
            );
            for row in rows {
                text.row(&row);
            }
        });
    }

    pub(super) fn cost(&mut self) {
        let (words, run, lang) = (self.words, self.run, self.lang);
        let costs = costs(run);
        self.fold(words.ex.cost, |text| {
            let heads = [
                words.system,
                words.ex.seconds,
                words.ex.tokens_in,
                words.ex.tokens_out,
                words.ex.money,
            ];
            text.heads(&heads.map(str::to_owned));
            for cost in costs {
                let tokens = |name: &str| {
                    cost.figures
                        .get(name)
                        .map_or("?".to_owned(), |f| count(f.total.round() as u64, lang))
                };
                let money = cost
                    .money()
                    .map(|(name, f)| format!("{} ({})", decimal(f.total, 4, lang), safe(name)));
                text.row(&[
                    safe(&cost.system),
                    cost.seconds.map_or("?".to_owned(), |s| decimal(s.mean, 2, lang)),
                    tokens("tokens_in"),
                    tokens("tokens_out"),
                    money.unwrap_or_else(|| "?".to_owned()),
                ]);
            }
            text.line("");
            for (name, n) in [
                (words.calls_chat, run.calls.chat),
                (words.calls_embeddings, run.calls.embeddings),
                (words.from_store, run.calls.cached),
                (words.tokens_input, run.tokens.input),
                (words.tokens_output, run.tokens.output),
            ] {
                text.line(&format!("- {name}: {}", count(n, lang)));
            }
        });
    }

    pub(super) fn definitions(&mut self) {
        let (words, run, lang) = (self.words, self.run, self.lang);
        self.fold(words.definitions, |text| {
            for metric in &run.metrics {
                let definition = safe(metric.definition.get(lang));
                let line = format!("- **{}** `{}`: {definition}", text.title(metric), metric.id);
                text.line(&line);
            }
            text.line("");
            for method in [
                words.method_interval,
                words.method_test,
                words.method_missing,
                words.method_refusals,
            ] {
                text.line(&format!("- {}", safe(method)));
            }
        });
    }

    pub(super) fn settings(&mut self) {
        let (words, run, lang) = (self.words, self.run, self.lang);
        self.fold(words.settings, |text| {
            for (name, value) in &run.settings {
                let value = run.wording.get(name).map_or(value.as_str(), |said| said.get(lang));
                text.line(&format!("- {}: {}", safe(words::setting(name, lang)), safe(value)));
            }
        });
    }
}
