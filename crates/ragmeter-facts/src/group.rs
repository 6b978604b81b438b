use ragmeter_core::{FactKind, Lang};

use crate::wanted::Profile;

/// A field of a record or case that a prompt may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The question asked.
    Question,
    /// The answer given.
    Answer,
    /// The reference answer, whole, in sentences or in claims.
    Reference,
    /// Retrieved contexts, all or one of them.
    Contexts,
    /// Passages that prove the reference answer; the schema of a database.
    ReferenceContexts,
    /// Claims extracted from the answer.
    Claims,
    /// Parts of the question.
    Parts,
    /// Nuggets of the sources.
    Nuggets,
    /// Closed questions on the source.
    SourceQuestions,
    /// A whole conversation.
    Conversation,
    /// Topics found in a conversation, and those that it should keep to.
    Topics,
    /// A goal, and the end of a conversation.
    Goal,
    /// A criterion or rubric.
    Criterion,
}

/// Most claims in one call that checks them.
pub(crate) const VERIFY_CLAIMS: usize = 8;

/// Implied questions asked for.
pub(crate) const IMPLIED_QUESTIONS: usize = 3;

use Field::{
    Answer, Claims, Contexts, Conversation, Criterion, Goal, Nuggets, Parts, Question, Reference,
    ReferenceContexts, SourceQuestions, Topics,
};

