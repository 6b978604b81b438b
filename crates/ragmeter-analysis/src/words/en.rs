use super::Words;
use super::exhibits::Exhibits;

pub(super) const WORDS: Words = Words {
    title: "RAG evaluation report",
    run: "Run",
    made: "made",
    seed: "seed",
    contents: "Contents",
    nothing_judged: "This run has no judged records yet, so there is nothing to show.",

    verdict: "Verdict",
    verdict_lead: "What the scores show, and what they do not. A system is called better or worse \
        only where the difference stands after correction for all comparisons and no missing score \
        could turn it.",
    verdict_one_system: "There is one system, so nothing is compared. Its means:",
    against: "Against",
    scope: "Intervals and tests cover the sampling of cases, not the judge’s own error.",

    summary: "Summary",
    summary_lead: "Mean over the scored cases; the bar is the 95 % interval on a scale from 0 to 1.",
    companions: "Companions",
    companions_lead: "These keep absence honest: they show what a mean leaves out.",
    system: "System",
    records: "Records",
    refused: "refusals",
    errors: "errors",
    of_them_refused: "of them refusals",
    not_applicable: "not applicable",
    failed: "failed",
    no_score: "no score",
    interval: "95 % interval",
    mean: "mean",

    differences: "Paired differences",
    differences_lead: "Both systems on the same cases: second minus first, with the 95 % interval \
        before correction. A filled dot is a difference shown after correction.",
    metric: "Metric",
    difference: "Difference",
    p_corrected: "p, corrected",
    pairs: "Cases scored in both",
    bounds: "With missing scores",
    only: "only",
    neither: "neither",
    all_scored: "none missing",
    lower_is_better: "lower is better",
    higher_is_better: "higher is better",

    not_shown: "nothing shown",
    show_rest: "show the rest",
    question: "Question",
    answer: "Answer",
    no_answer: "The recording has no answer.",
    empty_answer: "The answer is empty.",
    system_error: "The system failed",
    claims: "Claims",
    no_claims: "No claims.",
    claims_not_judged: "The claims were not judged.",
    not_located: "not found word for word in the answer",
    not_judged: "not judged",
    evidence: "evidence",
    quote_dropped: "the judge’s quote stands in no context and was dropped",
    probability: "probability",
    reference: "Reference answer",
    no_reference: "The case has no reference answer.",
    attributable: "in the contexts",
    not_attributable: "not in the contexts",
    contexts: "Contexts",
    context: "Context",
    no_contexts: "The system retrieved nothing.",
    contexts_unknown: "The recording does not tell what was retrieved.",
    useful: "useful",
    not_useful: "not useful",
    cited_by: "cited by claim",
    scores: "Scores",
    parts: "Parts of the question",
    part_answered: "answered",
    part_not_answered: "not answered",
    implied: "Questions that the answer answers",
    noncommittal: "the answer evades",
    similarity: "similarity to the question",
    outcome: "Score",
    explanation: "How it came about",
    not_measured: "not measured",

    failures: "Failures",
    no_failures: "Nothing failed: every score that applies was had.",
    class: "Class",
    how_many: "Number",
    example: "Details of the first",
    failed_answers: "Cases in which a system failed to answer",

    definitions: "Definitions",
    methods: "How the numbers are made",
    method_interval: "Intervals of means, 95 %: from ten scores on, Wilson’s interval with the number of \
        cases that the spread seen is worth (for new documents, the spread between documents), with \
        fewer scores by betting. The rule never looks at widths; no width is ever zero. How often \
        they hold the truth was simulated: docs/intervals.md.",
    method_test: "Differences: paired sign-flip permutation test, of cases (these documents) or of whole \
        documents (new documents), enumerated up to 16 of them, 19,999 seeded draws above that. The \
        interval holds the shifts that the same test does not reject. p is corrected by Holm’s \
        method: the primary metric over its pairs of systems, other metrics over all of themselves, \
        companions likewise. Each of the three keeps 5 % to itself: only the primary metric confirms, \
        the others suggest.",
    method_missing: "With missing scores: the mean difference if every missing score were 0 or 1, \
        whichever is worse and better for the second system. Where the range holds 0, no winner is \
        named. Cases to which a metric applies in neither system are left out.",
    method_refusals: "A refusal to answer gets no score for faithfulness and is counted beside it; \
        no missing score ever enters a mean as a number.",
    settings: "Settings",
    calls_chat: "Chat calls",
    calls_embeddings: "Embedding calls",
    from_store: "Read from the store",
    tokens_input: "Prompt tokens",
    tokens_cached: "of them cached by the endpoint",
    tokens_output: "Generated tokens",
    made_by: "Made by ragmeter. This page loads nothing from anywhere; its one script searches the list of cases.",

    ex: EXHIBITS,
    judged: super::judged::EN,
};

