use std::collections::BTreeMap;

use ragmeter_analysis::{Bilingual, CompareOptions};
use ragmeter_core::{Digest, Hasher, Lang, TestCase};
use ragmeter_facts::Profile;
use ragmeter_metrics::Own;
use serde::{Deserialize, Serialize};

use crate::wording;

/// Everything that a run's numbers depend on, resolved. Its hash is the run's identity: the same
/// specification again is the same run, and goes on where it stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// Version of ragmeter.
    pub version: String,
    /// Metrics by id, companions included.
    pub metrics: Vec<String>,
    /// What the project defines itself.
    #[serde(default, skip_serializing_if = "Own::is_empty")]
    pub own: Own,
    /// Who judges.
    pub judge: JudgeSpec,
    /// Fingerprint of the embedder of answer relevancy.
    pub embedder: String,
    /// Hash of every prompt file in use, by group and language.
    pub prompts: BTreeMap<String, Digest>,
    /// Languages of the cases.
    pub langs: Vec<Lang>,
    /// Seed of every draw in the analysis.
    pub seed: u64,
    /// What is declared of comparisons.
    #[serde(default)]
    pub compare: CompareOptions,
    /// The run that this one judges again by another judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_of: Option<String>,
    /// Hash of the cases.
    pub cases: Digest,
    /// What was indexed, if anything.
    pub corpus: Option<CorpusSpec>,
    /// The systems in the order of showing.
    pub systems: Vec<SystemSpec>,
}

/// What stands for the embedder where nothing needs one.
pub(crate) const NO_EMBEDDER: &str = "-";

/// Who judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeSpec {
    /// The model as configured, or the fingerprint of the local judge.
    pub model: String,
    /// The endpoint; `local` for the local judge.
    pub endpoint: String,
    /// `grouped`, `split` or `local`.
    pub profile: String,
    /// How often everything was asked anew.
    pub generation: u32,
    /// Replies to each question.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub votes: usize,
}

fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(votes: &usize) -> bool {
    *votes == 1
}

impl JudgeSpec {
    /// How its language model was asked; a local judge asks nobody, and counts as asked in groups.
    pub(crate) fn asked_in(&self) -> Profile {
        if self.profile == Profile::Split.name() { Profile::Split } else { Profile::Grouped }
    }
}

/// What was indexed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusSpec {
    /// Hash of the chunks.
    pub chunks: Digest,
    /// How many documents.
    pub documents: usize,
    /// How many chunks.
    pub count: usize,
    /// How documents were cut.
    pub chunking: serde_json::Value,
    /// Fingerprint of the index's embedder, if a system uses vectors.
    pub embedder: Option<String>,
}

/// One system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SystemSpec {
    /// Its name.
    pub name: String,
    /// How many contexts it retrieves, if that is configured.
    pub k: Option<usize>,
    /// Its settings, or the hash of its records.
    pub settings: serde_json::Value,
}

impl RunSpec {
    /// The run's id: 12 hex digits of the hash. What is declared of comparisons is no part of it:
    /// another margin makes no answer and no judgement another one.
    pub fn id(&self) -> String {
        let hashed = Self { compare: CompareOptions::default(), ..self.clone() };
        let json = serde_json::to_string(&hashed).unwrap_or_default();
        Hasher::new("run@1").text(&json).finish().0[..12].to_owned()
    }

    /// The hash of what the project defines itself, if it does.
    pub(crate) fn definitions(&self) -> Option<Digest> {
        (!self.own.is_empty()).then(|| hash_json("own", &self.own))
    }

    /// What the numbers depend on, as name and value, for a person to read. Names are the same in
    /// every language, values that are words are not.
    pub fn settings(&self) -> Vec<(String, Bilingual)> {
        let same = |text: &str| Bilingual::new(text, text);
        let profile = &self.judge.profile;
        let mut lines = vec![
            ("ragmeter".to_owned(), same(&self.version)),
            ("judge".to_owned(), same(&self.judge.model)),
            ("judge.endpoint".to_owned(), same(&self.judge.endpoint)),
            (
                "judge.profile".to_owned(),
                wording::profile(profile).unwrap_or_else(|| same(profile)),
            ),
            ("judge.votes".to_owned(), same(&self.judge.votes.to_string())),
            ("judge.embedder".to_owned(), same(&self.embedder)),
            ("languages".to_owned(), wording::languages(&self.langs)),
        ];
        if let Some(hash) = self.definitions() {
            lines.push(("definitions".to_owned(), same(&hash.as_str()[..12])));
        }
        if let Some(corpus) = &self.corpus {
            lines.push(("corpus.documents".to_owned(), same(&corpus.documents.to_string())));
            lines.push(("corpus.chunks".to_owned(), same(&corpus.count.to_string())));
            lines.push(("chunking".to_owned(), wording::chunking(&corpus.chunking)));
            if let Some(embedder) = &corpus.embedder {
                lines.push(("index.embedder".to_owned(), same(embedder)));
            }
        }
        for system in &self.systems {
            lines.push((system.name.clone(), wording::system(&system.settings)));
        }
        for (name, hash) in &self.prompts {
            lines.push((format!("prompt {name}"), same(&hash.as_str()[..12])));
        }
        lines.push(("seed".to_owned(), same(&self.seed.to_string())));
        lines
    }
}

/// The hash of these cases.
pub(crate) fn hash_cases(cases: &[TestCase]) -> Digest {
    hash_json("cases", cases)
}

/// The hash of anything that has a JSON form.
pub(crate) fn hash_json<T: Serialize + ?Sized>(purpose: &str, value: &T) -> Digest {
    Hasher::new(purpose).text(&serde_json::to_string(value).unwrap_or_default()).finish()
}
