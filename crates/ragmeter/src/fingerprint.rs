//! Who judged, as one short word: runs and records with equal fingerprints were judged alike.

use std::collections::BTreeSet;

use ragmeter_core::{Hasher, Lang, RecordFacts, Source};
use serde_json::{Value, json};

use crate::spec::RunSpec;

/// The models that judged these records, as the endpoint named them in its replies.
pub(crate) fn returned<'a>(facts: impl IntoIterator<Item = &'a RecordFacts>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for facts in facts {
        for source in facts.sources() {
            if let Source::Judge(judge) = source
                && !names.contains(&judge.model)
            {
                names.insert(judge.model.clone());
            }
        }
    }
    names
}

/// Who judged a run, with the fingerprint: what is kept with it and printed.
pub(crate) fn card(spec: &RunSpec, returned: &BTreeSet<String>) -> Value {
    let judge = &spec.judge;
    json!({
        "fingerprint": of_run(spec, returned), "model": judge.model, "returned": returned,
        "endpoint": judge.endpoint, "profile": judge.profile, "votes": judge.votes,
        "languages": spec.langs, "prompts": spec.prompts, "definitions": spec.definitions(),
    })
}

/// The fingerprint of a run's judge: the models that replied (as configured, where none did),
/// endpoint or pool, profile, votes, languages, the prompts of the groups that were asked, and
/// what the project defines itself. 12 hex digits.
pub(crate) fn of_run(spec: &RunSpec, returned: &BTreeSet<String>) -> String {
    of(spec, returned, &spec.langs)
}

/// The fingerprint of the judge of one record of the run: the same, by the models that judged this
/// record and in its language alone.
pub(crate) fn of_record(spec: &RunSpec, lang: Lang, facts: &RecordFacts) -> String {
    of(spec, &returned([facts]), &[lang])
}

fn of(spec: &RunSpec, returned: &BTreeSet<String>, langs: &[Lang]) -> String {
    let judge = &spec.judge;
    let mut hasher = Hasher::new("judge@1");
    hasher.text(&judge.endpoint).text(&judge.profile).text(&judge.votes.to_string());
    if returned.is_empty() {
        hasher.text(&judge.model);
    }
    for model in returned {
        hasher.text(model);
    }
    for lang in langs {
        let ending = format!("/{lang}");
        hasher.text(&ending);
        for (name, hash) in spec.prompts.iter().filter(|(name, _)| name.ends_with(&ending)) {
            hasher.text(name).text(hash.as_str());
        }
    }
    if let Some(hash) = spec.definitions() {
        hasher.text(hash.as_str());
    }
    hasher.finish().0[..12].to_owned()
}
