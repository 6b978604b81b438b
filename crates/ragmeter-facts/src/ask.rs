use futures::future::join_all;
use ragmeter_core::{
    Absence, AbsenceClass, BoxFuture, ChatRequest, Digest, ErrorClass, JudgeSource, Lang, Message,
    ModelError, ReplyFormat, Role, Rung, Source, TokenChoice, Votes,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::group::Group;
use crate::parse::parse;
use crate::template::{View, repair_words, shape_words, template_hash};
use crate::votes::{Tally, Votable};

/// How often a reply that can't be read is asked for anew, each time one rung down the ladder.
const ATTEMPTS: usize = 3;

/// Most characters of an unreadable reply that are shown to the model with the request to mend it.
const REPAIR_CHARS: usize = 4_000;

/// One call on its way out.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The call group.
    pub group: Group,
    /// Ids that an earlier call left out, asked alone.
    pub again: bool,
    /// Language of the prompt.
    pub lang: Lang,
    /// Which of several equal questions this is.
    pub vote: usize,
    /// How often it was asked before and could not be read.
    pub attempt: usize,
    /// The request.
    pub request: ChatRequest,
}

/// A reply, live or out of the store.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its key in the store.
    pub key: Digest,
    /// The text.
    pub text: String,
    /// Cut off at the token limit.
    pub truncated: bool,
    /// Withheld by a filter.
    pub filtered: bool,
    /// The model as the endpoint named it.
    pub model: String,
    /// It was in the store before: nothing was paid.
    pub cached: bool,
    /// Its tokens, where they were asked for and the endpoint gave them.
    pub tokens: Vec<TokenChoice>,
}

/// What carries calls to a judge: a store in front of a model.
pub trait Asker: Send + Sync + std::fmt::Debug {
    /// The endpoint, or the name of its pool.
    fn endpoint(&self) -> &str;
    /// The highest rung that this model is not known to refuse.
    fn first_rung(&self) -> Rung;
    /// Remembers that the model refuses every rung above this one.
    fn lower_first_rung(&self, rung: Rung);
    /// How many replies each question gets where most of them can decide.
    fn votes(&self) -> usize {
        1
    }
    /// The reply to one call.
    fn reply(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, ModelError>>;
}

/// One question to the judge, before its rung and attempt are known.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) group: Group,
    pub(crate) lang: Lang,
    pub(crate) view: View,
    pub(crate) schema: Value,
    pub(crate) again: bool,
    pub(crate) vote: usize,
    pub(crate) temperature: f64,
    /// Whether the probabilities of tokens are of use.
    pub(crate) logprobs: bool,
}

impl Question {
    pub(crate) fn new(group: Group, lang: Lang, view: View, schema: Value) -> Self {
        Self { group, lang, view, schema, again: false, vote: 0, temperature: 0.0, logprobs: false }
    }
}

/// [`ask_with`], where nothing but the typed reply matters.
pub(crate) async fn ask<R: DeserializeOwned, T>(
    asker: &dyn Asker,
    question: &Question,
    read: impl Fn(R) -> Result<T, String>,
) -> Result<(T, Source), Absence> {
    ask_with(asker, question, |value, _| read(value)).await
}

/// Asks until the reply can be read, going down the ladder; `read` turns the typed reply into the
/// value or says what is wrong with it.
pub(crate) async fn ask_with<R: DeserializeOwned, T>(
    asker: &dyn Asker,
    question: &Question,
    read: impl Fn(R, &Reply) -> Result<T, String>,
) -> Result<(T, Source), Absence> {
    let messages = question.view.messages(question.lang);
    let mut first = asker.first_rung();
    let mut unreadable: Option<(String, String)> = None;
    let mut last = absence(AbsenceClass::Unparsable, "no reply");
    let (mut attempt, mut paid) = (0, 0);
    while paid < ATTEMPTS {
        let rung = first.down(attempt);
        let request = ChatRequest {
            messages: on_rung(question, rung, messages.clone(), unreadable.as_ref()),
            format: ReplyFormat::Json {
                name: question.group.name(),
                schema: question.schema.clone(),
                rung,
            },
            temperature: question.temperature,
            max_tokens: None,
            seed: None,
            logprobs: question.logprobs,
        };
        let (group, lang) = (question.group, question.lang);
        let call =
            Ask { group, again: question.again, lang, vote: question.vote, attempt, request };
        let reply = match asker.reply(call).await {
            Err(error) if error.class == ErrorClass::UnsupportedFormat && rung != Rung::Prompt => {
                first = first.down(1);
                asker.lower_first_rung(first);
                continue;
            }
            Err(error) => return Err(absence_of(&error)),
            Ok(reply) => reply,
        };
        paid += usize::from(!reply.cached);
        attempt += 1;
        if reply.filtered {
            return Err(absence(AbsenceClass::Filtered, "the judge's reply was withheld"));
        }
        match parse::<R>(&reply.text).and_then(|value| read(value, &reply)) {
            Ok(value) => return Ok((value, source(asker, question, rung, reply))),
            Err(_) if reply.truncated => {
                last = absence(AbsenceClass::Truncated, "the judge's reply was cut off");
            }
            Err(error) => last = absence(AbsenceClass::Unparsable, &error),
        }
        unreadable = Some((reply.text, last.detail.clone()));
    }
    Err(last)
}

