//! Agreement in words and tables.

use ragmeter_core::Lang;

use super::{Chapter, Grid, both, label_name, strings, with_interval};
use crate::fact_names::fact_name;
use crate::number::{decimal, score};
use crate::people::{CalibrationOf, FactAgreement, Raters};

/// Most rows of a list that is shown; all of them are in the JSON.
const MOST: usize = 50;

fn votes(fact: &str, labels: &[(String, String)], lang: Lang) -> String {
    let one = |(who, label): &(String, String)| format!("{who}: {}", label_name(fact, label, lang));
    labels.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn percent(share: Option<f64>, lang: Lang) -> String {
    share.map_or_else(
        || "–".to_owned(),
        |share| format!("{}\u{a0}%", decimal(share * 100.0, 1, lang)),
    )
}

pub(super) fn chapter(fact: &FactAgreement, lang: Lang) -> Chapter {
    let mut lines = vec![judge_sentence(fact, lang)];
    lines.push(how(&fact.judge, lang).to_owned());
    if let Some(weighted) = fact.judge.weighted_kappa {
        let weighted = score(weighted, lang);
        lines.push(match lang {
            Lang::En => format!(
                "With linear weights, where confusing neighbours in the order of the labels costs \
                 less, kappa is {weighted}."
            ),
            Lang::Ru => format!(
                "С линейными весами, когда путаница между соседними по порядку метками стоит \
                 меньше, каппа равна {weighted}."
            ),
        });
    }
    if let Some(alpha) = &fact.alpha {
        let value = with_interval(Some(alpha.alpha), alpha.interval, lang);
        let n = alpha.n_units;
        lines.push(match lang {
            Lang::En => format!(
                "Between annotators: Krippendorff's alpha {value} on {n} units with two labels or \
                 more."
            ),
            Lang::Ru => format!(
                "Между разметчиками: альфа Криппендорфа {value}; единиц с двумя и более метками: \
                 {n}."
            ),
        });
    }
    lines.extend(fact.calibration.as_ref().map(|one| probabilities(fact, one, lang)));
    let counts = [
        (
            fact.ties.len(),
            "units with a tie between annotators, left out above (they are the harder ones, so look \
             at each annotator, too)",
            "единиц, где голоса разметчиков разделились поровну (выше не учтены; они труднее \
             прочих, поэтому смотрите и на каждого разметчика)",
        ),
        (
            fact.added.len(),
            "claims that the extractor missed, added by annotators",
            "утверждений, пропущенных при выделении и добавленных разметчиками",
        ),
        (
            fact.n_not_judged,
            "labelled units without a verdict of the judge",
            "размеченных единиц без вердикта судьи",
        ),
        (
            fact.n_elsewhere,
            "labels on claims that this run did not extract, left out",
            "меток на утверждениях, которых в этом прогоне нет (не учтены)",
        ),
    ];
    for (count, en, ru) in counts.into_iter().filter(|(count, _, _)| *count > 0) {
        lines.push(format!("{}: {count}.", upper_first(both(lang, en, ru))));
    }
    Chapter {
        title: format!(
            "{}: {}",
            both(lang, "Judge and people", "Судья и люди"),
            fact_name(fact.fact, lang)
        ),
        lines,
        grids: [
            (fact.judge.n > 0).then(|| confusion(fact, lang)),
            by_system(fact, lang),
            by_annotator(fact, lang),
            between(fact, lang),
            fact.calibration.as_ref().map(|one| bins(one, lang)),
            disagreements(fact, lang),
            ties(fact, lang),
            added(fact, lang),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn probabilities(fact: &FactAgreement, one: &CalibrationOf, lang: Lang) -> String {
    let label = label_name(fact.fact, one.label, lang);
    let [brier, of_share, ece] =
        [one.brier, one.brier_of_share, one.ece].map(|number| decimal(number, 3, lang));
    let (n, bins) = (one.n, one.bins.len());
    match lang {
        Lang::En => format!(
            "The judge's probabilities of “{label}” on {n} units: Brier score {brier} (always saying \
             the share would have {of_share}), expected calibration error {ece} over {bins} bins of \
             equal width from 0 to 1, both ends included."
        ),
        Lang::Ru => format!(
            "Вероятности «{label}» по судье, единиц: {n}; показатель Брайера {brier} (у постоянного \
             ответа долей был бы {of_share}), ожидаемая ошибка калибровки {ece}; равных интервалов \
             от 0 до 1 включительно: {bins}."
        ),
    }
}

fn bins(one: &CalibrationOf, lang: Lang) -> Grid {
    let last = one.bins.len().saturating_sub(1);
    let rows = one.bins.iter().enumerate().filter(|(_, bin)| bin.n > 0).map(|(at, bin)| {
        let [low, high] = [bin.low, bin.high].map(|edge| decimal(edge, 1, lang));
        let separator = both(lang, ",", ";");
        let close = if at == last { ']' } else { ')' };
        vec![
            format!("[{low}{separator} {high}{close}"),
            bin.n.to_string(),
            with_interval(bin.probability, None, lang),
            with_interval(bin.came_true, None, lang),
        ]
    });
    Grid {
        caption: both(lang, "The judge's probabilities", "Вероятности судьи").to_owned(),
        header: strings(match lang {
            Lang::En => ["probability", "units", "mean probability", "share by people"],
            Lang::Ru => ["вероятность", "единиц", "средняя вероятность", "доля по людям"],
        }),
        rows: rows.collect(),
    }
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn judge_sentence(fact: &FactAgreement, lang: Lang) -> String {
    let judge = &fact.judge;
    let share = percent(judge.share, lang);
    let (agreed, n) = (judge.agreed, judge.n);
    let kappa = match judge.kappa {
        Some(kappa) => with_interval(Some(kappa), judge.interval, lang),
        None if n == 0 => {
            return both(
                lang,
                "No unit has both a verdict of the judge and a label of most annotators.",
                "Нет ни одной единицы, где есть и вердикт судьи, и метка большинства разметчиков.",
            )
            .to_owned();
        }
        None => both(
            lang,
            "not defined, since both gave one label only",
            "не определена: обе стороны ставили только одну метку",
        )
        .to_owned(),
    };
    match lang {
        Lang::En => format!(
            "Judge and people agree on {agreed} of {n} units ({share}); Cohen's kappa: {kappa}."
        ),
        Lang::Ru => format!(
            "Судья и люди согласны в {agreed} из {n} единиц ({share}); каппа Коэна: {kappa}."
        ),
    }
}

fn how(raters: &Raters, lang: Lang) -> &'static str {
    match (raters.interval, raters.kappa) {
        (Some(_), _) if raters.method == "clustered" => match lang {
            Lang::En => {
                "The 95\u{a0}% interval draws whole cases, since units of one case are not \
                 independent of each other."
            }
            Lang::Ru => {
                "Для 95%\u{2011}ного интервала примеры выбираются целиком: единицы одного примера \
                 зависят друг от друга."
            }
        },
        (Some(_), _) => match lang {
            Lang::En => "The 95\u{a0}% interval is the large-sample one: every case has one unit.",
            Lang::Ru => "95%\u{2011}ный интервал асимптотический: в каждом примере одна единица.",
        },
        (None, Some(_)) => match lang {
            Lang::En => "No interval: fewer than ten cases, or kappa is not defined in some draws.",
            Lang::Ru => "Интервала нет: примеров меньше десяти или каппа определена не всегда.",
        },
        (None, None) => match lang {
            Lang::En => "There is no interval without a kappa.",
            Lang::Ru => "Без каппы нет и интервала.",
        },
    }
}

fn confusion(fact: &FactAgreement, lang: Lang) -> Grid {
    let mut header = vec![both(lang, "judge ↓ people →", "судья ↓ люди →").to_owned()];
    let names: Vec<String> =
        fact.labels.iter().map(|label| label_name(fact.fact, label, lang)).collect();
    header.extend(names.iter().cloned());
    let row = |(name, counts): (String, &Vec<usize>)| {
        std::iter::once(name).chain(counts.iter().map(ToString::to_string)).collect()
    };
    Grid {
        caption: both(lang, "Confusion, in units", "Матрица ошибок, в единицах").to_owned(),
        header,
        rows: names.into_iter().zip(&fact.judge.confusion).map(row).collect(),
    }
}

fn rater_cells(raters: &Raters, lang: Lang) -> [String; 3] {
    let kappa = with_interval(raters.kappa, raters.interval, lang);
    [raters.n.to_string(), percent(raters.share, lang), kappa]
}

fn named_row((name, raters): &(String, Raters), lang: Lang) -> Vec<String> {
    std::iter::once(name.clone()).chain(rater_cells(raters, lang)).collect()
}

fn by_annotator(fact: &FactAgreement, lang: Lang) -> Option<Grid> {
    (fact.by_annotator.len() > 1).then(|| Grid {
        caption: both(lang, "Judge and each annotator", "Судья и каждый разметчик").to_owned(),
        header: strings(match lang {
            Lang::En => ["annotator", "units", "agreement", "kappa"],
            Lang::Ru => ["разметчик", "единиц", "согласие", "каппа"],
        }),
        rows: fact.by_annotator.iter().map(|one| named_row(one, lang)).collect(),
    })
}

fn by_system(fact: &FactAgreement, lang: Lang) -> Option<Grid> {
    (fact.by_system.len() > 1).then(|| Grid {
        caption: both(lang, "Judge and people by system", "Судья и люди по системам").to_owned(),
        header: strings(match lang {
            Lang::En => ["system", "units", "agreement", "kappa"],
            Lang::Ru => ["система", "единиц", "согласие", "каппа"],
        }),
        rows: fact.by_system.iter().map(|one| named_row(one, lang)).collect(),
    })
}

fn between(fact: &FactAgreement, lang: Lang) -> Option<Grid> {
    (!fact.between.is_empty()).then(|| Grid {
        caption: both(lang, "Annotators in pairs", "Разметчики попарно").to_owned(),
        header: strings(match lang {
            Lang::En => ["annotators", "units", "agreement", "kappa"],
            Lang::Ru => ["разметчики", "единиц", "согласие", "каппа"],
        }),
        rows: (fact.between.iter())
            .map(|pair| {
                let names = format!("{} – {}", pair.a, pair.b);
                std::iter::once(names).chain(rater_cells(&pair.raters, lang)).collect()
            })
            .collect(),
    })
}

fn listed(
    caption: (&str, &str),
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    lang: Lang,
) -> Option<Grid> {
    let (n, name) = (rows.len(), both(lang, caption.0, caption.1));
    let caption = if n > MOST {
        match lang {
            Lang::En => format!("{name}: the first {MOST} of {n}"),
            Lang::Ru => format!("{name}: первые {MOST} из {n}"),
        }
    } else {
        format!("{name}: {n}")
    };
    (n > 0).then(|| Grid { caption, header, rows: rows.into_iter().take(MOST).collect() })
}

fn place(system: &str, case: &str) -> String {
    format!("{system} / {case}")
}

fn whole(text: &str, lang: Lang) -> String {
    if text.is_empty() {
        both(lang, "(the answer)", "(ответ)").to_owned()
    } else {
        text.to_owned()
    }
}

fn disagreements(fact: &FactAgreement, lang: Lang) -> Option<Grid> {
    let rows = fact.disagreements.iter().map(|one| {
        let name = |label: &str| label_name(fact.fact, label, lang);
        let mut said = votes(fact.fact, &one.labels, lang);
        for comment in &one.comments {
            said.push_str(" — ");
            said.push_str(comment);
        }
        let place = place(&one.system, &one.case);
        vec![place, whole(&one.text, lang), name(one.judge), name(&one.people), said]
    });
    let header = match lang {
        Lang::En => ["system / case", "text", "judge", "people", "votes and comments"],
        Lang::Ru => ["система / пример", "текст", "судья", "люди", "голоса и пояснения"],
    };
    let caption = ("Where judge and people disagree", "Где судья и люди расходятся");
    listed(caption, strings(header), rows.collect(), lang)
}

fn ties(fact: &FactAgreement, lang: Lang) -> Option<Grid> {
    let rows = fact.ties.iter().map(|one| {
        let said = votes(fact.fact, &one.labels, lang);
        vec![place(&one.system, &one.case), whole(&one.text, lang), said]
    });
    let header = match lang {
        Lang::En => ["system / case", "text", "votes"],
        Lang::Ru => ["система / пример", "текст", "голоса"],
    };
    let caption = ("Ties between annotators", "Голоса поровну");
    listed(caption, strings(header), rows.collect(), lang)
}

fn added(fact: &FactAgreement, lang: Lang) -> Option<Grid> {
    let rows = fact.added.iter().map(|one| {
        let said = votes(fact.fact, &one.labels, lang);
        vec![place(&one.system, &one.case), one.text.clone(), said]
    });
    let header = match lang {
        Lang::En => ["system / case", "claim", "votes"],
        Lang::Ru => ["система / пример", "утверждение", "голоса"],
    };
    let caption = ("Claims that the extractor missed", "Пропущенные при выделении утверждения");
    listed(caption, strings(header), rows.collect(), lang)
}
