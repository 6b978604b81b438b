//! Criteria in words: met or not, or a grade by a rubric.

use ragmeter_core::{CaseRun, FactKind, Grade, Outcome, RecordFacts, UnitInterval};
use ragmeter_facts::Scale;

use crate::{Definition, Parameter, Takes, need};

pub(crate) const ASPECT: Definition = Definition {
    id: "aspect_critic",
    title: ["{} (yes or no)", "{} (да или нет)"],
    definition: ["Whether the answer meets the criterion: {}", "Отвечает ли ответ критерию: {}"],
    card: include_str!("../cards/aspect_critic.md"),
    facts: &[FactKind::Criteria],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Criterion,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

pub(crate) const SIMPLE: Definition = Definition {
    id: "simple_criteria",
    title: ["{} (grade)", "{} (оценка)"],
    definition: [
        "Grade by the criterion, as a share of the scale: {}",
        "Оценка по критерию в долях шкалы: {}",
    ],
    card: include_str!("../cards/simple_criteria.md"),
    facts: &[FactKind::Criteria],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Criterion,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

pub(crate) const RUBRIC: Definition = Definition {
    id: "rubric",
    title: ["{} (rubric)", "{} (рубрика)"],
    definition: [
        "Grade by the rubric, as a share of the scale: {}",
        "Оценка по рубрике в долях шкалы: {}",
    ],
    card: include_str!("../cards/rubric.md"),
    facts: &[FactKind::Criteria],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Criterion,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

pub(crate) const PRESET: Definition = Definition {
    id: "preset",
    title: ["{}", "{}"],
    definition: ["Grade from 0 to 3, as a share of 3: {}", "Оценка от 0 до 3 в долях тройки: {}"],
    card: include_str!("../cards/preset.md"),
    facts: &[FactKind::Criteria],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Criterion,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

pub(crate) const INSTANCE: Definition = Definition {
    id: "instance_rubrics",
    title: ["Instance rubrics", "Рубрики случая"],
    definition: [
        "Grade by the rubric that the case itself gives, as a share of its scale.",
        "Оценка по рубрике самого случая в долях её шкалы.",
    ],
    card: include_str!("../cards/instance_rubrics.md"),
    facts: &[FactKind::Criteria],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Criterion,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts, parameter: &Parameter) -> Result<Outcome, Outcome> {
    let Parameter::Criterion(criterion) = parameter else {
        return Err(Outcome::not_applicable("no criterion is given"));
    };
    need::answer_field(run)?;
    let scale: Option<(i64, i64)> = match &criterion.scale {
        Scale::YesNo => Some((0, 1)),
        Scale::Grades(grades) => ends(grades.iter().map(|(grade, _)| *grade)),
        Scale::OfCase => match criterion.grades(run, ragmeter_core::Lang::En) {
            Some(grades) => ends(grades.iter().map(|(grade, _)| *grade)),
            None => return Err(Outcome::not_applicable("the case has no rubric")),
        },
    };
    let (least, most) = scale.ok_or_else(|| Outcome::not_applicable("the scale has one grade"))?;
    if run.answer().is_none() {
        // Saying nothing has no merit, and no fault either.
        return if criterion.higher_is_better {
            Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"))
        } else {
            Err(Outcome::not_applicable("the answer is empty"))
        };
    }
    let grade = match facts.criteria.get(&criterion.name) {
        Some(Ok(fact)) => &fact.value,
        Some(Err(absence)) => return Err(Outcome::Failed(absence.clone())),
        None => {
            return Err(Outcome::not_applicable("what the criterion sees is not in the record"));
        }
    };
    let share = (grade.grade - least as f64) / (most - least) as f64;
    let value = UnitInterval::new(share)
        .ok_or_else(|| Outcome::not_applicable("the grade lies outside its scale"))?;
    Ok(Outcome::scored(value, words(grade, criterion.scale == Scale::YesNo)))
}

/// The least and the greatest grade, if they differ.
fn ends(grades: impl Iterator<Item = i64> + Clone) -> Option<(i64, i64)> {
    let (least, most) = (grades.clone().min()?, grades.max()?);
    (least < most).then_some((least, most))
}

fn words(grade: &Grade, yes_no: bool) -> String {
    let said = match (yes_no, grade.grade > 0.5) {
        (true, true) => "yes".to_owned(),
        (true, false) => "no".to_owned(),
        (false, _) => format!("grade {}", crate::grades::shown(grade.grade)),
    };
    let votes = match grade.votes.as_slice() {
        [_] | [] => String::new(),
        votes => {
            let same = votes.iter().filter(|vote| (**vote as f64 - grade.grade).abs() < 0.5);
            format!(" ({} of {} votes)", same.count(), votes.len())
        }
    };
    let reason =
        if grade.reason.is_empty() { String::new() } else { format!(": {}", grade.reason) };
    format!("{said}{votes}{reason}")
}
