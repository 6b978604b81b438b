//! The table of facts: one line each, from which the kinds, their names, and the set of facts about
//! a record follow.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fact::{Absence, Fact, FactSlot, Source};
use crate::verdict::{
    AnswerKind, Checked, Claim, ClaimVerdict, Distances, Goal, Grade, Implied, Nugget,
    NuggetSupport, PartVerdict, Support, TokenMatch, Topic, UnitVerdict,
};

macro_rules! facts {
    ($($(#[$doc:meta])+ $kind:ident, $name:literal, $field:ident: $value:ty;)+) => {
        /// The small judgements that metrics are functions of.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum FactKind {
            $($(#[$doc])+ $kind,)+
            /// What the project's own criteria say: see [`RecordFacts::criteria`].
            Criteria,
        }

        impl FactKind {
            /// Every kind, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$kind,)+ Self::Criteria];

            /// The name used in plans, keys and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                    Self::Criteria => "criteria",
                }
            }
        }

        /// Every fact about one record that was asked for.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct RecordFacts {
            $(
                $(#[$doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: FactSlot<$value>,
            )+
            /// What each criterion says, by its name: 0 or 1 for one that is met or not, else the
            /// grade.
            #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
            pub criteria: BTreeMap<String, Result<Fact<Grade>, Absence>>,
        }

        impl RecordFacts {
            /// Each fact that was asked for, with its source or why it could not be had.
            fn all(&self) -> impl Iterator<Item = (FactKind, Result<&Source, &Absence>)> {
                fn of<T>(
                    kind: FactKind,
                    fact: &Result<Fact<T>, Absence>,
                ) -> (FactKind, Result<&Source, &Absence>) {
                    (kind, fact.as_ref().map(|fact| &fact.source))
                }
                let named = [$(self.$field.as_ref().map(|fact| of(FactKind::$kind, fact)),)+];
                let criteria = self.criteria.values().map(|fact| of(FactKind::Criteria, fact));
                named.into_iter().flatten().chain(criteria)
            }

            /// The value of a fact in its JSON form; `None` if it was not asked for.
            pub fn value(&self, kind: FactKind) -> Option<Result<serde_json::Value, &Absence>> {
                fn of<T: Serialize>(
                    fact: &Result<Fact<T>, Absence>,
                ) -> Result<serde_json::Value, &Absence> {
                    let json = |fact: &Fact<T>| serde_json::to_value(&fact.value);
                    fact.as_ref().map(|fact| json(fact).unwrap_or_default())
                }
                match kind {
                    $(FactKind::$kind => self.$field.as_ref().map(of),)+
                    FactKind::Criteria => None,
                }
            }

            /// Takes every fact that `other` was asked for.
            pub fn absorb(&mut self, other: Self) {
                $(if other.$field.is_some() { self.$field = other.$field; })+
                self.criteria.extend(other.criteria);
            }
        }
    };
}

facts! {
    /// Whether the answer answers, refuses, or says nothing that could be true or false.
    Refusal, "refusal", refusal: AnswerKind;
    /// The self-contained claims of the answer.
    ResponseClaims, "response_claims", claims: Vec<Claim>;
    /// Each claim against all contexts jointly, in the order of the claims.
    ClaimSupport, "claim_support", support: Vec<ClaimVerdict>;
    /// Each claim against each context alone: one row a claim, one verdict a context in rank order.
    ClaimSupportEach, "claim_support_each", support_each: Vec<Vec<Support>>;
    /// Each claim against the reference answer, without any context.
    ClaimCorrect, "claim_correct", correct: Vec<Checked>;
    /// Questions that the answer, read alone, answers.
    ImpliedQuestions, "implied_questions", implied: Implied;
    /// Cosine of each implied question with the question asked, in `[-1, 1]`.
    QuestionSimilarity, "question_similarity", similarity: Vec<f64>;
    /// The sentences of the reference answer.
    ReferenceUnits, "reference_units", units: Vec<String>;
    /// Each reference unit against all contexts jointly, in order.
    ReferenceSupport, "reference_support", reference_support: Vec<UnitVerdict>;
    /// What the reference answer claims: its sentences in groups, claims where one fact is asked a call.
    ReferenceClaims, "reference_claims", reference_claims: Vec<String>;
    /// Which contexts say each reference claim: one row a claim, one verdict a context in rank order.
    ReferenceSupportEach, "reference_support_each", reference_support_each: Vec<Vec<bool>>;
    /// Each reference claim against the answer, without any context.
    ReferenceCovered, "reference_covered", reference_covered: Vec<Checked>;
    /// Whether each context helps to arrive at the reference answer, in rank order.
    ContextUsefulReference, "context_useful_reference", useful: Vec<bool>;
    /// Whether each context served to arrive at the answer given, in rank order.
    ContextUsefulAnswer, "context_useful_answer", useful_answer: Vec<bool>;
    /// How relevant each context is to the question, 0 to 3, in rank order.
    ContextRelevance, "context_relevance", relevance: Vec<Grade>;
    /// Whether the contexts could answer the question.
    Answerable, "answerable", answerable: bool;
    /// The parts of the question.
    SubQuestions, "sub_questions", parts: Vec<String>;
    /// Whether the answer answers each part of the question, in order.
    QuestionCoverage, "question_coverage", coverage: Vec<PartVerdict>;
    /// How well the contexts back the answer as a whole, 0 to 2.
    GroundednessGrade, "groundedness_grade", groundedness: Grade;
    /// How far answer and reference agree, 0 to 4, shown in either order.
    AccuracyGrade, "accuracy_grade", accuracy: Vec<Grade>;
    /// How far the answer answers the question, 0 to 3.
    RelevanceGrade, "relevance_grade", answer_relevance: Grade;
    /// Names and figures in the reference answer.
    ReferenceEntities, "reference_entities", reference_entities: Vec<String>;
    /// Names and figures in the contexts.
    ContextEntities, "context_entities", context_entities: Vec<String>;
    /// Facts of the sources that a good answer to the question may hold.
    Nuggets, "nuggets", nuggets: Vec<Nugget>;
    /// How far the answer says each nugget, in order.
    NuggetSupport, "nugget_support", nugget_support: Vec<NuggetSupport>;
    /// Topics that the human of a conversation raised.
    Topics, "topics", topics: Vec<Topic>;
    /// Whether each topic is one of the reference topics, in order.
    TopicsAllowed, "topics_allowed", topics_allowed: Vec<bool>;
    /// What a conversation was for, and where it ended.
    AgentGoal, "agent_goal", goal: Goal;
    /// Whether the end of a conversation is what the human wanted.
    GoalReached, "goal_reached", goal_reached: bool;
    /// Whether the end of a conversation is what the reference says it should be.
    ReferenceGoalReached, "reference_goal_reached", reference_goal_reached: bool;
    /// Whether two SQL queries give the same result on every database of the schema.
    SqlEquivalent, "sql_equivalent", sql: bool;
    /// Closed questions on the source whose answer from it is yes.
    SummaryQuestions, "summary_questions", summary_questions: Vec<String>;
    /// Whether the summary answers each of them with yes, in order.
    SummaryAnswers, "summary_answers", summary_answers: Vec<bool>;
    /// How near the answer is to the reference as a whole.
    AnswerSimilarity, "answer_similarity", answer_similarity: Distances;
    /// How near the tokens of the answer are to those of the reference.
    TokenSimilarity, "token_similarity", token_similarity: TokenMatch;
}

impl RecordFacts {
    /// The facts that were asked for and could not be had.
    pub fn failures(&self) -> impl Iterator<Item = (FactKind, &Absence)> {
        self.all().filter_map(|(kind, fact)| Some((kind, fact.err()?)))
    }

    /// The kinds of the facts that were asked for, had or not; criteria once for each.
    pub fn kinds(&self) -> impl Iterator<Item = FactKind> {
        self.all().map(|(kind, _)| kind)
    }

    /// How many facts were asked for, had or not.
    pub fn asked(&self) -> usize {
        self.all().count()
    }

    /// Every source that judged, each once.
    pub fn sources(&self) -> Vec<&Source> {
        let mut sources: Vec<&Source> = Vec::new();
        for source in self.all().filter_map(|(_, fact)| fact.ok()) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        sources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every record of a run has one, mostly empty; sources are boxed for that.
    #[test]
    fn the_empty_slots_of_a_record_take_little_room() {
        let size = size_of::<RecordFacts>();
        assert!(size <= 4096, "{size} bytes for {} kinds", FactKind::ALL.len());
    }
}
