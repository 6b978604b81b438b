//! A TREC run measured by TREC judgements, as trec_eval does it.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ragmeter_metrics::retrieval::{Complete, Hit, Judgement, Measure, Ranking, Sums};
use ragmeter_testset::foreign::{TrecFaults, read_trec_judgements, read_trec_run};

use crate::error::Error;

/// What is measured.
#[derive(Clone, Debug)]
pub struct RetrievalRequest {
    /// The run: `query Q0 document rank score tag`.
    pub run: PathBuf,
    /// The judgements: `query iteration document grade`.
    pub qrels: PathBuf,
    /// Measures by trec_eval's names; all of its usual ones if empty.
    pub metrics: Vec<String>,
    /// The lowest grade that is relevant, at least 1.
    pub level: u32,
    /// Judged queries without results count as 0.
    pub complete: bool,
}

/// The measures of a run.
#[derive(Clone, Debug)]
pub struct RetrievalResult {
    /// The run's own name.
    pub run_id: String,
    /// The measures, in trec_eval's order.
    pub measures: Vec<Measure>,
    /// The value of each over all queries.
    pub overall: Vec<f64>,
    /// Queries with results and judgements, with the value of each measure that is told of a single
    /// query.
    pub queries: Vec<(String, Vec<Option<f64>>)>,
    /// How many queries have results and no judgements: they count nowhere.
    pub unjudged: usize,
    /// How many queries have judgements and no results.
    pub unanswered: usize,
}

/// Measures a run. Documents are ranked by score, equal scores by id, both descending; queries are
/// averaged where both files have them, in the order of their ids.
pub fn retrieval(request: &RetrievalRequest) -> Result<RetrievalResult, Error> {
    let names = request.metrics.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    let mut measures = Measure::named(names).map_err(unknown)?;
    if measures.is_empty() {
        measures = Measure::all_trec();
    }
    let (run_text, qrels_text) = (text(&request.run)?, text(&request.qrels)?);
    let (run, judged) = match (read_trec_run(&run_text), read_trec_judgements(&qrels_text)) {
        (Ok(run), Ok(judged)) => (run, judged),
        (run, judged) => return Err(faults(request, run.err(), judged.err())),
    };
    let grades = || judged.iter().flat_map(|(_, documents)| documents).map(|one| one.grade);
    // Of a scale nobody names, the largest grade of the file is the top.
    let top = grades().max().and_then(|grade| u32::try_from(grade).ok()).unwrap_or(0);
    let places: BTreeMap<&str, usize> =
        judged.iter().enumerate().map(|(at, (query, _))| (*query, at)).collect();
    let mut sums = Sums::new(&measures);
    let mut queries = Vec::new();
    for (query, documents) in &run.queries {
        let Some(&at) = places.get(query) else { continue };
        let judgements = judged[at].1.iter().map(|one| (one.document, one.grade));
        let judgements: Vec<Judgement<'_>> = judgements.collect();
        let hits = documents.iter().map(|one| Hit { document: one.document, score: one.score });
        let mut hits: Vec<Hit<'_>> = hits.collect();
        let ranking = Ranking::of_run(&mut hits, &judgements, request.level).graded_up_to(top);
        queries.push(((*query).to_owned(), sums.add(&ranking)));
    }
    if queries.is_empty() {
        return Err(none_shared(request, run.queries.len(), judged.len()));
    }
    let relevant = grades().filter(|grade| *grade > 0).count();
    let complete = request.complete.then_some(Complete { queries: judged.len(), relevant });
    Ok(RetrievalResult {
        run_id: run.tag.to_owned(),
        overall: sums.finish(complete),
        unjudged: run.queries.len() - queries.len(),
        unanswered: judged.len() - queries.len(),
        measures,
        queries,
    })
}

/// The text of a file, which may be packed by gzip.
fn text(path: &Path) -> Result<String, Error> {
    let failed = |source| Error::File { verb: "read", path: path.display().to_string(), source };
    let mut bytes = std::fs::read(path).map_err(failed)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice())
            .read_to_end(&mut unpacked)
            .map_err(failed)?;
        bytes = unpacked;
    }
    String::from_utf8(bytes).or_else(|error| {
        ragmeter_rag::decode(error.as_bytes(), None)
            .map_err(|reason| Error::usage(format!("{}: {reason}", path.display())))
    })
}

fn unknown(name: &str) -> Error {
    let families: Vec<&str> = Measure::families().collect();
    Error::usage(format!(
        "no measure `{name}`: names are trec_eval's, as in map, P_5 or ndcg_cut_10, and its sets \
         official, set and all_trec; there are {}",
        families.join(", ")
    ))
}

/// Every fault told of both files.
fn faults(
    request: &RetrievalRequest,
    run: Option<TrecFaults>,
    judged: Option<TrecFaults>,
) -> Error {
    let mut lines = Vec::new();
    let fields = |faults: &Option<TrecFaults>| faults.as_ref().map_or(0, |faults| faults.fields);
    let swapped = fields(&run) == 4 && fields(&judged) == 6;
    for (path, faults) in [(&request.run, run), (&request.qrels, judged)] {
        let Some(faults) = faults else { continue };
        let file = path.display();
        lines.extend(faults.told.iter().map(|fault| format!("{file}: {fault}")));
        if faults.more > 0 {
            lines.push(format!("{file}: and {} more lines like these", faults.more));
        }
    }
    if swapped {
        lines.push("are --run and --qrels swapped?".to_owned());
    }
    Error::Usage(lines.join("\n  "))
}

fn none_shared(request: &RetrievalRequest, run: usize, judged: usize) -> Error {
    let (run_file, qrels_file) = (request.run.display(), request.qrels.display());
    Error::Usage(format!(
        "no query stands in both files: {run_file} has results of {run}, {qrels_file} judgements of \
         {judged}; their ids must be the same, letter by letter"
    ))
}
