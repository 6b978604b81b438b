use ragmeter_core::CaseRun;

use crate::replies::indexes;

/// Distinct contexts in the order of their hashes: rank can't bias the judge, equal sets share.
pub(crate) struct OrderedContexts<'a> {
    /// Texts with all their ranks.
    items: Vec<(&'a str, Vec<usize>)>,
}

impl<'a> OrderedContexts<'a> {
    pub(crate) fn of(run: CaseRun<'a>) -> Option<Self> {
        let contexts = run.contexts()?;
        let mut ordered: Vec<_> = contexts
            .iter()
            .enumerate()
            .map(|(rank, context)| (ragmeter_core::content_id(&context.text), rank))
            .collect();
        ordered.sort();
        let mut items: Vec<(&str, Vec<usize>)> = Vec::with_capacity(ordered.len());
        let mut last = None;
        for (id, rank) in ordered {
            if last.as_ref() == Some(&id) {
                if let Some((_, ranks)) = items.last_mut() {
                    ranks.push(rank);
                }
            } else {
                items.push((contexts[rank].text.as_str(), vec![rank]));
                last = Some(id);
            }
        }
        Some(Self { items })
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Texts with their ids from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.items.iter().enumerate().map(|(index, (text, _))| (index + 1, *text))
    }

    /// Ranks of the contexts with these ids.
    pub(crate) fn ranks(&self, ids: &[i64]) -> Vec<usize> {
        let indexes = indexes(ids, self.len());
        let mut ranks: Vec<usize> =
            indexes.into_iter().flat_map(|index| self.items[index].1.iter().copied()).collect();
        ranks.sort_unstable();
        ranks
    }

    /// One value for each distinct context spread over their ranks.
    pub(crate) fn by_rank<T: Clone>(&self, values: &[T]) -> Vec<T> {
        let mut ranked: Vec<(usize, T)> = self
            .items
            .iter()
            .zip(values)
            .flat_map(|((_, ranks), value)| ranks.iter().map(|&rank| (rank, value.clone())))
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, value)| value).collect()
    }

    pub(crate) fn holds(&self, quote: &str) -> bool {
        self.items.iter().any(|(text, _)| text.contains(quote))
    }
}
