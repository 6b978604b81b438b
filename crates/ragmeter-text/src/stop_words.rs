//! Words that carry no topic: articles, pronouns, prepositions, particles, auxiliaries and
//! question words.

use std::collections::HashSet;
use std::sync::LazyLock;

const ENGLISH: &str = "a an the this that these those some any each every either neither no not \
    nor and or but if then else than so as of at by for with about against between into through \
    during before after above below to from up down in out on off over under again further once \
    here there when where why how what which who whom whose all both few more most other such \
    only own same too very just also i me my mine myself we us our ours ourselves you your yours \
    yourself yourselves he him his himself she her hers herself it its itself they them their \
    theirs themselves am is are was were be been being have has had having do does did doing done \
    will would shall should can could may might must ought cannot because until while upon within \
    without per via it's i'm i've you're he's she's we're they're isn't aren't wasn't weren't \
    don't doesn't didn't won't wouldn't can't couldn't shouldn't hasn't haven't hadn't that's \
    what's there's let's let please tell explain describe many much yes";

const RUSSIAN: &str = "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по \
    только ее мне было вот от меня еще нет о об обо из ему теперь когда даже ну ли \
    если уже или ни быть был была были него до вас нибудь опять уж вам ведь там \
    потом себя ничего ей может они тут где есть надо ней для мы тебя их чем сам сама \
    само сами чтоб чтобы без будто чего раз тоже себе под будет будут будем ж тогда \
    кто этот эта это эти того тому том тем те та тот потому этого этой этом этому \
    этим этими этих эту какой какая какое какие какого какому каким каком каких \
    какую какими совсем ним здесь один почти мой моя мое мои нее сейчас куда откуда \
    зачем почему сколько чей чья чье чьи который которая которое которые которого \
    которой которому котором которым которых которую которыми всех никогда можно при \
    наконец другой хоть после над больше через нас про всего них много разве впрочем \
    хорошо свой своя свое свои своего своей своему своим своих свою между наш наша \
    наше наши ваш ваша ваше ваши является являются также такой такая такое такие \
    таких такого такому таким лишь либо ими нам ею мной тобой собой нами вами \
    неужели пожалуйста расскажи расскажите объясни объясните опиши опишите назови \
    назовите ко из-за из-под перед передо около среди каков какова каково каковы \
    всему всей весь вся";

static LIST: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| ENGLISH.split_whitespace().chain(RUSSIAN.split_whitespace()).collect());

/// Whether a word, folded by [`crate::fold`], is a stop word of English or Russian.
pub fn is_stop_word(folded: &str) -> bool {
    LIST.contains(folded)
}
