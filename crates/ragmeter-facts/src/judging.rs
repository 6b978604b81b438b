//! One record on its way through the call groups.

use futures::future::{BoxFuture, join_all};
use ragmeter_core::{
    Absence, CaseRun, Fact, FactKind, FactSlot, Grade, Lang, RecordFacts, Source, Support,
    UnitVerdict,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ask::{Asker, Question, ask, ask_voted, ask_voted_with, join, joined, missing_ids};
use crate::contexts::OrderedContexts;
use crate::grades::{for_a_grade, read_grade};
use crate::group::Group;
use crate::replies::{Identified, by_id};
use crate::template::View;
use crate::votes::{Same, Votable};
use crate::wanted::{Profile, Wanted};
use crate::{answer, contexts_side, conversation, coverage, criteria, grades, question, reference};
use crate::{nuggets, summary};

/// A record, and who is asked about it.
pub(crate) struct Judging<'a> {
    pub(crate) run: CaseRun<'a>,
    pub(crate) lang: Lang,
    pub(crate) profile: Profile,
    pub(crate) contexts: Option<OrderedContexts<'a>>,
    pub(crate) asker: &'a dyn Asker,
}

impl Judging<'_> {
    /// A question of this group, as this profile asks it.
    pub(crate) fn question(
        &self,
        group: Group,
        show: impl FnOnce(View) -> View,
        schema: Value,
    ) -> Question {
        let group = group.of(self.profile);
        Question::new(group, self.lang, show(View::new(group)), schema)
    }

    /// One question, one reply of this type.
    pub(crate) async fn ask<R: DeserializeOwned, T>(
        &self,
        question: Question,
        read: impl Fn(R) -> Result<T, String>,
    ) -> Result<Fact<T>, Absence> {
        let (value, source) = ask(self.asker, &question, read).await?;
        Ok(Fact { value, source })
    }

    /// The same by the word of most of the votes.
    pub(crate) async fn ask_voted<R: DeserializeOwned, T: Votable>(
        &self,
        question: Question,
        read: impl Fn(R) -> Result<T, String>,
    ) -> Result<Fact<T>, Absence> {
        let (value, source) = ask_voted(self.asker, &question, read).await?;
        Ok(Fact { value, source })
    }

    /// One of these grades, by the word of most of the votes.
    pub(crate) async fn ask_grade(
        &self,
        question: Question,
        grades: &[i64],
    ) -> Result<Fact<Grade>, Absence> {
        let question = for_a_grade(self, question);
        let (value, source) = ask_voted_with(self.asker, &question, read_grade(grades)).await?;
        Ok(Fact { value, source })
    }

    /// One verdict on each of these texts, at most `batch` a call; those that a call leaves out
    /// are asked again alone.
    pub(crate) async fn check<R, V>(
        &self,
        list: &Checklist<'_, R, V>,
    ) -> Result<Fact<Vec<V>>, Absence>
    where
        R: DeserializeOwned,
        V: Identified + Same + Clone + Send,
    {
        let calls = list.texts.chunks(list.batch.max(1)).map(|texts| self.check_batch(list, texts));
        let mut value = Vec::with_capacity(list.texts.len());
        let mut source: Option<Source> = None;
        for judged in join_all(calls).await {
            let (verdicts, of) = judged?;
            value.extend(verdicts);
            join(&mut source, of);
        }
        let source =
            source.unwrap_or_else(|| Source::Code { rule: "nothing-to-check@1".to_owned() });
        Ok(Fact { value, source })
    }

    async fn check_batch<R, V>(
        &self,
        list: &Checklist<'_, R, V>,
        texts: &[&str],
    ) -> Result<(Vec<V>, Source), Absence>
    where
        R: DeserializeOwned,
        V: Identified + Same + Clone + Send,
    {
        let (first, mut source) = self.check_call(list, texts, false).await?;
        let alone: Vec<&str> = texts
            .iter()
            .zip(&first)
            .filter(|(_, one)| one.is_none())
            .map(|(text, _)| *text)
            .collect();
        let mut second = Vec::new().into_iter();
        if !alone.is_empty() {
            let (verdicts, of) = self.check_call(list, &alone, true).await?;
            source = joined(source, of);
            second = verdicts.into_iter();
        }
        let all = first.into_iter().map(|verdict| verdict.or_else(|| second.next().flatten()));
        let verdicts: Option<Vec<V>> = all.collect();
        Ok((verdicts.ok_or_else(|| missing_ids(list.what))?, source))
    }

    async fn check_call<R, V>(
        &self,
        list: &Checklist<'_, R, V>,
        texts: &[&str],
        again: bool,
    ) -> Result<(Vec<Option<V>>, Source), Absence>
    where
        R: DeserializeOwned,
        V: Identified + Same + Clone,
    {
        let question =
            self.question(list.group, |view| (list.show)(view, texts), (list.schema)(texts.len()));
        let question = Question { again, ..question };
        ask_voted(self.asker, &question, |reply: R| Ok(by_id(&(list.items)(reply), texts.len())))
            .await
    }
}