const EXHIBITS: Exhibits = Exhibits {
    rank: "rank",
    rank_of: "of",
    tied: "not told apart within group",
    no_interval: "no interval: fewer than ten documents are known",
    sentences: "Every comparison in words",

    distributions: "Distributions",
    distributions_lead: "Every score of every system. Scores of exactly 0 and exactly 1 stand by \
        themselves at the ends, so ties can be seen; all plots of one metric share a scale.",
    exactly: "exactly",
    median: "median",
    quartiles: "quartiles",
    distinct: "different values",

    sorted: "Case by case, lowest difference first; the band is the 95 % interval of the mean.",
    higher: "higher",
    equal: "equal",
    lower: "lower",

    relations: "Metric against metric",
    relations_lead: "Whether metrics rise and fall together within a system. ρ is Spearman’s rank \
        correlation over the records that have both scores.",
    jitter: "Each point is a record, moved by at most 0.02 each way so that equal ones can be seen.",
    heat: "Darker fields hold more records; 0 and 1 have fields of their own.",
    no_spearman: "no ρ: one of the two is always the same, or there are under three records",

    breakdown: "Breakdown",
    breakdown_lead: "Means by group of cases. A group with under 10 scores has its mean without an \
        interval: it is too small to say more. Intervals are not corrected for looking at many groups.",
    by_tag: "By tag",
    by_label: "By",
    by_document: "By document",
    by_language: "By language",
    group: "Group",
    rest: "smaller groups together",
    too_few: "too few for an interval",
    ungrouped: "Cases in no group",
    one_group: "The cases have no tags, documents or languages that would set them apart.",

    cost: "Cost",
    cost_lead: "What the systems took to answer, and what the judge took. A question mark is a \
        figure that nothing tells.",
    seconds: "Seconds an answer",
    p95: "95 % under",
    tokens_in: "Prompt tokens",
    tokens_out: "Generated tokens",
    money: "Money",
    total: "in all",
    judge: "Judge and embedder",
    judge_money: "ragmeter knows no prices: multiply the tokens by those of your contract.",

    cases: "Cases in full",
    cases_lead: "Open a case to see what the judge saw and what it decided. Claims are coloured by \
        verdict; the evidence is marked in its context. These are the chosen ones: the list below \
        has all.",
    shown_here: "Shown here",
    worst: "Worst",
    worst_lead: "For each system the cases with the lowest mean of its main metrics.",
    disputed: "Most disputed",
    disputed_lead: "Main metrics of one record, or two systems in one case, at least 0.5 apart; \
        and records on which the judge’s own verdicts do not go together.",
    nothing_disputed: "Nothing is in dispute.",
    changed: "Most changed",
    changed_lead: "Where another system differs most from the first one, side by side, losses \
        before gains. Words that stand in only one of the two answers are marked.",
    nothing_changed: "No case differs between the systems.",
    shown_above: "shown above",
    differing: "words that the other answer does not have",
    too_long: "The answers are too long for their differences to be marked.",
    unlike: "The answers have few words in common, so no differences are marked.",
    abridged: "not included in this file; `ragmeter show` prints it",

    list: "All cases",
    list_lead: "Search looks in ids, tags and the beginnings of the questions. A range, a verdict and \
        a failure are looked for in one and the same record.",
    no_script: "The searchable list of all cases needs a browser with scripts. The same table as a file:",
    list_cut: "Only the first cases are listed here:",
    search: "Search",
    any: "any",
    mean_of_main: "mean of main metrics",
    from: "From",
    to: "To",
    claims_are: "Claims",
    has_contradicted: "some contradicted",
    has_absent: "some not in the contexts",
    all_supported: "all supported",
    tag: "Tag",
    failure: "Failure",
    has_failed: "a score is missing",
    has_error: "the system failed",
    has_refusal: "refusal",
    nothing_missing: "none",
    sort: "Order",
    in_order: "as in the test set",
    lowest_first: "lowest first",
    highest_first: "highest first",
    apart_first: "systems furthest apart",
    reset: "Reset",
    found: "{n} of {all} cases",
    nothing_found: "No case is like that.",
    case: "Case",
    marks: "Marks",

    sources: "Who judged",
    sources_lead: "Each source of facts as it named itself in its replies, and how many records rest \
        on it.",
    asked: "Asked for",
    facts_by: "Source",
    asked_as: "Reply format",
    prompts: "Prompts",

    what_changed: "What changed",
};