/// The temperature of further votes: at 0 they would be copies of the first.
pub(crate) const VOTE_TEMPERATURE: f64 = 0.3;

/// Asks as often as the judge is to vote, and takes what most replies say. A vote that can't be
/// had is none; without a majority of those asked for there is no fact.
pub(crate) async fn ask_voted<R: DeserializeOwned, T: Votable>(
    asker: &dyn Asker,
    question: &Question,
    read: impl Fn(R) -> Result<T, String>,
) -> Result<(T, Source), Absence> {
    ask_voted_with(asker, question, |value, _: &Reply| read(value)).await
}

/// [`ask_voted`], where the reply around the typed one matters too.
pub(crate) async fn ask_voted_with<R: DeserializeOwned, T: Votable>(
    asker: &dyn Asker,
    question: &Question,
    read: impl Fn(R, &Reply) -> Result<T, String>,
) -> Result<(T, Source), Absence> {
    let asked = asker.votes();
    if asked <= 1 {
        return ask_with(asker, question, read).await;
    }
    let read = &read;
    let ballots = (0..asked).map(|vote| async move {
        let temperature = if vote == 0 { question.temperature } else { VOTE_TEMPERATURE };
        ask_with(asker, &Question { vote, temperature, ..question.clone() }, read).await
    });
    let mut votes = Vec::with_capacity(asked);
    let mut source: Option<Source> = None;
    let mut failed = None;
    for ballot in join_all(ballots).await {
        match ballot {
            Ok((vote, of)) => {
                votes.push(vote);
                join(&mut source, of);
            }
            Err(absence) => failed = Some(absence),
        }
    }
    if let Some(absence) = failed
        && votes.len() * 2 <= asked
    {
        return Err(absence);
    }
    let mut tally = Tally::default();
    let value = T::most(votes, &mut tally);
    match (value, source) {
        (Some(value), Some(mut source)) => {
            if let Source::Judge(judge) = &mut source {
                judge.votes = Some(Votes { asked, given: tally.given, agreed: tally.agreed });
            }
            Ok((value, source))
        }
        _ => Err(absence(AbsenceClass::Unparsable, "no vote")),
    }
}

fn source(asker: &dyn Asker, question: &Question, rung: Rung, reply: Reply) -> Source {
    Source::Judge(Box::new(JudgeSource {
        group: question.group.tag(question.again),
        model: reply.model,
        endpoint: asker.endpoint().to_owned(),
        lang: question.lang,
        template: template_hash(question.group, question.lang),
        rung,
        replies: vec![reply.key],
        votes: None,
    }))
}

fn on_rung(
    question: &Question,
    rung: Rung,
    mut messages: Vec<Message>,
    unreadable: Option<&(String, String)>,
) -> Vec<Message> {
    if rung != Rung::Prompt {
        return messages;
    }
    if let Some(system) = messages.first_mut() {
        system.content.push_str("\n\n");
        system.content.push_str(&shape_words(question.lang, &question.schema));
    }
    if let Some((reply, error)) = unreadable {
        messages.push(Message::new(Role::Assistant, cut(reply)));
        messages.push(Message::new(Role::User, repair_words(question.lang, error)));
    }
    messages
}

fn cut(text: &str) -> String {
    text.chars().take(REPAIR_CHARS).collect()
}

pub(crate) fn absence(class: AbsenceClass, detail: &str) -> Absence {
    Absence { class, detail: detail.to_owned() }
}

fn absence_of(error: &ModelError) -> Absence {
    let class = match error.class {
        ErrorClass::Failed(class) => class,
        ErrorClass::UnsupportedFormat => AbsenceClass::Rejected,
    };
    Absence { class, detail: error.to_string() }
}

/// One source out of two calls of the same group: all their replies.
pub(crate) fn joined(mut known: Source, other: Source) -> Source {
    if let (Source::Judge(judge), Source::Judge(other)) = (&mut known, other) {
        for reply in other.replies {
            if !judge.replies.contains(&reply) {
                judge.replies.push(reply);
            }
        }
        if let (Some(votes), Some(others)) = (&mut judge.votes, other.votes) {
            votes.given += others.given;
            votes.agreed += others.agreed;
        }
    }
    known
}

/// Adds the replies of one more call to a source that may have none yet.
pub(crate) fn join(known: &mut Option<Source>, other: Source) {
    *known = Some(match known.take() {
        Some(known) => joined(known, other),
        None => other,
    });
}

pub(crate) fn missing_ids(what: &str) -> Absence {
    absence(AbsenceClass::MissingIds, &format!("the judge left out {what}, asked alone too"))
}
