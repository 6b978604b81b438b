use ragmeter_core::Outcome;

use crate::RunData;

/// Every outcome as a row: system, case, metric, status, value, reason, explanation.
///
/// RFC 4180 with a header line. The value is a plain number with a decimal point, empty where
/// there is none. A text that a spreadsheet would take for a formula gets an apostrophe in front.
pub fn csv(run: &RunData) -> String {
    let mut writer = ::csv::WriterBuilder::new().from_writer(Vec::new());
    let header = ["system", "case", "metric", "status", "value", "reason", "explanation"];
    let mut rows = vec![header.map(str::to_owned)];
    for system in &run.systems {
        for record in &system.records {
            for metric in &run.metrics {
                let [status, value, reason, explanation] = cells(record.outcomes.get(&metric.id));
                rows.push([
                    inert(&system.name),
                    inert(&record.record.case_id),
                    inert(&metric.id),
                    status,
                    value,
                    inert(&reason),
                    inert(&explanation),
                ]);
            }
        }
    }
    for row in rows {
        // Writing into memory cannot fail, and every row has the header's length.
        let written = writer.write_record(&row);
        debug_assert!(written.is_ok());
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Status, value, reason and explanation of an outcome.
fn cells(outcome: Option<&Outcome>) -> [String; 4] {
    let none = String::new;
    match outcome {
        Some(Outcome::Scored(score)) => {
            ["scored".into(), score.value.get().to_string(), none(), score.explanation.clone()]
        }
        Some(Outcome::NotApplicable(absence)) => {
            ["not_applicable".into(), none(), absence.reason.clone(), none()]
        }
        Some(Outcome::Failed(absence)) => ["failed".into(), none(), absence.to_string(), none()],
        None => ["not_measured".into(), none(), none(), none()],
    }
}

fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}
