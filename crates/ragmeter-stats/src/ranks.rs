/// What the pairwise verdicts say about the order of several systems; see [`ranks`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// The best and the worst rank that each system may have, from 1.
    pub ranges: Vec<(usize, usize)>,
    /// The largest groups of systems of which no two were told apart; a system may be in several.
    /// Members in the order given, groups by their members. The first is group "a".
    pub tied: Vec<Vec<usize>>,
    /// The letters of the groups that each system is in: two systems share a letter exactly if
    /// they were not told apart. After 26 groups the letters are doubled.
    pub letters: Vec<String>,
}

/// Rank ranges and tied groups from adjusted pairwise verdicts.
///
/// `better[i][j]` says that system `i` was shown to be better than system `j`. A system's best rank
/// is one more than the number of systems shown to be better, its worst rank the number of systems
/// less those that it was shown to be better than. With verdicts adjusted over all pairs (Holm) all
/// ranges hold together at that level. Verdicts need not be transitive, and often aren't: tied
/// groups are the maximal cliques of the systems that were not told apart.
///
/// `None` if the matrix is not square, or if two systems are each better than the other.
pub fn ranks(better: &[Vec<bool>]) -> Option<Ranks> {
    let n = better.len();
    if better.iter().any(|row| row.len() != n) {
        return None;
    }
    if (0..n).any(|i| (0..=i).any(|j| better[i][j] && better[j][i])) {
        return None;
    }
    let ranges = (0..n)
        .map(|i| {
            let above = (0..n).filter(|&j| better[j][i]).count();
            let below = (0..n).filter(|&j| better[i][j]).count();
            (above + 1, n - below)
        })
        .collect();
    let tied_with = |i: usize, j: usize| i != j && !better[i][j] && !better[j][i];
    let mut tied = Vec::new();
    grow(&mut Vec::new(), (0..n).collect(), Vec::new(), &tied_with, &mut tied);
    tied.sort();
    let letters = (0..n)
        .map(|system| {
            let of = tied.iter().enumerate().filter(|(_, group)| group.contains(&system));
            of.map(|(group, _)| letter(group)).collect()
        })
        .collect();
    Some(Ranks { ranges, tied, letters })
}

/// Bron and Kerbosch's search for maximal cliques: `group` can grow by `candidates`; with one of
/// `done` it was looked at before. Without any system there is no group.
fn grow(
    group: &mut Vec<usize>,
    mut candidates: Vec<usize>,
    mut done: Vec<usize>,
    tied_with: &impl Fn(usize, usize) -> bool,
    found: &mut Vec<Vec<usize>>,
) {
    if candidates.is_empty() && done.is_empty() && !group.is_empty() {
        let mut members = group.clone();
        members.sort_unstable();
        found.push(members);
        return;
    }
    // Only systems not tied with the pivot need to be tried: a clique without the pivot and
    // without them could grow by the pivot.
    let ties = |of: usize| candidates.iter().filter(|&&other| tied_with(of, other)).count();
    let pivot =
        candidates.iter().chain(&done).copied().max_by_key(|&of| (ties(of), usize::MAX - of));
    let to_try: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|&system| pivot.is_none_or(|pivot| !tied_with(pivot, system)))
        .collect();
    for system in to_try {
        let with = |list: &[usize]| -> Vec<usize> {
            list.iter().copied().filter(|&other| tied_with(system, other)).collect()
        };
        let (next, next_done) = (with(&candidates), with(&done));
        group.push(system);
        grow(group, next, next_done, tied_with, found);
        group.pop();
        candidates.retain(|&other| other != system);
        done.push(system);
    }
}

/// a, b, …, z, aa, bb, …
fn letter(group: usize) -> String {
    let symbol = char::from(b'a' + (group % 26) as u8);
    std::iter::repeat_n(symbol, group / 26 + 1).collect()
}