/// A list that a judge gives one verdict each on.
pub(crate) struct Checklist<'a, R, V> {
    pub(crate) group: Group,
    /// What the items are, for the message that some were left out.
    pub(crate) what: &'static str,
    pub(crate) texts: &'a [&'a str],
    pub(crate) batch: usize,
    /// Shows these items, and what they are judged by.
    pub(crate) show: &'a (dyn Fn(View, &[&str]) -> View + Sync),
    /// The schema for so many items.
    pub(crate) schema: &'a (dyn Fn(usize) -> Value + Sync),
    pub(crate) items: fn(R) -> Vec<V>,
}

/// Texts with ids from 1.
pub(crate) fn numbered<'a>(texts: &[&'a str]) -> Vec<(usize, &'a str)> {
    texts.iter().enumerate().map(|(index, text)| (index + 1, *text)).collect()
}

/// Every text as a borrowed one.
pub(crate) fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Everything wanted about the record: what does not wait for each other is asked at once.
pub(crate) async fn judge(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    use FactKind as F;
    let mut sides: Vec<BoxFuture<'_, RecordFacts>> = Vec::new();
    macro_rules! side {
        ($kinds:expr, $side:expr) => {
            if wanted.has_any($kinds) {
                sides.push(Box::pin($side));
            }
        };
    }
    macro_rules! one {
        ($kind:expr, $slot:ident, $fact:expr) => {
            side!(&[$kind], async { RecordFacts { $slot: $fact.await, ..RecordFacts::default() } });
        };
    }
    side!(&[F::Refusal], answer::side(j, wanted));
    one!(F::ImpliedQuestions, implied, answer::implied(j));
    let jointly = j.profile == Profile::Grouped && wanted.has(F::ReferenceSupportEach);
    if jointly || wanted.has_any(&[F::ReferenceUnits, F::ContextUsefulReference]) {
        sides.push(Box::pin(question::side(j, wanted)));
    }
    side!(&[F::ReferenceClaims], reference::side(j, wanted));
    side!(&[F::SubQuestions], coverage::side(j));
    one!(F::ContextUsefulAnswer, useful_answer, contexts_side::useful_answer(j));
    one!(F::ContextRelevance, relevance, contexts_side::relevance(j));
    one!(F::ContextEntities, context_entities, contexts_side::entities(j));
    one!(F::ReferenceEntities, reference_entities, reference::entities(j));
    one!(F::GroundednessGrade, groundedness, grades::groundedness(j));
    one!(F::AccuracyGrade, accuracy, grades::accuracy(j));
    one!(F::RelevanceGrade, answer_relevance, grades::answer_relevance(j));
    side!(&[F::Nuggets], nuggets::side(j, wanted));
    side!(&[F::Topics], conversation::topics(j, wanted));
    side!(&[F::AgentGoal], conversation::goals(j, wanted));
    one!(F::SqlEquivalent, sql, reference::sql(j));
    side!(&[F::SummaryQuestions], summary::side(j, wanted));
    for criterion in wanted.criteria() {
        sides.push(Box::pin(criteria::side(j, criterion)));
    }
    let mut facts = RecordFacts::default();
    for side in join_all(sides).await {
        facts.absorb(side);
    }
    if wanted.has(F::ReferenceSupportEach) && j.profile == Profile::Grouped {
        facts.reference_support_each = spread(j, &facts.reference_support);
    }
    facts
}

/// In groups, which contexts say a reference sentence is told by its joint verdict: the contexts it
/// rests on, if it is attributable.
fn spread(j: &Judging<'_>, support: &FactSlot<Vec<UnitVerdict>>) -> FactSlot<Vec<Vec<bool>>> {
    let contexts = j.run.contexts()?.len();
    let rows = |verdicts: &Vec<UnitVerdict>| {
        let row = |verdict: &UnitVerdict| -> Vec<bool> {
            let says = |rank: usize| verdict.attributable && verdict.contexts.contains(&rank);
            (0..contexts).map(says).collect()
        };
        verdicts.iter().map(row).collect()
    };
    Some(match support.as_ref()? {
        Ok(fact) => Ok(Fact { value: rows(&fact.value), source: fact.source.clone() }),
        Err(absence) => Err(absence.clone()),
    })
}

/// Whether a verdict supports.
pub(crate) fn supports(support: Support) -> bool {
    support == Support::Supported
}
