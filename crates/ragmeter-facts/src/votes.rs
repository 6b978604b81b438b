//! Several replies to one question: what most of them say, item by item.

use ragmeter_core::{AnswerKind, Grade, Support};

/// Whether two verdicts say the same.
pub(crate) trait Same {
    fn same(&self, other: &Self) -> bool;
}

macro_rules! same_if_equal {
    ($($of:ty),+) => { $(impl Same for $of {
        fn same(&self, other: &Self) -> bool {
            self == other
        }
    })+ };
}
same_if_equal!(bool, Support, AnswerKind, ragmeter_core::NuggetSupport);

/// What several replies come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Verdicts given, over all replies and items.
    pub(crate) given: usize,
    /// Of them, those that say what most say on that item.
    pub(crate) agreed: usize,
}

/// A value that several replies can give.
pub(crate) trait Votable: Sized {
    /// What most of the replies say; the first one's word where none has more than another.
    fn most(votes: Vec<Self>, tally: &mut Tally) -> Option<Self>;
}

/// What most of these say, and how many of them.
fn majority<T: Same>(votes: Vec<T>) -> Option<(T, usize)> {
    let counts: Vec<usize> =
        votes.iter().map(|vote| votes.iter().filter(|other| vote.same(other)).count()).collect();
    let most = *counts.iter().max()?;
    let first = counts.iter().position(|count| *count == most)?;
    votes.into_iter().nth(first).map(|vote| (vote, most))
}

impl<T: Same> Votable for Vec<Option<T>> {
    /// Item by item; an item that a reply leaves out is no vote of it.
    fn most(votes: Vec<Self>, tally: &mut Tally) -> Option<Self> {
        let items = votes.first()?.len();
        let mut replies: Vec<_> = votes.into_iter().map(IntoIterator::into_iter).collect();
        let mut out = Self::with_capacity(items);
        for _ in 0..items {
            let of_item: Vec<T> =
                replies.iter_mut().filter_map(|reply| reply.next().flatten()).collect();
            tally.given += of_item.len();
            out.push(majority(of_item).map(|(verdict, agreed)| {
                tally.agreed += agreed;
                verdict
            }));
        }
        Some(out)
    }
}

impl<A: Votable, B: Votable> Votable for (A, B) {
    fn most(votes: Vec<Self>, tally: &mut Tally) -> Option<Self> {
        let (first, second): (Vec<A>, Vec<B>) = votes.into_iter().unzip();
        Some((A::most(first, tally)?, B::most(second, tally)?))
    }
}

macro_rules! single {
    ($($of:ty),+) => { $(impl Votable for $of {
        fn most(votes: Vec<Self>, tally: &mut Tally) -> Option<Self> {
            tally.given += votes.len();
            let (verdict, agreed) = majority(votes)?;
            tally.agreed += agreed;
            Some(verdict)
        }
    })+ };
}
single!(bool, AnswerKind);

impl Votable for Grade {
    /// Most votes decide over whole grades; grades weighted by probabilities are averaged.
    fn most(votes: Vec<Self>, tally: &mut Tally) -> Option<Self> {
        let all: Vec<i64> = votes.iter().flat_map(|grade| grade.votes.iter().copied()).collect();
        let weighted = votes.iter().any(|grade| grade.grade.fract() != 0.0);
        let mean = votes.iter().map(|grade| grade.grade).sum::<f64>() / votes.len() as f64;
        let count = |said: i64| all.iter().filter(|other| **other == said).count();
        let most =
            all.iter().copied().max_by_key(|said| (count(*said), std::cmp::Reverse(*said)))?;
        tally.given += all.len();
        tally.agreed += count(most);
        let reason = votes.into_iter().find(|grade| grade.votes.first() == Some(&most))?.reason;
        let grade = if weighted { mean } else { most as f64 };
        Some(Self { grade, votes: all, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_decide_item_by_item_and_agreement_is_counted() {
        let mut tally = Tally::default();
        let votes = vec![
            vec![Some(true), Some(false), None],
            vec![Some(true), Some(true), None],
            vec![Some(false), None, None],
        ];
        let most = Vec::<Option<bool>>::most(votes, &mut tally).expect("there are votes");
        assert_eq!(most, [Some(true), Some(false), None]);
        assert_eq!((tally.given, tally.agreed), (5, 3));
    }

    #[test]
    fn an_even_split_of_grades_takes_the_lower_one() {
        let grade =
            |said: i64| Grade { grade: said as f64, votes: vec![said], reason: String::new() };
        let most = Grade::most(vec![grade(3), grade(1)], &mut Tally::default()).expect("votes");
        assert_eq!((most.grade, most.votes), (1.0, vec![3, 1]));
    }
}
