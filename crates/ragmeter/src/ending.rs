use ragmeter_store::RunStatus;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was judged.
    Done,
    /// Too much failed, or an endpoint was gone.
    Incomplete,
    /// The budget was spent.
    Budget,
    /// It was stopped from outside.
    Interrupted,
}

impl Ending {
    /// The exit code of the command.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Incomplete => 3,
            Self::Budget => 5,
            Self::Interrupted => 130,
        }
    }

    /// What the store says of it.
    pub(crate) fn status(self) -> RunStatus {
        match self {
            Self::Done => RunStatus::Done,
            Self::Incomplete => RunStatus::Incomplete,
            Self::Budget => RunStatus::Budget,
            Self::Interrupted => RunStatus::Begun,
        }
    }
}
