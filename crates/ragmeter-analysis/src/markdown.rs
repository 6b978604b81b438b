//! The report as Markdown for a pull request.

use std::fmt::Write;

use ragmeter_core::Lang;

use crate::chosen::{Choice, Chosen, Reason, choose};
use crate::number::{Noun, count, counted, difference, p_value, range, score};
use crate::order::telling_first;
use crate::visible::headline;
use crate::words::{self, Words, words};
use crate::{
    Comparison, MetricInfo, RunData, Summary, SystemSummary, Verdict, compare_all,
    diagnosis_sentence, family_warnings, footing, summarize, verdict_sentences,
};

mod folds;
mod safe;

use safe::safe;

/// Most sentences before the rest is folded.
const SENTENCES: usize = 10;
/// Most rows of differences that are all in sight.
const ROWS: usize = 12;
/// Characters of a question.
const QUESTION: usize = 120;
/// Most cases of a list.
const CASES: usize = 10;

/// What every part is made from.
struct Text<'a> {
    run: &'a RunData,
    lang: Lang,
    words: &'static Words,
    out: String,
}

/// The report as GitHub's Markdown: the verdict in words, means with counts and intervals, paired
/// differences, what changed; worst cases, failures, cost, definitions and settings folded away.
///
/// Text of the run can't become markup, a mention, a reference to an issue or a link.
pub fn markdown(run: &RunData, lang: Lang) -> String {
    let mut text = Text { run, lang, words: words(lang), out: String::new() };
    let comparisons = compare_all(run);
    let (summaries, choice) = (summarize(run), choose(run));
    text.head(&comparisons);
    text.summary(&summaries);
    if !comparisons.is_empty() {
        text.differences(&comparisons);
        text.changed(&choice);
    }
    text.worst(&choice);
    text.failures(&summaries);
    text.cost();
    text.definitions();
    text.settings();
    text.out
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn title(&self, metric: &MetricInfo) -> String {
        match metric.title.get(self.lang) {
            "" => safe(&metric.id),
            title => safe(title),
        }
    }

    fn row(&mut self, cells: &[String]) {
        let line = format!("| {} |", cells.join(" | "));
        self.line(&line);
    }

    fn heads(&mut self, cells: &[String]) {
        self.row(cells);
        let rule = format!("|{}", " --- |".repeat(cells.len()));
        self.line(&rule);
    }

    fn fold(&mut self, title: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("<details>\n<summary>{}</summary>\n", safe(title)));
        inside(self);
        self.line("\n</details>\n");
    }

    fn head(&mut self, comparisons: &[Comparison]) {
        let (words, run, lang) = (self.words, self.run, self.lang);
        self.line(&format!("## {}\n", words.title));
        let facts = [
            format!("{} `{}`", words.run, run.run_id.replace('`', "")),
            counted(run.cases.len(), Noun::Case, lang),
            counted(run.systems.len(), Noun::System, lang),
        ];
        self.line(&format!("{}\n", facts.join(" · ")));
        self.line(&format!("### {}\n", words.verdict));
        let sentences = verdict_sentences(&telling_first(comparisons), lang);
        if sentences.is_empty() {
            self.line(&format!("{}\n", words.verdict_one_system));
            return;
        }
        for sentence in sentences.iter().take(SENTENCES) {
            self.line(&format!("- {}", safe(sentence)));
        }
        self.line("");
        if sentences.len() > SENTENCES {
            self.fold(words.ex.sentences, |text| {
                for sentence in &sentences[SENTENCES..] {
                    text.line(&format!("- {}", safe(sentence)));
                }
            });
        }
        let footing = footing(comparisons, lang).unwrap_or_else(|| words.scope.to_owned());
        self.line(&format!("{}\n", safe(&footing)));
        for warning in family_warnings(run, lang) {
            self.line(&format!("**{}**\n", safe(&warning)));
        }
    }

    fn summary(&mut self, summaries: &[SystemSummary]) {
        let (words, run, lang) = (self.words, self.run, self.lang);
        self.line(&format!("### {}\n", words.summary));
        let mut heads = vec![words.system.to_owned()];
        heads.extend(run.metrics.iter().map(|metric| self.title(metric)));
        heads.push(words.records.to_owned());
        self.heads(&heads);
        for system in summaries {
            let mut cells = vec![format!("**{}**", safe(&system.name))];
            cells.extend(system.summaries.iter().map(|summary| cell(summary, words, lang)));
            let number = |n: usize| count(n as u64, lang);
            let mut records = number(system.n_records);
            for (label, n) in [(words.refused, system.n_refused), (words.errors, system.n_errors)] {
                if n > 0 {
                    let _ = write!(records, "<br>{label}: {}", number(n));
                }
            }
            cells.push(records);
            self.row(&cells);
        }
        self.line("");
        let said =
            |system: &SystemSummary| diagnosis_sentence(&system.name, &system.diagnosis?, lang);
        let said: Vec<String> = summaries.iter().filter_map(said).collect();
        if !said.is_empty() {
            self.line(&format!("**{}**\n", words.judged.diagnosis));
            for sentence in said {
                self.line(&format!("- {}", safe(&sentence)));
            }
            self.line("");
        }
    }

    fn differences(&mut self, comparisons: &[Comparison]) {
        let words = self.words;
        self.line(&format!("### {}\n", words.differences));
        let heads = [
            words.metric,
            words.system,
            words.difference,
            words.interval,
            words.p_corrected,
            words.pairs,
            words.verdict,
        ];
        let heads = heads.map(str::to_owned);
        // What is shown, and the first few; the rest is folded.
        let is_told = |one: &Comparison| {
            matches!(one.verdict, Verdict::Better | Verdict::Worse | Verdict::MissingCouldTurn)
        };
        let (mut told, mut rest): (Vec<&Comparison>, Vec<&Comparison>) =
            comparisons.iter().partition(|one| is_told(one));
        if comparisons.len() <= ROWS {
            told = comparisons.iter().collect();
            rest.clear();
        }
        if !told.is_empty() {
            self.heads(&heads);
            self.compared(&told);
        }
        if !rest.is_empty() {
            let title = format!("{}: {}", words.not_shown, rest.len());
            self.fold(&title, |text| {
                text.heads(&heads);
                text.compared(&rest);
            });
        }
    }

    fn compared(&mut self, comparisons: &[&Comparison]) {
        let lang = self.lang;
        for one in comparisons {
            let (a, b) = one.names();
            let dash = || "–".to_owned();
            self.row(&[
                safe(one.title(lang)),
                format!("{} − {}", safe(&b), safe(&a)),
                one.difference.map_or_else(dash, |by| format!("**{}**", difference(by, lang))),
                one.interval.map_or_else(dash, |ends| range(ends, lang)),
                one.p_holm.map_or_else(dash, |p| safe(&p_value(p, lang))),
                format!("{} / {}", one.scored.both, one.n_shared),
                words::verdict(one.verdict, lang).to_owned(),
            ]);
        }
        self.line("");
    }

    fn changed(&mut self, choice: &Choice) {
        let ex = &self.words.ex;
        self.line(&format!("### {}\n", ex.what_changed));
        if choice.changed.is_empty() {
            self.line(&format!("{}\n", ex.nothing_changed));
            return;
        }
        for chosen in choice.changed.iter().take(CASES) {
            let names: Vec<String> = chosen.systems.iter().map(|name| safe(name)).collect();
            self.case(chosen, &names.join(" → "));
        }
        self.line("");
    }

    /// One chosen case as an item of a list.
    fn case(&mut self, chosen: &Chosen, who: &str) {
        let question = self.run.cases.iter().find(|case| case.id == chosen.case);
        let question = question.map_or("", |case| case.question.as_str());
        let run = self.run;
        let title = |id: &str| {
            let found = run.metrics.iter().find(|metric| metric.id == id);
            found.map_or(id, |metric| metric.title.get(self.lang)).to_owned()
        };
        let reason = safe(&words::reason(&chosen.reason, title, self.lang));
        let (id, question) =
            (safe(&headline(&chosen.case, 60)), safe(&headline(question, QUESTION)));
        self.line(&format!("- **{id}** {question} ({who}: {reason})"));
    }

    fn worst(&mut self, choice: &Choice) {
        let ex = &self.words.ex;
        if !choice.worst.is_empty() {
            self.fold(ex.worst, |text| {
                // A perfect record is nobody's worst.
                let is_low = |chosen: &&Chosen| !matches!(chosen.reason, Reason::Worst { mean } if mean >= 1.0);
                for group in choice.worst.chunk_by(|a, b| a.systems == b.systems) {
                    for chosen in group.iter().filter(is_low).take(CASES / 2) {
                        text.case(chosen, &safe(&chosen.systems[0]));
                    }
                }
            });
        }
        if !choice.disputed.is_empty() {
            self.fold(ex.disputed, |text| {
                for chosen in choice.disputed.iter().take(CASES) {
                    let names: Vec<String> = chosen.systems.iter().map(|name| safe(name)).collect();
                    text.case(chosen, &names.join(", "));
                }
            });
        }
    }
}

/// "0.82 (0.71 – 0.90), n = 40", and what is missing.
fn cell(summary: &Summary, words: &Words, lang: Lang) -> String {
    let number = |n: usize| count(n as u64, lang);
    let mut cell = match summary.mean {
        Some(mean) => format!("**{}**", score(mean, lang)),
        None => words.no_score.to_owned(),
    };
    if let Some([low, high]) = summary.interval {
        let _ = write!(cell, " ({} – {})", score(low, lang), score(high, lang));
    }
    let _ = write!(cell, "<br>n = {}", number(summary.n_scored));
    for (label, n) in
        [(words.not_applicable, summary.n_not_applicable), (words.failed, summary.n_failed)]
    {
        if n > 0 {
            let _ = write!(cell, "<br>{label}: {}", number(n));
        }
    }
    cell
}
