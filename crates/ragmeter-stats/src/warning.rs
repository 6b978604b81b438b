use crate::Population;

/// What a coverage warning is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Estimate {
    /// The default interval of a mean of scores in `[0, 1]`, [`mean_interval`](crate::mean_interval).
    Mean,
    /// The paired test and its interval, [`paired_test`](crate::paired_test).
    Paired,
}

/// What a simulation found amiss with a nominal 95 % procedure in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverageWarning {
    /// Intervals held the truth in fewer than 93 % of the simulations.
    TooNarrow,
    /// Intervals held the truth in more than 99 % of the simulations.
    TooWide,
    /// The test found a difference in more than 5.5 % of the simulations without one.
    FindsTooMuch,
}

impl CoverageWarning {
    /// What to tell people, in English and in Russian.
    pub const fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::TooNarrow => (
                "in simulations with this many cases and documents the 95 % interval held the truth in fewer than 93 %",
                "в симуляциях с таким числом вопросов и документов 95-процентный интервал накрывал истину реже, чем в 93 %",
            ),
            Self::TooWide => (
                "in simulations with this many cases and documents the 95 % interval held the truth in more than 99 %: it is wider than need be",
                "в симуляциях с таким числом вопросов и документов 95-процентный интервал накрывал истину чаще, чем в 99 %: он шире, чем нужно",
            ),
            Self::FindsTooMuch => (
                "in simulations with this many cases and documents, where few documents differ much from the rest, the test found a difference where there is none in more than 5.5 %",
                "в симуляциях с таким числом вопросов и документов, где немногие документы сильно отличаются от прочих, тест находил разницу там, где её нет, чаще, чем в 5,5 %",
            ),
        }
    }
}

/// The numbers of cases that were simulated for means.
const CASES: &[usize] = &[10, 20, 50, 100, 150, 500];

/// The same for pairs.
const PAIRED_CASES: &[usize] = &[20, 50, 100, 150];

/// The numbers of documents that were simulated; 0 stands for cases that are independent.
const DOCUMENTS: [usize; 5] = [0, 4, 10, 20, 40];

type Cell = (Estimate, Population, usize, usize, CoverageWarning);

/// The cells that miss their target, by documents and cases, as `cargo xtask coverage` found them;
/// a test holds this table to its file.
const OUTSIDE: &[Cell] = &[
    (Estimate::Mean, Population::TheseDocuments, 10, 10, CoverageWarning::TooWide),
    (Estimate::Mean, Population::TheseDocuments, 40, 10, CoverageWarning::TooWide),
    (Estimate::Mean, Population::NewDocuments, 10, 20, CoverageWarning::TooWide),
    (Estimate::Mean, Population::NewDocuments, 40, 10, CoverageWarning::TooWide),
    (Estimate::Paired, Population::NewDocuments, 10, 20, CoverageWarning::FindsTooMuch),
    (Estimate::Paired, Population::NewDocuments, 10, 50, CoverageWarning::FindsTooMuch),
    (Estimate::Paired, Population::NewDocuments, 10, 100, CoverageWarning::FindsTooMuch),
    (Estimate::Paired, Population::NewDocuments, 10, 150, CoverageWarning::FindsTooMuch),
    (Estimate::Paired, Population::NewDocuments, 20, 50, CoverageWarning::FindsTooMuch),
    (Estimate::Paired, Population::NewDocuments, 20, 100, CoverageWarning::FindsTooMuch),
    (Estimate::Paired, Population::NewDocuments, 20, 150, CoverageWarning::FindsTooMuch),
];

/// Whether the procedure is known to miss its target with so many cases and clusters of documents.
///
/// The nearest simulated cell decides: `cases` goes to the nearest number simulated by ratio,
/// `clusters` to the largest not above it (`None`: independent cases). What was simulated, and how far
/// off the cells are, is in `docs/intervals.md`.
pub fn coverage_warning(
    estimate: Estimate,
    cases: usize,
    clusters: Option<usize>,
    population: Population,
) -> Option<CoverageWarning> {
    let distance = |n: usize| (n as f64 / cases.max(1) as f64).ln().abs();
    let simulated = match estimate {
        Estimate::Mean => CASES,
        Estimate::Paired => PAIRED_CASES,
    };
    let n = *simulated.iter().min_by(|a, b| distance(**a).total_cmp(&distance(**b)))?;
    let least = match (population, clusters) {
        (_, None) => 0,
        (Population::TheseDocuments, Some(_)) => 4,
        (Population::NewDocuments, Some(_)) => 10,
    };
    let most = clusters.unwrap_or(0).max(least);
    let units = |count: usize| population == Population::NewDocuments || count != 20;
    let documents = DOCUMENTS
        .into_iter()
        .filter(|&count| units(count))
        .filter(|count| (least..=most).contains(count))
        .max()?;
    OUTSIDE
        .iter()
        .find(|cell| (cell.0, cell.1, cell.2, cell.3) == (estimate, population, documents, n))
        .map(|cell| cell.4)
}