macro_rules! groups {
    (
        alone { $($(#[$doc:meta])+ $alone:ident $name:literal $folder:literal
            $sees:tt => $facts:tt;)+ }
        pairs { $($(#[$pair_doc:meta])+ $grouped:ident $grouped_name:literal
            $split:ident $split_name:literal $pair_folder:literal $pair_sees:tt => $pair_facts:tt;)+ }
    ) => {
        /// A call group: facts asked for together, which may see each other's inputs.
        ///
        /// A group whose name begins with `split` belongs to the profile of that name, the others
        /// to `grouped`, so that the two never share a reply. A change of what a group sees, asks
        /// or answers is a new [`version`](Group::version).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Group {
            $($(#[$doc])+ $alone,)+
            $($(#[$pair_doc])+ $grouped,)+
            $($(#[$pair_doc])+ $split,)+
        }

        impl Group {
            /// Every group.
            pub const ALL: &[Self] =
                &[$(Self::$alone,)+ $(Self::$grouped,)+ $(Self::$split,)+];

            /// The name used in keys, on the wire and in reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$alone => $name,)+
                    $(Self::$grouped => $grouped_name, Self::$split => $split_name,)+
                }
            }

            /// All that its prompt may see.
            pub fn sees(self) -> &'static [Field] {
                match self {
                    $(Self::$alone => &$sees,)+
                    $(Self::$grouped | Self::$split => &$pair_sees,)+
                }
            }

            /// The facts it answers.
            pub fn facts(self) -> &'static [FactKind] {
                use FactKind as F;
                match self {
                    $(Self::$alone => fact_list!($facts),)+
                    $(Self::$grouped | Self::$split => fact_list!($pair_facts),)+
                }
            }

            /// Its counterpart that asks the same in this profile.
            pub(crate) fn of(self, profile: Profile) -> Self {
                match (profile, self) {
                    $((Profile::Split, Self::$grouped) => Self::$split,)+
                    _ => self,
                }
            }

            /// The prompt file of this group in this language.
            pub(crate) fn prompt(self, lang: Lang) -> &'static str {
                match self {
                    $(Self::$alone => prompt!($folder, lang),)+
                    $(Self::$grouped | Self::$split => prompt!($pair_folder, lang),)+
                }
            }
        }
    };
}

macro_rules! fact_list {
    ([$($fact:ident),*]) => { &[$(F::$fact),*] };
}

macro_rules! prompt {
    ($folder:literal, $lang:expr) => {
        match $lang {
            Lang::En => include_str!(concat!("../prompts/", $folder, "/en.md")),
            Lang::Ru => include_str!(concat!("../prompts/", $folder, "/ru.md")),
        }
    };
}

groups! {
    alone {
        /// Claims of the answer, and whether it refuses.
        Extract "extract" "extract" [Question, Answer] => [ResponseClaims, Refusal];
        /// Claims alone.
        SplitClaims "split_claims" "claims" [Question, Answer] => [ResponseClaims];
        /// Refusal alone.
        SplitRefusal "split_refusal" "refusal" [Question, Answer] => [Refusal];
        /// Support of reference sentences and usefulness of contexts.
        QuestionSide "question_side" "question_side" [Question, Reference, Contexts]
            => [ReferenceSupport, ContextUsefulReference, ReferenceSupportEach];
        /// Claims of the reference answer.
        SplitReferenceClaims "split_reference_claims" "reference_claims" [Question, Reference]
            => [ReferenceClaims];
        /// Reference claims against one context.
        SplitReferenceEach "split_reference_each" "verify" [Contexts, Claims]
            => [ReferenceSupportEach];
        /// Which contexts served the answer.
        UsefulAnswer "useful_answer" "useful_answer" [Question, Answer, Contexts]
            => [ContextUsefulAnswer];
    }
    pairs {
        /// Support of reference sentences alone; in groups, of those that a call left out.
        Attribution "attribution" SplitAttribution "split_attribution" "attribution"
            [Question, Reference, Contexts] => [ReferenceSupport];
        /// Usefulness of one context; in groups, of one that a call left out.
        Useful "useful" SplitUseful "split_useful" "useful" [Question, Reference, Contexts]
            => [ContextUsefulReference];
        /// Whether one context served the answer; in groups, one that a call left out.
        UsefulAnswerOne "useful_answer_one" SplitUsefulAnswer "split_useful_answer"
            "useful_answer_one" [Question, Answer, Contexts] => [ContextUsefulAnswer];
        /// Support of claims by all contexts together; at most eight a call in groups.
        Verify "verify" SplitVerify "split_verify" "verify" [Contexts, Claims]
            => [ClaimSupport];
        /// Support of claims by one context.
        Each "each" SplitEach "split_each" "verify" [Contexts, Claims]
            => [ClaimSupportEach];
        /// Claims against the reference answer.
        Correct "correct" SplitCorrect "split_correct" "correct" [Reference, Claims]
            => [ClaimCorrect];
        /// The reference answer against the answer.
        Covered "covered" SplitCovered "split_covered" "covered" [Reference, Answer]
            => [ReferenceCovered];
        /// Implied questions; one a call in the split profile.
        Invert "invert" SplitInvert "split_invert" "invert" [Answer]
            => [ImpliedQuestions];
        /// Parts of the question.
        Parts "parts" SplitParts "split_parts" "parts" [Question]
            => [SubQuestions];
        /// Which parts the answer answers.
        Coverage "coverage" SplitCoverage "split_coverage" "coverage" [Parts, Answer]
            => [QuestionCoverage];
        /// How relevant one context is to the question.
        Relevance "relevance" SplitRelevance "split_relevance" "relevance" [Question, Contexts]
            => [ContextRelevance];
        /// Whether the contexts could answer the question.
        Answerable "answerable" SplitAnswerable "split_answerable" "answerable"
            [Question, Contexts] => [Answerable];
        /// How well the contexts back the answer.
        Groundedness "groundedness" SplitGroundedness "split_groundedness" "groundedness"
            [Answer, Contexts] => [GroundednessGrade];
        /// How far answer and reference agree.
        Accuracy "accuracy" SplitAccuracy "split_accuracy" "accuracy"
            [Question, Answer, Reference] => [AccuracyGrade];
        /// How far the answer answers the question.
        AnswerRelevance "answer_relevance" SplitAnswerRelevance "split_answer_relevance"
            "answer_relevance" [Question, Answer] => [RelevanceGrade];
        /// Entities of the reference answer.
        ReferenceEntities "reference_entities" SplitReferenceEntities "split_reference_entities"
            "entities" [Reference] => [ReferenceEntities];
        /// Entities of the contexts.
        ContextEntities "context_entities" SplitContextEntities "split_context_entities"
            "entities" [Contexts] => [ContextEntities];
        /// Nuggets of the sources.
        NuggetsOf "nuggets" SplitNuggets "split_nuggets" "nuggets"
            [Question, Reference, ReferenceContexts] => [Nuggets];
        /// Which nuggets the answer says.
        Assign "assign" SplitAssign "split_assign" "assign" [Question, Answer, Nuggets]
            => [NuggetSupport];
        /// Topics of a conversation.
        TopicsOf "topics" SplitTopics "split_topics" "topics" [Conversation] => [Topics];
        /// Which topics are among those allowed.
        TopicsAllowed "topics_allowed" SplitTopicsAllowed "split_topics_allowed" "topics_allowed"
            [Topics] => [TopicsAllowed];
        /// What a conversation was for, and where it ended.
        GoalOf "goal" SplitGoal "split_goal" "goal" [Conversation] => [AgentGoal];
        /// Whether the end is what was wanted.
        GoalReached "goal_reached" SplitGoalReached "split_goal_reached" "goal_reached"
            [Goal, Reference] => [GoalReached, ReferenceGoalReached];
        /// Whether two queries are equivalent.
        Sql "sql" SplitSql "split_sql" "sql" [Answer, Reference, ReferenceContexts]
            => [SqlEquivalent];
        /// Closed questions on the source.
        SummaryQuestions "summary_questions" SplitSummaryQuestions "split_summary_questions"
            "summary_questions" [ReferenceContexts] => [SummaryQuestions];
        /// Whether the summary answers them with yes.
        SummaryAnswers "summary_answers" SplitSummaryAnswers "split_summary_answers"
            "summary_answers" [Answer, SourceQuestions] => [SummaryAnswers];
        /// Whether the answer meets a criterion.
        Meets "criterion" SplitMeets "split_criterion" "criterion"
            [Criterion, Question, Answer, Contexts, Reference] => [Criteria];
        /// The answer's grade by a rubric.
        Grade "grade" SplitGrade "split_grade" "grade"
            [Criterion, Question, Answer, Contexts, Reference] => [Criteria];
        /// Which of two systems' answers is better. It is no fact of one record.
        Prefer "prefer" SplitPrefer "split_prefer" "prefer" [Question, Answer] => [];
    }
}

impl Group {
    /// The version of what is asked, seen and answered; part of every key.
    pub fn version(self) -> u32 {
        1
    }

    /// Whether it answers what other groups give verdicts on: claims, parts, nuggets.
    pub fn makes_units(self) -> bool {
        use FactKind as F;
        let makes = |kind: &FactKind| {
            matches!(
                kind,
                F::ResponseClaims
                    | F::ReferenceClaims
                    | F::SubQuestions
                    | F::Nuggets
                    | F::Topics
                    | F::AgentGoal
                    | F::SummaryQuestions
            )
        };
        self.facts().iter().any(makes)
    }

    /// Name and version, as in `verify@1`; `again` marks a call that asks alone for ids that the
    /// first one left out, which is a group of its own.
    pub fn tag(self, again: bool) -> String {
        format!("{}{}@{}", self.name(), if again { "_again" } else { "" }, self.version())
    }
}
