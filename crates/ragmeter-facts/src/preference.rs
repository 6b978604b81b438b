//! Two answers to one question: which of them is better.

use ragmeter_core::{
    Absence, CaseRun, Fact, FactSlot, Lang, Preference, Preferred, RunRecord, Source, TestCase,
};
use serde::Deserialize;

use crate::ask::{Asker, Question, ask_voted, joined};
use crate::code::by_code;
use crate::group::{Field, Group};
use crate::schema::{object, text, word};
use crate::template::View;
use crate::votes::{Tally, Votable};
use crate::wanted::Profile;

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    reason: String,
    better: Better,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Better {
    First,
    Second,
    Tie,
}

impl Votable for Said {
    /// What most of them say, with the first of their reasons; a tie where no word has more votes
    /// than each other.
    fn most(votes: Vec<Self>, tally: &mut Tally) -> Option<Self> {
        let count = |of: Better| votes.iter().filter(|vote| vote.better == of).count();
        let words = [Better::First, Better::Second, Better::Tie];
        let most = words.into_iter().map(count).max()?;
        let mut leading = words.into_iter().filter(|of| count(*of) == most);
        let better = match (leading.next(), leading.next()) {
            (Some(one), None) => one,
            _ => Better::Tie,
        };
        tally.given += votes.len();
        tally.agreed += count(better);
        let reason = votes.iter().find(|vote| vote.better == better);
        let reason = reason.map(|vote| vote.reason.clone()).unwrap_or_default();
        (!votes.is_empty()).then_some(Self { reason, better })
    }
}

/// What is said of two answers in one order.
type Judged = Result<(Said, Source), Absence>;

/// The answer that a record gives: `None` if the recording does not tell, `Some(None)` if the
/// system gave none, failed, or was withheld by its own filter.
#[expect(clippy::option_option, reason = "not told and not given are two things")]
fn given(run: CaseRun<'_>) -> Option<Option<&str>> {
    let record = run.record;
    if record.error.is_some() || record.refused_by_model {
        return Some(None);
    }
    record.answer.as_ref().map(|_| run.answer().map(str::trim))
}

/// Asks a judge which of two systems' answers to a case is better, once with either shown first. If
/// the two replies differ, it is a tie: a judge that follows the order prefers nobody.
///
/// What the texts alone decide is not asked: equal answers tie; an answer that isn't there loses
/// to one that is, and ties with another that isn't. `None` if a recording does not tell what was
/// answered. The judge sees the question and both answers, nothing else.
pub async fn prefer(
    case: &TestCase,
    [a, b]: [&RunRecord; 2],
    profile: Profile,
    lang: Lang,
    asker: &dyn Asker,
) -> FactSlot<Preference> {
    let decided = |preferred, rule| {
        by_code(Preference { preferred, orders: None, reasons: Vec::new() }, rule)
    };
    let of = |record| given(CaseRun { case, record });
    match (of(a)?, of(b)?) {
        (None, None) => decided(Preferred::Tie, "no-answers@1"),
        (Some(_), None) => decided(Preferred::A, "only-answer@1"),
        (None, Some(_)) => decided(Preferred::B, "only-answer@1"),
        (Some(a), Some(b)) if a == b => decided(Preferred::Tie, "equal-answers@1"),
        (Some(a), Some(b)) => Some(both_orders(case, [a, b], profile, lang, asker).await),
    }
}

async fn both_orders(
    case: &TestCase,
    [a, b]: [&str; 2],
    profile: Profile,
    lang: Lang,
    asker: &dyn Asker,
) -> Result<Fact<Preference>, Absence> {
    let group = Group::Prefer.of(profile);
    let order = |first: &str, second: &str| {
        let view = View::new(group)
            .text(Field::Question, "question", &case.question)
            .text(Field::Answer, "first", first)
            .text(Field::Answer, "second", second);
        let better = word(&["first", "second", "tie"]);
        Question::new(group, lang, view, object([("reason", text()), ("better", better)]))
    };
    let (a_first, b_first) = (order(a, b), order(b, a));
    let (a_first, b_first): (Judged, Judged) =
        futures::join!(ask_voted(asker, &a_first, Ok), ask_voted(asker, &b_first, Ok));
    let ((a_first, source), (b_first, more)) = (a_first?, b_first?);
    let said = |better, [first, second]: [Preferred; 2]| match better {
        Better::First => first,
        Better::Second => second,
        Better::Tie => Preferred::Tie,
    };
    let orders = [
        said(a_first.better, [Preferred::A, Preferred::B]),
        said(b_first.better, [Preferred::B, Preferred::A]),
    ];
    let preferred = if orders[0] == orders[1] { orders[0] } else { Preferred::Tie };
    let reasons = [a_first.reason, b_first.reason].map(|reason| reason.trim().to_owned());
    let value = Preference { preferred, orders: Some(orders), reasons: reasons.into() };
    Ok(Fact { value, source: joined(source, more) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_without_a_leader_are_a_tie() {
        let said = |better| Said { reason: String::new(), better };
        let most = |votes: &[Better]| {
            let mut tally = Tally::default();
            let votes = votes.iter().map(|better| said(*better)).collect();
            Said::most(votes, &mut tally).map(|said| (said.better == Better::Tie, tally.agreed))
        };
        assert_eq!(most(&[Better::First, Better::Second]), Some((true, 0)));
        assert_eq!(most(&[Better::First, Better::Second, Better::First]), Some((false, 2)));
        assert_eq!(most(&[Better::First, Better::Tie]), Some((true, 1)));
        assert_eq!(most(&[]), None);
    }
}
