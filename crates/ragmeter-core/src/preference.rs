use serde::{Deserialize, Serialize};

/// Which of two answers to one question is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preferred {
    /// The first system's.
    A,
    /// The second system's.
    B,
    /// Neither.
    Tie,
}

/// The verdict on two answers to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// What both orders say; a tie if they disagree.
    pub preferred: Preferred,
    /// What the judge said with A's answer shown first, and with B's; `None` if code decided.
    pub orders: Option<[Preferred; 2]>,
    /// The judge's reasons, in the same order; empty if code decided.
    pub reasons: Vec<String>,
}

impl Preference {
    /// The orders disagreed, which made a tie.
    pub fn disagreed(&self) -> bool {
        self.orders.is_some_and(|[first, second]| first != second)
    }

    /// For either order: whether the answer that was named is the one shown first; `None` if the
    /// judge named neither, or was not asked.
    pub fn first_shown(&self) -> [Option<bool>; 2] {
        let Some([a_first, b_first]) = self.orders else { return [None, None] };
        let named = |said, first| (said != Preferred::Tie).then_some(said == first);
        [named(a_first, Preferred::A), named(b_first, Preferred::B)]
    }
}
