use ragmeter_core::{FactKind, Lang};

/// A field of a record or case that a prompt may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The question asked.
    Question,
    /// The answer given.
    Answer,
    /// The reference answer, whole or in sentences.
    Reference,
    /// Retrieved contexts, all or one of them.
    Contexts,
    /// Claims extracted from the answer.
    Claims,
    /// Parts of the question.
    Parts,
}

/// A call group: facts asked for together, which may see each other's inputs.
///
/// The first six make the `grouped` profile, the others the `split` one. A change of what a group
/// sees, asks or answers is a new [`version`](Group::version).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Claims of the answer, and whether it refuses.
    Extract,
    /// Support of at most eight claims.
    Verify,
    /// Implied questions.
    Invert,
    /// Support of reference sentences and usefulness of contexts.
    QuestionSide,
    /// Parts of the question.
    Parts,
    /// Which parts the answer answers.
    Coverage,
    /// Claims alone.
    SplitClaims,
    /// Refusal alone.
    SplitRefusal,
    /// Support of all claims at once, as RAGAS asks it.
    SplitVerify,
    /// One implied question a call.
    SplitInvert,
    /// Support of reference sentences alone.
    SplitAttribution,
    /// Usefulness of one context.
    SplitUseful,
    /// Parts of the question.
    SplitParts,
    /// Which parts the answer answers.
    SplitCoverage,
}

/// Most claims in one `verify` call.
pub(crate) const VERIFY_CLAIMS: usize = 8;

/// Implied questions asked for.
pub(crate) const IMPLIED_QUESTIONS: usize = 3;

impl Group {
    /// Every group.
    pub const ALL: [Self; 14] = [
        Self::Extract,
        Self::Verify,
        Self::Invert,
        Self::QuestionSide,
        Self::Parts,
        Self::Coverage,
        Self::SplitClaims,
        Self::SplitRefusal,
        Self::SplitVerify,
        Self::SplitInvert,
        Self::SplitAttribution,
        Self::SplitUseful,
        Self::SplitParts,
        Self::SplitCoverage,
    ];

    /// The name used in keys, on the wire and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Verify => "verify",
            Self::Invert => "invert",
            Self::QuestionSide => "question_side",
            Self::Parts => "parts",
            Self::Coverage => "coverage",
            Self::SplitClaims => "split_claims",
            Self::SplitRefusal => "split_refusal",
            Self::SplitVerify => "split_verify",
            Self::SplitInvert => "split_invert",
            Self::SplitAttribution => "split_attribution",
            Self::SplitUseful => "split_useful",
            Self::SplitParts => "split_parts",
            Self::SplitCoverage => "split_coverage",
        }
    }

    /// The version of what is asked, seen and answered; part of every key.
    pub fn version(self) -> u32 {
        1
    }

    /// Name and version, as in `verify@1`; `again` marks a call that asks alone for ids that the
    /// first one left out, which is a group of its own.
    pub fn tag(self, again: bool) -> String {
        format!("{}{}@{}", self.name(), if again { "_again" } else { "" }, self.version())
    }

    /// All that its prompt may see.
    pub fn sees(self) -> &'static [Field] {
        use Field::{Answer, Claims, Contexts, Parts, Question, Reference};
        match self {
            Self::Extract | Self::SplitClaims | Self::SplitRefusal => &[Question, Answer],
            Self::Verify | Self::SplitVerify => &[Contexts, Claims],
            Self::Invert | Self::SplitInvert => &[Answer],
            Self::QuestionSide | Self::SplitAttribution | Self::SplitUseful => {
                &[Question, Reference, Contexts]
            }
            Self::Parts | Self::SplitParts => &[Question],
            Self::Coverage | Self::SplitCoverage => &[Parts, Answer],
        }
    }

    /// The facts it answers.
    pub fn facts(self) -> &'static [FactKind] {
        match self {
            Self::Extract => &[FactKind::ResponseClaims, FactKind::Refusal],
            Self::SplitClaims => &[FactKind::ResponseClaims],
            Self::SplitRefusal => &[FactKind::Refusal],
            Self::Verify | Self::SplitVerify => &[FactKind::ClaimSupport],
            Self::Invert | Self::SplitInvert => &[FactKind::ImpliedQuestions],
            Self::QuestionSide => &[FactKind::ReferenceSupport, FactKind::ContextUsefulReference],
            Self::SplitAttribution => &[FactKind::ReferenceSupport],
            Self::SplitUseful => &[FactKind::ContextUsefulReference],
            Self::Parts | Self::SplitParts => &[FactKind::SubQuestions],
            Self::Coverage | Self::SplitCoverage => &[FactKind::QuestionCoverage],
        }
    }

    /// The prompt file of this group in this language.
    pub(crate) fn prompt(self, lang: Lang) -> &'static str {
        macro_rules! prompt {
            ($folder:literal) => {
                match lang {
                    Lang::En => include_str!(concat!("../prompts/", $folder, "/en.md")),
                    Lang::Ru => include_str!(concat!("../prompts/", $folder, "/ru.md")),
                }
            };
        }
        match self {
            Self::Extract => prompt!("extract"),
            Self::Verify | Self::SplitVerify => prompt!("verify"),
            Self::Invert | Self::SplitInvert => prompt!("invert"),
            Self::QuestionSide => prompt!("question_side"),
            Self::Parts | Self::SplitParts => prompt!("parts"),
            Self::Coverage | Self::SplitCoverage => prompt!("coverage"),
            Self::SplitClaims => prompt!("claims"),
            Self::SplitRefusal => prompt!("refusal"),
            Self::SplitAttribution => prompt!("attribution"),
            Self::SplitUseful => prompt!("useful"),
        }
    }
}
